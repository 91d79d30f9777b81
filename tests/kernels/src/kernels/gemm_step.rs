use half::bf16;
use kernels_gpu::gemm_step::GemmStep;
use tests_references::{Matrix, product};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "gemm_step",
    summary: "multiplies matrices, in seven steps from a thread for each element to a persistent loop",
    golden: &["gemm_step_1", "gemm_step_4", "gemm_step_5"],
    showcase: || scenario(7, [136, 264, 72], 1),
    cases,
};

fn cases() -> Vec<Scenario> {
    let sizes = |step| match step {
        // Several tiles a block.
        7 => vec![
            [72, 40, 24],
            [200, 520, 72],
            [136, 264, 328],
            [128, 256, 64],
        ],
        // More stages than in shared memory, also in a single tile, and partial stages.
        4.. => vec![
            [72, 40, 24],
            [70, 136, 328],
            [136, 264, 8],
            [128, 256, 64],
            [40, 56, 584],
        ],
        _ => vec![[72, 40, 24], [35, 72, 104], [1, 8, 8], [64, 64, 64]],
    };
    let of_step = |step| {
        let of_size = move |size| scenario(step, size, 3);
        sizes(step).into_iter().map(of_size)
    };
    (1..=7).flat_map(of_step).collect()
}

/// Small whole numbers, whose sums are exact in `f32` in any order.
fn small(len: usize) -> Vec<bf16> {
    let small = numbers(len)
        .into_iter()
        .map(|number| number.rem_euclid(17) - 8);
    small.map(|number| bf16::from_f64(number.into())).collect()
}

fn scenario(step: u32, size: [usize; 3], multiprocessors: u32) -> Scenario {
    let [m, n, k] = size;
    let (a, b) = (small(m * k), small(n * k));
    let [of_a, of_b] =
        [&a, &b].map(|matrix| matrix.iter().map(|it| it.to_f64()).collect::<Vec<_>>());
    let [of_a, of_b] = [&of_a, &of_b].map(|elements| Matrix {
        elements,
        strides: [k, 1],
    });
    let sums = product(size, of_a, of_b.transposed()).into_iter();
    let expected: Vec<bf16> = sums.map(bf16::from_f64).collect();
    let step_of = GemmStep {
        step,
        size: size.map(|extent| extent as u32),
        c: 0,
        a: 1,
        b: 2,
        multiprocessors,
    };
    Scenario {
        name: format!("step_{step}_{m}x{n}x{k}"),
        buffers: vec![
            Buffer::new("c", &vec![bf16::NAN; m * n]),
            Buffer::new("a", &a),
            Buffer::new("b", &b),
        ],
        launches: vec![kept(step_of.launch())],
        expected: vec![
            Expected::of(0, &expected),
            Expected::of(1, &a),
            Expected::of(2, &b),
        ],
    }
}
