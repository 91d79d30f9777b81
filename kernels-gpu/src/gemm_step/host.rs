//! The launches of the steps, and their conditions.

use std::num::NonZero;

use tensor_map::{DataType, Swizzle, Tiled};
use tma::halves::Bf16;
use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

use super::{
    BOX, one_thread, one_thread::gemm_step_1, persistent::gemm_step_7, roles, roles::gemm_step_6,
    shared_tiles, shared_tiles::gemm_step_2, stages::gemm_step_4, tensor_copies::gemm_step_3,
    tensor_cores, tensor_cores::gemm_step_5,
};
use crate::arguments::product;

/// The product of a matrix and a transposed one, by one of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmStep {
    /// The number of the step, from 1 to 7.
    pub step: u32,
    /// Rows of A and C; rows of B, columns of C; columns of A and B: the last two are multiples of 8.
    pub size: [u32; 3],
    /// The buffer of the product.
    pub c: usize,
    /// The buffer of A.
    pub a: usize,
    /// The buffer of B.
    pub b: usize,
    /// The number of multiprocessors, and so the most blocks of the last step.
    pub multiprocessors: u32,
}

impl GemmStep {
    pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
        let [m, n, k] = self.size;
        conditions.one_of("step", self.step, &[1, 2, 3, 4, 5, 6, 7], "");
        // A block more, and an element of each thread, are still to be counted.
        let most = i32::MAX as u32 / 2;
        let reason = "coordinates are signed 32-bit numbers";
        for (name, extent) in [("M", m), ("N", n), ("K", k)] {
            conditions.within(name, extent, 1..=most, reason);
        }
        let reason = "rows start at multiples of 16 bytes";
        conditions.multiple("N", n.into(), 8, reason);
        conditions.multiple("K", k.into(), 8, reason);
        conditions.writes(Region::bytes(self.c, product(&[2, m, n])));
        conditions.reads(Region::bytes(self.a, product(&[2, m, k])));
        conditions.reads(Region::bytes(self.b, product(&[2, n, k])));

        let map = |rows: u32, columns: u32, buffer| {
            let map = Tiled::new(DataType::Bf16, &[columns.into(), rows.into()])
                .box_dims(&[BOX; 2])
                .swizzle(Swizzle::B128);
            MapRef::new(map, buffer)
        };
        let (a, b) = (map(m, k, self.a), map(n, k, self.b));
        let c = BufferRef::<Bf16>::new(self.c);
        let [rows_of_a, rows_of_b] = [self.a, self.b].map(BufferRef::<Bf16>::new);
        let grid = |columns, rows| (n.div_ceil(columns), m.div_ceil(rows));
        let down = m.div_ceil(roles::ROWS);
        let tiles = product(&[down, n.div_ceil(roles::COLUMNS)]);
        let (call, shape): (Call<'_>, Shape) = match self.step {
            1 => (
                gemm_step_1(c, rows_of_a, rows_of_b, m, n, k),
                Shape::new(grid(one_thread::TILE, one_thread::TILE), 256),
            ),
            2 => (
                gemm_step_2(c, rows_of_a, rows_of_b, m, n, k),
                Shape::new(grid(shared_tiles::TILE, shared_tiles::TILE), 1024),
            ),
            3 => (
                gemm_step_3(a, b, c, m, n, k),
                Shape::new(grid(BOX, BOX), 1024),
            ),
            4 => (
                gemm_step_4(a, b, c, m, n, k),
                Shape::new(grid(BOX, BOX), 1024),
            ),
            5 => (
                gemm_step_5(a, b, c, m, n, k),
                Shape::new(grid(tensor_cores::TILE, tensor_cores::TILE), 256),
            ),
            6 => (
                gemm_step_6(a, b, c, m, n, k),
                Shape::new(grid(roles::COLUMNS, roles::ROWS), roles::THREADS),
            ),
            _ => {
                let most = i32::MAX as u64;
                let reason = "tiles are counted in 31 bits";
                conditions.within("tiles of the product", tiles, 1..=most, reason);
                let down = NonZero::new(down).unwrap_or(NonZero::<u32>::MIN);
                let blocks = (tiles as u32).min(self.multiprocessors);
                let c = map(m, n, self.c);
                (
                    gemm_step_7(a, b, c, tiles as u32, down, k),
                    Shape::new(blocks, roles::THREADS),
                )
            }
        };
        (call, shape)
    }
}
