//! The last block to finish adds up the results of all blocks.

use core::sync::atomic::{AtomicU32, Ordering, fence};

use tma::{
    kernel, shared,
    thread::{block_idx, grid_dim, sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const NO_FENCE_BEFORE_THE_COUNT: u32 = 1; //~ data-race
const NO_FENCE_AFTER_THE_COUNT: u32 = 2; //~ data-race
const FENCE_BEFORE_THE_BARRIER: u32 = 3; //~ data-race
const RELEASE_OF_THE_COMPILER: u32 = 4; //~ data-race

#[kernel(max_threads = 32, instances(BUG = CORRECT, NO_FENCE_BEFORE_THE_COUNT, NO_FENCE_AFTER_THE_COUNT, FENCE_BEFORE_THE_BARRIER, RELEASE_OF_THE_COMPILER))]
unsafe fn last_block<const BUG: u32>(output: *mut u32, parts: *mut u32, count: *mut u32) {
    shared! {
        static IS_LAST: u32;
    }
    let (block, thread) = (block_idx().x, thread_idx().x);
    let count = AtomicU32::from_ptr(count);
    *parts.add((32 * block + thread) as usize) = block + thread;
    if BUG == FENCE_BEFORE_THE_BARRIER {
        fence(Ordering::AcqRel);
    }
    sync_threads();
    if thread == 0 {
        let fences = !matches!(
            BUG,
            NO_FENCE_BEFORE_THE_COUNT | FENCE_BEFORE_THE_BARRIER | RELEASE_OF_THE_COMPILER
        );
        if fences {
            fence(Ordering::AcqRel);
        }
        let before = match BUG {
            // LLVM turns it into a relaxed addition.
            RELEASE_OF_THE_COMPILER => count.fetch_add(1, Ordering::AcqRel),
            _ => count.fetch_add(1, Ordering::Relaxed),
        };
        if BUG != NO_FENCE_AFTER_THE_COUNT {
            fence(Ordering::AcqRel);
        }
        IS_LAST::ptr().write(u32::from(before + 1 == grid_dim().x));
    }
    sync_threads();
    if IS_LAST::ptr().read() == 1 {
        let mut sum = 0;
        for other in 0..grid_dim().x {
            sum += *parts.add((32 * other + thread) as usize);
        }
        *output.add(thread as usize) = sum;
    }
}
