//! [`gemm_split`] and [`gemm_thin`]: products with a long K and few tiles, whose K is split among the blocks of a cluster.

use core::marker::PhantomData;

use tma::{
    Accumulator, Block, Outputs, SharedPtr, SplitSums, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::MatrixElement,
    pipeline::{self, Fill, ProductPipeline, Products},
    ptx::{mbarrier::Mbarrier, wgmma::Sums},
    shared, split_sums_bytes,
};

use super::{Identity, OUTPUTS, Operands, Output, Product, ProductEpilogue, THREADS, follow};
use crate::{
    config::{Const, Constant},
    product::{BOX, CONSUMER_REGISTERS, Config, Map, MatrixOf, PRODUCER_REGISTERS, Stage},
};

/// The configuration of [`gemm_split`].
pub(crate) struct Split;

impl Config for Split {
    const TILE: [u32; 2] = [128, 128];
    const CLUSTER: u32 = BLOCKS;
    type Stage<T> = Stage<T, 2>;
    type Stages = Const<5>;
    type Accumulator = Part;
}

/// The configuration of [`gemm_thin`].
pub(crate) struct Thin;

impl Config for Thin {
    const TILE: [u32; 2] = [64, 128];
    const CLUSTER: u32 = BLOCKS;
    type Stage<T> = Stage<T, 2, 1>;
    type Stages = Const<7>;
    type Accumulator = Part;
}

/// The part of a block of a tile's sums: those of one of its consumers.
type Part = [f32; 64];
/// The blocks of a cluster.
const BLOCKS: u32 = 2;
/// The number of threads of a block of [`gemm_thin`]: one producer warpgroup, one consumer warpgroup.
pub const THIN_THREADS: u32 = 256;

/// Returns the dynamic shared memory of a block: tiles of results for one consumer, received sums, and the pipeline.
const fn shared_bytes<T, C: Config>() -> u64 {
    size_of::<Output<T>>() as u64
        + split_sums_bytes::<Part>(BLOCKS)
        + pipeline::bytes::<C::Stage<T>>(C::Stages::VALUE, 1)
}

/// [`gemm`](super::gemm()) for few tiles and a long K: a cluster computes each tile of 128 by 128, and its blocks have a part
/// of K each.
///
/// # Safety
/// 1. The conditions of [`gemm`](super::gemm()); the grid has a cluster for each tile.
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    cluster = 2,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Split>()
)]
pub unsafe fn gemm_split<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &Map<T>,
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    Part: Sums<T::Ptx, T::Ptx>,
{
    let operands = Operands {
        c,
        a,
        b,
        product,
        bias,
    };
    // SAFETY: the conditions of this kernel hold, and the attributes are its own, as `run` requires (1).
    unsafe {
        Kernel::<T, Split, A_K_MAJOR, B_K_MAJOR>::run::<THREADS, CONSUMER_REGISTERS>(operands)
    }
}

/// [`gemm_split`] with tiles of 64 by 128, for a few rows.
///
/// # Safety
/// 1. The conditions of [`gemm_split`].
#[kernel(
    max_threads = 256,
    min_blocks = 1,
    cluster = 2,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false),
    shared_bytes = shared_bytes::<T, Thin>()
)]
pub unsafe fn gemm_thin<T: MatrixElement + Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool>(
    #[grid_constant] c: &Map<T>,
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    product: Product,
    bias: *const f32,
) where
    Part: Sums<T::Ptx, T::Ptx>,
{
    let operands = Operands {
        c,
        a,
        b,
        product,
        bias,
    };
    // SAFETY: the conditions of this kernel hold, and the attributes are its own, as `run` requires (1).
    unsafe { Kernel::<T, Thin, A_K_MAJOR, B_K_MAJOR>::run::<THIN_THREADS, 256>(operands) }
}

/// The kernel, after its setup.
struct Kernel<'a, T, C, const A_K_MAJOR: bool, const B_K_MAJOR: bool> {
    operands: Operands<'a, T>,
    /// Row and column of the first element of the tile.
    origin: [u32; 2],
    /// The first stage along K of this block's part, and the one after its last.
    part: [u32; 2],
    outputs: SharedPtr<Output<T>>,
    config: PhantomData<C>,
}

impl<
    'a,
    T,
    C,
    const A_K_MAJOR: bool,
    const B_K_MAJOR: bool,
    const ROW_BOXES: usize,
    const STAGES: u32,
> Kernel<'a, T, C, A_K_MAJOR, B_K_MAJOR>
where
    T: MatrixElement + Half,
    C: Config<Stage<T> = Stage<T, 2, ROW_BOXES>, Stages = Const<STAGES>>,
    Part: Sums<T::Ptx, T::Ptx>,
{
    /// Computes the block's part of a tile, and stores the results of a consumer.
    ///
    /// # Safety
    /// 1. The conditions of [`gemm_split`] hold, and the attributes are those of its kernels: `THREADS`
    ///    threads, and a part of `REGISTERS` registers for those of a consumer.
    #[inline(always)]
    unsafe fn run<const THREADS: u32, const REGISTERS: u32>(operands: Operands<'a, T>) {
        // SAFETY: the conditions of `gemm_split` hold (1), as `setup` requires (1).
        let (kernel, pipeline, split) = unsafe { Self::setup(operands) };
        let producer = |fill| kernel.producer(fill);
        let consumer = |warpgroup, products| kernel.consumer(warpgroup, products, split);
        // SAFETY: `max_threads` and `min_blocks` of the kernels allow these registers (1).
        unsafe {
            pipeline.split::<THREADS, PRODUCER_REGISTERS, REGISTERS>(producer, consumer);
        }
    }

    /// Lays out shared memory, makes the pipeline and the sums that are split, and waits for the kernel before this one.
    ///
    /// # Safety
    /// 1. The conditions of [`gemm_split`] hold.
    #[inline(always)]
    unsafe fn setup(
        operands: Operands<'a, T>,
    ) -> (
        Self,
        ProductPipeline<C::Stage<T>, STAGES>,
        SplitSums<Part, BLOCKS>,
    ) {
        shared! { static RECEIVED: Mbarrier; }
        // SAFETY: every thread gets here, and the tensors may be used (1).
        let block = unsafe { Block::converged() };
        let cluster = block.cluster();
        let outputs = shared::dynamic::<Output<T>, 1024>();
        let parts: SharedPtr<Part> = outputs.add(1).cast();
        let stages = parts.byte_add(split_sums_bytes::<Part>(BLOCKS) as u32);
        let pipeline = block.product_pipeline(stages.cast());
        let split = cluster.split_sums(parts, RECEIVED::ptr());
        follow();
        let tiling = operands.product.tiling;
        let share = tiling.stages.div_ceil(BLOCKS);
        let first = (cluster.rank() * share).min(tiling.stages);
        let kernel = Self {
            operands,
            origin: tiling.origin(block.index() / BLOCKS, C::TILE),
            part: [first, (first + share).min(tiling.stages)],
            outputs,
            config: PhantomData,
        };
        (kernel, pipeline, split)
    }

    /// Loads the stages of the block's part of K.
    #[inline(always)]
    fn producer(&self, mut fill: Fill<C::Stage<T>, STAGES>) {
        let Operands { a, b, product, .. } = self.operands;
        let (a, b) = ((a, A_K_MAJOR), (b, B_K_MAJOR));
        product.tiling.load(&mut fill, a, b, self.origin, self.part);
    }

    /// Multiplies the stages; each block adds up the sums of one of the consumers of all blocks.
    #[inline(always)]
    fn consumer(
        &self,
        warpgroup: Warpgroup,
        mut products: Products<C::Stage<T>, STAGES>,
        split: SplitSums<Part, BLOCKS>,
    ) {
        let index = warpgroup.index();
        let [first, end] = self.part;
        let part = products.accumulate(Accumulator::zero(), end - first, |stage| {
            let (a, b) = stage.pair();
            let a = a.matrix::<MatrixOf<T, ROW_BOXES, A_K_MAJOR>>();
            (a.part::<64>(index), b.matrix::<MatrixOf<T, 2, B_K_MAJOR>>())
        });
        if let Some(sums) = split.add(warpgroup, part) {
            self.epilogue(warpgroup, &sums);
        }
    }

    /// Stores the results of 64 rows.
    #[inline(always)]
    fn epilogue(&self, warpgroup: Warpgroup, sums: &Accumulator<Part>) {
        let Operands {
            c, product, bias, ..
        } = self.operands;
        let [row, column] = self.origin;
        let mut outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, self.outputs.cast());
        let at = [column, row + BOX * warpgroup.index()];
        if product.is_plain() {
            outputs.store_sums(sums, c, at, &Identity);
        } else {
            outputs.store_sums(sums, c, at, &ProductEpilogue { product, bias });
        }
        outputs.finish();
    }
}
