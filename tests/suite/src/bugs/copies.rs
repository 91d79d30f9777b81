//! Bulk copies of one block: tiles that are stored and loaded, rings of stages.

use super::{Family, loads, writes};
use crate::Scenario;

pub(super) const FAMILIES: &[Family] = &[
    Family::new("store_tile", |entry| writes(entry, 64, |i| 7 * i, 256)),
    Family::new("store_ring", |entry| {
        writes(entry, 64, |i| 100 * (i / 64) + i % 64, 5 * 64)
    }),
    Family::new("load_tile", |entry| {
        let expected = |i| if i < 16 { 0 } else { 1000 + 63 - i };
        loads(entry, 64, 64, expected, 64)
    }),
    Family::new("count_bytes", |entry| {
        loads(entry, 32, 64, |i| 1000 + i, 32)
    }),
    Family::new("expectation", |entry| {
        loads(entry, 96, 192, |i| 2096 + 2 * i, 96)
    }),
    Family::new("full_empty", |entry| {
        loads(entry, 64, 192, |i| 1000 + i / 32 * 32 + 31 - i % 32, 192)
    }),
    Family::new("items_of_a_pipeline", |entry| {
        let mut scenario = items(entry);
        let launches = scenario.launches.into_iter();
        scenario.launches = launches.map(|launch| launch.shared_bytes(512)).collect();
        scenario
    }),
    Family::new("items_of_barriers", items),
    Family::new("stages_once", |entry| {
        loads(entry, 32, 96, |i| 1000 + i, 96)
    }),
    Family::new("two_phases", |entry| {
        loads(entry, 64, 128, |i| 2064 + 2 * i, 64)
    }),
    Family::new("load_store", |entry| {
        let expected = |i| match i {
            32 => 2031,
            33.. => 0,
            _ => 1000 + i,
        };
        loads(entry, 32, 32, expected, 48)
    }),
    Family::new("relay", |entry| loads(entry, 32, 32, |i| 9 * i + 3, 32)),
    Family::new("overlap", |entry| {
        let mut scenario = loads(entry, 32, 32, |i| 1000 + i, 32);
        scenario.launches[0].shape.shared_bytes = 256;
        scenario
    }),
    Family::new("plain_copies", |entry| {
        loads(entry, 64, 256, |i| 1000 + i / 64 * 64 + 63 - i % 64, 256)
    }),
    Family::new("counted_copies", |entry| {
        loads(entry, 64, 64, |i| 1063 - i, 64)
    }),
    Family::new("stages", |entry| {
        let mut scenario = loads(entry, 96, 384, |i| 1000 + i / 64 * 64 + 63 - i % 64, 384);
        scenario.launches[0].shape.shared_bytes = 2 * (256 + 16 + 4);
        scenario
    }),
    Family::new("prefetch", |entry| {
        let mut scenario = loads(entry, 64, 512, |i| 1000 + i, 512);
        scenario.launches[0].shape.shared_bytes = 4096;
        scenario
    }),
];

/// Items of 32 numbers, whose output equals the input.
fn items(entry: &str) -> Scenario {
    let count = match () {
        () if entry.ends_with("as_many_as_stages") => 2,
        () if entry.ends_with("waits_from_the_second_round") => 2,
        () if entry.ends_with("a_single_one") => 1,
        () => 6,
    };
    loads(entry, 64, 192, |i| 1000 + i, 32 * count)
}
