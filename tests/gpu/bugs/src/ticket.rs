//! The block that takes the last ticket adds up the results of all threads of all blocks: every thread that writes, and
//! every thread that reads, executes a sequentially consistent fence.

use core::sync::atomic::{AtomicU32, Ordering, fence};

use tma::{
    kernel, shared,
    thread::{block_idx, grid_dim, sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const NO_FENCE_OF_THE_WRITERS: u32 = 1; //~ data-race
const NO_FENCE_OF_THE_READERS: u32 = 2; //~ data-race
const ACQUIRE_RELEASE: u32 = 3; //~ data-race

#[kernel(max_threads = 32, instances(BUG = CORRECT, NO_FENCE_OF_THE_WRITERS, NO_FENCE_OF_THE_READERS, ACQUIRE_RELEASE))]
unsafe fn ticket<const BUG: u32>(output: *mut u32, parts: *mut u32, count: *mut u32) {
    shared! {
        static IS_LAST: u32;
    }
    let (block, thread) = (block_idx().x, thread_idx().x);
    let order = match BUG {
        ACQUIRE_RELEASE => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    };
    *parts.add((32 * block + thread) as usize) = block + thread;
    if BUG != NO_FENCE_OF_THE_WRITERS {
        fence(order);
    }
    sync_threads();
    if thread == 0 {
        let before = AtomicU32::from_ptr(count).fetch_add(1, Ordering::Relaxed);
        IS_LAST::ptr().write(u32::from(before + 1 == grid_dim().x));
    }
    sync_threads();
    if IS_LAST::ptr().read() == 1 {
        if BUG != NO_FENCE_OF_THE_READERS {
            fence(order);
        }
        let mut sum = 0;
        for other in 0..grid_dim().x {
            sum += *parts.add((32 * other + thread) as usize);
        }
        *output.add(thread as usize) = sum;
    }
}
