//! Products of many matrices, with results of `f32` or of the matrices' type, which are added to what C has.

use core::hint::assert_unchecked;

use tma::{
    Accumulator, Block, Epilogue as _, KernelArg, Rows, Swizzle128, Tile, TileMap, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::{Boxes, MatrixElement},
    pipeline::{self, Fill, Products},
    ptx::wgmma::Sums,
    shared,
    tile::Pair,
};

use super::{Finished, NARROW, Product, THREADS, WIDE_STAGES};
use crate::product::{BOX, Box64, Tiling, WIDE, place};

/// The number of stages of narrow tiles in shared memory.
const NARROW_STAGES: u32 = 8;

/// A box of one of many matrices.
type Box3<T> = [Box64<T>; 1];
type Map<T> = TileMap<Box3<T>, Swizzle128>;
/// Rows of A, and `BOXES` boxes of columns of B.
type Stage<T, const BOXES: usize> =
    Pair<[Tile<Box3<T>, Swizzle128>; 2], [Tile<Box3<T>, Swizzle128>; BOXES]>;
type Matrix<T, const BOXES: usize, const K_MAJOR: bool> =
    Boxes<Box3<T>, Swizzle128, BOXES, K_MAJOR>;

/// The results of many products, and where they go.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Results {
    /// Elements from row to row, and from product to product.
    pub strides: [u64; 2],
    /// Rows and columns of C.
    pub extents: [u32; 2],
    /// The number of products.
    pub batches: u32,
    /// For A and B: 1 where each product has its own, 0 where they all have the first one.
    pub steps: [u32; 2],
    /// Results are of `f32` unless it is 0, and else of the type of A and B.
    pub single: u32,
    /// The factor of what C has, which is not read where it is 0.
    pub beta: f32,
}

/// Writes `activation(alpha * A * B + beta * C + bias)` to C for each of many A, B and C, rounded to the type of C; sums
/// are of `f32`. All have the same extents, and one bias.
///
/// # Safety
/// 1. `a` and `b` are maps with boxes of 64 by 64, of the rows of the matrices as they are in memory, and of the
///    number of matrices in `results`; no thread writes A and B while the kernel runs.
/// 2. `c` points to the first of the matrices that `results` describes, and no other code uses these. It is a multiple
///    of 16 bytes, and so are their strides; rows end there, too. Elements of C are initialised where `beta` is not 0.
/// 3. (2) to (4) of [`gemm`](super::gemm()), where the tiles are the tiles of all products together.
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = pipeline::bytes::<Stage<T, WIDE>>(WIDE_STAGES, 1)
)]
pub unsafe fn gemm_batched<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    results: Results,
    c: *mut T,
    bias: *const f32,
) where
    [f32; 128]: Sums<T::Ptx, T::Ptx>,
{
    let end = Epilogue {
        product,
        results,
        c,
        bias,
    };
    // SAFETY: the conditions are the same.
    unsafe { multiply::<T, [f32; 128], WIDE, WIDE_STAGES, A_K_MAJOR, B_K_MAJOR>([a, b], end) }
}

/// [`gemm_batched`] with tiles of 128 by 64, for few tiles.
///
/// # Safety
/// 1. The conditions of [`gemm_batched`].
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = pipeline::bytes::<Stage<T, NARROW>>(NARROW_STAGES, 1)
)]
pub unsafe fn gemm_batched_narrow<
    T: MatrixElement + Half,
    const A_K_MAJOR: bool,
    const B_K_MAJOR: bool,
>(
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    results: Results,
    c: *mut T,
    bias: *const f32,
) where
    [f32; 32]: Sums<T::Ptx, T::Ptx>,
{
    let end = Epilogue {
        product,
        results,
        c,
        bias,
    };
    // SAFETY: (1).
    unsafe { multiply::<T, [f32; 32], NARROW, NARROW_STAGES, A_K_MAJOR, B_K_MAJOR>([a, b], end) }
}

/// The end of a product: (2) and (3) of [`gemm_batched`] hold.
#[derive(Clone, Copy)]
struct Epilogue<T> {
    product: Product,
    results: Results,
    c: *mut T,
    bias: *const f32,
}

/// # Safety
/// 1. The conditions of [`gemm_batched`].
#[inline(always)]
unsafe fn multiply<
    T: MatrixElement + Half,
    R: Rows + Sums<T::Ptx, T::Ptx>,
    const BOXES: usize,
    const STAGES: u32,
    const A_K_MAJOR: bool,
    const B_K_MAJOR: bool,
>(
    [a, b]: [&Map<T>; 2],
    end: Epilogue<T>,
) {
    // SAFETY: every thread gets here (3 of `gemm_batched`).
    let block = unsafe { Block::converged() };
    let pipeline = block.product_pipeline::<Stage<T, BOXES>, STAGES>(shared::dynamic::<_, 1024>());
    let Tiling {
        tiles: [rows, columns],
        last_boxes: [last_row, last_column],
        stages,
        ..
    } = end.product.tiling;
    // SAFETY: there are tiles and rows of a group (3 of `gemm_batched`).
    let origin = |tile| unsafe { end.product.tiling.origin(tile, BOX * BOXES as u32) };
    let in_batch = rows * columns;
    // SAFETY: there are tiles (3 of `gemm_batched`).
    unsafe { assert_unchecked(in_batch != 0) };
    let tiles = in_batch * end.results.batches;
    let [step_of_a, step_of_b] = end.results.steps;
    let fill = |mut fill: Fill<Stage<T, BOXES>, STAGES>| {
        let at = |k_major, mn, last, k, matrix| {
            move |number| {
                let [x, y] = place(k_major, mn + number * BOX, last, k);
                [x, y, matrix as i32]
            }
        };
        for tile in block.items(tiles) {
            let (batch, [row, column]) = (tile / in_batch, origin(tile % in_batch));
            let mut stage = 0;
            while stage < stages {
                let k = stage * BOX;
                fill.next().load_pair(
                    (a, at(A_K_MAJOR, row, last_row, k, step_of_a * batch)),
                    (b, at(B_K_MAJOR, column, last_column, k, step_of_b * batch)),
                );
                stage += 1;
            }
        }
    };
    let multiply = |warpgroup: Warpgroup, mut products: Products<Stage<T, BOXES>, STAGES>| {
        let index = warpgroup.index();
        for tile in block.items(tiles) {
            let (batch, [row, column]) = (tile / in_batch, origin(tile % in_batch));
            let sums = products.accumulate(Accumulator::<R>::zero(), stages, |stage| {
                let (a, b) = stage.pair();
                let a = a.matrix::<Matrix<T, 2, A_K_MAJOR>>();
                (
                    a.part::<64>(index),
                    b.matrix::<Matrix<T, BOXES, B_K_MAJOR>>(),
                )
            });
            let row = row + BOX * index + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
            sums.each_pair(warpgroup, |below, beside, sums| {
                let at = [column + beside, row + 8 * below as u32];
                // SAFETY: each element of C belongs to one thread (2 and 3 of `gemm_batched`).
                unsafe { end.write(sums, at, batch) };
            });
        }
    };
    // SAFETY: the attributes say so.
    unsafe { pipeline.split::<THREADS, 40, 232>(fill, multiply) };
}

impl<T: Half> Epilogue<T> {
    /// Writes the results of two neighbouring sums, the first one at these coordinates, if that is in C.
    ///
    /// # Safety
    /// 1. (2) and (3) of [`gemm_batched`] hold, and no other thread uses these elements of C. The column is even.
    #[inline(always)]
    unsafe fn write(&self, sums: [f32; 2], [column, row]: [u32; 2], batch: u32) {
        let Self {
            product,
            results,
            c,
            bias,
        } = *self;
        let [rows, columns] = results.extents;
        if row >= rows || column >= columns {
            return;
        }
        let [of_row, of_batch] = results.strides;
        let at = u64::from(batch) * of_batch + u64::from(row) * of_row + u64::from(column);
        let place = if results.single != 0 {
            Place::Single(c.cast::<f32>().wrapping_add(at as usize))
        } else {
            Place::Half(c.wrapping_add(at as usize))
        };
        let mut sums = sums.map(|sum| product.alpha * sum);
        if results.beta != 0.0 {
            // SAFETY: the elements are there, and initialised (1).
            let old = unsafe { place.read() };
            sums = [0, 1].map(|it| sums[it] + results.beta * old[it]);
        }
        let product = Product {
            alpha: 1.0,
            ..product
        };
        let finished = Finished { product, bias }.apply(column, row, sums);
        // SAFETY: the elements are there, and this thread's (1).
        unsafe { place.write(finished) };
    }
}

/// Two neighbouring elements of C; the first one is at a multiple of their bytes.
#[derive(Clone, Copy)]
enum Place<T> {
    Single(*mut f32),
    Half(*mut T),
}

impl<T: Half> Place<T> {
    /// # Safety
    /// 1. The elements are there and initialised, and no thread writes them.
    #[inline(always)]
    unsafe fn read(self) -> [f32; 2] {
        // SAFETY: (1).
        unsafe {
            match self {
                Self::Single(at) => {
                    let both = *at.cast::<u64>();
                    [both as u32, (both >> 32) as u32].map(f32::from_bits)
                }
                Self::Half(at) => T::values(*at.cast::<u32>()),
            }
        }
    }

    /// # Safety
    /// 1. The elements are there, and no other code uses them.
    #[inline(always)]
    unsafe fn write(self, values: [f32; 2]) {
        // SAFETY: (1).
        unsafe {
            match self {
                Self::Single(at) => {
                    let [low, high] = values.map(|value| u64::from(value.to_bits()));
                    *at.cast::<u64>() = low | high << 32;
                }
                Self::Half(at) => *at.cast::<u32>() = T::round(values),
            }
        }
    }
}
