//! The turns of two warpgroups at the tensor cores.

use tma::{
    Block, SharedPtr, Warpgroup,
    ptx::mbarrier::Mbarrier,
    ring::{Cursor, Ring},
};

/// The barriers of [`Turns`].
pub(super) type TurnBarriers = [Mbarrier; Ring::<1>::BARRIERS];

/// The turns of two warpgroups, which start the products of a tile one after the other: one of them computes powers while the
/// products of the other one run. A single warpgroup has no turns.
pub(super) struct Turns {
    /// Full after the first warpgroup's products have been started, empty after the second one's.
    ring: Ring<1>,
    cursor: Cursor<1>,
}

impl Turns {
    /// Initialises the barriers. Collective of the block.
    #[inline(always)]
    pub(super) fn ring(block: Block, barriers: SharedPtr<TurnBarriers>) -> Ring<1> {
        block.ring(barriers.cast(), Warpgroup::WARPS, Warpgroup::WARPS)
    }

    #[inline(always)]
    pub(super) fn new(ring: Ring<1>) -> Self {
        Self {
            ring,
            cursor: Cursor::new(),
        }
    }

    #[inline(always)]
    fn are_taken(warpgroup: Warpgroup) -> bool {
        warpgroup.role_threads() > Warpgroup::THREADS
    }

    /// Waits until the products of a tile may start. Collective of the warpgroup.
    #[inline(always)]
    pub(super) fn begin(&self, warpgroup: Warpgroup) {
        if !Self::are_taken(warpgroup) {
            return;
        }
        if warpgroup.index() == 0 {
            self.ring.acquire(self.cursor);
        } else {
            self.ring.wait(self.cursor);
        }
    }

    /// Ends this after the products have been started. Collective of the warpgroup.
    #[inline(always)]
    pub(super) fn end(&mut self, warpgroup: Warpgroup) {
        if !Self::are_taken(warpgroup) {
            return;
        }
        if warpgroup.warp().lane() == 0 {
            if warpgroup.index() == 0 {
                // The waiting end is the second warpgroup, by parity.
                let _ = self.ring.full(self.cursor).arrive();
            } else {
                self.ring.release(self.cursor);
            }
        }
        self.cursor.advance();
    }
}
