//! A barrier in shared memory reports one warp's progress to the other.

use tma::{
    Barrier, kernel,
    ptx::mbarrier::Mbarrier,
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const NO_WAY_BACK: u32 = 1; //~ lapped-waiter
const SECOND_WARP_DOES_NOT_ARRIVE: u32 = 2; //~ lapped-waiter
const WAY_BACK_BEFORE_THE_WAIT: u32 = 3; //~ lapped-waiter

const ROUNDS: u32 = 6;

#[kernel(max_threads = 64, instances(BUG = CORRECT, NO_WAY_BACK, SECOND_WARP_DOES_NOT_ARRIVE, WAY_BACK_BEFORE_THE_WAIT))]
unsafe fn signal<const BUG: u32>(output: *mut u32) {
    shared! {
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    if thread == 0 {
        Barrier::init(
            BAR::ptr(),
            if BUG == SECOND_WARP_DOES_NOT_ARRIVE {
                32
            } else {
                1
            },
        );
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    for round in 0..ROUNDS {
        if BUG == SECOND_WARP_DOES_NOT_ARRIVE {
            // Meant as a barrier of both warps.
            if thread < 32 {
                let _ = bar.arrive();
            }
            bar.wait_parity(round % 2);
            continue;
        }
        if thread == 0 {
            let _ = bar.arrive();
        }
        if BUG == WAY_BACK_BEFORE_THE_WAIT {
            sync_threads();
        }
        if thread >= 32 {
            bar.wait_parity(round % 2);
        }
        if BUG != NO_WAY_BACK && BUG != WAY_BACK_BEFORE_THE_WAIT {
            sync_threads();
        }
    }
    *output.add(thread as usize) = thread;
}
