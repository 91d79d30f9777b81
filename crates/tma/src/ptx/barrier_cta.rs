//! `bar.sync`, the barrier of the block. PTX ISA 9.7.13.1.

/// `bar.sync barrier;` — waits for every thread of the block.
///
/// # Safety
/// 1. Every thread of the block reaches this same call, the threads of a warp together.
/// 2. `barrier` is 0 to 15 and no other use of that barrier is under way.
#[doc(alias = "__syncthreads")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn sync_aligned_all(barrier: u32) {
    // SAFETY: every thread of the block takes part (1), in a barrier that has no other use (2).
    unsafe { crate::ptx::intrinsics::barrier_cta_sync_aligned_all(barrier) }
}

/// `bar.sync barrier, threads;` — waits for `threads` threads, a multiple of 32.
///
/// # Safety
/// 1. Warps with `threads` threads in all reach calls with this barrier and number, the
///    threads of a warp together.
/// 2. `barrier` is 0 to 15 and no other use of that barrier is under way.
#[doc(alias = "__barrier_sync_count")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn sync_aligned_count(barrier: u32, threads: u32) {
    // SAFETY: `threads` threads in whole warps take part (1), in a barrier that has no other use (2).
    unsafe { crate::ptx::intrinsics::barrier_cta_sync_aligned_count(barrier, threads) }
}
