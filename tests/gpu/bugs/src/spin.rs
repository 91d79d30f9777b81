//! One warp waits in a loop for a write of the other.

use tma::{
    kernel, shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const FLAG_OF_ANOTHER_ROUND: u32 = 1; //~ endless
const COUNTS_PAST_THE_END: u32 = 2; //~ endless

#[kernel(max_threads = 64, instances(BUG = CORRECT, FLAG_OF_ANOTHER_ROUND, COUNTS_PAST_THE_END))]
unsafe fn spin<const BUG: u32>(output: *mut u32) {
    shared! {
        static FLAG: u32;
    }
    let thread = thread_idx().x;
    let flag = FLAG::ptr().as_ptr();
    if thread == 0 {
        flag.write_volatile(0);
    }
    sync_threads();
    if thread == 0 {
        flag.write_volatile(3);
    }
    if thread >= 32 {
        let expected = if BUG == FLAG_OF_ANOTHER_ROUND { 4 } else { 3 };
        while flag.read_volatile() != expected {}
    }
    let mut i = thread;
    let step = if BUG == COUNTS_PAST_THE_END { 48 } else { 64 };
    // Never true if a step passes it.
    while i != thread + 64 {
        output.add((i % 64) as usize).write_volatile(thread);
        i += step;
    }
}
