//! Blocks that work together: in a cluster, or through global memory.

use tma_launch::{Buffer, Launch};

use super::{Family, blocks, writes};
use crate::{Expected, Scenario};

pub(super) const FAMILIES: &[Family] = &[
    Family::new("multicast", |entry| {
        pair(entry, &[|i| 2032 + 2 * (i % 32), |i| 1000 + i], 128)
    }),
    Family::new("cluster_ring", |entry| {
        pair(entry, &[|i| 1000 + i % 192, |i| 1000 + i], 768)
    }),
    Family::new("exchange", |entry| {
        pair(entry, &[|i| 100 * ((i / 32) ^ 1) + i % 32], 128)
    }),
    Family::new("cluster_arrivals", |entry| {
        pair(entry, &[|i| 3 * (100 * ((i / 32) ^ 1) + i % 32)], 128)
    }),
    Family::new("fence_sc", |entry| {
        let expected: Vec<u32> = (0..96).map(|i| 500 + i % 32).collect();
        blocks(entry, 4, &expected)
    }),
    Family::new("read_receipt", |entry| {
        pair(entry, &[|i| 100 * ((i / 32) ^ 1) + i % 32], 128)
    }),
    Family::new("push", |entry| {
        pair(entry, &[|i| 100 * ((i / 32) ^ 1) + i % 32], 128)
    }),
    Family::new("sent_rows", |entry| {
        let mut scenario = writes(entry, 32, |i| 100 * (i / 32) + i % 32, 64);
        scenario.launches[0].shape.grid = 2.into();
        scenario
    }),
    Family::new("async_stores", |entry| {
        let mut scenario = pair(entry, &[|i| 3 * i + 5], 32);
        scenario.launches[0].shape.grid = 2.into();
        scenario
    }),
    Family::new("message", |entry| {
        let expected: Vec<u32> = (0..32).map(|i| 5 * i + 7).collect();
        let mut scenario = super::blocks(entry, 2, &expected);
        scenario.buffers[2] = Buffer::zeroed::<u32>("flag", 1);
        scenario
    }),
    Family::new("counter", |entry| Scenario {
        name: entry.to_owned(),
        buffers: vec![Buffer::zeroed::<u32>("count", 1)],
        launches: vec![Launch::new(entry, 3, 32).buffer(0)],
        expected: vec![Expected::of(0, &[48_u32])],
    }),
];

/// Two clusters of two blocks of a warp. The first function makes the output, the second the input, if
/// there is one.
fn pair(entry: &str, functions: &[fn(u32) -> u32], count: u32) -> Scenario {
    let output = Buffer::zeroed::<u32>("output", count as usize);
    let mut launch = Launch::new(entry, 4, 32).buffer(0);
    let mut buffers = vec![output];
    if let Some(input) = functions.get(1) {
        let input: Vec<u32> = (0..count).map(input).collect();
        launch = launch.buffer(1);
        buffers.push(Buffer::new("input", &input));
    }
    let expected: Vec<u32> = (0..count).map(functions[0]).collect();
    Scenario {
        name: entry.to_owned(),
        buffers,
        launches: vec![launch],
        expected: vec![Expected::of(0, &expected)],
    }
}
