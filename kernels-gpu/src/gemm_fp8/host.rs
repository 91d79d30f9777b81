//! The launch of products with scales, and its conditions.

use tensor_map::{DataType, L2Promotion, Swizzle, Tiled};
use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

use super::{
    BLOCK, Product, THREADS, gemm_fp8,
    grouped::{gemm_fp8_contiguous, gemm_fp8_masked},
    thin::{self, gemm_fp8_thin},
    thin_wide::{self, gemm_fp8_thin_wide},
};
use crate::{
    arguments::product,
    gemm::{Gemm, Matrices, THIN_THREADS},
    product::{BOX, ROWS},
};

/// The rows of A that have a B of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// All rows have the same.
    One,
    /// Each 128 rows belong to one expert, with its number in a buffer of `i32`: rows without an expert, with a number
    /// such as -1, are not computed.
    Contiguous {
        /// Matrices B, one after the other.
        experts: u32,
        /// The buffer of the experts' numbers.
        numbers: usize,
    },
    /// Each expert has M rows, a multiple of 128. A buffer of `u32` has the number of rows that are computed.
    /// Rows up to the next multiple of 128 are computed, too.
    Masked {
        /// Matrices A, B and C, one after the other.
        experts: u32,
        /// The buffer of the numbers of rows.
        rows: usize,
    },
}

impl Groups {
    /// Matrices B.
    const fn experts(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Contiguous { experts, .. } | Self::Masked { experts, .. } => experts,
        }
    }
}

/// The product of a matrix of `e4m3` and the transpose of another one, with scales, rounded to `bf16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmFp8 {
    /// Rows of A and of C, rows of B and columns of C, and the extent that products are added up over: columns of A and of B.
    pub size: [u32; 3],
    /// The row strides of C, A and B, in elements; by default rows are stored one after the other.
    pub strides: [Option<u64>; 3],
    /// Scales of A from 128 numbers along K to the next 128, a multiple of 4; by default the number of
    /// rows, rounded up to one.
    pub a_scale_stride: Option<u64>,
    /// The buffer of C.
    pub c: usize,
    /// The buffer of A.
    pub a: usize,
    /// The buffer of B.
    pub b: usize,
    /// The buffer of A's scales, of type `f32`: one for each row, for the first 128 numbers along K, then those for the
    /// next 128.
    pub a_scales: usize,
    /// The buffer of B's scales, of type `f32`: one for each 128 numbers along K, for the first 128 rows, then for
    /// the next 128 rows.
    pub b_scales: usize,
    /// The rows of A that have a B of their own.
    pub groups: Groups,
    /// The number of multiprocessors, and so the most blocks.
    pub multiprocessors: u32,
}

impl Default for GemmFp8 {
    /// No product, for the 132 multiprocessors of an H100 or H200.
    fn default() -> Self {
        Self {
            size: [0; 3],
            strides: [None; 3],
            a_scale_stride: None,
            c: 0,
            a: 1,
            b: 2,
            a_scales: 3,
            b_scales: 4,
            groups: Groups::One,
            multiprocessors: 132,
        }
    }
}

impl GemmFp8 {
    pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
        let [m, n, k] = self.size;
        let experts = self.groups.experts();
        let all_rows = self.all_rows(conditions, experts);
        // The same product as `gemm` has it.
        let gemm = Gemm {
            size: [all_rows, n, k],
            b_transposed: true,
            strides: self.strides,
            c: self.c,
            a: self.a,
            b: self.b,
            multiprocessors: self.multiprocessors,
            ..Gemm::default()
        };
        let [c, a, mut b] = gemm.all_matrices(conditions, 1);
        let rows_of_b = n.saturating_mul(experts);
        b.rows = rows_of_b;
        let tiles = [m.div_ceil(ROWS), n.div_ceil(BLOCK)];
        let size = self.size;
        let (tiling, _) = Gemm { size, ..gemm }.tiling(conditions, [ROWS, BLOCK]);
        let all = [all_rows.div_ceil(ROWS), tiles[1]];
        let most = i32::MAX as u32;
        let count = product(&all).min(u64::from(u32::MAX)) as u32;
        let reason = "tiles are counted in 31 bits";
        conditions.within("tiles of all experts", count, 0..=most, reason);
        let reason = "coordinates have 31 bits";
        conditions.within("rows of all A", all_rows, 0..=most, reason);
        conditions.within("rows of all B", rows_of_b, 0..=most, reason);
        let stages = k.div_ceil(BLOCK);
        let rounded = u64::from(all_rows).next_multiple_of(4);
        let a_scale_stride = match self.a_scale_stride {
            Some(stride) if stages > 1 => {
                let parameter = "stride of the scales of A";
                let reason = "one scale for each row of A";
                conditions.at_least(parameter, stride, all_rows.into(), reason);
                let reason = "tensor copies need rows of scales at multiples of 16 bytes";
                conditions.multiple(parameter, stride, 4, reason);
                stride
            }
            _ => rounded,
        };
        let c = gemm.map(c, L2Promotion::None);
        conditions.writes(c.into());
        let scale_map = |buffer, rows: u32, stages: u32| {
            let map = Tiled::new(DataType::F32, &[rows.into(), stages.into()])
                .strides_bytes(&[a_scale_stride.saturating_mul(4)])
                .box_dims(&[BLOCK, 1]);
            MapRef::new(map, buffer)
        };
        let (a_scales, [a, b]) = if k == 0 {
            // No thread loads through it.
            let any = map(Matrices::element(self.c, 16));
            (scale_map(self.c, 1, 1), [any; 2])
        } else {
            let scales = |count: u64| count.saturating_mul(4);
            let of_b = product(&[experts, tiles[1], stages]);
            let a_scales = scale_map(self.a_scales, all_rows, stages);
            conditions.reads(a_scales.into());
            conditions.reads(Region::bytes(self.b_scales, scales(of_b)));
            let maps = [a, b].map(|matrix| {
                let map = map(matrix);
                conditions.reads(map.into());
                map
            });
            (a_scales, maps)
        };
        let arguments = Product {
            tiles,
            // The rows of an expert begin anywhere.
            last_rows: [all_rows, rows_of_b].map(|rows| rows.saturating_sub(1)),
            stages,
            group: tiling.group.divisor(),
            columns: n,
            experts,
        };
        let b_scales = BufferRef::new(self.b_scales);
        let mut shape = Shape::new(gemm.blocks(count), THREADS);
        let call = match self.groups {
            Groups::One if m <= thin::ROWS => {
                let split = count.saturating_mul(thin::BLOCKS);
                if split <= self.multiprocessors {
                    shape = Shape::new(split, THIN_THREADS);
                    gemm_fp8_thin(c, a, b, arguments, a_scales, b_scales)
                } else {
                    let tiles = count.div_ceil(thin_wide::BLOCKS);
                    shape = Shape::new(gemm.blocks(tiles), THREADS);
                    gemm_fp8_thin_wide(c, a, b, arguments, a_scales, b_scales)
                }
            }
            Groups::One => gemm_fp8(c, a, b, arguments, a_scales, b_scales),
            Groups::Contiguous { numbers, .. } => {
                conditions.reads(Region::bytes(numbers, u64::from(tiles[0]) * 4));
                let numbers = BufferRef::new(numbers);
                gemm_fp8_contiguous(c, a, b, arguments, a_scales, b_scales, numbers)
            }
            Groups::Masked { rows, .. } => {
                conditions.reads(Region::bytes(rows, u64::from(experts) * 4));
                let rows = BufferRef::new(rows);
                gemm_fp8_masked(c, a, b, arguments, a_scales, b_scales, rows)
            }
        };
        (call, shape)
    }

    /// Checks the rows of A, and counts them.
    fn all_rows(&self, conditions: &mut Conditions, experts: u32) -> u32 {
        let rows = self.size[0];
        if self.groups == Groups::One {
            return rows;
        }
        let reason = "experts are counted in 16 bits";
        conditions.within("experts", experts, 1..=0xffff, reason);
        if let Groups::Contiguous { .. } = self.groups {
            return rows;
        }
        let reason = "a tile has rows of one expert only";
        conditions.multiple("rows of an expert", rows.into(), ROWS.into(), reason);
        rows.saturating_mul(experts)
    }
}

/// Returns a map of the rows of a matrix of `e4m3`.
fn map(matrix: Matrices) -> MapRef {
    let map = Tiled::new(DataType::U8, &[matrix.columns.into(), matrix.rows.into()])
        .strides_bytes(&[matrix.strides[0]])
        .box_dims(&[BLOCK, BOX]);
    MapRef::new(map.swizzle(Swizzle::B128), matrix.buffer)
}
