//! Barriers in shared memory, without copies.

use super::{Family, loads, writes};

pub(super) const FAMILIES: &[Family] = &[
    Family::new("matched", |entry| writes(entry, 64, |i| i ^ 1, 64)),
    Family::new("meetings", |entry| writes(entry, 64, |i| i ^ 63, 64)),
    Family::new("tile", |entry| writes(entry, 64, |i| i ^ 32, 64)),
    Family::new("barrier_life", |entry| writes(entry, 64, |i| 63 - i, 64)),
    Family::new("tokens", |entry| writes(entry, 32, |i| i, 32)),
    Family::new("signal", |entry| writes(entry, 64, |i| i, 64)),
    Family::new("two_rows", |entry| loads(entry, 96, 64, |i| 1000 + i, 64)),
    Family::new("unused_wait", |entry| {
        loads(entry, 64, 64, |i| 1000 + i, 64)
    }),
    Family::new("arrivals", |entry| writes(entry, 64, |i| i, 64)),
    Family::new("groups", |entry| writes(entry, 128, |i| i ^ 63, 128)),
    Family::new("turns", |entry| writes(entry, 256, |i| i + 6, 128)),
];
