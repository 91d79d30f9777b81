use super::{Barrier, ring::Cursor};
use crate::{
    group::{Block, Threads, Warp},
    ptx::{mbarrier::Mbarrier, operand::SharedPtr},
};

/// Barriers that are stored one after the other, to be gone through in turn.
///
/// ```
/// # use tma::{Block, kernel, ptx::mbarrier::Mbarrier, ring::Cursor, shared};
/// /// All threads meet `rounds` times.
/// ///
/// /// # Safety
/// /// 1. Blocks are one-dimensional, of whole warps.
/// #[kernel]
/// pub unsafe fn meet(rounds: u32) {
///     shared! { static BARS: [Mbarrier; 2]; }
///     // SAFETY: every thread gets here (1), and arrives once in each phase.
///     let block = unsafe { Block::converged() };
///     let bars = block.barrier_array::<2>(BARS::ptr().cast(), block.threads());
///     let mut at = Cursor::new();
///     for _ in 0..rounds {
///         bars.at(at).arrive_and_wait();
///         at.advance();
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct BarrierArray<const COUNT: u32> {
    memory: SharedPtr<Mbarrier>,
}

impl<const COUNT: u32> BarrierArray<COUNT> {
    #[inline(always)]
    pub(crate) fn new(group: impl Threads, memory: SharedPtr<Mbarrier>, count: u32) -> Self {
        if group.thread() == 0 {
            for index in 0..COUNT {
                // SAFETY: one thread initialises the barrier, before any other uses it, in memory that is for it
                // alone (3 of `Block::converged`).
                unsafe { Barrier::init(memory.add(index), count) };
            }
        }
        group.sync();
        Self { memory }
    }

    /// Returns the barrier at a cursor.
    #[inline(always)]
    pub fn at(&self, cursor: Cursor<COUNT>) -> Barrier {
        // SAFETY: `new` has initialised it; the rest is (4) of `Block::converged`.
        unsafe { Barrier::assume_init(self.memory.add(cursor.stage())) }
    }
}

impl Block {
    /// Makes `COUNT` barriers for phases of `count` arrivals, to be used in turn. Collective.
    #[inline(always)]
    pub fn barrier_array<const COUNT: u32>(
        self,
        memory: SharedPtr<Mbarrier>,
        count: u32,
    ) -> BarrierArray<COUNT> {
        BarrierArray::new(self, memory, count)
    }
}

impl Warp {
    /// Makes a barrier of this warp for phases of `count` arrivals, for all lanes. Collective.
    #[inline(always)]
    pub fn barrier(self, memory: SharedPtr<Mbarrier>, count: u32) -> Barrier {
        self.barrier_array::<1>(memory, count).at(Cursor::new())
    }

    /// Makes `COUNT` barriers of this warp for phases of `count` arrivals each, to be used in
    /// turn. Collective.
    #[inline(always)]
    pub fn barrier_array<const COUNT: u32>(
        self,
        memory: SharedPtr<Mbarrier>,
        count: u32,
    ) -> BarrierArray<COUNT> {
        BarrierArray::new(self, memory, count)
    }
}
