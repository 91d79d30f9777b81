use core::marker::PhantomData;

use super::{Fill, Pipeline};
use crate::{
    Accumulator, Batch, Block, InFlight, SharedPtr, Warpgroup, Warps,
    matrix::{Layout, Matrix, MatrixElement},
    ptx::wgmma::{Registers, Sums},
    ring::Cursor,
};

/// A [`Pipeline`] whose stages are multiplied: one thread of the first warpgroup fills them, and each of the other
/// warpgroups adds products of them to its sums.
#[doc(alias("warp specialization", "CollectiveMma"))]
pub struct ProductPipeline<T, const STAGES: u32> {
    pipeline: Pipeline<T, STAGES>,
}

/// The draining end of a [`ProductPipeline`], which every thread of a warpgroup has.
pub struct Products<T, const STAGES: u32> {
    pipeline: Pipeline<T, STAGES>,
    cursor: Cursor<STAGES>,
    warpgroup: Warpgroup,
}

/// A stage, or one of its tiles, that products read.
pub struct Operands<'stage, T> {
    tiles: SharedPtr<T>,
    stage: PhantomData<&'stage T>,
}

impl Block {
    /// A pipeline for products, in this memory: `STAGES` of `T`, and behind them the barriers, as
    /// [`pipeline`](Self::pipeline) says. Collective; the block is of whole warpgroups, two at least.
    #[inline(always)]
    pub fn product_pipeline<T, const STAGES: u32>(
        self,
        memory: SharedPtr<T>,
    ) -> ProductPipeline<T, STAGES> {
        const {
            assert!(
                STAGES >= 2,
                "products read one stage while those of the next one begin"
            )
        };
        let multiplying = self.threads() / Warpgroup::THREADS - 1;
        ProductPipeline {
            pipeline: self.pipeline_of(memory, 1, multiplying),
        }
    }
}

impl<T, const STAGES: u32> ProductPipeline<T, STAGES> {
    /// Two roles, with registers of their own: [`Block::split_registers`] says how many there can be. Collective.
    ///
    /// # Safety
    /// 1. That of [`Block::split_registers`].
    #[inline(always)]
    pub unsafe fn split<const THREADS: u32, const FILLING: u32, const MULTIPLYING: u32>(
        self,
        fill: impl FnOnce(Fill<T, STAGES>),
        multiply: impl FnOnce(Warpgroup, Products<T, STAGES>),
    ) {
        let pipeline = self.pipeline;
        let another = || Pipeline { ..pipeline };
        let filling = |warps: Warps| {
            if warps.elect() {
                fill(Fill::new(another()));
            }
        };
        let multiplying = |warps: Warps| {
            // They are whole ones.
            if let Some(warpgroup) = warps.warpgroup() {
                let products = Products {
                    pipeline: another(),
                    cursor: Cursor::new(),
                    warpgroup,
                };
                multiply(warpgroup, products);
            }
        };
        let block = pipeline.block;
        // SAFETY: (1) is the caller's.
        unsafe { block.split_registers::<THREADS, FILLING, MULTIPLYING>(filling, multiplying) };
    }
}

impl<T, const STAGES: u32> Products<T, STAGES> {
    /// Adds the products of the next `stages` stages. Collective of the warpgroup.
    ///
    /// The products of a stage are started while those of the stage before are in flight; that is given back when
    /// its products are complete. `operands(stage)` gives A and B, the same in all threads.
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
        let mut sums = self.start(|| sums.begin(self.warpgroup), &operands);
        let mut left = stages - 1;
        while left != 0 {
            let last = self.cursor;
            self.cursor.advance();
            sums = self.start(|| sums.begin(), &operands).wait_but::<1>();
            self.release(last);
            left -= 1;
        }
        let sums = sums.wait();
        self.release(self.cursor);
        self.cursor.advance();
        sums
    }

    /// Waits until the stage is full, and starts its products.
    #[inline(always)]
    fn start<R, A, B>(
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
        let (a, b) = operands(Operands {
            tiles: self.pipeline.stage(self.cursor),
            stage: PhantomData,
        });
        // SAFETY: the matrices lie in the stage by their lifetime, and it is released behind the wait.
        unsafe { begin().multiply(a, b) }.commit()
    }

    /// Gives a stage back whose products are complete: one thread of the warpgroup says so.
    #[inline(always)]
    fn release(&self, cursor: Cursor<STAGES>) {
        if self.warpgroup.thread() == 0 {
            self.pipeline.ring().release(cursor);
        }
    }
}

impl<'stage, A, B> Operands<'stage, crate::tile::Pair<A, B>> {
    /// Both tiles.
    #[inline(always)]
    pub fn pair(self) -> (Operands<'stage, A>, Operands<'stage, B>) {
        let of = |tiles| Operands {
            tiles,
            stage: PhantomData,
        };
        let of_second = |tiles| Operands {
            tiles,
            stage: PhantomData,
        };
        (of(self.tiles.first()), of_second(self.tiles.second()))
    }
}

impl<'stage, T> Operands<'stage, T> {
    /// The matrix that lies there.
    #[inline(always)]
    pub fn matrix<L: Layout<Tiles = T>>(self) -> Matrix<'stage, L> {
        // SAFETY: the stage has been loaded by tensor copies, and is not loaded again before it has been released.
        unsafe { Matrix::from_ptr(self.tiles) }
    }
}
