//! The 32 threads of a warp: lanes, shuffles and votes among all of them.
//!
//! Source: PTX ISA 9.7.9.6, "shfl.sync"; 9.7.13.9, "vote.sync".

use core::marker::PhantomData;

use super::Lanes;
use crate::ptx;

/// The lane mask of every lane of a warp.
pub const ALL_LANES: u32 = u32::MAX;

/// Returns this thread's lane, 0 to 31.
#[inline(always)]
pub fn lane() -> u32 {
    ptx::sreg::laneid()
}

/// Returns the value that lane `lane` passes, in every lane.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
#[doc(alias = "__shfl_sync")]
#[inline(always)]
pub unsafe fn broadcast(value: u32, lane: u32) -> u32 {
    // SAFETY: every lane is at this call (1).
    unsafe { ptx::shfl_sync::idx(ALL_LANES, value, lane) }
}

/// Returns a bit for each lane that passes `true`.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
#[doc(alias = "__ballot_sync")]
#[inline(always)]
pub unsafe fn ballot(predicate: bool) -> u32 {
    // SAFETY: every lane is at this call (1).
    unsafe { ptx::vote_sync::ballot(ALL_LANES, predicate) }
}

/// Waits for all threads of the warp. Earlier writes of each thread are visible to all.
///
/// # Safety
/// 1. Every thread of the warp reaches a call of this function.
#[doc(alias = "__syncwarp")]
#[inline(always)]
pub unsafe fn sync_warp() {
    // SAFETY: every lane reaches a call (1).
    unsafe { ptx::barrier_warp::sync(ALL_LANES) }
}

/// Returns whether this is the one lane of the warp that issues copies.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
#[doc(alias("elect_one_sync", "invoke_one"))]
#[inline(always)]
pub unsafe fn is_elected() -> bool {
    // SAFETY: every lane is at this call (1).
    unsafe { ptx::elect_sync::elect(ALL_LANES).1 }
}

/// Returns this thread's warp in its block, the same in all lanes for ptxas too.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
/// 2. The block is one-dimensional.
#[inline(always)]
pub unsafe fn index() -> u32 {
    // SAFETY: every lane is at this call (1).
    unsafe { broadcast(super::thread::thread_idx().x / 32, 0) }
}

/// The warp of this thread, from [`Block::warp`](crate::Block::warp).
///
/// ```
/// # use tma::{Block, kernel};
/// /// Replaces each number by the sum of the numbers of its warp up to it.
/// ///
/// /// # Safety
/// /// 1. There is one block, one-dimensional, of whole warps.
/// /// 2. `numbers` has a number for each thread that no other code uses.
/// #[kernel]
/// pub unsafe fn prefixes(numbers: *mut u32) {
///     // SAFETY: every thread gets here (1).
///     let block = unsafe { Block::converged() };
///     // SAFETY: there is a number for each thread (2).
///     let number = unsafe { &mut *numbers.add(block.thread() as usize) };
///     *number = block.warp().scan(*number, |below, own| below + own);
/// }
/// # fn main() {}
/// ```
#[doc(alias("thread_block_tile", "coalesced_group"))]
#[derive(Clone, Copy)]
pub struct Warp {
    /// Binds the value to its thread.
    thread: PhantomData<*mut ()>,
}

impl Warp {
    /// The number of threads of a warp.
    #[doc(alias = "warpSize")]
    pub const LANES: u32 = 32;

    /// # Safety
    /// 1. Every thread of the warp reaches each call of a collective method together.
    /// 2. The block is one-dimensional.
    #[inline(always)]
    pub(crate) unsafe fn of_block() -> Self {
        Self {
            thread: PhantomData,
        }
    }

    /// Returns the warp's number in its block, the same in all lanes for ptxas too. Collective.
    #[inline(always)]
    pub fn index(self) -> u32 {
        // SAFETY: every thread of the warp is here, and the block is one-dimensional (of_block 1, 2).
        unsafe { index() }
    }

    /// Returns this thread's lane, 0 to 31.
    #[doc(alias = "laneid")]
    #[inline(always)]
    pub fn lane(self) -> u32 {
        lane()
    }

    /// Returns this thread's number in the warp: its lane.
    #[inline(always)]
    pub fn thread(self) -> u32 {
        lane()
    }

    /// Returns the number of threads of the warp.
    #[inline(always)]
    pub fn threads(self) -> u32 {
        Self::LANES
    }

    /// Waits for all threads of the warp. Earlier writes of each thread are visible to all. Collective.
    #[doc(alias = "__syncwarp")]
    #[inline(always)]
    pub fn sync(self) {
        // SAFETY: every thread of the warp is here (of_block 1).
        unsafe { sync_warp() }
    }

    /// Returns whether this is the one lane that issues copies. Collective; the same lane at every call.
    #[doc(alias("elect_one_sync", "invoke_one"))]
    #[inline(always)]
    pub fn elect(self) -> bool {
        // SAFETY: every thread of the warp is here (of_block 1).
        unsafe { is_elected() }
    }

    /// Returns the value of lane `lane` modulo 32. Collective.
    #[doc(alias = "__shfl_sync")]
    #[inline(always)]
    pub fn shuffle<T: Lanes>(self, value: T, lane: u32) -> T {
        // SAFETY: every thread of the warp is here (of_block 1), and exchanges the same number of words (1 of `Lanes`).
        value.map_words(|word| unsafe { ptx::shfl_sync::idx(ALL_LANES, word, lane) })
    }

    /// Returns the value of the lane at this lane's number XOR `mask`, modulo 32. Collective.
    #[doc(alias = "__shfl_xor_sync")]
    #[inline(always)]
    pub fn shuffle_xor<T: Lanes>(self, value: T, mask: u32) -> T {
        // SAFETY: every thread of the warp is here (of_block 1), and exchanges the same number of words (1 of `Lanes`).
        value.map_words(|word| unsafe { ptx::shfl_sync::bfly(ALL_LANES, word, mask) })
    }

    /// Returns the value of the lane `delta` modulo 32 below; the own one where there is none. Collective.
    #[doc(alias = "__shfl_up_sync")]
    #[inline(always)]
    pub fn shuffle_up<T: Lanes>(self, value: T, delta: u32) -> T {
        // SAFETY: every thread of the warp is here (of_block 1), and exchanges the same number of words (1 of `Lanes`).
        value.map_words(|word| unsafe { ptx::shfl_sync::up(ALL_LANES, word, delta) })
    }

    /// Returns the value of the lane `delta` modulo 32 above; the own one where there is none. Collective.
    #[doc(alias = "__shfl_down_sync")]
    #[inline(always)]
    pub fn shuffle_down<T: Lanes>(self, value: T, delta: u32) -> T {
        // SAFETY: every thread of the warp is here (of_block 1), and exchanges the same number of words (1 of `Lanes`).
        value.map_words(|word| unsafe { ptx::shfl_sync::down(ALL_LANES, word, delta) })
    }

    /// Returns a bit for each lane that passes `true`. Collective.
    #[doc(alias = "__ballot_sync")]
    #[inline(always)]
    pub fn ballot(self, predicate: bool) -> u32 {
        // SAFETY: every thread of the warp is here (of_block 1).
        unsafe { ballot(predicate) }
    }

    /// Returns whether all lanes pass `true`. Collective.
    #[doc(alias = "__all_sync")]
    #[inline(always)]
    pub fn all(self, predicate: bool) -> bool {
        // SAFETY: every thread of the warp is here (of_block 1).
        unsafe { ptx::vote_sync::all(ALL_LANES, predicate) }
    }

    /// Returns whether any lane passes `true`. Collective.
    #[doc(alias = "__any_sync")]
    #[inline(always)]
    pub fn any(self, predicate: bool) -> bool {
        // SAFETY: every thread of the warp is here (of_block 1).
        unsafe { ptx::vote_sync::any(ALL_LANES, predicate) }
    }

    /// Reduces the values of all lanes by `combine`; every lane gets the result. Collective.
    ///
    /// Pairs of lanes 16, 8, 4, 2 and 1 apart are combined in turn, so that all lanes get the same bits
    /// where `combine(a, b)` and `combine(b, a)` are the same.
    #[doc(alias("WarpReduce", "cg::reduce", "__reduce_add_sync"))]
    #[inline(always)]
    pub fn reduce<T: Lanes>(self, value: T, combine: impl Fn(T, T) -> T) -> T {
        let step = |value: T, distance| combine(value, self.shuffle_xor(value, distance));
        step(step(step(step(step(value, 16), 8), 4), 2), 1)
    }

    /// Combines the values of this lane and all below by `combine`, an inclusive scan. Collective.
    #[doc(alias("WarpScan", "cg::inclusive_scan"))]
    #[inline(always)]
    pub fn scan<T: Lanes>(self, value: T, combine: impl Fn(T, T) -> T) -> T {
        let lane = self.lane();
        let step = |value: T, distance| {
            let below = self.shuffle_up(value, distance);
            if lane >= distance {
                combine(below, value)
            } else {
                value
            }
        };
        step(step(step(step(step(value, 1), 2), 4), 8), 16)
    }
}
