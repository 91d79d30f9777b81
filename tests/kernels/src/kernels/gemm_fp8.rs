//! Products of `e4m3` with scales, compared with sums in `f64` of the scaled numbers.

use kernels_gpu::{
    gemm::Numbers,
    gemm_fp8::{BLOCK, GemmFp8, Groups},
};
use tests_references::{Matrix, bits_of_e4m3, e4m3, product, scaled};
use tma_launch::Buffer;

use super::{Kernel, gemm::rounded, kept, numbers};
use crate::{Expected, Format, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "gemm_fp8",
    summary: "multiplies matrices of 8-bit numbers with scales, with sums of f32",
    golden: &[
        "gemm_fp8",
        "gemm_fp8_contiguous",
        "gemm_fp8_masked",
        "gemm_fp8_thin",
        "gemm_fp8_thin_wide",
    ],
    showcase: || scenario(Case::of([150, 272, 256], 2)),
    cases,
};

/// A product to be computed.
#[derive(Clone, Copy)]
struct Case {
    /// M, N and K.
    size: [usize; 3],
    experts: Experts,
    multiprocessors: u32,
    /// Rows are not contiguous.
    has_gaps: bool,
    values: Values,
}

/// The rows that have a B of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Experts {
    /// All rows share one B.
    None,
    /// Each 128 rows use the B of this expert, of this many.
    Of(usize, &'static [i32]),
    /// Each expert has M rows, of which this many are computed.
    Rows(&'static [u32]),
}

impl Experts {
    const fn count(self) -> usize {
        match self {
            Self::None => 1,
            Self::Of(count, _) => count,
            Self::Rows(rows) => rows.len(),
        }
    }

    /// Returns the expert of a row; with `Rows` each expert has `rows` rows.
    fn of(self, row: usize, rows: usize) -> Option<usize> {
        let block = BLOCK as usize;
        match self {
            Self::None => Some(0),
            Self::Of(count, numbers) => {
                let number = usize::try_from(numbers[row / block]).ok();
                number.filter(|number| *number < count)
            }
            Self::Rows(computed) => {
                let computed = (computed[row / rows] as usize).next_multiple_of(block);
                (row % rows < computed).then_some(row / rows)
            }
        }
    }
}

/// The numbers of A and B, and their scales.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    /// Small whole numbers and powers of two, whose sums are exact in any order.
    Exact,
    /// Any numbers that are not NaN, and scales from 2^-6 to 2^-5.
    Any,
    /// Positive numbers of similar size, whose sums grow beyond the precision of the tensor core.
    Growing,
}

impl Case {
    const fn of(size: [usize; 3], multiprocessors: u32) -> Self {
        Self {
            size,
            experts: Experts::None,
            multiprocessors,
            has_gaps: false,
            values: Values::Exact,
        }
    }
}

fn cases() -> Vec<Scenario> {
    let gaps = |size, multiprocessors| Case {
        has_gaps: true,
        ..Case::of(size, multiprocessors)
    };
    let of = |size, values| Case {
        values,
        ..Case::of(size, 3)
    };
    let grouped = |size, experts, multiprocessors| Case {
        experts,
        ..Case::of(size, multiprocessors)
    };
    let cases = [
        Case::of([128, 128, 128], 1),
        // Less than a tile, and less than a stage.
        Case::of([8, 16, 16], 1),
        Case::of([72, 40, 48], 3),
        // Beyond a tile on every side, and more stages than in shared memory.
        Case::of([136, 264, 912], 2),
        Case::of([1, 8, 800], 1),
        // Several tiles a block.
        Case::of([300, 264, 144], 1),
        Case::of([300, 264, 256], 4),
        // More rows than a group has.
        Case::of([2056, 136, 16], 3),
        // No products at all.
        Case::of([130, 24, 0], 2),
        Case::of([130, 264, 0], 1),
        // Odd numbers of rows and columns, and an odd K.
        gaps([71, 37, 45], 132),
        gaps([131, 129, 257], 2),
        of([136, 136, 272], Values::Any),
        of([70, 40, 1024], Values::Any),
        of([65, 136, 4096], Values::Growing),
        // At most 64 rows, whose K is split: evenly, unevenly, in one stage, and not at all.
        Case::of([64, 264, 2048], 132),
        Case::of([60, 136, 1808], 132),
        gaps([33, 37, 45], 132),
        gaps([5, 129, 257], 132),
        of([64, 72, 1024], Values::Any),
        of([64, 72, 4096], Values::Growing),
        Case::of([64, 24, 8192], 132),
        Case::of([64, 24, 0], 132),
        // More columns than clusters: columns of one warpgroup and of both in the last tile, several tiles a block.
        Case::of([64, 520, 912], 2),
        // More tiles of one stage than stages in shared memory.
        Case::of([60, 1304, 128], 1),
        // A barrier with an arrival too few is a phase ahead after these rounds of the stages.
        Case::of([8, 264, 2320], 1),
        gaps([33, 301, 257], 1),
        of([64, 272, 1024], Values::Any),
        of([36, 264, 4096], Values::Growing),
        Case::of([64, 264, 0], 1),
        // Rows without an expert, experts without rows, less than 128 rows at the end, several tiles a block.
        grouped([552, 136, 272], Experts::Of(4, &[0, 2, -1, 2, 1]), 3),
        grouped([384, 264, 16], Experts::Of(2, &[1, 2, 0]), 132),
        grouped([130, 24, 0], Experts::Of(2, &[-1, 1]), 2),
        grouped([130, 264, 0], Experts::Of(2, &[0, 1]), 1),
        // More tiles of one stage than stages in shared memory.
        grouped([384, 264, 16], Experts::Of(2, &[1, 0, 1]), 1),
        // More stages of a tile.
        grouped([256, 136, 1424], Experts::Of(2, &[1, 0]), 1),
        grouped([128, 136, 1424], Experts::Rows(&[128, 3]), 1),
        grouped([128, 264, 16], Experts::Rows(&[128, 128, 100]), 1),
        Case {
            values: Values::Any,
            ..grouped([256, 136, 400], Experts::Of(3, &[2, 1]), 1)
        },
        // Experts without rows at the beginning, in the middle and at the end; all rows, and more than exist.
        grouped([256, 136, 272], Experts::Rows(&[0, 130, 0, 256, 1, 0]), 3),
        grouped([128, 264, 16], Experts::Rows(&[500, 3]), 132),
        grouped([128, 24, 0], Experts::Rows(&[0, 7]), 2),
        grouped([128, 264, 0], Experts::Rows(&[1, 7]), 1),
        Case {
            values: Values::Any,
            ..grouped([256, 40, 400], Experts::Rows(&[70, 200]), 1)
        },
    ];
    cases.into_iter().map(scenario).collect()
}

/// A matrix in memory, and its scales.
struct Given {
    stride: usize,
    bits: Vec<u8>,
    scales: Vec<f32>,
}

impl Given {
    fn of([rows, columns]: [usize; 2], case: &Case, scales: usize, seed: usize) -> Self {
        let stride = match case.has_gaps {
            true => columns.next_multiple_of(16) + 16,
            false => columns,
        };
        let len = rows * stride;
        let random = |len: usize| numbers(seed + len).into_iter().skip(seed);
        let number = |number: i32| match case.values {
            Values::Exact => bits_of_e4m3(f64::from(number.rem_euclid(14) - 6)),
            Values::Any => match number as u8 {
                bits if e4m3(bits).is_nan() => 0,
                bits => bits,
            },
            Values::Growing => 0x38 | number as u8 & 15,
        };
        let scale = |number: i32| match case.values {
            Values::Exact => [0.25, 0.5, 1.0, 2.0, 4.0][number.rem_euclid(5) as usize],
            _ => (1.0 + (number as u16) as f32 / 65536.0) / 64.0,
        };
        Self {
            stride,
            bits: random(len).map(number).collect(),
            scales: random(scales).map(scale).collect(),
        }
    }
}

fn scenario(case: Case) -> Scenario {
    let Case {
        size: [m, n, k],
        experts,
        multiprocessors,
        has_gaps,
        values,
    } = case;
    let block = BLOCK as usize;
    let (along, blocks_of_b) = (k.div_ceil(block), n.div_ceil(block));
    let rows = match experts {
        Experts::Rows(computed) => m * computed.len(),
        _ => m,
    };
    let a_scale_stride = rows.next_multiple_of(4) + if has_gaps { 4 } else { 0 };
    let a = Given::of([rows, k], &case, along * a_scale_stride, 0);
    let rows_of_b = experts.count() * n;
    let scales_of_b = experts.count() * blocks_of_b * along;
    let b = Given::of([rows_of_b, k], &case, scales_of_b, 1000);
    // After the last number of a row there are no more scales.
    let at_k = |column: usize| column.min(k - 1) / block;
    let of_a = scaled(&a.bits, a.stride.max(1), |row, column| {
        a.scales[at_k(column) * a_scale_stride + row]
    });
    let of_b = scaled(&b.bits, b.stride.max(1), |row, column| {
        let block_of_b = row / n * blocks_of_b + row % n / block;
        b.scales[block_of_b * along + at_k(column)]
    });
    let matrix = |elements, stride| Matrix {
        elements,
        strides: [stride, 1],
    };
    let c_stride = if has_gaps {
        n.next_multiple_of(8) + 8
    } else {
        n
    };
    let before = vec![f64::NAN; rows * c_stride];
    let mut after = before.clone();
    for (row, to) in after.chunks_mut(c_stride).enumerate() {
        let Some(expert) = experts.of(row, m) else {
            continue;
        };
        let of_row = matrix(&of_a[row * a.stride..], a.stride);
        let of_expert = matrix(&of_b[expert * n * b.stride..], b.stride);
        let sums = product([1, n, k], of_row, of_expert.transposed());
        to[..n].copy_from_slice(&sums);
        // Rows are written up to a multiple of 16 bytes; memory after the last row of B counts as zero.
        let end = n.next_multiple_of(8).min(c_stride);
        to[n..end].fill(0.0);
    }
    let [before, rounded_after] = [&before, &after].map(|values| rounded(values, Numbers::Bf16));
    let strides = [c_stride, a.stride, b.stride];
    let count = experts.count() as u32;
    let gemm = GemmFp8 {
        size: case.size.map(|extent| extent as u32),
        strides: strides.map(|stride| has_gaps.then_some(stride as u64)),
        a_scale_stride: has_gaps.then_some(a_scale_stride as u64),
        groups: match experts {
            Experts::None => Groups::One,
            Experts::Of(..) => Groups::Contiguous {
                experts: count,
                numbers: 5,
            },
            Experts::Rows(_) => Groups::Masked {
                experts: count,
                rows: 5,
            },
        },
        multiprocessors,
        ..GemmFp8::default()
    };
    let of_experts = match experts {
        Experts::None => Buffer::new("experts", &[0_i32; 0]),
        Experts::Of(_, numbers) => Buffer::new("experts", numbers),
        Experts::Rows(rows) => Buffer::new("experts", rows),
    };
    let gaps = if has_gaps { "_gaps" } else { "" };
    let grouped = match experts {
        Experts::None => String::new(),
        Experts::Of(count, _) => format!("_{count}_experts"),
        Experts::Rows(rows) => format!("_{}_experts_masked", rows.len()),
    };
    Scenario {
        name: format!("{m}x{n}x{k}_{values:?}_{multiprocessors}_blocks{gaps}{grouped}"),
        buffers: vec![
            Buffer::new("c", &before),
            Buffer::new("a", &a.bits),
            Buffer::new("b", &b.bits),
            Buffer::new("a_scales", &a.scales),
            Buffer::new("b_scales", &b.scales),
            of_experts.clone(),
        ],
        launches: vec![kept(gemm.launch())],
        expected: vec![
            match values {
                Values::Exact => Expected::of(0, &rounded_after),
                // The error of rounding to `bf16`.
                _ => Expected::near(0, Format::Bf16, after, 2.5e-3),
            },
            Expected::of(1, &a.bits),
            Expected::of(2, &b.bits),
            Expected::of(3, &a.scales),
            Expected::of(4, &b.scales),
            Expected::of(5, of_experts.bytes()),
        ],
    }
}
