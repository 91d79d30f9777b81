use super::Items;
use crate::{
    barrier::{Barrier, Ring, ring::Cursor},
    group::{
        Block, Warp, Warps,
        cluster::every_block,
        thread::{grid_dim, trap},
    },
    ptx::{
        Cluster, Release, mapa,
        mbarrier::{self, Mbarrier},
        operand::SharedPtr,
    },
    tile::{Mode, Rank, Tile, TileArray, TileMap},
};

/// A pipeline of the `BLOCKS` blocks of a cluster: each block loads its part of a stage for all of them, so that
/// global memory is read once for the cluster.
///
/// A stage has `BLOCKS` parts of the shape `S`, one after the other; part `r` is loaded by the block of rank `r`.
/// In memory the stages are stored one after the other, after them the barriers: see [`multicast_bytes`].
///
/// ```
/// # use tma::{Block, GlobalMut, PerBlock, TileMap, Unswizzled, kernel, pipeline::{self, MulticastPipeline}, shared};
/// /// A part of a tile: two rows.
/// type Part = [[u32; 32]; 2];
/// type Tiles = MulticastPipeline<Part, Unswizzled, 3, 2>;
///
/// /// Each block writes the sum of all tiles of its cluster, of four rows each.
/// ///
/// /// # Safety
/// /// 1. `sums` is as its type requires. No thread writes the tensor of `map`.
/// /// 2. Grid and blocks are one-dimensional; a block has two whole warps.
/// #[kernel(max_threads = 64, cluster = 2, shared_bytes = pipeline::multicast_bytes::<Part, Unswizzled>(3, 2))]
/// pub unsafe fn sums(#[grid_constant] map: &TileMap<Part>, sums: GlobalMut<[u32; 1], PerBlock>, tiles: u32) {
///     // SAFETY: every thread gets here (2), and the tensor may be read (1).
///     let block = unsafe { Block::converged() };
///     let mut sum = 0;
///     Tiles::new(block, shared::dynamic::<_, 128>()).split(
///         |mut fill| {
///             for tile in Tiles::items(block, tiles) {
///                 fill.next().load(map, |part| [0, (4 * tile + 2 * part) as i32]);
///             }
///         },
///         |workers, mut drain| {
///             for _ in Tiles::items(block, tiles) {
///                 let stage = drain.next();
///                 sum += stage.get(0, workers.thread()) + stage.get(0, workers.thread() + 32);
///                 sum += stage.get(1, workers.thread()) + stage.get(1, workers.thread() + 32);
///                 stage.release();
///             }
///         },
///     );
///     let sum = block.reduce(sum, |a, b| a + b);
///     sums.write_own(block, || sum);
/// }
/// # fn main() {}
/// ```
///
/// Each warp releases a stage, and cannot read it after that:
///
/// ```compile_fail,E0382
/// # use tma::{Unswizzled, pipeline::FullParts};
/// fn late(stage: FullParts<[[u32; 32]; 2], Unswizzled, 2>) -> u32 {
///     stage.release();
///     stage.get(0, 0)
/// }
/// ```
#[doc(alias("multicast", "cluster", "PipelineTmaAsync"))]
pub struct MulticastPipeline<S, M: Mode, const STAGES: u32, const BLOCKS: u32> {
    stages: SharedPtr<Tile<S, M>>,
    block: Block,
}

/// Returns the number of bytes of shared memory of a [`MulticastPipeline`]: stages of `blocks` parts, and the barriers.
pub const fn multicast_bytes<S, M: Mode>(stages: u32, blocks: u32) -> u64 {
    let stage_bytes = blocks as u64 * size_of::<Tile<S, M>>() as u64;
    stages as u64 * (stage_bytes + 2 * size_of::<Mbarrier>() as u64)
}

/// The filling end of a [`MulticastPipeline`], for the producer thread of each block.
pub struct MulticastFill<S, M: Mode, const STAGES: u32, const BLOCKS: u32> {
    pipeline: MulticastPipeline<S, M, STAGES, BLOCKS>,
    cursor: Cursor<STAGES>,
}

/// A stage that no thread in the cluster uses. This block loads its part of it.
#[must_use = "all blocks of the cluster wait for the load"]
pub struct EmptyParts<S, M: Mode, const BLOCKS: u32> {
    stage: SharedPtr<Tile<S, M>>,
    rank: u32,
    full: Barrier,
}

/// The draining end of a [`MulticastPipeline`], for each consumer thread.
pub struct MulticastDrain<S, M: Mode, const STAGES: u32, const BLOCKS: u32> {
    pipeline: MulticastPipeline<S, M, STAGES, BLOCKS>,
    warp: Warp,
    cursor: Cursor<STAGES>,
}

/// A stage with all parts loaded. All threads that work get it, and each warp releases it.
#[must_use = "a stage that is not released is never loaded again"]
pub struct FullParts<S, M: Mode, const BLOCKS: u32> {
    stage: SharedPtr<Tile<S, M>>,
    warp: Warp,
    empty: Barrier,
}

impl<S: TileArray, M: Mode, const STAGES: u32, const BLOCKS: u32>
    MulticastPipeline<S, M, STAGES, BLOCKS>
{
    /// Returns every item below `count` that falls to the cluster; all its blocks work on the item.
    #[inline(always)]
    pub fn items(block: Block, count: u32) -> Items<'static> {
        Items::every(block.index() / BLOCKS, grid_dim().x / BLOCKS, count)
    }

    /// Makes the pipeline in this memory, which has [`multicast_bytes`] at the same place in each block.
    /// Collective of the cluster, which has `BLOCKS` blocks: else the kernel stops.
    #[inline(always)]
    pub fn new(block: Block, stages: SharedPtr<Tile<S, M>>) -> Self {
        const {
            assert!(
                BLOCKS >= 1 && BLOCKS <= 16,
                "a cluster has one to sixteen blocks"
            )
        };
        if block.cluster().blocks().get() != BLOCKS {
            trap();
        }
        let pipeline = Self { stages, block };
        if block.thread() == 0 {
            let warps = block.warps().get() - 1;
            // SAFETY: one thread initialises the barriers, before any other uses them, in memory that is for the
            // pipeline alone (3 of `converged`). A block arrives when it fills, each warp of any block when it
            // has drained.
            unsafe { Ring::<STAGES>::init(pipeline.barriers(), 1, warps * BLOCKS) };
        }
        block.cluster().sync();
        pipeline
    }

    /// Runs two roles: one thread of the first warp fills, the threads of all other warps drain. Collective of the
    /// cluster; a block has at least two warps. All blocks take the same number of stages.
    #[inline(always)]
    pub fn split(
        self,
        fill: impl FnOnce(MulticastFill<S, M, STAGES, BLOCKS>),
        drain: impl FnOnce(Warps, MulticastDrain<S, M, STAGES, BLOCKS>),
    ) {
        self.block.split(
            |warp| {
                if warp.elect() {
                    fill(MulticastFill {
                        pipeline: self.another(),
                        cursor: Cursor::new(),
                    });
                }
            },
            |warps| {
                let end = MulticastDrain {
                    pipeline: self.another(),
                    warp: warps.warp(),
                    cursor: Cursor::new(),
                };
                drain(warps, end);
            },
        );
        // No block leaves before the others have arrived at its barriers for the last time.
        self.block.cluster().sync();
    }

    #[inline(always)]
    fn another(&self) -> Self {
        Self { ..*self }
    }

    #[inline(always)]
    fn stage(&self, cursor: Cursor<STAGES>) -> SharedPtr<Tile<S, M>> {
        self.stages.add(cursor.stage() * BLOCKS)
    }

    #[inline(always)]
    fn barriers(&self) -> SharedPtr<Mbarrier> {
        self.stages.add(STAGES * BLOCKS).cast()
    }

    #[inline(always)]
    fn ring(&self) -> Ring<STAGES> {
        // SAFETY: `new` has initialised the barriers and synchronised the cluster; the ends go through the stages
        // in order, and a stage that was handed out arrives once where it ends.
        unsafe { Ring::assume_init(self.barriers()) }
    }
}

impl<S: TileArray, M: Mode, const STAGES: u32, const BLOCKS: u32>
    MulticastFill<S, M, STAGES, BLOCKS>
{
    /// Waits until the next stage is empty in all blocks.
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "stages never end")]
    pub fn next(&mut self) -> EmptyParts<S, M, BLOCKS> {
        let (pipeline, cursor) = (&self.pipeline, self.cursor);
        // The draining threads are in the cluster, so the wait acquires there. At first every stage is empty.
        let empty = pipeline.ring().empty(cursor);
        empty.wait_parity_cluster(cursor.parity() ^ 1);
        self.cursor.advance();
        EmptyParts {
            stage: pipeline.stage(cursor),
            rank: pipeline.block.cluster().rank(),
            full: pipeline.ring().full(cursor),
        }
    }
}

impl<S: TileArray, M: Mode, const BLOCKS: u32> EmptyParts<S, M, BLOCKS> {
    /// Loads this block's part for all blocks, from `coords(part)`, innermost first: `part` is the block's number
    /// in the cluster.
    #[doc(alias = "cp_async_bulk_tensor_2d_global_to_shared")]
    #[inline(always)]
    pub fn load<const RANK: usize>(
        self,
        map: &TileMap<S, M>,
        coords: impl FnOnce(u32) -> [i32; RANK],
    ) where
        S: Rank<RANK>,
    {
        // The parts of all blocks arrive here.
        let _ = self.full.arrive_expect_tx(BLOCKS * S::BYTES);
        // SAFETY: the stage is empty in all blocks, each block expects the part, and the tensor may be read
        // there (5 of `Block::converged`); no block leaves before `split` ends.
        unsafe {
            self.full.multicast(
                self.stage.add(self.rank),
                map,
                coords(self.rank),
                every_block(BLOCKS),
            );
        }
    }
}

impl<S: TileArray, M: Mode, const STAGES: u32, const BLOCKS: u32>
    MulticastDrain<S, M, STAGES, BLOCKS>
{
    /// Waits until all parts of the next stage are loaded.
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "stages never end")]
    pub fn next(&mut self) -> FullParts<S, M, BLOCKS> {
        let (pipeline, cursor) = (&self.pipeline, self.cursor);
        pipeline.ring().wait(cursor);
        self.cursor.advance();
        FullParts {
            stage: pipeline.stage(cursor),
            warp: self.warp,
            empty: pipeline.ring().empty(cursor),
        }
    }
}

impl<S: TileArray, M: Mode, const BLOCKS: u32> FullParts<S, M, BLOCKS> {
    /// Returns the element of a part with this number, counted row by row.
    ///
    /// # Panics
    /// The part or element is out of bounds.
    #[inline(always)]
    pub fn get(&self, part: u32, index: u32) -> S::Element {
        assert!(part < BLOCKS && index < S::ELEMS);
        // SAFETY: the element has been loaded, and no block loads the stage before this warp releases it.
        unsafe { self.stage.add(part).element(index).read() }
    }

    /// Releases the stage to all blocks. Collective of the warp.
    ///
    /// PTX: `mbarrier.arrive.release.cluster.shared::cluster.b64`, a lane for each block.
    #[doc(alias = "consumer_release")]
    #[inline(always)]
    pub fn release(self) {
        self.warp.sync();
        let rank = self.warp.lane();
        if rank < BLOCKS {
            // SAFETY: the cluster has this block (`new`).
            let there = unsafe { mapa::shared_cluster_u32(self.empty.address(), rank) };
            // SAFETY: the block stays until `split` ends; its barrier takes an arrival of this warp. The arrival
            // releases the reads of the lanes, which `sync` has ordered before.
            unsafe { mbarrier::arrive_sink::<Release, Cluster>(there) };
        }
    }
}
