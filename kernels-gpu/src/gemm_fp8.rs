//! Products of matrices of `e4m3` with a scale for each block of numbers, by tensor cores.
//!
//! The tensor core keeps 13 fraction bits of a sum of `e4m3` products, too few for a long K. So the products of 128 numbers
//! along K are summed up afresh, and added in `f32` to the sums so far, with their scales, while the next 128 are
//! summed up in other registers. Tensor copies load the scales of A with its numbers.

pub mod grouped;
pub mod thin;
pub mod thin_wide;

use core::hint::assert_unchecked;

use tma::{
    Accumulator, Block, InFlight, KernelArg, Matrix, Outputs, SharedPtr, Swizzle128, Tile, TileMap,
    Warpgroup,
    float8::E4m3,
    halves::Bf16,
    kernel,
    matrix::Boxes,
    pipeline::{self, Fill, ProductPipeline, ProductStage, Products},
    ptx::{griddepcontrol, nanosleep},
    shared,
    tile::Pair,
};

use crate::{
    gemm::Identity,
    product::{BOX, Box64, Boxes64, CONSUMER_REGISTERS, Map, PRODUCER_REGISTERS, place},
};

pub use crate::product::THREADS;

/// Columns of a tile of C, rows and columns of B with one scale, and numbers of A with one scale.
pub const BLOCK: u32 = 128;
/// The number of stages of [`gemm_fp8`] in shared memory.
const STAGES: u32 = 5;
/// The number of tiles in which a warpgroup leaves results.
const OUTPUTS: u32 = 2;
/// The time by which the second warpgroup begins later.
const APART_NANOSECONDS: u32 = 400;

type Box8 = [[E4m3; BLOCK as usize]; BOX as usize];
type Map8 = TileMap<Box8, Swizzle128>;
type Boxes8<const BOXES: usize> = [Tile<Box8, Swizzle128>; BOXES];
type ScaleBox = [[f32; BLOCK as usize]; 1];
type ScaleMap = TileMap<ScaleBox>;
/// Boxes of rows of A, of rows of B, and scales of the rows of A.
type Stage<const ROW_BOXES: usize, const COLUMN_BOXES: usize> =
    Pair<Pair<Boxes8<ROW_BOXES>, Boxes8<COLUMN_BOXES>>, Tile<ScaleBox>>;
type Rows8<const BOXES: usize> = Boxes<Box8, Swizzle128, BOXES, true>;
const SHARED_BYTES: u64 = shared_bytes::<Stage<2, 2>>(STAGES);

/// Returns the dynamic shared memory of a block: tiles of results for two consumers, and the pipeline.
const fn shared_bytes<S>(stages: u32) -> u64 {
    2 * size_of::<Output>() as u64 + pipeline::bytes::<S>(stages, 1)
}

type Output = Boxes64<Bf16, { OUTPUTS as usize }>;
/// The part of a thread of the sums of 64 rows of a tile.
type Sums = Accumulator<[f32; 64]>;

/// The products of a stage in flight, and the scales of a thread's two rows and of the columns: multiplied after the
/// wait, so that their loads have time.
struct InFlightStage<const ROW_BOXES: usize, const COLUMN_BOXES: usize> {
    products: InFlight<[f32; 64]>,
    stage: ProductStage<Stage<ROW_BOXES, COLUMN_BOXES>, true>,
    scales: [f32; 3],
}

impl<const ROW_BOXES: usize, const COLUMN_BOXES: usize> InFlightStage<ROW_BOXES, COLUMN_BOXES> {
    /// Starts the products of a loaded stage, in the registers of `fresh`. The thread's rows are `first_row` and the
    /// one 8 below.
    #[inline(always)]
    fn start(
        stage: ProductStage<Stage<ROW_BOXES, COLUMN_BOXES>, true>,
        warpgroup: Warpgroup,
        fresh: Sums,
        first_row: u32,
        of_columns: f32,
    ) -> Self {
        let of_rows: SharedPtr<f32> = stage.as_ptr().second().cast();
        // SAFETY: the scale has been loaded, and is loaded again when each warp has released the stage.
        let of_row = |row| unsafe { of_rows.add(row).read() };
        let scales = [of_row(first_row), of_row(first_row + 8), of_columns];
        let tiles = stage.as_ptr().first();
        let (a, b) = (tiles.first(), tiles.second());
        // SAFETY: the tiles have been loaded, and are loaded again when the stage has been released, after the wait.
        let (a, b) = unsafe {
            (
                Matrix::<Rows8<ROW_BOXES>>::from_ptr(a),
                Matrix::<Rows8<COLUMN_BOXES>>::from_ptr(b),
            )
        };
        let index = warpgroup.index();
        let (a, b) = (a.part::<64>(index), b.part::<128>(index));
        // SAFETY: the stage is released after the wait for these products (1), which `add_to` is (2).
        let batch = unsafe { fresh.begin(warpgroup).replace(a, b) };
        Self {
            products: batch.commit(),
            stage,
            scales,
        }
    }

    /// Waits for these products, but not for the `LEFT` stages that were started after them; releases the stage,
    /// and returns the sums and the products.
    ///
    /// # Safety
    /// 1. `LEFT` stages were started after them.
    #[inline(always)]
    unsafe fn add_to<const LEFT: u64>(self, sums: Sums) -> (Sums, Sums) {
        // SAFETY: the products of each stage are a group, and `LEFT` were committed after these (1).
        let fresh = unsafe { self.products.wait_before_last::<LEFT>() };
        self.stage.release();
        let [first, second, columns] = self.scales;
        (
            sums.add_scaled(&fresh, [first * columns, second * columns]),
            fresh,
        )
    }
}

/// The extents of the product.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Product {
    /// The number of tiles of 128 by 128 down C, and along it.
    pub tiles: [u32; 2],
    /// The last row of A, and that of B.
    pub last_rows: [u32; 2],
    /// The number of stages of 128 along K.
    pub stages: u32,
    /// The number of rows of tiles that are processed together, so that their blocks share reads in L2: at least one.
    pub group: u32,
    /// The number of rows of B, and columns of C, of each expert.
    pub columns: u32,
    /// The number of experts.
    pub experts: u32,
}

impl Product {
    /// Returns row and column of the first element of a tile.
    ///
    /// It divides, unlike the other products. With the parameters of a [`Divisor`](crate::product::Divisor), ptxas schedules the
    /// products of a stage otherwise: 3 to 7 % fewer on an H200.
    ///
    /// # Safety
    /// 1. There are tiles, and rows in a group; the columns of tiles, times those rows, are below 2^32.
    #[inline(always)]
    unsafe fn origin(&self, tile: u32) -> [u32; 2] {
        let [rows, columns] = self.tiles;
        let in_group = self.group * columns;
        // SAFETY: there are tiles and rows in a group, whose product does not wrap (1).
        unsafe { assert_unchecked(columns != 0 && in_group != 0) };
        let first_row = tile / in_group * self.group;
        let height = (rows - first_row).min(self.group);
        // SAFETY: the group has the tile's row.
        unsafe { assert_unchecked(height != 0) };
        let within = tile % in_group;
        [
            (first_row + within % height) * BLOCK,
            within / height * BLOCK,
        ]
    }
}

/// The place of a tile.
#[derive(Clone, Copy)]
struct TilePlace {
    /// The first row, of A and of C.
    row: u32,
    /// The first column of C.
    column: u32,
    /// The first row of B.
    row_of_b: u32,
    /// The block of 128 rows of B with the scale of its columns.
    block_of_b: u32,
}

/// The operands of a product: (1) to (3) of [`gemm_fp8`] hold.
#[derive(Clone, Copy)]
struct Operands<'a> {
    c: &'a Map<Bf16>,
    a: &'a Map8,
    b: &'a Map8,
    product: Product,
    a_scales: &'a ScaleMap,
    b_scales: *const f32,
}

impl<'a> Operands<'a> {
    #[inline(always)]
    const fn new(
        c: &'a Map<Bf16>,
        a: &'a Map8,
        b: &'a Map8,
        product: Product,
        a_scales: &'a ScaleMap,
        b_scales: *const f32,
    ) -> Self {
        Self {
            c,
            a,
            b,
            product,
            a_scales,
            b_scales,
        }
    }

    /// Loads the stages of a tile from the first of two numbers on, and before the second.
    #[inline(always)]
    fn load<const ROW_BOXES: usize, const COLUMN_BOXES: usize, const STAGES: u32>(
        &self,
        fill: &mut Fill<Stage<ROW_BOXES, COLUMN_BOXES>, STAGES>,
        tile: TilePlace,
        [mut stage, end]: [u32; 2],
    ) {
        let [last_row, last_column] = self.product.last_rows;
        while stage < end {
            let at = |first, last| {
                move |number: u32| place(true, first + number * BOX, last, stage * BLOCK)
            };
            fill.next().load_pair_and_tile(
                (self.a, at(tile.row, last_row)),
                (self.b, at(tile.row_of_b, last_column)),
                (self.a_scales, [tile.row as i32, stage as i32]),
            );
            stage += 1;
        }
    }

    /// Returns a function that starts the products of the next loaded stage in these registers: stage `first` of a tile, or
    /// the one that follows.
    #[inline(always)]
    fn starts<const ROW_BOXES: usize, const COLUMN_BOXES: usize, const STAGES: u32>(
        &self,
        warpgroup: Warpgroup,
        mut products: Products<Stage<ROW_BOXES, COLUMN_BOXES>, STAGES, true>,
        first: u32,
    ) -> impl FnMut(Sums, Option<TilePlace>) -> InFlightStage<ROW_BOXES, COLUMN_BOXES> {
        // The first of a thread's two rows of a tile; the other one is 8 below.
        let [row, column] = part_of_tile::<ROW_BOXES, COLUMN_BOXES>(warpgroup);
        let row = row + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
        let mut b_scales = self.b_scales;
        let blocks = column / BLOCK;
        move |fresh, tile| {
            b_scales = match tile {
                Some(tile) => {
                    let mut block = tile.block_of_b + blocks;
                    if COLUMN_BOXES > 2 {
                        // The last tile may have columns of one warpgroup only.
                        block = block.min(self.product.tiles[1] - 1);
                    }
                    let before = block * self.product.stages + first;
                    self.b_scales.wrapping_add(before as usize)
                }
                None => b_scales.wrapping_add(1),
            };
            // SAFETY: there is a stage, and its scale (3).
            let of_columns = unsafe { *b_scales };
            InFlightStage::start(products.next(), warpgroup, fresh, row, of_columns)
        }
    }
}

/// Writes A times the transpose of B to C, rounded to `bf16`.
///
/// A has M rows and B has N rows of K numbers of `e4m3`. A number of A is multiplied by the scale of its row and its
/// 128 along K, a number of B by the scale of its 128 rows and 128 along K. The two scales are multiplied first: their
/// product must be zero or a normal `f32`. Numbers after the ends of A and B along K are zero. Tiles of C, 128 by 128, are
/// dealt to the blocks.
///
/// # Safety
/// 1. `a` and `b` are maps with boxes of 128 by 64, `c` is one with boxes of 64 by 64, of the rows of the matrices.
///    No thread writes A and B while the kernel runs, no other code uses C.
/// 2. `product` has the tiles that cover C, at least one and fewer than 2^16 each way, in groups of 1 to
///    2^16 - 1 rows, and stages that cover K. The tiles are fewer than 2^31 together, and coordinates are below 2^31.
/// 3. `a_scales` is a map with boxes of 128 by 1 of the scales of A, where the scales of all rows for one stage are a
///    row; `b_scales` has the scales of B: all stages for 128 rows, then all stages for the next 128 rows. No thread
///    writes them.
/// 4. Grid and blocks are one-dimensional.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `gemm_fp8`\n```text\n", include_str!("../../tests/golden/ptx/gemm_fp8.txt"), "\n```"))]
#[kernel(max_threads = 384, min_blocks = 1, shared_bytes = SHARED_BYTES)]
pub unsafe fn gemm_fp8(
    #[grid_constant] c: &Map<Bf16>,
    #[grid_constant] a: &Map8,
    #[grid_constant] b: &Map8,
    product: Product,
    #[grid_constant] a_scales: &ScaleMap,
    b_scales: *const f32,
) {
    let operands = Operands::new(c, a, b, product, a_scales, b_scales);
    let [down, along] = product.tiles;
    let places = || {
        move |tile| {
            // SAFETY: there are tiles and rows in a group, fewer than 2^16 each (2).
            let [row, column] = unsafe { product.origin(tile) };
            Some(TilePlace {
                row,
                column,
                row_of_b: column,
                block_of_b: column / BLOCK,
            })
        }
    };
    // SAFETY: (1) to (4) hold for all tiles, and each has a place.
    unsafe { Square::run(operands, down * along, places) };
}

/// A kernel with tiles of 128 by 128.
type Square<'a, F> = Kernel<'a, F, 2, 2, STAGES>;

/// The kernel, after its setup. `places` makes the function that returns the place of a tile, if it has one; each role
/// requests the tiles in order. A tile has 64 rows and columns for each of its boxes.
struct Kernel<'a, F, const ROW_BOXES: usize, const COLUMN_BOXES: usize, const STAGES: u32> {
    operands: Operands<'a>,
    block: Block,
    tiles: u32,
    places: F,
    outputs: SharedPtr<Output>,
}

impl<'a, F, P, const ROW_BOXES: usize, const COLUMN_BOXES: usize, const STAGES: u32>
    Kernel<'a, F, ROW_BOXES, COLUMN_BOXES, STAGES>
where
    F: Fn() -> P,
    P: FnMut(u32) -> Option<TilePlace>,
{
    /// Computes those of `tiles` tiles that have a place and are dealt to the block.
    ///
    /// # Safety
    /// 1. (1) to (4) of [`gemm_fp8`] hold for these tiles, and the attributes are those of its kernels.
    #[inline(always)]
    unsafe fn run(operands: Operands<'a>, tiles: u32, places: F) {
        // SAFETY: (1) to (4) of `gemm_fp8` hold for these tiles (1), as `setup` requires (1).
        let (kernel, pipeline) = unsafe { Self::setup(operands, tiles, places) };
        let producer = |fill| kernel.producer(fill);
        let consumer = |warpgroup, products| kernel.consumer(warpgroup, products);
        // SAFETY: `max_threads` and `min_blocks` of the kernels allow these registers (1).
        unsafe {
            pipeline.split::<THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS>(producer, consumer);
        }
    }

    /// Lays out shared memory, makes the pipeline and waits for the kernel before this one.
    ///
    /// # Safety
    /// 1. (1) to (4) of [`gemm_fp8`] hold for these tiles.
    #[inline(always)]
    unsafe fn setup(
        operands: Operands<'a>,
        tiles: u32,
        places: F,
    ) -> (
        Self,
        ProductPipeline<Stage<ROW_BOXES, COLUMN_BOXES>, STAGES, true>,
    ) {
        // SAFETY: every thread gets here, and the tensors may be used (1).
        let block = unsafe { Block::converged() };
        let outputs = shared::dynamic::<Output, 1024>();
        let pipeline = block.read_product_pipeline(outputs.add(2).cast());
        griddepcontrol::wait();
        let kernel = Self {
            operands,
            block,
            tiles,
            places,
            outputs,
        };
        (kernel, pipeline)
    }

    /// Loads all stages of A, B and the scales of A for each tile.
    #[inline(always)]
    fn producer(&self, mut fill: Fill<Stage<ROW_BOXES, COLUMN_BOXES>, STAGES>) {
        let stages = self.operands.product.stages;
        let tiles = self.block.items(self.tiles).filter_map((self.places)());
        for tile in tiles {
            self.operands.load(&mut fill, tile, [0, stages]);
        }
        // The next kernel begins as blocks of this one end: an earlier begin would slow this one down.
        griddepcontrol::launch_dependents();
    }

    /// Multiplies the stages of each tile.
    #[inline(always)]
    fn consumer(
        &self,
        warpgroup: Warpgroup,
        products: Products<Stage<ROW_BOXES, COLUMN_BOXES>, STAGES, true>,
    ) {
        let index = warpgroup.index();
        let mut outputs =
            Outputs::<Box64<Bf16>, _, _, OUTPUTS>::new(warpgroup, self.outputs.add(index).cast());
        // Warpgroups that end their tiles together leave the tensor cores without products; once apart, they stay so.
        if index == 1 {
            nanosleep::u32(APART_NANOSECONDS);
        }
        let start = self.operands.starts(warpgroup, products, 0);
        let [row, column] = part_of_tile::<ROW_BOXES, COLUMN_BOXES>(warpgroup);
        let store = |sums: Sums, tile: TilePlace| {
            self.epilogue(&mut outputs, &sums, tile.column + column, tile.row + row);
            // Without a point where its threads meet, ptxas assumes that they begin the next tile apart, and keeps what they
            // have in common in a register of each.
            warpgroup.warp().sync();
        };
        let tiles = self.block.items(self.tiles).filter_map((self.places)());
        sum_up(self.operands.product.stages, tiles, start, store);
        outputs.finish();
    }

    /// Stores the results of 64 rows.
    #[inline(always)]
    fn epilogue(
        &self,
        outputs: &mut Outputs<Box64<Bf16>, Swizzle128, Warpgroup, OUTPUTS>,
        sums: &Sums,
        column: u32,
        row: u32,
    ) {
        outputs.store_sums(sums, self.operands.c, [column, row], &Identity);
    }
}

/// Returns the first row and column of a warpgroup's part of a tile.
#[inline(always)]
fn part_of_tile<const ROW_BOXES: usize, const COLUMN_BOXES: usize>(
    warpgroup: Warpgroup,
) -> [u32; 2] {
    let index = warpgroup.index();
    match (ROW_BOXES, COLUMN_BOXES) {
        (1, 2) => [0; 2],
        (1, _) => [0, BLOCK * index],
        _ => [BOX * index, 0],
    }
}

/// Adds up the products of the stages of each tile, with their scales, and stores the sums. The first stage of a tile is
/// multiplied while the sums of the tile before are stored.
#[inline(always)]
fn sum_up<const ROW_BOXES: usize, const COLUMN_BOXES: usize>(
    stages: u32,
    mut tiles: impl Iterator<Item = TilePlace>,
    mut start: impl FnMut(Sums, Option<TilePlace>) -> InFlightStage<ROW_BOXES, COLUMN_BOXES>,
    mut store: impl FnMut(Sums, TilePlace),
) {
    if stages == 0 {
        tiles.for_each(|tile| store(Sums::zero(), tile));
        return;
    }
    let Some(mut tile) = tiles.next() else { return };
    let (mut even, mut spare) = (start(Sums::zero(), Some(tile)), Sums::zero());
    let sums = loop {
        let (sums, first);
        (sums, first, spare) = sum_up_tile(stages, even, spare, &mut start);
        let Some(next) = tiles.next() else {
            break sums;
        };
        even = start(first, Some(next));
        store(sums, tile);
        tile = next;
    };
    store(sums, tile);
}

/// Adds up the products of a tile whose first stage has been started. Returns the sums, and the registers of two stages.
#[inline(always)]
fn sum_up_tile<const ROW_BOXES: usize, const COLUMN_BOXES: usize>(
    stages: u32,
    mut even: InFlightStage<ROW_BOXES, COLUMN_BOXES>,
    mut spare: Sums,
    start: &mut impl FnMut(Sums, Option<TilePlace>) -> InFlightStage<ROW_BOXES, COLUMN_BOXES>,
) -> (Sums, Sums, Sums) {
    let mut sums = Sums::zero();
    let mut left = stages;
    // Two stages a turn, each with registers of its own.
    loop {
        if left == 1 {
            // SAFETY: these products are the last ones, so 0 stages were started after them (1).
            let (sums, first) = unsafe { even.add_to::<0>(sums) };
            return (sums, first, spare);
        }
        let odd = start(spare, None);
        // SAFETY: one stage was started after these products (1).
        let (more, first) = unsafe { even.add_to::<1>(sums) };
        if left == 2 {
            // SAFETY: these products are the last ones, so 0 stages were started after them (1).
            let (sums, second) = unsafe { odd.add_to::<0>(more) };
            return (sums, first, second);
        }
        even = start(first, None);
        // SAFETY: one stage was started after these products (1).
        (sums, spare) = unsafe { odd.add_to::<1>(more) };
        left -= 2;
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{GemmFp8, Groups};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
