use half::{bf16, f16};
use kernels_gpu::gemm::{Activation, Gemm, Numbers};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "gemm",
    summary: "multiplies matrices by tensor cores, which a warpgroup feeds and two keep busy",
    golden: &["gemm_bf16_true_true", "gemm_narrow_f16_false_false"],
    showcase: || scenario(Case::of([256, 512, 192], 2)),
    cases,
};

/// A product to be computed.
#[derive(Clone, Copy)]
struct Case {
    numbers: Numbers,
    /// M, N and K.
    size: [usize; 3],
    multiprocessors: u32,
    a_transposed: bool,
    b_transposed: bool,
    alpha: f32,
    has_bias: bool,
    activation: Activation,
}

impl Case {
    const fn of(size: [usize; 3], multiprocessors: u32) -> Self {
        Self {
            numbers: Numbers::Bf16,
            size,
            multiprocessors,
            a_transposed: false,
            b_transposed: true,
            alpha: 1.0,
            has_bias: false,
            activation: Activation::NONE,
        }
    }
}

fn cases() -> Vec<Scenario> {
    let mut cases = vec![
        Case::of([128, 256, 64], 1),
        // Less than a tile, and less than a stage.
        Case::of([8, 16, 8], 1),
        Case::of([72, 40, 24], 3),
        // Beyond a tile on every side, and more stages than the pipeline has.
        Case::of([136, 264, 328], 2),
        Case::of([1, 8, 400], 1),
        // Several tiles a block.
        Case::of([300, 520, 72], 1),
        Case::of([300, 520, 72], 4),
        // More rows than a group has.
        Case::of([2056, 264, 8], 3),
        // No products at all.
        Case::of([130, 24, 0], 2),
        // Few tiles for many multiprocessors: narrow ones.
        Case::of([64, 200, 136], 132),
        Case::of([200, 72, 392], 132),
    ];
    for numbers in [Numbers::Bf16, Numbers::F16] {
        for (a_transposed, b_transposed) in
            [(false, false), (true, true), (true, false), (false, true)]
        {
            for multiprocessors in [2, 132] {
                cases.push(Case {
                    numbers,
                    a_transposed,
                    b_transposed,
                    alpha: -0.5,
                    has_bias: true,
                    activation: if a_transposed {
                        Activation::RELU
                    } else {
                        Activation::NONE
                    },
                    ..Case::of([136, 328, 72], multiprocessors)
                });
            }
        }
    }
    cases.into_iter().map(scenario).collect()
}

/// Small whole numbers, whose sums `f32` has exactly in any order.
fn small(len: usize, least: i32, most: i32) -> Vec<f32> {
    let numbers = numbers(len).into_iter();
    let small = numbers.map(|number| least + number.rem_euclid(most - least + 1));
    small.map(|number| number as f32).collect()
}

fn scenario(case: Case) -> Scenario {
    let [m, n, k] = case.size;
    let a = small(m * k, -8, 9);
    let b = small(k * n, -5, 4);
    let bias = small(if case.has_bias { n } else { 0 }, -100, 100);
    let mut expected = Vec::new();
    for row in 0..m {
        for column in 0..n {
            let products = (0..k).map(|at| {
                let a = if case.a_transposed {
                    a[at * m + row]
                } else {
                    a[row * k + at]
                };
                let b = if case.b_transposed {
                    b[column * k + at]
                } else {
                    b[at * n + column]
                };
                f64::from(a) * f64::from(b)
            });
            let sum = products.fold(0.0, |sum, product| sum + product);
            let bias = bias.get(column).copied().map_or(0.0, f64::from);
            let result = f64::from(case.alpha) * sum + bias;
            let is_cut = case.activation == Activation::RELU;
            expected.push(if is_cut { result.max(0.0) } else { result });
        }
    }
    // Signs of zeros are not those of the products.
    let rounded = |values: &[f64]| -> Vec<u16> {
        let values = values.iter().map(|value| value + 0.0);
        values
            .map(|value| match case.numbers {
                Numbers::Bf16 => bf16::from_f64(value).to_bits(),
                Numbers::F16 => f16::from_f64(value).to_bits(),
            })
            .collect()
    };
    let halves =
        |values: &[f32]| rounded(&values.iter().copied().map(f64::from).collect::<Vec<_>>());
    let (a, b, expected) = (halves(&a), halves(&b), rounded(&expected));
    let Case {
        numbers,
        multiprocessors,
        a_transposed,
        b_transposed,
        ..
    } = case;
    let gemm = Gemm {
        numbers,
        size: case.size.map(|extent| extent as u32),
        a_transposed,
        b_transposed,
        alpha: case.alpha,
        bias: case.has_bias.then_some(3),
        activation: case.activation,
        c: 0,
        a: 1,
        b: 2,
        multiprocessors,
    };
    Scenario {
        name: format!(
            "{m}x{n}x{k}_{numbers:?}_a_{a_transposed}_b_{b_transposed}_{multiprocessors}_blocks"
        ),
        buffers: vec![
            Buffer::new("c", &vec![u16::MAX; m * n]),
            Buffer::new("a", &a),
            Buffer::new("b", &b),
            Buffer::new("bias", &bias),
        ],
        launches: vec![kept(gemm.launch())],
        expected: vec![
            Expected::of(0, &expected),
            Expected::of(1, &a),
            Expected::of(2, &b),
        ],
    }
}
