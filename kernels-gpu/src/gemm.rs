//! Products of matrices by tensor cores: tiles by tensor copies, sums in registers, results by tensor copies.
//!
//! A kernel is its configuration and five functions: `run`, `setup`, `producer`, `consumer` and `epilogue`. [`batched`] has
//! the products of many matrices, with other results.

pub mod batched;
mod epilogue;
mod split;

use core::marker::PhantomData;

use tma::{
    Accumulator, Block, Columns, DeferredStores, Outputs, SharedPtr, Steps, Swizzle128, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::MatrixElement,
    pipeline::{self, Fill, ProductPipeline, Products},
    ptx::{griddepcontrol, wgmma::Sums},
    shared,
};

use crate::{
    config::{Const, Constant},
    product::{
        BOX, Box64, Boxes64, CONSUMER_REGISTERS, Config, Map, MatrixOf, PRODUCER_REGISTERS, Stage,
    },
};

pub use crate::product::THREADS;
pub(crate) use epilogue::Identity;
pub use epilogue::{Activation, Product};
pub use split::{THIN_THREADS, gemm_split, gemm_thin};

use epilogue::ProductEpilogue;

/// The number of tiles in which a warpgroup leaves results: one is stored while the next is written.
const OUTPUTS: u32 = 2;

type Output<T> = Boxes64<T, { OUTPUTS as usize }>;

/// The configuration of [`gemm`]: the most products for each byte that is loaded.
pub(crate) struct Wide;

impl Config for Wide {
    const TILE: [u32; 2] = [128, 256];
    type Stage<T> = Stage<T, 4>;
    type Stages = Const<4>;
    type Accumulator = [f32; 128];
}

impl Deferred for Wide {
    type Results = [[u32; 4]; 16];
}

/// The configuration of [`gemm_narrow`]: the most blocks.
pub(crate) struct Narrow;

impl Config for Narrow {
    const TILE: [u32; 2] = [128, 64];
    type Stage<T> = Stage<T, 1>;
    type Stages = Const<7>;
    type Accumulator = [f32; 32];
}

impl Deferred for Narrow {
    type Results = [[u32; 4]; 4];
}

/// A configuration whose results are stored during the next main loop.
trait Deferred: Config {
    /// A thread's results of 64 rows of a tile, rounded.
    type Results;
}

/// Returns the dynamic shared memory of a block: tiles of results for two consumers, and the pipeline.
const fn shared_bytes<T, C: Config>() -> u64 {
    2 * size_of::<Output<T>>() as u64 + pipeline::bytes::<C::Stage<T>>(C::Stages::VALUE, 1)
}

/// The operands of a product: the conditions of [`gemm`] hold.
#[derive(Clone, Copy)]
struct Operands<'a, T> {
    c: &'a Map<T>,
    a: &'a Map<T>,
    b: &'a Map<T>,
    product: Product,
    bias: *const f32,
}

/// Writes `activation(alpha * A * B + bias)` to C, rounded to its type. Sums are of `f32`.
///
/// A has M rows of K numbers and B has K rows of N: `gemm_bf16_true_true` takes A as it is and B transposed, K along
/// the rows of both; where one of the two is `false`, it is A transposed, or B as it is. Tiles of C, 128 by 256, are
/// dealt to the blocks. Elements after the ends of A and B along K count as zero.
///
/// # Safety
/// 1. `a`, `b` and `c` are maps with boxes of 64 by 64, of the rows of the matrices as they are in memory; no
///    thread writes A and B while the kernel runs, no other code uses C.
/// 2. `product` has the tiles that cover C, at least one and fewer than 2^16 each way, in groups of 1 to 2^16 - 1
///    rows, and stages of 64 that cover K. The tiles are fewer than 2^31 together, and coordinates are below 2^31.
/// 3. `bias` has the numbers that `product` requires: one for each column or none.
/// 4. Grid and blocks are one-dimensional.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `gemm_bf16_true_true`\n```text\n", include_str!("../../tests/golden/ptx/gemm_bf16_true_true.txt"), "\n```"))]
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Wide>()
)]
pub unsafe fn gemm<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &Map<T>,
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    [f32; 128]: Sums<T::Ptx, T::Ptx>,
{
    let operands = Operands {
        c,
        a,
        b,
        product,
        bias,
    };
    // SAFETY: (1) to (4) hold, and the attributes are those of this kernel, as `run` requires (1).
    unsafe { Kernel::<T, Wide, A_K_MAJOR, B_K_MAJOR>::run(operands) }
}

/// [`gemm`] with tiles of 128 by 64, for few tiles.
///
/// # Safety
/// 1. The conditions of [`gemm`].
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Narrow>()
)]
pub unsafe fn gemm_narrow<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &Map<T>,
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    [f32; 32]: Sums<T::Ptx, T::Ptx>,
{
    let operands = Operands {
        c,
        a,
        b,
        product,
        bias,
    };
    // SAFETY: (1) to (4) of `gemm` hold (1), and the attributes are those of this kernel, as `run` requires (1).
    unsafe { Kernel::<T, Narrow, A_K_MAJOR, B_K_MAJOR>::run(operands) }
}

/// A kernel of configuration `C`, after its setup.
struct Kernel<'a, T, C, const A_K_MAJOR: bool, const B_K_MAJOR: bool> {
    operands: Operands<'a, T>,
    block: Block,
    tiles: u32,
    outputs: SharedPtr<Output<T>>,
    config: PhantomData<C>,
}

impl<
    'a,
    T,
    C,
    const A_K_MAJOR: bool,
    const B_K_MAJOR: bool,
    const BOXES: usize,
    const STEPS: usize,
    const STAGES: u32,
> Kernel<'a, T, C, A_K_MAJOR, B_K_MAJOR>
where
    T: MatrixElement + Half,
    C: Deferred<
            Stage<T> = Stage<T, BOXES>,
            Stages = Const<STAGES>,
            Accumulator: Columns + Sums<T::Ptx, T::Ptx>,
            Results = [[u32; 4]; STEPS],
        >,
    [[u32; 4]; STEPS]: Steps<Sums = C::Accumulator>,
{
    /// Computes the tiles of C that are dealt to the block.
    ///
    /// # Safety
    /// 1. The conditions of [`gemm`] hold, and the attributes are those of its kernels.
    #[inline(always)]
    unsafe fn run(operands: Operands<'a, T>) {
        // SAFETY: (1) to (4) of `gemm` hold (1), as `setup` requires (1).
        let (kernel, pipeline) = unsafe { Self::setup(operands) };
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
    /// 1. The conditions of [`gemm`] hold.
    #[inline(always)]
    unsafe fn setup(operands: Operands<'a, T>) -> (Self, ProductPipeline<Stage<T, BOXES>, STAGES>) {
        const {
            assert!(
                C::TILE[1] == BOX * BOXES as u32,
                "a stage has a tile's columns of B"
            )
        };
        // SAFETY: every thread gets here, and the tensors may be used (1).
        let block = unsafe { Block::converged() };
        let outputs = shared::dynamic::<Output<T>, 1024>();
        let pipeline = block.product_pipeline(outputs.add(2).cast());
        follow();
        let [down, along] = operands.product.tiling.tiles;
        let kernel = Self {
            operands,
            block,
            tiles: down * along,
            outputs,
            config: PhantomData,
        };
        (kernel, pipeline)
    }

    /// Returns row and column of the first element of a tile.
    #[inline(always)]
    fn origin(&self, tile: u32) -> [u32; 2] {
        self.operands.product.tiling.origin(tile, C::TILE)
    }

    /// Loads all stages of A and B for each tile.
    #[inline(always)]
    fn producer(&self, mut fill: Fill<Stage<T, BOXES>, STAGES>) {
        let Operands { a, b, product, .. } = self.operands;
        let all = [0, product.tiling.stages];
        for tile in self.block.items(self.tiles) {
            let (a, b) = ((a, A_K_MAJOR), (b, B_K_MAJOR));
            product.tiling.load(&mut fill, a, b, self.origin(tile), all);
        }
    }

    /// Multiplies the stages of each tile; the results of a tile are stored during the main loop of the next one.
    #[inline(always)]
    fn consumer(&self, warpgroup: Warpgroup, mut products: Products<Stage<T, BOXES>, STAGES>) {
        let index = warpgroup.index();
        let outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, self.outputs.add(index).cast());
        let mut stores = DeferredStores::<_, _, STEPS, OUTPUTS>::new(outputs, self.operands.c);
        let mut sums = Accumulator::<C::Accumulator>::zero();
        for tile in self.block.items(self.tiles) {
            let [row, column] = self.origin(tile);
            let stages = self.operands.product.tiling.stages;
            sums = products.sum_overlapped(sums, stages, &mut stores, |stage| {
                let (a, b) = stage.pair();
                let a = a.matrix::<MatrixOf<T, 2, A_K_MAJOR>>();
                (
                    a.part::<64>(index),
                    b.matrix::<MatrixOf<T, BOXES, B_K_MAJOR>>(),
                )
            });
            self.epilogue(&mut stores, &sums, column, row + BOX * index);
        }
        stores.finish();
    }

    /// Rounds the results of 64 rows, and hands them to the stores during the next main loop.
    #[inline(always)]
    fn epilogue(
        &self,
        stores: &mut DeferredStores<'_, Box64<T>, Swizzle128, STEPS, OUTPUTS>,
        sums: &Accumulator<C::Accumulator>,
        column: u32,
        row: u32,
    ) {
        let Operands { product, bias, .. } = self.operands;
        if product.is_plain() {
            stores.hold(sums, [column, row], &Identity);
        } else {
            let epilogue = ProductEpilogue { product, bias }.from(column);
            stores.hold(sums, [column, row], &epilogue);
        }
    }
}

/// Lets the kernel that follows begin as blocks of this one end, and waits for the one before: both only where the launch
/// allows it.
#[inline(always)]
pub(crate) fn follow() {
    griddepcontrol::launch_dependents();
    griddepcontrol::wait();
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Gemm, Numbers};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::{Matrices, with_element};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
