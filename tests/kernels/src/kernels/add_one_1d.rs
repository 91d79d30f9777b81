use kernels_gpu::add_one_1d::{AddOne1d, AddOneForm};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "add_one_1d",
    summary: "loads 1024 numbers a block into shared memory with one bulk copy, adds one, copies them back",
    golden: &["add_one_1d", "add_one_1d_tx", "add_one_1d_raw"],
    showcase: || scenario(AddOneForm::Transaction, 64, 256, 0, 0),
    cases,
};

/// Numbers that a block handles, as the kernel documents it.
const PER_BLOCK: usize = 1024;

const FORMS: [AddOneForm; 3] = [
    AddOneForm::Transaction,
    AddOneForm::ExpectTx,
    AddOneForm::Raw,
];

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for blocks in [1, 2, 7, 300] {
        for threads in [32, 96, 256, 1024] {
            cases.push(scenario(AddOneForm::Transaction, blocks, threads, 0, 0));
        }
    }
    // Away from the start, with untouched numbers on both sides.
    for form in FORMS {
        for (offset, after) in [(4, 4), (1028, 0), (12, 1500)] {
            cases.push(scenario(form, 3, 128, offset, after));
        }
        cases.push(scenario(form, 64, 1024, 0, 0));
    }
    cases
}

/// `blocks` blocks of `threads` threads, with `offset` numbers before theirs and `after` numbers after them.
fn scenario(
    form: AddOneForm,
    blocks: usize,
    threads: u32,
    offset: usize,
    after: usize,
) -> Scenario {
    let data = numbers(offset + blocks * PER_BLOCK + after);
    let mut expected = data.clone();
    for number in expected.iter_mut().skip(offset).take(blocks * PER_BLOCK) {
        *number += 1;
    }
    let add_one = AddOne1d {
        form,
        data: 0,
        offset_elems: offset as u64,
        blocks: blocks as u32,
        threads,
    };
    let launch = kept(add_one.launch());
    Scenario {
        name: format!("{}_{blocks}_blocks_of_{threads}_at_{offset}", launch.entry),
        buffers: vec![Buffer::new("data", &data)],
        launches: vec![launch],
        expected: vec![Expected::of(0, &expected)],
    }
}
