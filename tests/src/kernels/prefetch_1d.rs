use launch::{Buffer, Launch};

use super::{Kernel, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "prefetch_1d",
    summary: "keeps several batches on their way into shared memory while one is worked on, phases tracked by hand",
    golden: &["prefetch_1d_1", "prefetch_1d_4"],
    showcase: || scenario(4, 16, 256, 16),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for stages in 1..=8 {
        // Fewer batches than stages, as many, no multiple, several rounds of the ring.
        let mut counts = vec![
            1,
            3,
            stages,
            stages + 1,
            2 * stages + 1,
            5 * stages + stages / 2,
        ];
        counts.sort_unstable();
        counts.dedup();
        for batches in counts {
            cases.push(scenario(stages, 3, 128, batches));
        }
    }
    for (blocks, threads) in [(1, 32), (1, 1024), (7, 96), (132, 64), (2, 512)] {
        cases.push(scenario(3, blocks, threads, 7));
    }
    cases
}

fn scenario(stages: u32, blocks: u32, threads: u32, batches: u32) -> Scenario {
    let input = numbers((blocks * threads * batches) as usize);
    let expected: Vec<i32> = input.iter().map(|number| 3 * number + 1).collect();
    let launch = Launch::new(&format!("prefetch_1d_{stages}"), blocks, threads)
        .shared_bytes(stages * (4 * threads + 8))
        .buffer(0)
        .buffer(1)
        .scalar(batches);
    Scenario {
        name: format!("{stages}_stages_{batches}_batches_{blocks}_blocks_of_{threads}"),
        buffers: vec![
            Buffer::new("output", &vec![-1; input.len()]),
            Buffer::new("input", &input),
        ],
        launches: vec![launch],
        expected: vec![
            Expected {
                buffer: 0,
                dims: vec![threads as usize, blocks as usize, batches as usize],
                elements: expected,
            },
            Expected {
                buffer: 1,
                dims: vec![input.len()],
                elements: input,
            },
        ],
    }
}
