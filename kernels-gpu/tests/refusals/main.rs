//! Every condition of every kernel, broken: the message names what is wrong and what would do.

mod bulk;
mod extremes;
mod maps;
mod pairs;
mod pointers;
mod speed;

use tma_launch::{Launch, Region, Use, Violations};

/// The violations, a line each, without the name of the rule.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(launch: Result<T, Violations>, expected: &[&str]) {
    let violations = launch.unwrap_err().to_string();
    let lines = violations.lines();
    let lines: Vec<&str> = lines
        .map(|line| {
            line.strip_prefix("kernel-condition: ")
                .unwrap_or(line)
                .trim_start()
        })
        .collect();
    assert_eq!(lines, expected);
}

/// Where what it uses of its buffers ends, besides tensors.
pub(crate) fn least_bytes(launch: Result<Launch, Violations>) -> Vec<(usize, u64)> {
    let end = |used: Use| match used.region {
        Region::Bytes {
            index,
            offset_bytes,
            len_bytes,
        } => Some((index, offset_bytes + len_bytes)),
        _ => None,
    };
    launch.unwrap().uses.into_iter().filter_map(end).collect()
}

pub(crate) const WARPS: &str =
    "threads of a block is 100; elections need full warps: a multiple of 32; take 96 or 128";
pub(crate) const NO_THREADS: &str =
    "threads of a block is 0; a block must have 32 to 1024; take 32";
