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
#[derive(Clone, Copy)]
pub(super) struct Turns {
    /// Full after the first warpgroup's products have been started, empty after the second one's.
    ring: Option<Ring<1>>,
    cursor: Cursor<1>,
}

impl Turns {
    /// Initialises the barriers, if there are two warpgroups. Collective of the block.
    #[inline(always)]
    pub(super) fn new(block: Block, warpgroups: u32, barriers: SharedPtr<TurnBarriers>) -> Self {
        let arrivals = Warpgroup::WARPS;
        Self {
            ring: (warpgroups > 1).then(|| block.ring(barriers.cast(), arrivals, arrivals)),
            cursor: Cursor::new(),
        }
    }

    /// Waits until the products of a tile may start. Collective of the warpgroup.
    #[inline(always)]
    pub(super) fn begin(&self, warpgroup: Warpgroup) {
        let Some(ring) = self.ring else { return };
        if warpgroup.index() == 0 {
            ring.acquire(self.cursor);
        } else {
            ring.wait(self.cursor);
        }
    }

    /// Ends this after the products have been started. Collective of the warpgroup.
    #[inline(always)]
    pub(super) fn end(&mut self, warpgroup: Warpgroup) {
        let Some(ring) = self.ring else { return };
        if warpgroup.warp().lane() == 0 {
            if warpgroup.index() == 0 {
                // The waiting end is the second warpgroup, by parity.
                let _ = ring.full(self.cursor).arrive();
            } else {
                ring.release(self.cursor);
            }
        }
        self.cursor.advance();
    }
}
