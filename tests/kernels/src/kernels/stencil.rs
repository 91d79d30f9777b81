use kernels_gpu::stencil::{self, Stencil, StencilForm};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "stencil",
    summary: "loads a centre and its halos with LDGSTS: by each thread, by the block, in groups; or in bulk",
    golden: &["stencil_threads", "stencil_block", "stencil_groups"],
    showcase: || scenario(StencilForm::Threads, 100, 32),
    cases,
};

const FORMS: [StencilForm; 4] = [
    StencilForm::Loads,
    StencilForm::Threads,
    StencilForm::Block,
    StencilForm::Groups,
];

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for form in FORMS {
        for (blocks, threads) in [(1, 32), (3, 64), (5, 33), (2, 1024)] {
            cases.push(scenario(form, blocks, threads));
        }
    }
    // Eight threads have a centre, so that the last block may have fewer centres than it has room for.
    for (blocks, threads) in [(1, 32), (4, 32), (5, 32), (23, 96), (77, 256), (2, 1024)] {
        cases.push(scenario(StencilForm::Bulk, blocks, threads));
    }
    cases
}

fn scenario(form: StencilForm, blocks: usize, threads: u32) -> Scenario {
    const HALO: usize = stencil::HALO as usize;
    const CENTER: usize = stencil::CENTER as usize;
    // Sums of these are exact in any order.
    let all: Vec<f32> = numbers(blocks * (2 * HALO + CENTER))
        .iter()
        .map(|number| (number >> 8) as f32)
        .collect();
    let (left, rest) = all.split_at(blocks * HALO);
    let (center, right) = rest.split_at(blocks * CENTER);
    let mut expected = Vec::new();
    for block in 0..blocks {
        let mut line = left[block * HALO..][..HALO].to_vec();
        line.extend(&center[block * CENTER..][..CENTER]);
        line.extend(&right[block * HALO..][..HALO]);
        expected.extend(
            line.windows(2 * HALO + 1)
                .map(|window| window.iter().sum::<f32>()),
        );
    }
    let stencil = Stencil {
        form,
        left: 0,
        center: 1,
        right: 2,
        output: 3,
        blocks: blocks as u32,
        threads,
    };
    let launch = kept(stencil.launch());
    Scenario {
        name: format!("{}_{blocks}_blocks_of_{threads}", launch.entry),
        buffers: vec![
            Buffer::new("left", left),
            Buffer::new("center", center),
            Buffer::new("right", right),
            Buffer::new("output", &vec![-1.0_f32; expected.len()]),
        ],
        launches: vec![launch],
        expected: vec![Expected::of(3, &expected).dims(&[CENTER, blocks])],
    }
}
