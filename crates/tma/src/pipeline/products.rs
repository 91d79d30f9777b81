use core::marker::PhantomData;

use super::{Fill, Pipeline};
use crate::{
    barrier::{Barrier, ring::Cursor},
    group::{Block, Warpgroup, Warps},
    matrix::{
        Layout, Matrix, MatrixElement,
        accumulator::{Accumulator, Batch, InFlight},
    },
    ptx::{
        operand::SharedPtr,
        wgmma::{Registers, Sums},
    },
};

/// A [`Pipeline`] for products: one thread of the first warpgroup fills the stages, and each of the other
/// warpgroups adds their products to its sums.
///
/// ```
/// use tma::{
///     Accumulator, Block, Epilogue, Outputs, Swizzle128, Tile, TileMap, halves::Bf16, kernel, matrix::Boxes, pipeline,
///     shared, tile::Pair,
/// };
///
/// type Box64 = [[Bf16; 64]; 64];
/// type Stage = Pair<[Tile<Box64, Swizzle128>; 1], [Tile<Box64, Swizzle128>; 2]>;
/// type Output = Tile<Box64, Swizzle128>;
///
/// struct Plain;
/// impl Epilogue for Plain {
///     #[inline(always)]
///     fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
///         sums
///     }
/// }
///
/// /// Writes A times the transpose of B to C; each block has 64 rows of 128 columns of it.
/// ///
/// /// # Safety
/// /// 1. `a` is a map of 64 rows of C for each block, `b` one of 128 rows, both of `stages` times 64 columns; no thread
/// ///    writes A and B, no other code uses C.
/// /// 2. Grid and blocks are one-dimensional.
/// #[kernel(
///     max_threads = 256,
///     min_blocks = 1,
///     shared_bytes = size_of::<Output>() as u64 + pipeline::bytes::<Stage>(4, 1)
/// )]
/// pub unsafe fn product(
///     #[grid_constant] c: &TileMap<Box64, Swizzle128>,
///     #[grid_constant] a: &TileMap<Box64, Swizzle128>,
///     #[grid_constant] b: &TileMap<Box64, Swizzle128>,
///     stages: u32,
/// ) {
///     // SAFETY: every thread gets here (2), and the tensors may be used (1).
///     let block = unsafe { Block::converged() };
///     let output = shared::dynamic::<Output, 1024>();
///     let row = 64 * block.index();
///     let pipeline = block.product_pipeline::<Stage, 4>(output.add(1).cast());
///     let fill = |mut fill: pipeline::Fill<Stage, 4>| {
///         for stage in 0..stages {
///             let k = 64 * stage as i32;
///             fill.next().load_pair(
///                 (a, |_| [k, row as i32]),
///                 (b, |number| [k, 64 * number as i32]),
///             );
///         }
///     };
///     let multiply = |warpgroup, mut products: pipeline::Products<Stage, 4>| {
///         let sums = products.accumulate(Accumulator::<[f32; 64]>::zero(), stages, |stage| {
///             let (a, b) = stage.pair();
///             (
///                 a.matrix::<Boxes<Box64, Swizzle128, 1, true>>(),
///                 b.matrix::<Boxes<Box64, Swizzle128, 2, true>>(),
///             )
///         });
///         let mut outputs = Outputs::<_, _, _, 1>::new(warpgroup, output);
///         outputs.store_sums(&sums, c, [0, row], &Plain);
///         outputs.finish();
///     };
///     // SAFETY: `max_threads` allows 64 and 256 registers for 256 threads.
///     unsafe { pipeline.split::<256, 64, 256>(fill, multiply) };
/// }
/// # fn main() {}
/// ```
///
/// Extents that do not fit do not compile:
///
/// ```compile_fail
/// use tma::{Accumulator, Swizzle128, Tile, halves::Bf16, matrix::Boxes, pipeline::Products};
///
/// type Box64 = [[Bf16; 64]; 64];
/// fn multiply(mut products: Products<[Tile<Box64, Swizzle128>; 2], 4>) {
///     // A has 128 rows; a warpgroup multiplies 64 of them.
///     products.accumulate(Accumulator::<[f32; 64]>::zero(), 1, |stage| {
///         let all = stage.matrix::<Boxes<Box64, Swizzle128, 2, true>>();
///         (all, all)
///     });
/// }
/// # fn main() { let _ = multiply as fn(_); }
/// ```
///
/// Where `READ` is true, threads read the stages, too: see [`Block::read_product_pipeline`].
#[doc(alias("warp specialization", "CollectiveMma"))]
pub struct ProductPipeline<T, const STAGES: u32, const READ: bool = false> {
    pipeline: Pipeline<T, STAGES>,
}

/// The draining end of a [`ProductPipeline`], for every thread of a consumer warpgroup.
pub struct Products<T, const STAGES: u32, const READ: bool = false> {
    pipeline: Pipeline<T, STAGES>,
    cursor: Cursor<STAGES>,
    warpgroup: Warpgroup,
}

/// The work of a warpgroup during its products, in four steps that take less time than the products of a stage.
///
/// An implementation is `#[inline(always)]`: sums that are in flight cannot be saved for a call.
pub trait OverlappedWork {
    /// Runs step 0, 1, 2 or 3. Collective of the warpgroup.
    fn step<const NUMBER: usize>(&mut self);
}

/// A loaded stage, for products that a kernel starts itself. All threads of a warpgroup get it.
#[must_use = "a stage that is not released is never loaded again"]
pub struct ProductStage<T, const READ: bool = false> {
    pub(super) tiles: SharedPtr<T>,
    pub(super) empty: Barrier,
    pub(super) warpgroup: Warpgroup,
}

/// A stage, or one of its tiles, that products read.
pub struct Operands<'stage, T> {
    tiles: SharedPtr<T>,
    stage: PhantomData<&'stage T>,
}

impl Block {
    /// Makes a pipeline for products, in this memory: `STAGES` of `T`, and after them the barriers, as for
    /// [`pipeline`](Self::pipeline). Collective; the block consists of at least two warpgroups.
    #[inline(always)]
    pub fn product_pipeline<T, const STAGES: u32>(
        self,
        memory: SharedPtr<T>,
    ) -> ProductPipeline<T, STAGES> {
        self.product_pipeline_of::<T, STAGES, false>(memory)
    }

    /// Makes a pipeline for products and for threads that also read the stages, such as scales: a stage is empty when
    /// each warp has released it. In other respects like [`product_pipeline`](Self::product_pipeline).
    #[inline(always)]
    pub fn read_product_pipeline<T, const STAGES: u32>(
        self,
        memory: SharedPtr<T>,
    ) -> ProductPipeline<T, STAGES, true> {
        self.product_pipeline_of(memory)
    }

    #[inline(always)]
    fn product_pipeline_of<T, const STAGES: u32, const READ: bool>(
        self,
        memory: SharedPtr<T>,
    ) -> ProductPipeline<T, STAGES, READ> {
        const {
            assert!(
                STAGES >= 2,
                "products read one stage while those of the next one begin"
            )
        };
        let multiplying = self.threads() / Warpgroup::THREADS - 1;
        let of_warpgroup = if READ { Warpgroup::WARPS } else { 1 };
        ProductPipeline {
            pipeline: self.pipeline_of(memory, 1, multiplying * of_warpgroup),
        }
    }
}

impl<T, const STAGES: u32, const READ: bool> ProductPipeline<T, STAGES, READ> {
    /// Runs two roles, with registers of their own: [`Block::split_registers`] has their limits. Collective.
    ///
    /// # Safety
    /// 1. The condition of [`Block::split_registers`].
    #[inline(always)]
    pub unsafe fn split<const THREADS: u32, const FILLING: u32, const MULTIPLYING: u32>(
        self,
        fill: impl FnOnce(Fill<T, STAGES>),
        multiply: impl FnOnce(Warpgroup, Products<T, STAGES, READ>),
    ) {
        // SAFETY: each block has a multiprocessor of its own (1).
        unsafe { self.split_shared::<1, THREADS, FILLING, MULTIPLYING>(fill, multiply) };
    }

    /// Runs two roles as [`split`](Self::split) does, where `BLOCKS` blocks share the registers of a multiprocessor.
    ///
    /// # Safety
    /// 1. The condition of [`Block::split_shared_registers`].
    #[inline(always)]
    pub unsafe fn split_shared<
        const BLOCKS: u32,
        const THREADS: u32,
        const FILLING: u32,
        const MULTIPLYING: u32,
    >(
        self,
        fill: impl FnOnce(Fill<T, STAGES>),
        multiply: impl FnOnce(Warpgroup, Products<T, STAGES, READ>),
    ) {
        let pipeline = self.pipeline;
        let filling = |warps: Warps| {
            if warps.elect() {
                pipeline.run_fill(fill);
            }
        };
        let multiplying = |warps: Warps| {
            // They are whole ones.
            if let Some(warpgroup) = warps.warpgroup() {
                multiply(warpgroup, Products::new(&pipeline, warpgroup));
            }
        };
        let block = pipeline.block;
        // SAFETY: the kernel is compiled for `BLOCKS` blocks of `THREADS` threads on each multiprocessor (1).
        unsafe {
            block.split_shared_registers::<BLOCKS, THREADS, FILLING, MULTIPLYING>(
                filling,
                multiplying,
            );
        };
    }
}

impl<T, const STAGES: u32, const READ: bool> Products<T, STAGES, READ> {
    #[inline(always)]
    pub(super) fn new(pipeline: &Pipeline<T, STAGES>, warpgroup: Warpgroup) -> Self {
        Self {
            pipeline: pipeline.another(),
            cursor: Cursor::new(),
            warpgroup,
        }
    }

    /// Adds the products of the next `stages` stages. Collective of the warpgroup.
    ///
    /// Starts the products of a stage while products of the stage before are in flight. A stage is released when
    /// its products are complete. `operands(stage)` returns A and B, the same in all threads.
    #[doc(alias = "mainloop")]
    #[inline(always)]
    pub fn accumulate<R, A, B>(
        &mut self,
        sums: Accumulator<R>,
        stages: u32,
        operands: impl for<'stage> Fn(Operands<'stage, T>) -> (Matrix<'stage, A>, Matrix<'stage, B>),
    ) -> Accumulator<R>
    where
        A: Layout,
        B: Layout,
        R: Registers + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        if stages == 0 {
            return sums;
        }
        let begin = || sums.begin(self.warpgroup);
        let sums = self.start::<true, _, _, _>(begin, &operands);
        self.add_rest(sums, stages - 1, &operands)
    }

    /// Returns the sums of the products of the next `stages` stages. Collective of the warpgroup; `operands` is as for
    /// [`accumulate`](Self::accumulate).
    ///
    /// The warpgroup runs the four steps of `work` while products are computed, spread evenly over the stages, or before
    /// them if there are fewer than five stages. `spare` are sums that no thread needs: the new sums take their registers.
    #[inline(always)]
    pub fn sum_overlapped<R, A, B>(
        &mut self,
        spare: Accumulator<R>,
        stages: u32,
        work: &mut impl OverlappedWork,
        operands: impl for<'stage> Fn(Operands<'stage, T>) -> (Matrix<'stage, A>, Matrix<'stage, B>),
    ) -> Accumulator<R>
    where
        A: Layout,
        B: Layout,
        R: Registers + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        if stages < 5 {
            work.step::<0>();
            work.step::<1>();
            work.step::<2>();
            work.step::<3>();
            return self.accumulate(Accumulator::zero(), stages, operands);
        }
        let begin = || spare.begin(self.warpgroup);
        let mut sums = self.start::<false, _, _, _>(begin, &operands);
        let apart = (stages - 1) / 4;
        sums = self.add(sums, apart, &operands);
        work.step::<0>();
        sums = self.add(sums, apart, &operands);
        work.step::<1>();
        sums = self.add(sums, apart, &operands);
        work.step::<2>();
        sums = self.add(sums, apart, &operands);
        work.step::<3>();
        self.add_rest(sums, stages - 1 - 4 * apart, &operands)
    }

    /// Adds the products of `left` more stages, and waits for all.
    #[inline(always)]
    fn add_rest<R, A, B>(
        &mut self,
        sums: InFlight<R>,
        left: u32,
        operands: &impl for<'stage> Fn(Operands<'stage, T>) -> (Matrix<'stage, A>, Matrix<'stage, B>),
    ) -> Accumulator<R>
    where
        A: Layout,
        B: Layout,
        R: Registers + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        let sums = self.add(sums, left, operands).wait();
        self.release(self.cursor);
        self.cursor.advance();
        sums
    }

    /// Adds the products of `count` more stages. Those of the last stage are in flight.
    #[inline(always)]
    fn add<R, A, B>(
        &mut self,
        mut sums: InFlight<R>,
        count: u32,
        operands: &impl for<'stage> Fn(Operands<'stage, T>) -> (Matrix<'stage, A>, Matrix<'stage, B>),
    ) -> InFlight<R>
    where
        A: Layout,
        B: Layout,
        R: Registers + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        for _ in 0..count {
            sums = self.add_next(sums, operands);
        }
        sums
    }

    /// Starts the products of the next stage, and releases the stage before when its products are complete.
    #[inline(always)]
    fn add_next<R, A, B>(
        &mut self,
        sums: InFlight<R>,
        operands: &impl for<'stage> Fn(Operands<'stage, T>) -> (Matrix<'stage, A>, Matrix<'stage, B>),
    ) -> InFlight<R>
    where
        A: Layout,
        B: Layout,
        R: Registers + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        let last = self.cursor;
        self.cursor.advance();
        let sums = self.start::<true, _, _, _>(|| sums.begin(), operands);
        let sums = sums.wait_but::<1>();
        self.release(last);
        sums
    }

    /// Waits until the next stage is full.
    #[doc(alias = "consumer_wait")]
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "stages never end")]
    pub fn next(&mut self) -> ProductStage<T, READ> {
        let (pipeline, cursor) = (&self.pipeline, self.cursor);
        pipeline.ring().wait(cursor);
        self.cursor.advance();
        ProductStage {
            tiles: pipeline.stage(cursor),
            empty: pipeline.ring().empty(cursor),
            warpgroup: self.warpgroup,
        }
    }

    /// Waits until the stage is full, and starts its products, which are added to the sums or replace them.
    #[inline(always)]
    fn start<const ADD: bool, R, A, B>(
        &self,
        begin: impl FnOnce() -> Batch<R>,
        operands: &impl for<'stage> Fn(Operands<'stage, T>) -> (Matrix<'stage, A>, Matrix<'stage, B>),
    ) -> InFlight<R>
    where
        A: Layout,
        B: Layout,
        R: Registers + Sums<<A::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        self.pipeline.ring().wait(self.cursor);
        let (a, b) = operands(Operands::of(self.pipeline.stage(self.cursor)));
        let batch = begin();
        if ADD {
            // SAFETY: the stage keeps the matrices until its release (1), after the wait of each caller (2).
            unsafe { batch.multiply(a, b) }.commit()
        } else {
            // SAFETY: the stage keeps the matrices until its release (1), after the wait of each caller (2).
            unsafe { batch.replace(a, b) }.commit()
        }
    }

    /// Releases a stage with complete products.
    #[inline(always)]
    fn release(&self, cursor: Cursor<STAGES>) {
        if READ {
            release_by_warps(self.warpgroup, &self.pipeline.ring().empty(cursor));
        } else if self.warpgroup.thread() == 0 {
            self.pipeline.ring().release(cursor);
        }
    }
}

impl<T, const READ: bool> ProductStage<T, READ> {
    /// Returns the address of the stage.
    #[inline(always)]
    pub fn as_ptr(&self) -> SharedPtr<T> {
        self.tiles
    }

    /// Returns the same stage with tiles of another type.
    #[inline(always)]
    pub fn cast<U>(self) -> ProductStage<U, READ> {
        ProductStage {
            tiles: self.tiles.cast(),
            empty: self.empty,
            warpgroup: self.warpgroup,
        }
    }

    /// Releases the stage, when its products are complete: one thread of the warpgroup arrives, or, if threads read
    /// the stages themselves, one thread of each warp.
    #[doc(alias = "consumer_release")]
    #[inline(always)]
    pub fn release(self) {
        if READ {
            release_by_warps(self.warpgroup, &self.empty);
        } else if self.warpgroup.thread() == 0 {
            // The waiting end is the filling one, by parity.
            let _ = self.empty.arrive();
        }
    }
}

/// Releases a stage by one thread of each warp; its lanes may have read it.
#[inline(always)]
fn release_by_warps(warpgroup: Warpgroup, empty: &Barrier) {
    let warp = warpgroup.warp();
    warp.sync();
    if warp.lane() == 0 {
        // The waiting end is the filling one, by parity.
        let _ = empty.arrive();
    }
}

impl<'stage, A, B> Operands<'stage, crate::tile::Pair<A, B>> {
    /// Returns the tiles of A and B of the stage.
    #[inline(always)]
    pub fn pair(self) -> (Operands<'stage, A>, Operands<'stage, B>) {
        let (first, second) = (self.tiles.first(), self.tiles.second());
        (Operands::of(first), Operands::of(second))
    }
}

impl<'stage, T> Operands<'stage, T> {
    #[inline(always)]
    fn of(tiles: SharedPtr<T>) -> Self {
        Self {
            tiles,
            stage: PhantomData,
        }
    }

    /// Returns the matrix in this stage.
    #[inline(always)]
    pub fn matrix<L: Layout<Tiles = T>>(self) -> Matrix<'stage, L> {
        // SAFETY: the stage has been loaded by tensor copies, and is not loaded again before it has been released.
        unsafe { Matrix::from_ptr(self.tiles) }
    }
}
