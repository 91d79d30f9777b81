use kernels_gpu::ring::{BLOCKS, Ring};
use tma_launch::Buffer;

use super::{Kernel, kept};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "ring",
    summary: "eight blocks of a cluster send numbers around a ring with STAS, a thousand rounds",
    golden: &["ring"],
    showcase: || scenario(1, 32, 200),
    cases,
};

fn cases() -> Vec<Scenario> {
    let sizes = [
        (1, 32, 0),
        (1, 32, 1),
        (1, 64, 8),
        (3, 96, 13),
        (1, 1024, 5),
        (1, 32, 1000),
    ];
    let scenarios = sizes.map(|(clusters, threads, rounds)| scenario(clusters, threads, rounds));
    scenarios.to_vec()
}

fn scenario(clusters: u32, threads: u32, rounds: u32) -> Scenario {
    let number = |cluster: u32, block: u32, thread: u32| {
        // The number of its first owner has moved one block per round.
        let first = (block + rounds * (BLOCKS - 1)) % BLOCKS;
        (cluster * BLOCKS + first) * threads + thread + rounds
    };
    let mut expected = Vec::new();
    for cluster in 0..clusters {
        for block in 0..BLOCKS {
            expected.extend((0..threads).map(|thread| number(cluster, block, thread)));
        }
    }
    let ring = Ring {
        output: 0,
        rounds,
        clusters,
        threads,
    };
    Scenario {
        name: format!("{rounds}_rounds_of_{clusters}_clusters_of_{threads}"),
        buffers: vec![Buffer::new("output", &vec![u32::MAX; expected.len()])],
        launches: vec![kept(ring.launch())],
        expected: vec![Expected::of(0, &expected).dims(&[threads as usize, 8])],
    }
}
