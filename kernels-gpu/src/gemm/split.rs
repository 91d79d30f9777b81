//! [`gemm_split`]: products with a long K and few tiles, whose K is split among the blocks of a cluster.

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
    const CLUSTER: u32 = 2;
    type Stage<T> = Stage<T, 2>;
    type Stages = Const<5>;
    type Accumulator = [f32; 64];
}

/// The part of a block of a tile's sums: those of one of its consumers.
type Part = <Split as Config>::Accumulator;
const BLOCKS: u32 = Split::CLUSTER;

/// Returns the dynamic shared memory of a block: tiles of results for one consumer, received sums, and the pipeline.
const fn shared_bytes<T>() -> u64 {
    size_of::<Output<T>>() as u64
        + split_sums_bytes::<Part>(BLOCKS)
        + pipeline::bytes::<TileStage<T>>(STAGES, 1)
}

type TileStage<T> = <Split as Config>::Stage<T>;
const STAGES: u32 = <Split as Config>::Stages::VALUE;

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
    shared_bytes = shared_bytes::<T>()
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
    // SAFETY: the conditions of this kernel hold, which `setup` requires (1).
    let (kernel, pipeline, split) = unsafe { Kernel::<T, A_K_MAJOR, B_K_MAJOR>::setup(operands) };
    let producer = |fill| kernel.producer(fill);
    let consumer = |warpgroup, products| kernel.consumer(warpgroup, products, split);
    // SAFETY: `max_threads` and `min_blocks` allow these registers.
    unsafe {
        pipeline.split::<THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS>(producer, consumer)
    };
}

/// The kernel, after its setup.
struct Kernel<'a, T, const A_K_MAJOR: bool, const B_K_MAJOR: bool> {
    operands: Operands<'a, T>,
    /// Row and column of the first element of the tile.
    origin: [u32; 2],
    /// The first stage along K of this block's part, and the one after its last.
    part: [u32; 2],
    outputs: SharedPtr<Output<T>>,
}

impl<'a, T, const A_K_MAJOR: bool, const B_K_MAJOR: bool> Kernel<'a, T, A_K_MAJOR, B_K_MAJOR>
where
    T: MatrixElement + Half,
    Part: Sums<T::Ptx, T::Ptx>,
{
    /// Lays out shared memory, makes the pipeline and the sums that are split, and waits for the kernel before this one.
    ///
    /// # Safety
    /// 1. The conditions of [`gemm_split`] hold.
    #[inline(always)]
    unsafe fn setup(
        operands: Operands<'a, T>,
    ) -> (
        Self,
        ProductPipeline<TileStage<T>, STAGES>,
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
        // SAFETY: there are tiles and rows in a group, fewer than 2^16 each (1).
        let origin = unsafe { tiling.origin(block.index() / BLOCKS, Split::TILE[1]) };
        let share = tiling.stages.div_ceil(BLOCKS);
        let first = (cluster.rank() * share).min(tiling.stages);
        let kernel = Self {
            operands,
            origin,
            part: [first, (first + share).min(tiling.stages)],
            outputs,
        };
        (kernel, pipeline, split)
    }

    /// Loads the stages of the block's part of K.
    #[inline(always)]
    fn producer(&self, mut fill: Fill<TileStage<T>, STAGES>) {
        let Operands { a, b, product, .. } = self.operands;
        let (a, b) = ((a, A_K_MAJOR), (b, B_K_MAJOR));
        product.tiling.load(&mut fill, a, b, self.origin, self.part);
    }

    /// Multiplies the stages; each block adds up the sums of one of the consumers of all blocks.
    #[inline(always)]
    fn consumer(
        &self,
        warpgroup: Warpgroup,
        mut products: Products<TileStage<T>, STAGES>,
        split: SplitSums<Part, BLOCKS>,
    ) {
        let index = warpgroup.index();
        let [first, end] = self.part;
        let part = products.accumulate(Accumulator::zero(), end - first, |stage| {
            let (a, b) = stage.pair();
            let a = a.matrix::<MatrixOf<T, 2, A_K_MAJOR>>();
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
