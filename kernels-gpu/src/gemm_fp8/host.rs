//! The launch of products with scales, and its conditions.

use tensor_map::{DataType, Swizzle, Tiled};
use tma_launch::{BufferRef, Conditions, Launch, MapRef, Region, Shape, Violations};

use super::{BLOCK, Product, THREADS, gemm_fp8};
use crate::{
    gemm::{Gemm, Matrices},
    product::{BOX, ROWS, Tiling},
};

/// The product of a matrix of `e4m3` and the transpose of another one, with scales, rounded to `bf16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmFp8 {
    /// Rows of A and of C, rows of B and columns of C, and what products are added up over: columns of A and of B.
    pub size: [u32; 3],
    /// From row to row of C, A and B, in elements; rows lie one behind the other where nothing is said.
    pub strides: [Option<u64>; 3],
    /// Scales of A from those of 128 numbers along K to those of the next 128; where nothing is said, as many as there
    /// are rows.
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
    /// The buffer of B's scales, of type `f32`: one for each 128 numbers along K, for the first 128 rows, then those of
    /// the next 128 rows.
    pub b_scales: usize,
    /// Multiprocessors: blocks at most.
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
            multiprocessors: 132,
        }
    }
}

impl GemmFp8 {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let [m, n, k] = self.size;
        let mut conditions = Conditions::default();
        // The same product as `gemm` has it.
        let gemm = Gemm {
            size: self.size,
            b_transposed: true,
            strides: self.strides,
            c: self.c,
            a: self.a,
            b: self.b,
            multiprocessors: self.multiprocessors,
            ..Gemm::default()
        };
        let [c, a, b] = gemm.all_matrices(&mut conditions, 1);
        let tiles = [m.div_ceil(ROWS), n.div_ceil(BLOCK)];
        let (tiling, count) = gemm.tiling(&mut conditions, tiles);
        let stages = k.div_ceil(BLOCK);
        let a_scale_stride = self.a_scale_stride.unwrap_or(m.into());
        if stages > 1 {
            let reason = "scales of all rows of A lie between: at least";
            conditions.at_least(
                "stride of the scales of A",
                a_scale_stride,
                m.into(),
                reason,
            );
        }
        let c = gemm.map(c);
        conditions.writes(c.into());
        let [a, b] = if k == 0 {
            // Nobody loads through it.
            [map(Matrices::element(self.c)); 2]
        } else {
            let scales = |count: u64| count.saturating_mul(4);
            let of_a = a_scale_stride
                .saturating_mul(u64::from(stages) - 1)
                .saturating_add(m.into());
            let of_b = u64::from(tiles[1]) * u64::from(stages);
            conditions.reads(Region::bytes(self.a_scales, scales(of_a)));
            conditions.reads(Region::bytes(self.b_scales, scales(of_b)));
            [a, b].map(|matrix| {
                let map = map(matrix);
                conditions.reads(map.into());
                map
            })
        };
        let product = Product {
            tiling: Tiling { stages, ..tiling },
            rows: m,
            b_scale_stride: stages,
            a_scale_stride,
        };
        let [a_scales, b_scales] = [self.a_scales, self.b_scales].map(BufferRef::new);
        let call = gemm_fp8(c, a, b, product, a_scales, b_scales);
        conditions.launch(call, Shape::new(gemm.blocks(count), THREADS))
    }
}

/// A map of the rows of a matrix of `e4m3`.
fn map(matrix: Matrices) -> MapRef {
    let map = Tiled::new(DataType::U8, &[matrix.columns.into(), matrix.rows.into()])
        .strides_bytes(&[matrix.strides[0]])
        .box_dims(&[BLOCK, BOX]);
    MapRef::new(map.swizzle(Swizzle::B128), matrix.buffer)
}
