//! Products of matrices of `e4m3` with a scale for each block of numbers, by tensor cores.
//!
//! The tensor core keeps 13 bits of a sum of `e4m3` products, too few for a long K. So the products of 128 numbers along
//! K are summed up afresh, and added in `f32` to the sums so far, with their scales, while those of the next 128 are
//! summed up in other registers.

pub mod grouped;

use tma::{
    Accumulator, Block, InFlight, KernelArg, Matrix, Outputs, Swizzle128, Tile, TileMap, Warpgroup,
    float8::E4m3,
    halves::Bf16,
    kernel,
    matrix::Boxes,
    pipeline::{self, Fill, ProductStage, Products},
    shared,
    tile::Pair,
};

use crate::{
    gemm::{Plain, follow},
    product::{BOX, Box64, Boxes64, Map, Tiling, place},
};

/// Columns of C that a block computes at a time, rows and columns of B with one scale, and numbers of A with one scale.
pub const BLOCK: u32 = 128;
/// Threads: a warpgroup loads, two multiply.
pub const THREADS: u32 = 384;
/// Stages in shared memory.
const STAGES: u32 = 5;
/// Tiles in which a warpgroup leaves results.
const OUTPUTS: u32 = 2;

type Box8 = [[E4m3; BLOCK as usize]; BOX as usize];
type Map8 = TileMap<Box8, Swizzle128>;
type Boxes8 = [Tile<Box8, Swizzle128>; 2];
/// Rows of A, and rows of B.
type Stage = Pair<Boxes8, Boxes8>;
type Rows8 = Boxes<Box8, Swizzle128, 2, true>;
const SHARED_BYTES: u64 = 2 * size_of::<Output>() as u64 + pipeline::bytes::<Stage>(STAGES, 1);

type Output = Boxes64<Bf16, { OUTPUTS as usize }>;
/// The part of a thread of the sums of 64 rows of a tile.
type Sums = Accumulator<[f32; 64]>;

/// The products of a stage in flight, and the scales of a thread's two rows and of the columns: multiplied behind the wait,
/// for which their loads have time.
struct Started {
    products: InFlight<[f32; 64]>,
    stage: ProductStage<Stage>,
    scales: [f32; 3],
}

impl Started {
    /// Waits for these products, but not for those of the `LEFT` stages that were started behind them; gives the stage
    /// back, and the sums with them, and the products.
    ///
    /// # Safety
    /// 1. So many stages were started behind them.
    #[inline(always)]
    unsafe fn add_to<const LEFT: u64>(self, sums: Sums) -> (Sums, Sums) {
        // SAFETY: (1); the products of each stage are a group.
        let fresh = unsafe { self.products.wait_behind::<LEFT>() };
        self.stage.release();
        let [first, second, columns] = self.scales;
        (
            sums.add_scaled(&fresh, [first * columns, second * columns]),
            fresh,
        )
    }
}

/// The extents of the product, and the places of scales.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Product {
    /// Scales of A from one stage to the next, at least one for each row.
    pub a_scale_stride: u64,
    /// Its tiles of 128 by 128, and stages of 128 along K.
    pub tiling: Tiling,
    /// Rows of A.
    pub rows: u32,
    /// Rows of B, and columns of C, of each expert.
    pub columns: u32,
    /// Experts.
    pub experts: u32,
}

/// The place of a tile.
#[derive(Clone, Copy)]
struct Place {
    /// Its first row, of A and of C.
    row: u32,
    /// Its first column of C.
    column: u32,
    /// Its first row of B.
    row_of_b: u32,
    /// Of B's blocks of 128 rows with a scale, that of its columns.
    block_of_b: u32,
}

/// The operands of a product: (1) to (3) of [`gemm_fp8`] hold.
#[derive(Clone, Copy)]
struct Operands<'a> {
    c: &'a Map<Bf16>,
    a: &'a Map8,
    b: &'a Map8,
    product: Product,
    a_scales: *const f32,
    b_scales: *const f32,
}

/// The scales of a thread's two rows and of the columns of a tile, for one stage.
struct Scales {
    of_a: [*const f32; 2],
    a_stride: usize,
    of_b: *const f32,
}

impl Scales {
    /// Those for the first stage, of this row and the row 8 below. Rows behind the last one, which are not stored, have
    /// its scale.
    #[inline(always)]
    fn new(operands: &Operands<'_>, row: u32, block_of_b: u32) -> Self {
        let product = &operands.product;
        let of_row = |row: u32| {
            let row = row.min(product.rows - 1) as usize;
            operands.a_scales.wrapping_add(row)
        };
        let before = block_of_b as usize * product.tiling.stages as usize;
        Self {
            of_a: [of_row(row), of_row(row + 8)],
            a_stride: product.a_scale_stride as usize,
            of_b: operands.b_scales.wrapping_add(before),
        }
    }

    /// Those of both rows, and that of the columns, and goes on to the next stage.
    ///
    /// # Safety
    /// 1. (3) of [`gemm_fp8`] holds, and there is such a stage.
    #[inline(always)]
    unsafe fn next(&mut self) -> [f32; 3] {
        let [first, second] = self.of_a;
        // SAFETY: they are there, and nobody writes them (1).
        let scales = unsafe { [*first, *second, *self.of_b] };
        self.of_a = self.of_a.map(|scale| scale.wrapping_add(self.a_stride));
        self.of_b = self.of_b.wrapping_add(1);
        scales
    }
}

/// Writes A times the transpose of B to C, rounded to `bf16`.
///
/// A has M rows and B has N rows of K numbers of `e4m3`. A number of A counts times the scale of its row and of its 128
/// along K, one of B times that of its 128 rows and 128 along K. What lies behind the ends of A and B along K counts as
/// zero. Tiles of C, 128 by 128, are dealt to the blocks.
///
/// # Safety
/// 1. `a` and `b` are maps with boxes of 128 by 64, `c` is one with boxes of 64 by 64, of the rows of the matrices;
///    nobody writes A and B while the kernel runs, nobody else uses C.
/// 2. `product` has the rows of A, and the tiles that cover C, at least one and fewer than 2^16 each way, in groups of 1 to
///    2^16 - 1 rows, and stages that cover K; the tiles are fewer than 2^31 together, and coordinates are below 2^31.
/// 3. `a_scales` has the scales of A, those of all rows for one stage behind those of the stage before; `b_scales` has
///    those of B, those of all stages for 128 rows behind those of the 128 rows before. Nobody writes them.
/// 4. Grid and blocks are one-dimensional.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/gemm_fp8.ptx"), "\n```"))]
#[kernel(max_threads = 384, min_blocks = 1, shared_bytes = SHARED_BYTES)]
pub unsafe fn gemm_fp8(
    #[grid_constant] c: &Map<Bf16>,
    #[grid_constant] a: &Map8,
    #[grid_constant] b: &Map8,
    product: Product,
    a_scales: *const f32,
    b_scales: *const f32,
) {
    let operands = Operands {
        c,
        a,
        b,
        product,
        a_scales,
        b_scales,
    };
    let [down, along] = product.tiling.tiles;
    let places = || {
        move |tile| {
            // SAFETY: (2).
            let [row, column] = unsafe { product.tiling.origin(tile, BLOCK) };
            Some(Place {
                row,
                column,
                row_of_b: column,
                block_of_b: column / BLOCK,
            })
        }
    };
    // SAFETY: (1) to (4).
    unsafe { multiply(operands, down * along, places) };
}

/// Computes the tiles below a number that have a place, which each role asks for in their order.
///
/// # Safety
/// 1. (1) to (4) of [`gemm_fp8`] hold for these tiles.
#[inline(always)]
unsafe fn multiply<P: FnMut(u32) -> Option<Place>>(
    operands: Operands<'_>,
    tiles: u32,
    places: impl Fn() -> P,
) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let outputs = shared::dynamic::<Output, 1024>();
    let pipeline = block.product_pipeline::<Stage, STAGES>(outputs.add(2).cast());
    follow();
    let Tiling {
        last_boxes: [last_row, last_column],
        stages,
        ..
    } = operands.product.tiling;
    let fill = |mut fill: Fill<Stage, STAGES>| {
        let mut places = places();
        for tile in block.items(tiles) {
            let Some(tile) = places(tile) else { continue };
            let mut stage = 0;
            while stage < stages {
                let at = |first, last| {
                    move |number: u32| place(true, first + number * BOX, last, stage * BLOCK)
                };
                fill.next().load_pair(
                    (operands.a, at(tile.row, last_row)),
                    (operands.b, at(tile.row_of_b, last_column)),
                );
                stage += 1;
            }
        }
    };
    let multiply = |warpgroup: Warpgroup, mut products: Products<Stage, STAGES>| {
        let index = warpgroup.index();
        let mut outputs =
            Outputs::<Box64<Bf16>, _, _, OUTPUTS>::new(warpgroup, outputs.add(index).cast());
        let mut places = places();
        for tile in block.items(tiles) {
            let Some(tile) = places(tile) else { continue };
            let row = tile.row + BOX * index;
            let first = row + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
            let mut scales = Scales::new(&operands, first, tile.block_of_b);
            let mut start = |fresh: Sums| {
                // SAFETY: there is a stage; the scales come while its products are computed.
                let scales = unsafe { scales.next() };
                let stage = products.next();
                // SAFETY: the stage has been loaded, and is loaded again when it has been released, behind the wait.
                let batch = unsafe {
                    let a = Matrix::<Rows8>::from_ptr(stage.as_ptr().first());
                    let b = Matrix::<Rows8>::from_ptr(stage.as_ptr().second());
                    fresh.begin(warpgroup).replace(a.part::<64>(index), b)
                };
                Started {
                    products: batch.commit(),
                    stage,
                    scales,
                }
            };
            let mut sums = Sums::zero();
            if stages != 0 {
                let (mut even, mut spare) = (start(Sums::zero()), Sums::zero());
                let mut left = stages;
                // Two stages a turn, each with registers of its own.
                sums = loop {
                    if left == 1 {
                        // SAFETY: it is the last one.
                        break unsafe { even.add_to::<0>(sums) }.0;
                    }
                    let odd = start(spare);
                    // SAFETY: one was started behind it.
                    (sums, spare) = unsafe { even.add_to::<1>(sums) };
                    if left == 2 {
                        // SAFETY: it is the last one.
                        break unsafe { odd.add_to::<0>(sums) }.0;
                    }
                    even = start(spare);
                    // SAFETY: one was started behind it.
                    (sums, spare) = unsafe { odd.add_to::<1>(sums) };
                    left -= 2;
                };
            }
            outputs.store_sums(&sums, operands.c, [tile.column, row], &Plain);
        }
        outputs.finish();
    };
    // SAFETY: the attributes say so.
    unsafe { pipeline.split::<THREADS, 40, 232>(fill, multiply) };
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{GemmFp8, Groups};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
