use launch::{Buffer, Launch};

use super::{Kernel, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "add_one_1d",
    summary: "loads 1024 numbers a block into shared memory with one bulk copy, adds one, copies them back",
    golden: &["add_one_1d"],
    showcase: || scenario(64, 256, 0, 0),
    cases,
};

/// Numbers that a block handles, as the kernel documents it.
const PER_BLOCK: usize = 1024;

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for blocks in [1, 2, 7, 300] {
        for threads in [32, 96, 256, 1024] {
            cases.push(scenario(blocks, threads, 0, 0));
        }
    }
    // Away from the start, with untouched numbers on both sides.
    for (offset, after) in [(4, 4), (1028, 0), (12, 1500)] {
        cases.push(scenario(3, 128, offset, after));
    }
    cases
}

/// `blocks` blocks of `threads` threads, `offset` numbers before theirs and `after` behind them.
fn scenario(blocks: usize, threads: u32, offset: usize, after: usize) -> Scenario {
    let data = numbers(offset + blocks * PER_BLOCK + after);
    let mut expected = data.clone();
    for number in expected.iter_mut().skip(offset).take(blocks * PER_BLOCK) {
        *number += 1;
    }
    let launch = Launch::new("add_one_1d", blocks as u32, threads)
        .buffer(0)
        .scalar(offset as u64);
    Scenario {
        name: format!("{blocks}_blocks_of_{threads}_at_{offset}"),
        buffers: vec![Buffer::new("data", &data)],
        launches: vec![launch],
        expected: vec![Expected {
            buffer: 0,
            dims: vec![expected.len()],
            elements: expected,
        }],
    }
}
