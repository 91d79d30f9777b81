use kernels_gpu::{gemm::Numbers, gemm_mma::GemmMma};
use tests_references::{Matrix, product};
use tma_launch::Buffer;

use super::{
    Kernel,
    gemm::{rounded, small},
    kept,
};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "gemm_mma",
    summary: "multiplies matrices by the tensor cores that every architecture has",
    golden: &["gemm_mma_bf16_true_true_4", "gemm_mma_f16_false_false_2"],
    showcase: || scenario(Case::of([256, 256, 192], 2)),
    cases,
};

/// A product to be computed.
#[derive(Clone, Copy)]
struct Case {
    numbers: Numbers,
    /// M, N and K.
    size: [usize; 3],
    multiprocessors: u32,
    stages: u32,
    a_transposed: bool,
    b_transposed: bool,
    /// Rows are not contiguous.
    has_gaps: bool,
}

impl Case {
    const fn of(size: [usize; 3], multiprocessors: u32) -> Self {
        Self {
            numbers: Numbers::Bf16,
            size,
            multiprocessors,
            stages: 2,
            a_transposed: false,
            b_transposed: true,
            has_gaps: false,
        }
    }
}

fn cases() -> Vec<Scenario> {
    let mut cases = vec![
        Case::of([128, 256, 64], 1),
        // Less than a tile, and less than a stage.
        Case::of([8, 16, 8], 1),
        Case::of([72, 40, 24], 3),
        // Beyond a tile on every side, and more stages than in shared memory.
        Case::of([136, 264, 328], 2),
        Case::of([1, 8, 400], 1),
        // Several tiles a block.
        Case::of([300, 520, 72], 1),
        Case::of([140, 264, 136], 3),
        // No products at all.
        Case::of([130, 24, 0], 2),
        // Odd numbers of rows and columns.
        Case {
            has_gaps: true,
            ..Case::of([71, 37, 45], 132)
        },
    ];
    for numbers in [Numbers::Bf16, Numbers::F16] {
        for (a_transposed, b_transposed) in
            [(false, false), (true, true), (true, false), (false, true)]
        {
            for stages in [2, 4] {
                cases.push(Case {
                    numbers,
                    stages,
                    a_transposed,
                    b_transposed,
                    has_gaps: stages == 4,
                    ..Case::of([136, 264, if stages == 4 { 391 } else { 72 }], 2)
                });
            }
        }
    }
    cases.into_iter().map(scenario).collect()
}

/// A matrix in memory.
struct Given {
    stride: usize,
    elements: Vec<f64>,
}

impl Given {
    fn of([rows, columns]: [usize; 2], has_gaps: bool, [least, most]: [i32; 2]) -> Self {
        let stride = match has_gaps {
            true => columns.next_multiple_of(8) + 8,
            false => columns,
        };
        Self {
            stride,
            elements: small(rows * stride, least, most),
        }
    }

    fn matrix(&self, is_transposed: bool) -> Matrix<'_> {
        let given = Matrix {
            elements: &self.elements,
            strides: [self.stride, 1],
        };
        match is_transposed {
            true => given.transposed(),
            false => given,
        }
    }
}

fn scenario(case: Case) -> Scenario {
    let Case {
        numbers,
        size: [m, n, k],
        multiprocessors,
        stages,
        a_transposed,
        b_transposed,
        has_gaps,
    } = case;
    let given = |is_transposed, [rows, columns]: [usize; 2]| match is_transposed {
        true => [columns, rows],
        false => [rows, columns],
    };
    let a = Given::of(given(a_transposed, [m, k]), has_gaps, [-8, 9]);
    let b = Given::of(given(b_transposed, [k, n]), has_gaps, [-5, 4]);
    let c = Given::of([m, n], has_gaps, [0, 0]);
    let before = vec![f64::NAN; c.elements.len()];
    let mut after = before.clone();
    let sums = product(case.size, a.matrix(a_transposed), b.matrix(b_transposed));
    for row in 0..m {
        let to = &mut after[row * c.stride..];
        to[..n].copy_from_slice(&sums[row * n..][..n]);
        if n % 2 == 1 {
            // Columns are written in pairs; memory after the last column of B counts as zero.
            to[n] = 0.0;
        }
    }
    let strides = [&c, &a, &b].map(|given| has_gaps.then_some(given.stride as u64));
    let gemm = GemmMma {
        numbers,
        size: case.size.map(|extent| extent as u32),
        a_transposed,
        b_transposed,
        strides,
        c: 0,
        a: 1,
        b: 2,
        stages,
        multiprocessors,
    };
    let gaps = if has_gaps { "_gaps" } else { "" };
    let [before, after, a, b] =
        [before, after, a.elements, b.elements].map(|values| rounded(&values, numbers));
    Scenario {
        name: format!(
            "{m}x{n}x{k}_{numbers:?}_a_{a_transposed}_b_{b_transposed}_{stages}_stages_{multiprocessors}_blocks{gaps}"
        ),
        buffers: vec![
            Buffer::new("c", &before),
            Buffer::new("a", &a),
            Buffer::new("b", &b),
        ],
        launches: vec![kept(gemm.launch())],
        expected: vec![
            Expected::of(0, &after),
            Expected::of(1, &a),
            Expected::of(2, &b),
        ],
    }
}
