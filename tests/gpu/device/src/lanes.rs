use tma::{
    kernel,
    ptx::{barrier_cta, shfl_sync, vote_sync},
    shared,
    thread::{is_elected, sync_threads, thread_idx},
    warp::{self, ALL_LANES, ballot, broadcast, lane},
};

/// Writes the results of shuffles, votes and elections for each thread of one block.
///
/// # Safety
/// 1. `output` has 11 numbers for each thread; the block is one-dimensional and of whole warps.
#[kernel]
pub unsafe fn lanes(output: *mut u32) {
    let thread = thread_idx().x;
    let value = 100 * thread;
    // SAFETY: every thread of the warp is here.
    let results = unsafe {
        [
            lane(),
            broadcast(value, 5),
            shfl_sync::idx(ALL_LANES, value, 31 - lane()),
            shfl_sync::up(ALL_LANES, value, 1),
            shfl_sync::down(ALL_LANES, value, 2),
            shfl_sync::bfly(ALL_LANES, value, 3),
            ballot(lane().is_multiple_of(3)),
            u32::from(vote_sync::all(ALL_LANES, thread < 33)),
            u32::from(vote_sync::any(ALL_LANES, thread == 31)),
            u32::from(vote_sync::any(ALL_LANES, is_elected())),
            ballot(is_elected()).count_ones(),
        ]
    };
    // SAFETY: every thread of the warp is here.
    unsafe { warp::sync_warp() };
    for (index, result) in results.into_iter().enumerate() {
        // SAFETY: eleven numbers for each thread (1).
        unsafe { *output.add(thread as usize * 11 + index) = result };
    }
}

/// Both halves of a block synchronise at barriers of their own, then all at the block's.
///
/// # Safety
/// 1. `output` has a number for each of the block's 128 threads.
#[kernel(max_threads = 128)]
pub unsafe fn half_barriers(output: *mut u32) {
    shared! {
        static NUMBERS: [u32; 128];
    }
    let thread = thread_idx().x;
    let half = thread / 64;
    let numbers = NUMBERS::ptr();
    // SAFETY: the array has a number for each thread.
    unsafe { numbers.at(thread).write(thread) };
    // SAFETY: 64 threads, two whole warps, reach each of the barriers 1 and 2.
    unsafe { barrier_cta::sync_aligned_count(1 + half, 64) };
    // SAFETY: the half's numbers were written before its barrier.
    let opposite = unsafe { numbers.at(half * 64 + (63 - thread % 64)).read() };
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: all numbers were written before; a number for each thread (1).
    unsafe { *output.add(thread as usize) = 1000 * opposite + numbers.at(127 - thread).read() };
}
