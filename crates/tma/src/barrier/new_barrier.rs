use super::Barrier;
use crate::{
    group::Block,
    ptx::{mbarrier::Mbarrier, operand::SharedPtr},
};

/// A barrier that one thread has initialised, which the others may use when they have synchronised.
#[must_use = "threads get the barrier by `sync`"]
pub struct NewBarrier {
    address: SharedPtr<Mbarrier>,
}

impl Block {
    /// Initialises a barrier for phases of `count` arrivals from one thread, in a kernel that synchronises anyway
    /// before it uses the barrier.
    #[inline(always)]
    pub fn new_barrier(self, memory: SharedPtr<Mbarrier>, count: u32) -> NewBarrier {
        if self.thread() == 0 {
            // SAFETY: one thread initialises the barrier, before any other uses it, in memory that is for it alone
            // (3 of `converged`).
            unsafe { Barrier::init(memory, count) };
        }
        NewBarrier { address: memory }
    }
}

impl NewBarrier {
    /// Synchronises the block, and returns the barrier. Collective. Its use relies on (4) of [`Block::converged`].
    #[inline(always)]
    pub fn sync(&self, block: Block) -> Barrier {
        block.sync();
        // SAFETY: `sync` orders the initialisation before; the rest is (4) of `Block::converged`.
        unsafe { Barrier::assume_init(self.address) }
    }
}
