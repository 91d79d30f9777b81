//! The 32 threads of a warp: lanes, shuffles and votes among all of them.
//!
//! Source: PTX ISA 9.7.9.6, "shfl.sync"; 9.7.13.9, "vote.sync".

use crate::ptx;

/// Every lane of a warp.
pub const ALL_LANES: u32 = u32::MAX;

/// This thread's lane, 0 to 31.
#[inline(always)]
pub fn lane() -> u32 {
    // SAFETY: reading a special register has no conditions.
    unsafe { ptx::sreg::laneid() }
}

/// The value that lane `lane` passes, in every lane.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
#[doc(alias = "__shfl_sync")]
#[inline(always)]
pub unsafe fn broadcast(value: u32, lane: u32) -> u32 {
    // SAFETY: (1) is the caller's.
    unsafe { ptx::shfl_sync::idx(ALL_LANES, value, lane) }
}

/// A bit for each lane that passes `true`.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
#[doc(alias = "__ballot_sync")]
#[inline(always)]
pub unsafe fn ballot(predicate: bool) -> u32 {
    // SAFETY: (1) is the caller's.
    unsafe { ptx::vote_sync::ballot(ALL_LANES, predicate) }
}

/// Waits for all threads of the warp; what each wrote before is visible to all after.
///
/// # Safety
/// 1. Every thread of the warp reaches a call of this function.
#[doc(alias = "__syncwarp")]
#[inline(always)]
pub unsafe fn sync_warp() {
    // SAFETY: (1) is the caller's.
    unsafe { ptx::barrier_warp::sync(ALL_LANES) }
}

/// Is this the one lane of the warp that is to issue a copy?
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
#[doc(alias("elect_one_sync", "invoke_one"))]
#[inline(always)]
pub unsafe fn is_elected() -> bool {
    // SAFETY: (1) is the caller's.
    unsafe { ptx::elect_sync::elect(ALL_LANES).1 }
}

/// This thread's warp in its block, the same in all lanes for ptxas too.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
/// 2. The block is one-dimensional.
#[inline(always)]
pub unsafe fn index() -> u32 {
    // SAFETY: (1) is the caller's.
    unsafe { broadcast(crate::thread::thread_idx().x / 32, 0) }
}
