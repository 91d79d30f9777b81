//! Every condition of every kernel, broken: the message names the argument and a valid value.

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

/// Returns the ends of the memory that the launch uses in its buffers, besides tensors.
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
    "block size is 100; must be a multiple of 32 (elections need full warps); use 96 or 128";
pub(crate) const NO_THREADS: &str = "block size is 0; must be 32 to 1024; use 32";
