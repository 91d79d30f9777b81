//! A barrier is made, used by all threads, and unmade, so that its memory serves something else.

use tma::{
    Barrier, kernel,
    ptx::mbarrier::{self, Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const NO_BARRIER_BEFORE_THE_END: u32 = 1; //~ mbarrier-invalidated-in-use
const MEMORY_USED_WITHOUT_END: u32 = 2; //~ mbarrier-overwritten
const MADE_AGAIN_WITHOUT_END: u32 = 3; //~ mbarrier-overwritten
const USED_AFTER_THE_END: u32 = 4; //~ mbarrier-invalidated
const NOT_MADE_AGAIN: u32 = 5; //~ mbarrier-invalidated
const NEVER_MADE: u32 = 6; //~ mbarrier-uninitialised
const NO_BARRIER_AFTER_THE_INIT: u32 = 7; //~ mbarrier-init-not-published
const BARRIER_OF_THE_WARP: u32 = 8; //~ mbarrier-init-not-published
const SYNCHRONISED_BY_A_FLAG: u32 = 9; //~ mbarrier-init-not-published
const ENDED_WITH_THE_LAST_WAIT_AHEAD: u32 = 10; //~ mbarrier-invalidated
const COUNTS_TOO_MANY: u32 = 11; //~ deadlock

#[kernel(
    max_threads = 64,
    instances(BUG = CORRECT, NO_BARRIER_BEFORE_THE_END, MEMORY_USED_WITHOUT_END, MADE_AGAIN_WITHOUT_END, USED_AFTER_THE_END, NOT_MADE_AGAIN, NEVER_MADE, NO_BARRIER_AFTER_THE_INIT, BARRIER_OF_THE_WARP, SYNCHRONISED_BY_A_FLAG, ENDED_WITH_THE_LAST_WAIT_AHEAD, COUNTS_TOO_MANY)
)]
unsafe fn barrier_life<const BUG: u32>(output: *mut u32) {
    shared! {
        static NUMBERS: [u32; 64];
        static BAR: Mbarrier;
        static FLAG: u32;
    }
    let thread = thread_idx().x;
    let count = if BUG == COUNTS_TOO_MANY { 65 } else { 64 };
    let flag = FLAG::ptr().as_ptr();
    if BUG == SYNCHRONISED_BY_A_FLAG {
        if thread == 0 {
            flag.write_volatile(0);
        }
        sync_threads();
    }
    if thread == 0 && BUG != NEVER_MADE {
        Barrier::init(BAR::ptr(), count);
    }
    match BUG {
        NO_BARRIER_AFTER_THE_INIT => {}
        BARRIER_OF_THE_WARP => tma::warp::sync_warp(),
        // Volatile accesses do not order others.
        SYNCHRONISED_BY_A_FLAG => {
            if thread == 0 {
                flag.write_volatile(1);
            }
            while flag.read_volatile() == 0 {}
        }
        _ => sync_threads(),
    }

    let bar = Barrier::assume_init(BAR::ptr());
    NUMBERS::ptr().at(thread).write(thread);
    let token = bar.arrive();
    if BUG == ENDED_WITH_THE_LAST_WAIT_AHEAD {
        sync_threads();
        if thread == 0 {
            mbarrier::inval(BAR::ptr());
        }
        sync_threads();
    }
    bar.wait(token);
    let number = NUMBERS::ptr().at(63 - thread).read();

    if BUG != NO_BARRIER_BEFORE_THE_END {
        sync_threads();
    }
    let unmade = !matches!(
        BUG,
        MEMORY_USED_WITHOUT_END | MADE_AGAIN_WITHOUT_END | ENDED_WITH_THE_LAST_WAIT_AHEAD
    );
    if thread == 0 && unmade {
        mbarrier::inval(BAR::ptr());
    }
    if thread == 0 && BUG == MEMORY_USED_WITHOUT_END {
        BAR::ptr().cast::<u32>().write(7);
    }
    if BUG == NO_BARRIER_BEFORE_THE_END || BUG == ENDED_WITH_THE_LAST_WAIT_AHEAD {
        *output.add(thread as usize) = number;
        return;
    }
    if BUG == USED_AFTER_THE_END {
        sync_threads();
        let _ = bar.arrive();
        sync_threads();
    }

    // The same memory is a barrier again.
    if thread == 0 && BUG != NOT_MADE_AGAIN && BUG != MEMORY_USED_WITHOUT_END {
        Barrier::init(BAR::ptr(), 64);
    }
    sync_threads();
    if BUG != USED_AFTER_THE_END && BUG != MEMORY_USED_WITHOUT_END {
        let token = bar.arrive();
        bar.wait(token);
    }
    *output.add(thread as usize) = number;
}
