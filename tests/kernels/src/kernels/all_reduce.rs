use kernels_gpu::{all_reduce::AllReduce, rows::Numbers, settings::Setting};
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept};
use crate::{Expected, Scenario, pairs::Pair};

pub(super) const KERNEL: Kernel = Kernel {
    name: "all_reduce",
    summary: "makes the sums of two buffers in both, one of which may be another GPU's",
    golden: &["all_reduce_f32_2", "all_reduce_bf16_1"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for numbers in [Numbers::F32, Numbers::Bf16] {
        for (vectors, threads) in [(1, 32), (1, 96), (2, 32), (2, 128), (1, 512)] {
            let tile = vectors * threads;
            // A vector, a tile, some with a shorter last one.
            let pairs = Pair::all(numbers, [1, tile, 3 * tile + 1, 5 * tile - 2]);
            cases.extend(pairs.map(|pair| scenario(&pair, vectors, threads as u32)));
        }
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let set = AllReduce::default().set(Setting::OVER_LINK, device);
    let pair = Pair::of(Numbers::Bf16, 5, (1 << 13) + 1);
    scenario(&pair, set.vectors, set.threads)
}

fn scenario(pair: &Pair, vectors: usize, threads: u32) -> Scenario {
    let sum = AllReduce {
        numbers: pair.numbers,
        own: 0,
        peer: 1,
        offset_bytes: pair.offset_bytes(),
        len_bytes: pair.len_bytes(),
        vectors,
        threads,
        shared_bytes: 0,
    };
    let [own, peer] = pair.buffers();
    let sums = pair.sums();
    Scenario {
        name: format!("{}_{threads}_threads_of_{vectors}", pair.name()),
        buffers: vec![Buffer::new("own", &own), Buffer::new("peer", &peer)],
        launches: vec![kept(sum.launch())],
        expected: vec![
            Expected::of(0, &pair.replaced(&own, &sums)),
            Expected::of(1, &pair.replaced(&peer, &sums)),
        ],
    }
}
