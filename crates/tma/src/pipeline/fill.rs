use super::{NO_ITEM, Pipeline};
use crate::{
    barrier::{Barrier, Transaction, ring::Cursor},
    pipeline::stamps::{Moment, Stamps, Step},
    ptx::{cp_async_bulk, cp_async_bulk_tensor, mbarrier::Mbarrier, operand::SharedPtr},
    tile::{Mode, Pair, Rank, Tile, TileArray, TileMap, Tiles},
};

/// The filling end of a [`Pipeline`], for its producer thread.
///
/// ```
/// # use tma::{Tile, TileMap, pipeline::{Fill, Items}};
/// # type Rows = [[f32; 64]; 32];
/// fn load(mut fill: Fill<Tile<Rows>, 3>, map: &TileMap<Rows>, items: Items<'_>) {
///     for item in items {
///         fill.next().with_item(item).load(map, [0, item as i32 * 32]);
///     }
///     fill.finish();
/// }
/// ```
pub struct Fill<T, const STAGES: u32> {
    pipeline: Pipeline<T, STAGES>,
    cursor: Cursor<STAGES>,
    stamps: Stamps,
}

/// A stage that no thread uses, ready to be loaded.
#[must_use = "the consumer waits for the load"]
pub struct EmptyStage<T> {
    stage: SharedPtr<T>,
    full: Barrier,
    item: SharedPtr<u32>,
    stamps: Stamps,
    acquired: [Moment; 2],
}

impl<T, const STAGES: u32> Fill<T, STAGES> {
    #[inline(always)]
    pub(super) fn new(pipeline: Pipeline<T, STAGES>, stamps: Stamps) -> Self {
        Self {
            pipeline,
            cursor: Cursor::new(),
            stamps,
        }
    }

    /// Returns the filling end of another pipeline, for the same thread. Its stages are not in the timeline.
    #[inline(always)]
    pub(super) fn of_another<D, const DIRECT: u32>(
        &self,
        pipeline: Pipeline<D, DIRECT>,
    ) -> Fill<D, DIRECT> {
        Fill::new(pipeline, self.stamps.silent())
    }

    /// Waits until the next stage is empty.
    #[doc(alias = "producer_acquire")]
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "stages never end")]
    pub fn next(&mut self) -> EmptyStage<T> {
        let (pipeline, cursor) = (&self.pipeline, self.cursor);
        let (stamps, since) = (self.stamps, self.stamps.now());
        // At first every stage is empty: the phase before the first counts as complete.
        pipeline.ring().acquire(cursor);
        let acquired = [since, stamps.now()];
        self.cursor.advance();
        self.stamps.advance();
        EmptyStage {
            stage: pipeline.stage(cursor),
            full: pipeline.full(cursor),
            item: pipeline.item(cursor),
            stamps,
            acquired,
        }
    }

    /// Ends the items: [`next_item`](super::Drain::next_item) returns `None` after the last one.
    #[inline(always)]
    pub fn finish(mut self) {
        let _ = self.next().with_item(NO_ITEM).full.arrive();
    }
}

impl<T> EmptyStage<T> {
    /// Names the item that the stage will hold: less than `u32::MAX`.
    #[inline(always)]
    pub fn with_item(self, item: u32) -> Self {
        // SAFETY: the last reader of the number has released the stage, and the next one waits for the arrival
        // that follows.
        unsafe { self.item.write(item) };
        self
    }

    /// Copies `bytes` bytes from global memory to the start of the stage.
    ///
    /// # Safety
    /// 1. (2) of [`cp_async_bulk::shared_cluster_global`] holds of `src` and `bytes`, until the stage is full.
    /// 2. `src` and `bytes` are multiples of 16; the stage has room for the bytes, which are fewer than
    ///    2^20.
    #[doc(alias("cuda::memcpy_async", "cp_async_bulk_global_to_shared"))]
    #[inline(always)]
    pub unsafe fn copy(self, src: *const T, bytes: u32) {
        let _ = self.full.arrive_expect_tx(bytes);
        // SAFETY: the source stays (1), and its bytes, in multiples of 16, fit the stage (2); the stage is empty, and
        // its barrier expects the bytes.
        unsafe {
            cp_async_bulk::shared_cluster_global(
                self.stage.cast(),
                src.cast(),
                bytes,
                self.full.address(),
            )
        };
        self.issued(bytes);
    }

    #[inline(always)]
    fn issued(&self, bytes: u32) {
        let now = self.stamps.now();
        self.stamps.waited(Step::Acquired, self.acquired);
        self.stamps.stamp(Step::Issued, now, bytes);
    }

    /// Starts several loads into the stage.
    #[inline(always)]
    pub fn load_with(self, start: impl FnOnce(&mut Transaction<'_>, SharedPtr<T>)) {
        let mut loads = self.full.transaction();
        start(&mut loads, self.stage);
        let bytes = loads.bytes();
        let _ = loads.arrive();
        self.issued(bytes);
    }
}

impl<S, M: Mode> EmptyStage<Tile<S, M>> {
    /// Loads the tile that begins at these coordinates, innermost first.
    #[doc(alias = "cp_async_bulk_tensor_2d_global_to_shared")]
    #[inline(always)]
    pub fn load<const RANK: usize>(self, map: &TileMap<S, M>, coords: [i32; RANK])
    where
        S: Rank<RANK>,
    {
        self.load_with(|loads, stage| {
            // SAFETY: the stage is empty, and the tensor may be read there (5 of `Block::converged`).
            unsafe { loads.tile(stage, map, coords) };
        });
    }
}

impl<S, M: Mode, const TILES: usize> EmptyStage<[Tile<S, M>; TILES]> {
    /// Loads all tiles; `at(number)` returns the coordinates of a tile's first element, innermost first.
    #[inline(always)]
    pub fn load_all<const RANK: usize>(self, map: &TileMap<S, M>, at: impl Fn(u32) -> [i32; RANK])
    where
        S: Rank<RANK>,
    {
        self.load_with(|loads, stage| {
            for number in 0..TILES as u32 {
                // SAFETY: the stage is empty, and the tensor may be read there (5 of `Block::converged`).
                unsafe { loads.tile(stage.cast().add(number), map, at(number)) };
            }
        });
    }
}

impl<A: Tiles, B: Tiles> EmptyStage<Pair<A, B>> {
    /// Loads all tiles; `at(number)` returns the coordinates of a tile's first element, innermost first.
    #[inline(always)]
    pub fn load_pair<const RANK_A: usize, const RANK_B: usize>(
        self,
        (a, at_a): (&TileMap<A::Shape, A::Mode>, impl Fn(u32) -> [i32; RANK_A]),
        (b, at_b): (&TileMap<B::Shape, B::Mode>, impl Fn(u32) -> [i32; RANK_B]),
    ) where
        A::Shape: Rank<RANK_A>,
        B::Shape: Rank<RANK_B>,
    {
        self.load_with(|loads, stage| {
            for number in 0..A::COUNT {
                // SAFETY: the stage is empty, and the tensor of `a` may be read there (5 of `Block::converged`).
                unsafe { loads.tile(stage.first().cast().add(number), a, at_a(number)) };
            }
            for number in 0..B::COUNT {
                // SAFETY: the stage is empty, and the tensor of `b` may be read there (5 of `Block::converged`).
                unsafe { loads.tile(stage.second().cast().add(number), b, at_b(number)) };
            }
        });
    }
}

impl<A: Tiles, B: Tiles, S, M: Mode> EmptyStage<Pair<Pair<A, B>, Tile<S, M>>> {
    /// Loads the tile after the pair, and all tiles of the pair, as [`load_pair`](EmptyStage::load_pair).
    #[inline(always)]
    pub fn load_pair_and_tile<const RANK_A: usize, const RANK_B: usize, const RANK: usize>(
        self,
        (a, at_a): (&TileMap<A::Shape, A::Mode>, impl Fn(u32) -> [i32; RANK_A]),
        (b, at_b): (&TileMap<B::Shape, B::Mode>, impl Fn(u32) -> [i32; RANK_B]),
        (tile, at): (&TileMap<S, M>, [i32; RANK]),
    ) where
        A::Shape: Rank<RANK_A>,
        B::Shape: Rank<RANK_B>,
        S: Rank<RANK>,
    {
        let bytes = A::COUNT * A::Shape::BYTES + B::COUNT * B::Shape::BYTES + S::BYTES;
        let _ = self.full.arrive_expect_tx(bytes);
        let (barrier, pair) = (self.full.address(), self.stage.first());
        // SAFETY: the stage is empty, its barrier expects the bytes, and the tensor of `tile` may be read there (5 of
        // `Block::converged`).
        unsafe { load_tile(self.stage.second(), tile, at, barrier) };
        for number in 0..A::COUNT {
            // SAFETY: the bytes of `a` are among those expected, and its tensor may be read there.
            unsafe { load_tile(pair.first().cast().add(number), a, at_a(number), barrier) };
        }
        for number in 0..B::COUNT {
            // SAFETY: the bytes of `b` are among those expected, and its tensor may be read there.
            unsafe { load_tile(pair.second().cast().add(number), b, at_b(number), barrier) };
        }
        self.issued(bytes);
    }
}

/// Starts a load of a tile that the barrier expects.
///
/// # Safety
/// 1. The conditions of [`cp_async_bulk_tensor::shared_cluster_global_tile`].
#[inline(always)]
unsafe fn load_tile<S: Rank<RANK>, M: Mode, const RANK: usize>(
    tile: SharedPtr<Tile<S, M>>,
    map: &TileMap<S, M>,
    coords: [i32; RANK],
    barrier: SharedPtr<Mbarrier>,
) {
    // SAFETY: map, destination and barrier are as the copy requires (1); the types fix the bytes of the box.
    unsafe {
        cp_async_bulk_tensor::shared_cluster_global_tile(
            tile.cast(),
            map.as_ptr(),
            coords,
            barrier,
        );
    }
}
