use core::marker::PhantomData;

use super::{NO_ITEM, Pipeline};
use crate::{
    barrier::{Barrier, ring::Cursor},
    group::{Threads, Warps, publish},
    number::{Element, SharedValue},
    pipeline::stamps::{Moment, Stamps, Step},
    ptx::{cp_async_bulk, operand::SharedPtr},
    tile::{
        Mode, Rank, Tile, TileArray, own_elements::OwnElements, shared_tile::assert_vector,
        stores::Stores,
    },
};

/// The draining end of a [`Pipeline`], for each consumer thread.
///
/// ```
/// # use tma::{Tile, Warps, pipeline::Drain};
/// # type Rows = [[f32; 64]; 32];
/// /// The sum of this thread's elements.
/// fn sum(workers: Warps, mut drain: Drain<Tile<Rows>, 3>) -> f32 {
///     let mut sum = 0.0;
///     while let Some((_item, stage)) = drain.next_item() {
///         let mut index = workers.thread();
///         while index < 64 * 32 {
///             sum += stage.get(index);
///             index += workers.threads();
///         }
///         stage.release();
///     }
///     sum
/// }
/// ```
pub struct Drain<T, const STAGES: u32> {
    pipeline: Pipeline<T, STAGES>,
    cursor: Cursor<STAGES>,
    stamps: Stamps,
}

/// A loaded stage. All consumer threads get it, and each releases it.
#[must_use = "a stage that is not released is never loaded again"]
pub struct FullStage<T> {
    stage: SharedPtr<T>,
    len: u32,
    empty: Barrier,
    stamps: Stamps,
    full: [Moment; 2],
}

impl<T, const STAGES: u32> Drain<T, STAGES> {
    #[inline(always)]
    pub(super) fn new(pipeline: Pipeline<T, STAGES>, stamps: Stamps) -> Self {
        Self {
            pipeline,
            cursor: Cursor::new(),
            stamps,
        }
    }

    /// Waits until the next stage is full.
    #[doc(alias = "consumer_wait")]
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "stages never end")]
    pub fn next(&mut self) -> FullStage<T> {
        let stage = self.wait();
        self.advance();
        stage
    }

    /// Waits until the next stage is full, and returns its item from the filling end; `None` when that end has
    /// finished.
    #[inline(always)]
    pub fn next_item(&mut self) -> Option<(u32, FullStage<T>)> {
        let item = self.wait_item();
        self.advance();
        item
    }

    #[inline(always)]
    fn advance(&mut self) {
        self.cursor.advance();
        self.stamps.advance();
    }

    #[inline(always)]
    fn wait(&self) -> FullStage<T> {
        let (pipeline, cursor) = (&self.pipeline, self.cursor);
        let since = self.stamps.now();
        pipeline.ring().wait(cursor);
        let full = [since, self.stamps.now()];
        FullStage {
            stage: pipeline.stage(cursor),
            len: pipeline.len,
            empty: pipeline.ring().empty(cursor),
            stamps: self.stamps,
            full,
        }
    }

    #[inline(always)]
    fn wait_item(&self) -> Option<(u32, FullStage<T>)> {
        let stage = self.wait();
        // SAFETY: the filling end wrote the number before it arrived (6 of `Block::converged`).
        let item = unsafe { self.pipeline.item(self.cursor).read() };
        (item != NO_ITEM).then_some((item, stage))
    }
}

impl<T> FullStage<T> {
    /// Returns the address of the stage.
    #[inline(always)]
    pub fn as_ptr(&self) -> SharedPtr<T> {
        self.stage
    }

    /// Releases the stage, to be loaded again.
    #[doc(alias = "consumer_release")]
    #[inline(always)]
    pub fn release(self) {
        // The waiting end is the filling one, by parity.
        let _ = self.empty.arrive();
        let now = self.stamps.now();
        self.stamps.waited(Step::Full, self.full);
        self.stamps.stamp(Step::Released, now, 0);
    }
}

impl<T: SharedValue> FullStage<T> {
    /// Returns the element of the stage at this index.
    ///
    /// # Panics
    /// The element is out of bounds.
    #[inline(always)]
    pub fn get(&self, index: u32) -> T {
        assert!(index < self.len);
        // SAFETY: the element has been loaded (6 of `Block::converged`), and no thread writes it before this
        // thread releases the stage.
        unsafe { self.stage.add(index).read() }
    }
}

impl<S: TileArray, M: Mode> FullStage<Tile<S, M>> {
    /// Returns the element with this number, counted row by row.
    ///
    /// # Panics
    /// The element is out of bounds.
    #[inline(always)]
    pub fn get(&self, index: u32) -> S::Element {
        assert!(index < S::ELEMS);
        // SAFETY: the element has been loaded (6 of `Block::converged`), and no thread writes it before this
        // thread releases the stage.
        unsafe { self.stage.element(index).read() }
    }

    /// Returns the 16 bytes at these coordinates: as [`SharedTile::vector`](crate::SharedTile::vector).
    ///
    /// # Panics
    /// The vector is out of bounds.
    #[inline(always)]
    pub fn vector<const RANK: usize>(&self, coords: [u32; RANK]) -> <S::Element as Element>::Vector
    where
        S: Rank<RANK>,
    {
        assert_vector::<S, RANK>(coords);
        // SAFETY: the vector has been loaded (6 of `Block::converged`), and no thread writes it before this thread
        // releases the stage.
        unsafe { self.stage.vector(coords).read() }
    }
}

impl<S: TileArray, M: Mode, const TILES: usize> FullStage<[Tile<S, M>; TILES]> {
    /// Returns the tile with this number.
    ///
    /// # Panics
    /// The tile is out of bounds.
    #[inline(always)]
    pub fn tile(&self, number: u32) -> StageTile<'_, S, M> {
        assert!(number < TILES as u32);
        StageTile {
            tile: self.stage.cast().add(number),
            stage: PhantomData,
        }
    }
}

/// A tile of a loaded stage, until the stage is released.
pub struct StageTile<'stage, S, M: Mode> {
    tile: SharedPtr<Tile<S, M>>,
    stage: PhantomData<&'stage ()>,
}

impl<S: TileArray, M: Mode> StageTile<'_, S, M> {
    /// Returns the element with this number, counted row by row.
    ///
    /// # Panics
    /// The element is out of bounds.
    #[inline(always)]
    pub fn get(&self, index: u32) -> S::Element {
        assert!(index < S::ELEMS);
        // SAFETY: the element has been loaded (6 of `Block::converged`), and no thread writes it before this
        // thread releases the stage, which this tile borrows.
        unsafe { self.tile.element(index).read() }
    }

    /// Returns the 16 bytes at these coordinates: as [`SharedTile::vector`](crate::SharedTile::vector).
    ///
    /// # Panics
    /// The vector is out of bounds.
    #[inline(always)]
    pub fn vector<const RANK: usize>(&self, coords: [u32; RANK]) -> <S::Element as Element>::Vector
    where
        S: Rank<RANK>,
    {
        assert_vector::<S, RANK>(coords);
        // SAFETY: the vector has been loaded (6 of `Block::converged`), and no thread writes it before this thread
        // releases the stage, which this tile borrows.
        unsafe { self.tile.vector(coords).read() }
    }
}

/// A loaded stage that is changed and then stored in place.
#[must_use = "a stage that is not stored is never loaded again"]
pub struct StoredStage<T> {
    pub(super) stage: SharedPtr<T>,
    pub(super) len: u32,
    full: [Moment; 2],
}

impl<T> StoredStage<T> {
    /// Returns the address of the stage.
    #[inline(always)]
    pub fn as_ptr(&self) -> SharedPtr<T> {
        self.stage
    }
}

impl<T: SharedValue> StoredStage<T> {
    /// Returns this thread's of the first `len` elements, or of all if they are fewer; each thread of the group has
    /// others. Relies on (3) of [`Block::converged`](crate::Block::converged): the group is all that uses the stage.
    #[inline(always)]
    pub fn own(&self, group: impl Threads, len: u32) -> OwnElements<'_, T> {
        OwnElements::new(self.stage, group, len.min(self.len))
    }
}

/// The draining end of a [`StoringPipeline`](super::StoringPipeline), which changes and stores its stages. A
/// stage is released when the copy has read it. The end waits for that when it has started the next copy, or at
/// once if there is a single stage.
///
/// ```
/// # use tma::{Tile, TileMap, Warps, pipeline::StoringDrain};
/// # type Rows = [[f32; 64]; 32];
/// fn double(workers: Warps, mut drain: StoringDrain<Tile<Rows>, 3>, map: &TileMap<Rows>) {
///     while let Some((item, stage)) = drain.next_item() {
///         let mut index = workers.thread();
///         while index < 64 * 32 {
///             let number = stage.as_ptr().element(index);
///             // SAFETY: the stage is full, and each thread has its own elements.
///             unsafe { number.write(2.0 * number.read()) };
///             index += workers.threads();
///         }
///         // SAFETY: no other code uses the tensor, which has this tile.
///         drain.store(stage, |stores, stage| unsafe {
///             stores.tile(map, [0, item as i32 * 32], stage);
///         });
///     }
///     drain.finish();
/// }
/// ```
pub struct StoringDrain<T, const STAGES: u32> {
    drain: Drain<T, STAGES>,
    workers: Warps,
    /// The stage that is being read.
    last: Option<Cursor<STAGES>>,
}

impl<T, const STAGES: u32> StoringDrain<T, STAGES> {
    #[inline(always)]
    pub(super) fn new(drain: Drain<T, STAGES>, workers: Warps) -> Self {
        Self {
            drain,
            workers,
            last: None,
        }
    }

    /// Waits until the next stage is full, and returns its item from the filling end; `None` when that end has
    /// finished. The next stage is the one after the last that was stored.
    #[inline(always)]
    pub fn next_item(&mut self) -> Option<(u32, StoredStage<T>)> {
        let (item, stage) = self.drain.wait_item()?;
        let FullStage {
            stage, len, full, ..
        } = stage;
        Some((item, StoredStage { stage, len, full }))
    }

    /// Issues the stores of a stage from one thread once all have finished with it. Collective of the workers.
    #[inline(always)]
    pub fn store(&mut self, stage: StoredStage<T>, start: impl FnOnce(&mut Stores, SharedPtr<T>)) {
        publish(self.workers);
        // The elected lane never changes, and groups belong to it.
        if self.workers.elect() {
            let mut stores = Stores::new();
            start(&mut stores, stage.stage);
            let (ring, cursor) = (self.drain.pipeline.ring(), self.drain.cursor);
            let group = stores.commit();
            let stamps = self.drain.stamps.of_elected();
            let stored = stamps.now();
            let read = if STAGES == 1 {
                group.wait_read();
                let read = stamps.now();
                let _ = ring.empty(cursor).arrive();
                read
            } else {
                // The stage before has been left when only this one is still being read.
                group.wait_read_but::<1>();
                let read = stamps.now();
                if let Some(last) = self.last.replace(cursor) {
                    let _ = ring.empty(last).arrive();
                }
                read
            };
            stamps.waited(Step::Full, stage.full);
            stamps.stored([stored, read]);
        }
        self.drain.advance();
    }

    /// Waits until all stores have read their stages, which end with the block. Collective of the workers.
    #[inline(always)]
    pub fn finish(self) {
        if self.workers.elect() {
            cp_async_bulk::wait_group_read::<0>();
        }
    }
}
