//! All blocks count into the same bins in global memory.

use core::sync::atomic::{AtomicU32, Ordering};

use tma::{
    kernel,
    thread::{block_idx, thread_idx},
};

const CORRECT: u32 = 0;
const PLAIN_ADDITIONS: u32 = 1; //~ data-race
const ZEROED_BY_THE_FIRST_BLOCK: u32 = 2; //~ data-race
const PAST_THE_LAST_BIN: u32 = 3; //~ out-of-bounds
const INDEX_CHECKED_BY_RUST: u32 = 4; //~ panicked
const ASSERTION: u32 = 5; //~ panicked
const TRAP_OF_A_THREAD: u32 = 6; //~ trapped
const TRAP_OF_A_BLOCK: u32 = 7; //~ trapped

const BINS: usize = 16;

#[kernel(max_threads = 32, instances(BUG = CORRECT, PLAIN_ADDITIONS, ZEROED_BY_THE_FIRST_BLOCK, PAST_THE_LAST_BIN, INDEX_CHECKED_BY_RUST, ASSERTION, TRAP_OF_A_THREAD, TRAP_OF_A_BLOCK))]
unsafe fn histogram<const BUG: u32>(bins: *mut u32) {
    let (block, thread) = (block_idx().x, thread_idx().x);
    let number = (7 * thread + block) as usize;
    let bin = match BUG {
        PAST_THE_LAST_BIN if block == 3 && thread == 31 => 1 << 20,
        _ => number % BINS,
    };
    if BUG == ZEROED_BY_THE_FIRST_BLOCK && block == 0 && thread == 0 {
        bins.write(0);
    }
    if BUG == INDEX_CHECKED_BY_RUST {
        let all = core::slice::from_raw_parts(bins.cast::<AtomicU32>(), BINS);
        all[number % (BINS + 1)].fetch_add(1, Ordering::Relaxed);
        return;
    }
    if BUG == ASSERTION {
        assert!(number < 200, "the number has no bin");
    }
    let traps = match BUG {
        TRAP_OF_A_THREAD => block == 1 && thread == 7,
        TRAP_OF_A_BLOCK => block == 2,
        _ => false,
    };
    if traps {
        #[cfg(target_arch = "nvptx64")]
        core::arch::nvptx::trap();
    }
    match BUG {
        PLAIN_ADDITIONS => *bins.add(bin) += 1,
        _ => {
            AtomicU32::from_ptr(bins.add(bin)).fetch_add(1, Ordering::Relaxed);
        }
    }
}
