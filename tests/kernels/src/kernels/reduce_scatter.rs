use kernels_gpu::{reduce_scatter::ReduceScatter, rows::Numbers, settings::Setting};
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept};
use crate::{Expected, Scenario, pairs::Pair};

pub(super) const KERNEL: Kernel = Kernel {
    name: "reduce_scatter",
    summary: "adds a part of a buffer to that of another one, which may be another GPU's, by bulk reductions",
    golden: &["reduce_scatter_bf16"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for numbers in [Numbers::F32, Numbers::Bf16] {
        for (threads, chunk) in [(32, 1), (32, 64), (64, 128), (256, 257)] {
            // A vector, a chunk, some with a shorter last one.
            let mut counts = vec![1, chunk, 3 * chunk + 1, 7 * chunk + 2];
            counts.dedup();
            let pairs = Pair::all(numbers, counts);
            cases.extend(pairs.map(|pair| scenario(&pair, 16 * chunk as u32, threads)));
        }
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let set = ReduceScatter::default().set(Setting::OVER_LINK, device);
    let pair = Pair::of(Numbers::F32, 5, (1 << 13) + 1);
    scenario(&pair, set.chunk_bytes, set.threads)
}

fn scenario(pair: &Pair, chunk_bytes: u32, threads: u32) -> Scenario {
    let add = ReduceScatter {
        numbers: pair.numbers,
        dst: 0,
        src: 1,
        offset_bytes: pair.offset_bytes(),
        len_bytes: pair.len_bytes(),
        chunk_bytes,
        threads,
        shared_bytes: 0,
    };
    let [dst, src] = pair.buffers();
    Scenario {
        name: format!("{}_{threads}_threads_{chunk_bytes}_bytes_each", pair.name()),
        buffers: vec![
            Buffer::new("destination", &dst),
            Buffer::new("source", &src),
        ],
        launches: vec![kept(add.launch())],
        expected: vec![
            Expected::of(0, &pair.replaced(&dst, &pair.sums())),
            Expected::of(1, &src),
        ],
    }
}
