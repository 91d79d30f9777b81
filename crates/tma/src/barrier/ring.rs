//! A ring of stages in shared memory between threads that fill and threads that empty them.
//!
//! Two barriers belong to each stage: its phase "full" completes when the stage has been filled, its
//! phase "empty" when it may be filled again. Fillers and emptiers walk around the ring with a
//! [`Cursor`] each.

use super::Barrier;
use crate::ptx::{mbarrier::Mbarrier, operand::SharedPtr};

/// A stage of the ring, and in which round: which parity its barriers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor<const STAGES: u32> {
    stage: u32,
    parity: u32,
}

impl<const STAGES: u32> Cursor<STAGES> {
    /// Returns the first stage in the first round.
    ///
    /// ```compile_fail,E0080
    /// // There is at least one stage.
    /// tma::ring::Cursor::<0>::new();
    /// ```
    #[inline(always)]
    pub const fn new() -> Self {
        const { assert!(STAGES >= 1, "there is a stage at least") };
        Self {
            stage: 0,
            parity: 0,
        }
    }

    /// Returns the number of the stage, from 0.
    #[inline(always)]
    pub const fn stage(self) -> u32 {
        self.stage
    }

    /// 0 in the first round, 1 in the second, and so on in turn.
    #[inline(always)]
    pub const fn parity(self) -> u32 {
        self.parity
    }

    /// Goes on to the next stage.
    #[inline(always)]
    pub const fn advance(&mut self) {
        self.stage += 1;
        if self.stage == STAGES {
            self.stage = 0;
            self.parity ^= 1;
        }
    }
}

impl<const STAGES: u32> Default for Cursor<STAGES> {
    fn default() -> Self {
        Self::new()
    }
}

/// The barriers of a ring: the "full" barriers of all stages, then the "empty" ones.
///
/// ```
/// use tma::ring::{Cursor, Ring};
///
/// /// Writes numbers into stages, or reads them, in the order of the ring.
/// fn walk(ring: Ring<3>, is_filler: bool, stages: u32, mut at: impl FnMut(u32)) {
///     let mut cursor = Cursor::new();
///     for _ in 0..stages {
///         if is_filler {
///             ring.acquire(cursor);
///             at(cursor.stage());
///             let _ = ring.full(cursor).arrive();
///         } else {
///             ring.wait(cursor);
///             at(cursor.stage());
///             ring.release(cursor);
///         }
///         cursor.advance();
///     }
/// }
/// ```
///
/// Source: PTX ISA 9.7.13.15, "mbarrier".
#[doc(alias("cuda::pipeline", "make_pipeline", "pipeline_shared_state"))]
#[derive(Clone, Copy)]
pub struct Ring<const STAGES: u32> {
    barriers: SharedPtr<Mbarrier>,
}

impl<const STAGES: u32> Ring<STAGES> {
    /// Barriers of a ring: a `[Mbarrier; Ring::<STAGES>::BARRIERS]` holds them.
    pub const BARRIERS: usize = {
        assert!(STAGES >= 1, "a ring has a stage at least");
        2 * STAGES as usize
    };

    /// Makes the barriers: "full" takes `fillers` arrivals, "empty" takes `emptiers`.
    ///
    /// # Safety
    /// 1. (1) to (3) of [`Barrier::init`] hold for each of the [`BARRIERS`](Self::BARRIERS).
    #[inline(always)]
    pub unsafe fn init(barriers: SharedPtr<Mbarrier>, fillers: u32, emptiers: u32) {
        for stage in 0..STAGES {
            // SAFETY: the memory and the count of a "full" barrier are as `Barrier::init` requires (1).
            unsafe { Barrier::init(barriers.add(stage), fillers) };
            // SAFETY: the memory and the count of an "empty" barrier are as `Barrier::init` requires (1).
            unsafe { Barrier::init(barriers.add(STAGES + stage), emptiers) };
        }
    }

    /// Returns a handle to the barriers.
    ///
    /// # Safety
    /// 1. [`Ring::init`] ran for them and happens before this call.
    /// 2. (2) to (5) of [`Barrier::assume_init`] hold.
    /// 3. Each thread goes through the stages in order with one cursor for each role that it has,
    ///    and at each stage runs its role, once.
    #[inline(always)]
    pub unsafe fn assume_init(barriers: SharedPtr<Mbarrier>) -> Self {
        // There is a stage.
        let _ = Self::BARRIERS;
        Self { barriers }
    }

    /// Returns the barrier that the fillers arrive at, or copies count at.
    ///
    /// Relies on (2) of [`assume_init`](Self::assume_init), as do operations on it.
    #[inline(always)]
    pub fn full(&self, cursor: Cursor<STAGES>) -> Barrier {
        // SAFETY: the ring's barriers are initialised and used as they must be (assume_init).
        unsafe { Barrier::assume_init(self.barriers.add(cursor.stage)) }
    }

    /// Returns the barrier that the emptiers arrive at.
    ///
    /// Relies on (2) of [`assume_init`](Self::assume_init), as do operations on it.
    #[inline(always)]
    pub fn empty(&self, cursor: Cursor<STAGES>) -> Barrier {
        // SAFETY: the ring's barriers are initialised and used as they must be (assume_init).
        unsafe { Barrier::assume_init(self.barriers.add(STAGES + cursor.stage)) }
    }

    /// Waits, as the producer, until the stage may be filled. Returns at once in the first round.
    ///
    /// Relies on (3) of [`assume_init`](Self::assume_init).
    #[doc(alias = "producer_acquire")]
    #[inline(always)]
    pub fn acquire(&self, cursor: Cursor<STAGES>) {
        self.empty(cursor).wait_parity(cursor.parity ^ 1);
    }

    /// Waits, as the consumer, until the stage has been filled.
    ///
    /// Relies on (3) of [`assume_init`](Self::assume_init).
    #[doc(alias = "consumer_wait")]
    #[inline(always)]
    pub fn wait(&self, cursor: Cursor<STAGES>) {
        self.full(cursor).wait_parity(cursor.parity);
    }

    /// Releases the stage, for an emptier.
    ///
    /// Relies on (3) of [`assume_init`](Self::assume_init).
    #[doc(alias = "consumer_release")]
    #[inline(always)]
    pub fn release(&self, cursor: Cursor<STAGES>) {
        // The waiting thread is the filler, by parity.
        let _ = self.empty(cursor).arrive();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_goes_around_and_changes_parity() {
        let mut cursor = Cursor::<3>::new();
        let mut seen = [(0, 0); 7];
        for slot in &mut seen {
            *slot = (cursor.stage(), cursor.parity());
            cursor.advance();
        }
        assert_eq!(
            seen,
            [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 0)]
        );
        let mut single = Cursor::<1>::default();
        single.advance();
        assert_eq!((single.stage(), single.parity()), (0, 1));
    }
}
