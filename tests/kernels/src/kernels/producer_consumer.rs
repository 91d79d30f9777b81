use kernels_gpu::producer_consumer::{ProducerConsumer, ProducerConsumerForm};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "producer_consumer",
    summary: "one warp copies batches into two buffers with LDGSTS, the others compute: as a ring, and with bare barriers",
    golden: &["producer_consumer_ring", "producer_consumer_barriers"],
    showcase: || scenario(ProducerConsumerForm::Ring, 8, 256, 12, 512),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for form in [ProducerConsumerForm::Ring, ProducerConsumerForm::Barriers] {
        for batches in [1, 2, 3, 9] {
            cases.push(scenario(form, 2, 128, batches, 96));
        }
        for (threads, buffer_len) in [(64, 1), (64, 31), (160, 333), (1024, 1000)] {
            cases.push(scenario(form, 3, threads, 5, buffer_len));
        }
    }
    cases
}

fn scenario(
    form: ProducerConsumerForm,
    blocks: u32,
    threads: u32,
    batches: u32,
    buffer_len: u32,
) -> Scenario {
    // Memory after the last number of the last block stays unchanged.
    let count = (blocks * batches * buffer_len) as usize;
    let input: Vec<f32> = numbers(count + 7)
        .iter()
        .map(|number| (number >> 2) as f32)
        .collect();
    let mut expected: Vec<f32> = input.iter().map(|number| 2.0 * number + 1.0).collect();
    expected[count..].fill(-1.0);
    let pattern = ProducerConsumer {
        form,
        input: 0,
        output: 1,
        batches,
        buffer_len,
        blocks,
        threads,
    };
    let launch = kept(pattern.launch());
    Scenario {
        name: format!(
            "{}_{batches}_batches_of_{buffer_len}_{blocks}_blocks_of_{threads}",
            launch.entry
        ),
        buffers: vec![
            Buffer::new("input", &input),
            Buffer::new("output", &vec![-1.0_f32; input.len()]),
        ],
        launches: vec![launch],
        expected: vec![Expected::of(1, &expected), Expected::of(0, &input)],
    }
}
