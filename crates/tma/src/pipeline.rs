//! Pipelines through shared memory, with one producer thread that loads ahead and warps that consume.
//!
//! [`Block::pipeline`] makes a pipeline and [`Pipeline::split`] hands out its ends: the filling end to the
//! producer thread, and the draining end to the consumer threads. Stage, parity and the release of
//! a stage belong to the ends, so that no barrier is named in a kernel.

mod converting;
pub(crate) mod deferred_stores;
mod drain;
mod fill;
pub(crate) mod items;
mod multicast;
mod products;
mod stamps;
mod stream;

use crate::{
    barrier::{Barrier, Ring, ring::Cursor},
    group::{Block, Warp, Warps},
    ptx::{mbarrier::Mbarrier, operand::SharedPtr},
};
use stamps::{Role, Stamps};

pub use crate::tile::own_elements::OwnElements;
pub use converting::{Conversions, ConvertedStages, ConvertingPipeline, converting_bytes};
pub use drain::{Drain, FullStage, StageTile, StoredStage, StoringDrain};
pub use fill::{EmptyStage, Fill};
pub use items::Items;
pub use multicast::{
    EmptyParts, FullParts, MulticastDrain, MulticastFill, MulticastPipeline, multicast_bytes,
};
pub use products::{Operands, OverlappedWork, ProductPipeline, ProductStage, Products};

/// A pipeline of stages in shared memory, between a producer thread and consumer warps. Each stage is `len` elements
/// of `T`, or one [`Tile`](crate::Tile).
///
/// In memory the stages are stored one after the other, then the barriers, and a number for each
/// stage: see [`bytes`].
///
/// ```
/// # use tma::{Block, Tile, TileMap, kernel, pipeline, shared};
/// type Rows = [[f32; 64]; 32];
/// const STAGES: u32 = 3;
///
/// /// Writes the sum of each of `tiles` tiles that are one below the other.
/// ///
/// /// # Safety
/// /// 1. `sums` has a number for each tile that no other code uses. No thread writes the tensor of `map`.
/// /// 2. Grid and blocks are one-dimensional, of whole warps; a block has at least two.
/// #[kernel(shared_bytes = pipeline::bytes::<Tile<Rows>>(STAGES, 1))]
/// pub unsafe fn sums(#[grid_constant] map: &TileMap<Rows>, sums: *mut f32, tiles: u32) {
///     // SAFETY: every thread gets here (2), and the tensor may be read (1).
///     let block = unsafe { Block::converged() };
///     let pipeline = block.pipeline::<Tile<Rows>, STAGES>(shared::dynamic::<_, 128>(), 1);
///     pipeline.split(
///         |mut fill| {
///             for tile in block.items(tiles) {
///                 fill.next().load(map, [0, tile as i32 * 32]);
///             }
///         },
///         |workers, mut drain| {
///             for tile in block.items(tiles) {
///                 let stage = drain.next();
///                 let mut sum = 0.0;
///                 let mut index = workers.warp().lane();
///                 while index < 64 * 32 {
///                     sum += stage.get(index);
///                     index += 32;
///                 }
///                 stage.release();
///                 let sum = workers.warp().reduce(sum, |a, b| a + b);
///                 if workers.thread() == 0 {
///                     // SAFETY: there is a number for each tile (1).
///                     unsafe { *sums.add(tile as usize) = sum };
///                 }
///             }
///         },
///     );
/// }
/// # fn main() {}
/// ```
#[doc(alias("cuda::pipeline", "make_pipeline", "PipelineTmaAsync"))]
pub struct Pipeline<T, const STAGES: u32> {
    stages: SharedPtr<T>,
    len: u32,
    block: Block,
}

impl Block {
    /// Makes a pipeline with stages of `len` elements, in this memory. A drained stage is free when every thread
    /// of the warps after the first has released it. Collective.
    ///
    /// The memory has [`bytes`]; stages of `len` elements are multiples of 16 bytes, and begin as
    /// the copies into them require: `T` has the alignment, or `len` ensures it.
    #[inline(always)]
    pub fn pipeline<T, const STAGES: u32>(
        self,
        memory: SharedPtr<T>,
        len: u32,
    ) -> Pipeline<T, STAGES> {
        self.pipeline_of(memory, len, self.threads() - Warp::LANES)
    }

    /// Makes a pipeline for stages that are stored after use. A stage is free when the copy has read it; the storing
    /// thread sees that when it has started the next store, or at once with a single stage. In other respects like
    /// [`pipeline`](Self::pipeline).
    #[inline(always)]
    pub fn storing_pipeline<T, const STAGES: u32>(
        self,
        memory: SharedPtr<T>,
        len: u32,
    ) -> StoringPipeline<T, STAGES> {
        let pipeline = self.pipeline_of(memory, len, 1);
        StoringPipeline { pipeline }
    }

    #[inline(always)]
    fn pipeline_of<T, const STAGES: u32>(
        self,
        memory: SharedPtr<T>,
        len: u32,
        releases: u32,
    ) -> Pipeline<T, STAGES> {
        const { assert!(STAGES >= 1, "a pipeline has a stage at least") };
        let pipeline = Pipeline {
            stages: memory,
            len,
            block: self,
        };
        if self.thread() == 0 {
            // SAFETY: one thread initialises the barriers, before any other uses them, in memory that is for the
            // pipeline alone (3 of `converged`).
            unsafe { Ring::<STAGES>::init(pipeline.barriers(), 1, releases) };
        }
        self.sync();
        pipeline
    }
}

impl<T, const STAGES: u32> Pipeline<T, STAGES> {
    /// Runs two roles: one thread of the first warp fills, the threads of all other warps drain. Collective; the
    /// block has at least two warps.
    #[doc(alias = "warp specialization")]
    #[inline(always)]
    pub fn split(
        self,
        fill: impl FnOnce(Fill<T, STAGES>),
        drain: impl FnOnce(Warps, Drain<T, STAGES>),
    ) {
        self.block.split(
            |warp| {
                if warp.elect() {
                    self.run_fill(fill);
                }
            },
            |warps| {
                let stamps = Stamps::begin(Role::Consumer, STAGES, warps.is_first).began();
                drain(warps, Drain::new(self.another(), stamps));
                stamps.end();
            },
        );
    }

    /// Runs the filling end, in the producer thread.
    #[inline(always)]
    fn run_fill(&self, fill: impl FnOnce(Fill<T, STAGES>)) {
        let stamps = Stamps::begin(Role::Producer, STAGES, true)
            .of_elected()
            .began();
        fill(Fill::new(self.another(), stamps));
        stamps.end();
    }

    /// Returns the same pipeline for one of its ends.
    #[inline(always)]
    fn another(&self) -> Self {
        Self { ..*self }
    }

    #[inline(always)]
    fn stage(&self, cursor: Cursor<STAGES>) -> SharedPtr<T> {
        self.stages.add(cursor.stage() * self.len)
    }

    #[inline(always)]
    fn barriers(&self) -> SharedPtr<Mbarrier> {
        self.stages.add(STAGES * self.len).cast()
    }

    #[inline(always)]
    fn ring(&self) -> Ring<STAGES> {
        // SAFETY: the maker of the pipeline has initialised the barriers and synchronised; the ends go through
        // the stages in order, and a stage that was handed out arrives once where it ends.
        unsafe { Ring::assume_init(self.barriers()) }
    }

    #[inline(always)]
    fn full(&self, cursor: Cursor<STAGES>) -> Barrier {
        self.ring().full(cursor)
    }

    /// Returns the number of the item that a stage holds.
    #[inline(always)]
    fn item(&self, cursor: Cursor<STAGES>) -> SharedPtr<u32> {
        self.barriers()
            .add(2 * STAGES)
            .cast::<u32>()
            .add(cursor.stage())
    }
}

/// A [`Pipeline`] of stages that are stored after use; the example of [`StoringDrain`] shows its end.
pub struct StoringPipeline<T, const STAGES: u32> {
    pipeline: Pipeline<T, STAGES>,
}

impl<T, const STAGES: u32> StoringPipeline<T, STAGES> {
    /// Runs two roles, like [`Pipeline::split`].
    #[inline(always)]
    pub fn split(
        self,
        fill: impl FnOnce(Fill<T, STAGES>),
        drain: impl FnOnce(Warps, StoringDrain<T, STAGES>),
    ) {
        self.pipeline.split(fill, |workers, end| {
            drain(workers, StoringDrain::new(end, workers));
        });
    }
}

/// Returns the shared memory of a [`Pipeline`] with `stages` stages of `len` elements of `T`, in bytes.
pub const fn bytes<T>(stages: u32, len: u64) -> u64 {
    let stage_bytes = len.saturating_mul(size_of::<T>() as u64);
    let behind_stage = 2 * size_of::<Mbarrier>() + size_of::<u32>();
    (stages as u64).saturating_mul(stage_bytes.saturating_add(behind_stage as u64))
}

/// The number that stands for the end of the items.
const NO_ITEM: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_has_stages_barriers_and_numbers() {
        assert_eq!(bytes::<u32>(3, 100), 3 * (400 + 16 + 4));
        assert_eq!(bytes::<[u8; 16]>(1, u64::MAX), u64::MAX);
    }
}
