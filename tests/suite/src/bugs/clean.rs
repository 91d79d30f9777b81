//! Kernels without bugs that tempt a checker to see some.

use super::{Family, blocks, writes};

pub(super) const FAMILIES: &[Family] = &[
    Family::new("within_warps", |entry| {
        let sum = |thread: u32| {
            let first = thread / 8 * 8;
            (first..first + 8).sum()
        };
        writes(entry, 64, sum, 64)
    }),
    Family::new("mbarrier_of_the_block", |entry| {
        writes(entry, 64, |i| (i + 5) % 64 + 5, 64)
    }),
    Family::new("barrier_of_the_grid", |entry| {
        let of = |i: u32| 10 * ((i / 32 + 1) % 4) + i % 32;
        blocks(entry, 4, &(0..128).map(of).collect::<Vec<u32>>())
    }),
    Family::new("groups_of_several_threads", |entry| {
        writes(entry, 96, |i| 100 * (i / 96) + i % 96, 288)
    }),
    Family::new("fence_behind_the_barrier", |entry| {
        writes(entry, 64, |i| i, 64)
    }),
];
