//! The position of a thread in its block and grid, and the block's barrier.
//!
//! Source: PTX ISA 10, "Special Registers"; 9.7.13.1, "bar, barrier".

use crate::ptx;

/// A position or an extent in three dimensions.
#[doc(alias = "dim3")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// The coordinate of the innermost dimension.
    pub x: u32,
    /// The coordinate of the middle dimension.
    pub y: u32,
    /// The coordinate of the outermost dimension.
    pub z: u32,
}

positions! {
    /// This thread's position in its block.
    #[doc(alias = "threadIdx")]
    thread_idx = tid;
    /// The number of threads of a block in each dimension.
    #[doc(alias = "blockDim")]
    block_dim = ntid;
    /// This block's position in the grid.
    #[doc(alias = "blockIdx")]
    block_idx = ctaid;
    /// The number of blocks of the grid in each dimension.
    #[doc(alias = "gridDim")]
    grid_dim = nctaid;
}

/// Waits until every thread of the block is here. Earlier writes of each thread are visible to all.
///
/// PTX: `bar.sync 0;`
///
/// # Safety
/// 1. Every thread of the block reaches this same call, the threads of a warp together.
#[doc(alias = "__syncthreads")]
#[inline(always)]
pub unsafe fn sync_threads() {
    // SAFETY: every thread of the block is at this call (1), so that barrier 0 has no other use meanwhile.
    unsafe { ptx::barrier_cta::sync_aligned_all(0) }
}

/// Returns whether this is the one thread of the block's first warp that issues copies.
///
/// One lane is chosen by `elect.sync`, which informs ptxas that a single thread runs the code that follows;
/// after a comparison with the thread's index, ptxas wraps every copy in a loop over the lanes.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
/// 2. The block is one-dimensional, and its threads are a multiple of 32.
#[doc(alias("elect_one_sync", "invoke_one"))]
#[inline(always)]
pub unsafe fn is_elected() -> bool {
    let warp = thread_idx().x / 32;
    // SAFETY: all lanes are here (1); the broadcast makes the warp's number uniform for ptxas.
    let warp = unsafe { ptx::shfl_sync::idx(u32::MAX, warp, 0) };
    // SAFETY: all lanes have the same `warp` and take the same way (1).
    warp == 0 && unsafe { ptx::elect_sync::elect(u32::MAX).1 }
}

/// Cycles of this multiprocessor, from some start on.
///
/// PTX: `mov.u64 value, %clock64;`
#[doc(alias = "clock64")]
#[inline(always)]
pub fn clock() -> u64 {
    ptx::clock::clock64()
}

/// Returns nanoseconds, the same for all threads; the time between two steps depends on the GPU.
///
/// PTX: `mov.u64 value, %globaltimer;`
#[doc(alias = "globaltimer")]
#[inline(always)]
pub fn nanoseconds() -> u64 {
    ptx::clock::globaltimer()
}

/// Pauses for about this long: from 0 to twice the time. Times above a millisecond count as one millisecond.
///
/// PTX: `nanosleep.u32`
#[doc(alias = "__nanosleep")]
#[inline(always)]
pub fn sleep(nanoseconds: u32) {
    ptx::nanosleep::u32(nanoseconds);
}

/// Ends the kernel with an error, as a panic does, without a message.
///
/// PTX: `trap`
#[doc(alias("__trap", "abort"))]
#[inline(always)]
pub fn trap() -> ! {
    #[cfg(target_arch = "nvptx64")]
    {
        core::intrinsics::abort()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    crate::ptx::macros::device_only("trap")
}
