//! Products of at most 64 rows, whose K is split among the blocks of a cluster.

use tma::{
    Block, Outputs, SharedPtr, SplitSums, Warpgroup,
    halves::Bf16,
    kernel,
    pipeline::{self, Fill, Products},
    ptx::{griddepcontrol, mbarrier::Mbarrier},
    shared, split_sums_bytes,
};

use super::{
    BLOCK, Map8, OUTPUTS, Operands, Output, Product, ScaleMap, Stage, Sums, TilePlace, sum_up_tile,
};
use crate::{
    gemm::{Identity, THIN_THREADS},
    product::{Box64, Map, PRODUCER_REGISTERS},
};

/// A thread's sums of the block's part of K.
type Part = [f32; 64];
/// The number of rows of a tile.
pub(super) const ROWS: u32 = 64;
/// The number of blocks of a cluster.
pub(super) const BLOCKS: u32 = 2;
/// The number of stages in shared memory.
const STAGES: u32 = 6;
const SHARED_BYTES: u64 = size_of::<Output>() as u64
    + split_sums_bytes::<Part>(BLOCKS)
    + pipeline::bytes::<Stage<1, 2>>(STAGES, 1);

/// [`gemm_fp8`](super::gemm_fp8()) for at most 64 rows: a cluster computes each tile of 64 by 128, and its blocks have a part
/// of K each.
///
/// # Safety
/// 1. The conditions of [`gemm_fp8`](super::gemm_fp8()), with tiles of 64 by 128; the grid has a cluster for each tile.
#[kernel(max_threads = 256, min_blocks = 1, cluster = 2, shared_bytes = SHARED_BYTES)]
pub unsafe fn gemm_fp8_thin(
    #[grid_constant] c: &Map<Bf16>,
    #[grid_constant] a: &Map8,
    #[grid_constant] b: &Map8,
    product: Product,
    #[grid_constant] a_scales: &ScaleMap,
    b_scales: *const f32,
) {
    shared! { static RECEIVED: Mbarrier; }
    // SAFETY: every thread gets here, and the tensors may be used (1).
    let block = unsafe { Block::converged() };
    let cluster = block.cluster();
    let outputs = shared::dynamic::<Output, 1024>();
    let parts: SharedPtr<Part> = outputs.add(1).cast();
    let stages = parts.byte_add(split_sums_bytes::<Part>(BLOCKS) as u32);
    let pipeline = block.read_product_pipeline(stages.cast());
    let split = cluster.split_sums(parts, RECEIVED::ptr());
    griddepcontrol::wait();
    let share = product.stages.div_ceil(BLOCKS);
    let first = (cluster.rank() * share).min(product.stages);
    let block_of_b = block.index() / BLOCKS;
    let column = block_of_b * BLOCK;
    let kernel = Kernel {
        operands: Operands::new(c, a, b, product, a_scales, b_scales),
        tile: TilePlace {
            row: 0,
            column,
            row_of_b: column,
            block_of_b,
        },
        part: [first, (first + share).min(product.stages)],
        outputs,
    };
    let producer = |fill| kernel.producer(fill);
    let consumer = |warpgroup, products| kernel.consumer(warpgroup, products, split);
    // SAFETY: `max_threads` and `min_blocks` of the kernel allow these registers.
    unsafe { pipeline.split::<THIN_THREADS, PRODUCER_REGISTERS, 256>(producer, consumer) };
}

/// The kernel, after its setup.
struct Kernel<'a> {
    operands: Operands<'a>,
    tile: TilePlace,
    /// The first stage along K of this block's part, and the one after its last.
    part: [u32; 2],
    outputs: SharedPtr<Output>,
}

impl Kernel<'_> {
    /// Loads the stages of the block's part of K.
    #[inline(always)]
    fn producer(&self, mut fill: Fill<Stage<1, 2>, STAGES>) {
        self.operands.load(&mut fill, self.tile, self.part);
        griddepcontrol::launch_dependents();
    }

    /// Multiplies the stages; the first block adds up the sums of both and stores them.
    #[inline(always)]
    fn consumer(
        &self,
        warpgroup: Warpgroup,
        products: Products<Stage<1, 2>, STAGES, true>,
        split: SplitSums<Part, BLOCKS>,
    ) {
        let [first, end] = self.part;
        let mut start = self.operands.starts(warpgroup, products, first);
        let part = if first == end {
            Sums::zero()
        } else {
            let begun = start(Sums::zero(), Some(self.tile));
            sum_up_tile(end - first, begun, Sums::zero(), &mut start).0
        };
        if let Some(sums) = split.add(warpgroup, part) {
            let outputs = self.outputs.cast();
            let mut outputs = Outputs::<Box64<Bf16>, _, _, OUTPUTS>::new(warpgroup, outputs);
            outputs.store_sums(&sums, self.operands.c, [self.tile.column, 0], &Identity);
            outputs.finish();
        }
    }
}
