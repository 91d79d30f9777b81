use kernels_gpu::{all_reduce::AllReduce, rows::Numbers, settings::Setting};
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept};
use crate::{Expected, Scenario, pairs::Pair};

pub(super) const KERNEL: Kernel = Kernel {
    name: "all_reduce",
    summary: "makes the sums of two buffers, one perhaps another GPU's, in one or both",
    golden: &["all_reduce_f32_2", "all_reduce_bf16_1"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for numbers in [Numbers::F32, Numbers::Bf16] {
        for (is_for_both, threads) in [
            (true, 32),
            (true, 96),
            (false, 32),
            (false, 128),
            (true, 512),
        ] {
            // A vector, a tile, some with a shorter last one.
            let pairs = Pair::all(numbers, [1, threads, 3 * threads + 1, 5 * threads - 2]);
            cases.extend(pairs.map(|pair| scenario(&pair, is_for_both, threads as u32)));
        }
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let set = AllReduce::default().set(Setting::OVER_LINK, device);
    let pair = Pair::of(Numbers::Bf16, 5, (1 << 13) + 1);
    scenario(&pair, set.is_for_both, set.threads)
}

fn scenario(pair: &Pair, is_for_both: bool, threads: u32) -> Scenario {
    let sum = AllReduce {
        numbers: pair.numbers,
        own: 0,
        peer: 1,
        offset_bytes: pair.offset_bytes(),
        len_bytes: pair.len_bytes(),
        is_for_both,
        threads,
        shared_bytes: 0,
    };
    let [own, peer] = pair.buffers();
    let sums = pair.sums();
    let (of_sums, on_peer) = if is_for_both {
        ("both", pair.replaced(&peer, &sums))
    } else {
        ("own", peer.clone())
    };
    Scenario {
        name: format!("{}_{threads}_threads_for_{of_sums}", pair.name()),
        buffers: vec![Buffer::new("own", &own), Buffer::new("peer", &peer)],
        launches: vec![kept(sum.launch())],
        expected: vec![
            Expected::of(0, &pair.replaced(&own, &sums)),
            Expected::of(1, &on_peer),
        ],
    }
}
