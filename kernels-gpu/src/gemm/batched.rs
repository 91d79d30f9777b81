//! Products of many matrices, with results of `f32` or of the matrices' type, which are added to what C has.

use core::{hint::assert_unchecked, marker::PhantomData};

use tma::{
    Accumulator, Block, Epilogue as _, KernelArg, Rows, Swizzle128, Tile, TileMap, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::{Boxes, MatrixElement},
    pipeline::{self, Fill, ProductPipeline, Products},
    ptx::wgmma::Sums,
    shared,
    tile::Pair,
};

use super::{Product, ProductEpilogue, THREADS};
use crate::{
    config::{Const, Constant},
    product::{BOX, Box64, CONSUMER_REGISTERS, Config, PRODUCER_REGISTERS, Tiling, place},
};

/// The configuration of [`gemm_batched`].
pub(super) struct Wide;

impl Config for Wide {
    const TILE: [u32; 2] = [128, 256];
    type Stage<T> = Stage<T, 4>;
    type Stages = Const<4>;
    type Accumulator = [f32; 128];
}

/// The configuration of [`gemm_batched_narrow`].
pub(super) struct Narrow;

impl Config for Narrow {
    const TILE: [u32; 2] = [128, 64];
    type Stage<T> = Stage<T, 1>;
    type Stages = Const<8>;
    type Accumulator = [f32; 32];
}

/// Returns the dynamic shared memory of a block.
const fn shared_bytes<T, C: Config>() -> u64 {
    pipeline::bytes::<C::Stage<T>>(C::Stages::VALUE, 1)
}

/// A box of one of many matrices.
type Box3<T> = [Box64<T>; 1];
type Map<T> = TileMap<Box3<T>, Swizzle128>;
/// Rows of A, and `BOXES` boxes of columns of B.
type Stage<T, const BOXES: usize> =
    Pair<[Tile<Box3<T>, Swizzle128>; 2], [Tile<Box3<T>, Swizzle128>; BOXES]>;
type MatrixOf<T, const BOXES: usize, const K_MAJOR: bool> =
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
    /// The steps of A and B from product to product: 1 if each product has its own, 0 if all share the first one.
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
///    number of matrices in `results`. No thread writes A and B while the kernel runs.
/// 2. `c` points to the first of the matrices that `results` describes, and no other code uses these. It is a multiple
///    of 16 bytes, and so are their strides; rows end there, too. Elements of C are initialised where `beta` is not 0.
/// 3. (2) to (4) of [`gemm`](super::gemm()), where the tiles are the tiles of all products together.
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Wide>()
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
    let operands = Operands {
        a,
        b,
        product,
        results,
        c,
        bias,
    };
    // SAFETY: (1) to (3) hold, and the attributes are those of this kernel, as `run` requires (1).
    unsafe { Kernel::<T, Wide, A_K_MAJOR, B_K_MAJOR>::run(operands) }
}

/// [`gemm_batched`] with tiles of 128 by 64, for few tiles.
///
/// # Safety
/// 1. The conditions of [`gemm_batched`].
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Narrow>()
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
    let operands = Operands {
        a,
        b,
        product,
        results,
        c,
        bias,
    };
    // SAFETY: (1) to (3) of `gemm_batched` hold (1), and the attributes are those of this kernel, as `run` requires
    // (1).
    unsafe { Kernel::<T, Narrow, A_K_MAJOR, B_K_MAJOR>::run(operands) }
}

/// The operands of many products: the conditions of [`gemm_batched`] hold.
#[derive(Clone, Copy)]
struct Operands<'a, T> {
    a: &'a Map<T>,
    b: &'a Map<T>,
    product: Product,
    results: Results,
    c: *mut T,
    bias: *const f32,
}

/// A kernel of configuration `C`, after its setup.
struct Kernel<'a, T, C, const A_K_MAJOR: bool, const B_K_MAJOR: bool> {
    operands: Operands<'a, T>,
    block: Block,
    /// The number of tiles of a product.
    in_batch: u32,
    /// The number of tiles of all products.
    tiles: u32,
    config: PhantomData<C>,
}

impl<'a, T, C, const A_K_MAJOR: bool, const B_K_MAJOR: bool, const BOXES: usize, const STAGES: u32>
    Kernel<'a, T, C, A_K_MAJOR, B_K_MAJOR>
where
    T: MatrixElement + Half,
    C: Config<
            Stage<T> = Stage<T, BOXES>,
            Stages = Const<STAGES>,
            Accumulator: Rows + Sums<T::Ptx, T::Ptx>,
        >,
{
    /// Computes the tiles that are dealt to the block.
    ///
    /// # Safety
    /// 1. The conditions of [`gemm_batched`] hold, and the attributes are those of its kernels.
    #[inline(always)]
    unsafe fn run(operands: Operands<'a, T>) {
        // SAFETY: (1) to (3) of `gemm_batched` hold (1), as `setup` requires (1).
        let (kernel, pipeline) = unsafe { Self::setup(operands) };
        let producer = |fill| kernel.producer(fill);
        let consumer = |warpgroup, products| kernel.consumer(warpgroup, products);
        // SAFETY: `max_threads` and `min_blocks` of the kernels allow these registers (1).
        unsafe {
            pipeline.split::<THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS>(producer, consumer);
        }
    }

    /// Makes the pipeline in shared memory.
    ///
    /// # Safety
    /// 1. The conditions of [`gemm_batched`] hold.
    #[inline(always)]
    unsafe fn setup(operands: Operands<'a, T>) -> (Self, ProductPipeline<Stage<T, BOXES>, STAGES>) {
        // SAFETY: every thread gets here, and the tensors may be used (1).
        let block = unsafe { Block::converged() };
        let pipeline = block.product_pipeline(shared::dynamic::<_, 1024>());
        let [rows, columns] = operands.product.tiling.tiles;
        let kernel = Self {
            operands,
            block,
            in_batch: rows * columns,
            tiles: rows * columns * operands.results.batches,
            config: PhantomData,
        };
        (kernel, pipeline)
    }

    /// Returns the product of a tile, and row and column of the tile's first element in it.
    #[inline(always)]
    fn origin(&self, tile: u32) -> (u32, [u32; 2]) {
        // SAFETY: there are tiles (3 of `gemm_batched`).
        unsafe { assert_unchecked(self.in_batch != 0) };
        let (batch, tile) = (tile / self.in_batch, tile % self.in_batch);
        (batch, self.operands.product.tiling.origin(tile, C::TILE))
    }

    /// Loads all stages of A and B for each tile.
    #[inline(always)]
    fn producer(&self, mut fill: Fill<Stage<T, BOXES>, STAGES>) {
        let Operands {
            a,
            b,
            product,
            results,
            ..
        } = self.operands;
        let Tiling {
            last_boxes: [last_row, last_column],
            stages,
            ..
        } = product.tiling;
        let [step_of_a, step_of_b] = results.steps;
        let at = |k_major, mn, last, k, matrix| {
            move |number| {
                let [x, y] = place(k_major, mn + number * BOX, last, k);
                [x, y, matrix as i32]
            }
        };
        for tile in self.block.items(self.tiles) {
            let (batch, [row, column]) = self.origin(tile);
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
    }

    /// Multiplies the stages of each tile.
    #[inline(always)]
    fn consumer(&self, warpgroup: Warpgroup, mut products: Products<Stage<T, BOXES>, STAGES>) {
        let index = warpgroup.index();
        let stages = self.operands.product.tiling.stages;
        for tile in self.block.items(self.tiles) {
            let (batch, [row, column]) = self.origin(tile);
            let sums = products.accumulate(Accumulator::zero(), stages, |stage| {
                let (a, b) = stage.pair();
                let a = a.matrix::<MatrixOf<T, 2, A_K_MAJOR>>();
                (
                    a.part::<64>(index),
                    b.matrix::<MatrixOf<T, BOXES, B_K_MAJOR>>(),
                )
            });
            self.epilogue(warpgroup, &sums, column, row + BOX * index, batch);
        }
    }

    /// Writes the results of 64 rows of a tile, the first one at these coordinates.
    #[inline(always)]
    fn epilogue(
        &self,
        warpgroup: Warpgroup,
        sums: &Accumulator<C::Accumulator>,
        column: u32,
        row: u32,
        batch: u32,
    ) {
        let row = row + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
        sums.each_pair(warpgroup, |below, beside, sums| {
            let at = [column + beside, row + 8 * below as u32];
            // SAFETY: each element of C belongs to one thread (2 and 3 of `gemm_batched`), and `beside` is even.
            unsafe { self.operands.write(sums, at, batch) };
        });
    }
}

impl<T: Half> Operands<'_, T> {
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
            ..
        } = *self;
        let [rows, columns] = results.extents;
        if row >= rows || column >= columns {
            return;
        }
        let [of_row, of_batch] = results.strides;
        let at = u64::from(batch) * of_batch + u64::from(row) * of_row + u64::from(column);
        let place = if results.single != 0 {
            Neighbours::Single(c.cast::<f32>().wrapping_add(at as usize))
        } else {
            Neighbours::Half(c.wrapping_add(at as usize))
        };
        let mut sums = sums.map(|sum| product.alpha * sum);
        if results.beta != 0.0 {
            // SAFETY: the elements are in C, initialised as `beta` is not 0, and no other thread uses them (1).
            let old = unsafe { place.read() };
            sums = [0, 1].map(|it| sums[it] + results.beta * old[it]);
        }
        let product = Product {
            alpha: 1.0,
            ..product
        };
        let finished = ProductEpilogue { product, bias }.apply(column, row, sums);
        // SAFETY: the elements are in C, and no other thread uses them (1).
        unsafe { place.write(finished) };
    }
}

/// Two neighbouring elements of C; the first one is at a multiple of their bytes.
#[derive(Clone, Copy)]
enum Neighbours<T> {
    Single(*mut f32),
    Half(*mut T),
}

impl<T: Half> Neighbours<T> {
    /// # Safety
    /// 1. The elements are in C and initialised, and no thread writes them.
    #[inline(always)]
    unsafe fn read(self) -> [f32; 2] {
        // SAFETY: both elements are in C, initialised and not written, and the first one is aligned (1).
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
    /// 1. The elements are in C, and no other code uses them.
    #[inline(always)]
    unsafe fn write(self, values: [f32; 2]) {
        // SAFETY: both elements are in C and this thread's, and the first one is aligned (1).
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
