//! Ordinary accesses to shared and global memory.

use tma_launch::{Buffer, Launch};

use super::{Family, blocks, loads, writes};
use crate::{Expected, Scenario};

pub(super) const FAMILIES: &[Family] = &[
    Family::new("reverse", |entry| {
        writes(entry, 64, |i| 100 * (i / 64) + 63 - i % 64, 128)
    }),
    Family::new("histogram", histogram),
    Family::new("last_block", |entry| {
        let sums: Vec<u32> = (0..32).map(|i| 15 + 6 * i).collect();
        blocks(entry, 6, &sums)
    }),
    Family::new("ticket", |entry| {
        let sums: Vec<u32> = (0..32).map(|i| 15 + 6 * i).collect();
        blocks(entry, 6, &sums)
    }),
    Family::new("fence_sc_of_block", |entry| writes(entry, 64, |i| i, 32)),
    Family::new("grid_barrier", grid_barrier),
    Family::new("named_barriers", |entry| {
        writes(entry, 64, |i| 100 * (i / 32) + 31 - i % 32, 96)
    }),
    Family::new("product", |entry| {
        writes(entry, 128, |i| 64 * (2 * (i / 2 % 4) + i % 2 + 1), 256)
    }),
    Family::new("warpgroup_product", |entry| {
        let number = |i| 32 * (2 * (i / 2 % 4) + i % 2 + 1);
        let mut scenario = writes(entry, 128, number, 256);
        let launch = Launch::new(entry, 1, 128).buffer(0);
        scenario.launches = vec![launch.shared_bytes(2304)];
        scenario
    }),
    Family::new("warpgroup_fragment", |entry| {
        let number = |i| (1 + 2 + 3) * 32 * (2 * (i / 2 % 4) + i % 2 + 1);
        let mut scenario = writes(entry, 128, number, 256);
        let launch = Launch::new(entry, 1, 128).buffer(0).scalar(3_u32);
        scenario.launches = vec![launch.shared_bytes(256)];
        scenario
    }),
    Family::new("fragment", |entry| {
        writes(entry, 128, |i| 96 * (2 * (i / 2 % 4) + i % 2 + 1), 256)
    }),
    Family::new("divergent", |entry| {
        let number = |i| (i ^ 1) + if i < 16 { 2000 } else { 1000 };
        writes(entry, 64, number, 64)
    }),
    Family::new("halves", |entry| {
        writes(entry, 32, |i| 888_000 + 100 * (i / 16) + (i ^ 1), 32)
    }),
    Family::new("same_value", |entry| writes(entry, 64, |_| 2016, 64)),
    Family::new("shuffles", |entry| {
        let number = |i| if i < 16 { 100 + (i ^ 1) } else { 100 + i };
        writes(entry, 32, number, 32)
    }),
    Family::new("registers", |entry| writes(entry, 256, |i| i, 256)),
    Family::new("warpgroup_registers", |entry| {
        writes(entry, 256, |i| i, 256)
    }),
    Family::new("unbounded_registers", |entry| {
        writes(entry, 256, |i| i, 256)
    }),
    Family::new("padding", |entry| {
        writes(entry, 32, |i| if i < 20 { 100 + i } else { 0 }, 32)
    }),
    Family::new("discarded", |entry| writes(entry, 32, |i| i ^ 1, 32)),
    Family::new("heap", |entry| writes(entry, 64, |i| i ^ 33, 64)),
    Family::new("dependents", dependents),
    Family::new("read_only", |entry| loads(entry, 64, 64, |i| 1000 + i, 64)),
    Family::new("strong_accesses", |entry| {
        let launch = Launch::new(entry, 2, 32);
        Scenario {
            name: entry.to_owned(),
            buffers: vec![
                Buffer::zeroed::<u32>("output", 32),
                Buffer::zeroed::<u64>("numbers", 32),
            ],
            launches: vec![launch.buffer(0).buffer(1)],
            expected: vec![Expected::of(0, &[2_u32; 32])],
        }
    }),
    Family::new("spin", |entry| writes(entry, 64, |i| i, 64)),
];

/// A launch that may begin before the end of the previous one, which reads 128 numbers and writes others.
fn dependents(entry: &str) -> Scenario {
    let scratch: Vec<u32> = (0..128).collect();
    let expected: Vec<u32> = (0..128).map(|i| 1000 + (i ^ 37)).collect();
    let (leads, follows) = (Launch::new("leads", 2, 64), Launch::new(entry, 4, 32));
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::zeroed::<u32>("output", 128),
            Buffer::zeroed::<u32>("numbers", 128),
            Buffer::new("scratch", &scratch),
        ],
        launches: vec![
            leads.buffer(1).buffer(2),
            follows.overlaps().buffer(0).buffer(1).buffer(2),
        ],
        expected: vec![Expected::of(0, &expected)],
    }
}

fn histogram(entry: &str) -> Scenario {
    let mut bins = [0_u32; 16];
    for block in 0..4 {
        for thread in 0..32 {
            bins[(7 * thread + block) % 16] += 1;
        }
    }
    Scenario {
        name: entry.to_owned(),
        buffers: vec![Buffer::zeroed::<u32>("bins", 16)],
        launches: vec![Launch::new(entry, 4, 32).buffer(0)],
        expected: vec![Expected::of(0, &bins)],
    }
}

/// 20 blocks, more than the releases that a relaxed read tracks separately, take the numbers of the next one.
fn grid_barrier(entry: &str) -> Scenario {
    let numbers: Vec<u32> = (0..20 * 40).map(|i| 100 + (i + 40) % 800).collect();
    let mut scenario = blocks(entry, 40, &numbers);
    let launch = Launch::new(entry, 20, 40).cooperative();
    scenario.launches = vec![launch.buffer(0).buffer(1).buffer(2)];
    scenario
}
