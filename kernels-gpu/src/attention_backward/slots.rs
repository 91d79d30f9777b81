//! The barriers of two stages that are filled in turn. A number counts the fills, so that a role needs one register.

use tma::{Barrier, SharedPtr, Warp, ptx::mbarrier::Mbarrier, ring::Ring};

/// The number of stages.
pub(super) const SLOTS: u32 = 2;
/// The number of barriers.
pub(super) const BARRIERS: usize = Ring::<SLOTS>::BARRIERS;

/// The barriers of two stages: each has one for "full" and one for "empty".
#[derive(Clone, Copy)]
pub(super) struct Slots {
    barriers: SharedPtr<Mbarrier>,
}

impl Slots {
    /// Returns a handle to the barriers.
    ///
    /// # Safety
    /// 1. The conditions of [`Ring::assume_init`].
    #[inline(always)]
    pub(super) unsafe fn assume_init(barriers: SharedPtr<Mbarrier>) -> Self {
        Self { barriers }
    }

    #[inline(always)]
    pub(super) fn full(self, number: u32) -> Barrier {
        // SAFETY: the barriers are initialised and used as they must be (`assume_init`).
        unsafe { Barrier::assume_init(self.barriers.add(number % SLOTS)) }
    }

    #[inline(always)]
    pub(super) fn empty(self, number: u32) -> Barrier {
        // SAFETY: see above.
        unsafe { Barrier::assume_init(self.barriers.add(SLOTS + number % SLOTS)) }
    }

    /// Waits, as the producer, until the stage of this fill is empty.
    #[inline(always)]
    pub(super) fn acquire(self, number: u32) {
        self.empty(number).wait_parity((number / SLOTS % 2) ^ 1);
    }

    /// Waits, as a consumer, until the stage of this fill is full.
    #[inline(always)]
    pub(super) fn wait(self, number: u32) {
        self.full(number).wait_parity(number / SLOTS % 2);
    }

    /// Ends this fill, as a warp of the producer. Collective of the warp.
    #[inline(always)]
    pub(super) fn fill(self, number: u32, warp: Warp) {
        warp.sync();
        if warp.lane() == 0 {
            // The waiting end is the emptying one, by parity.
            let _ = self.full(number).arrive();
        }
    }

    /// Releases the stage of this fill, as a warp of a consumer. Collective of the warp.
    #[inline(always)]
    pub(super) fn release(self, number: u32, warp: Warp) {
        warp.sync();
        if warp.lane() == 0 {
            // The waiting end is the filling one, by parity.
            let _ = self.empty(number).arrive();
        }
    }
}
