//! Numbers change places through shared memory.

use tma::{
    kernel, shared,
    thread::{sync_threads, thread_idx},
    warp,
};

const CORRECT: u32 = 0;
const NO_BARRIER: u32 = 1; //~ data-race
const BARRIER_OF_THE_WARP: u32 = 2; //~ data-race
const SECOND_USE_TOO_EARLY: u32 = 3; //~ data-race
const PADDING_READ: u32 = 4; //~ uninitialised-use
const HALF_WRITTEN: u32 = 5; //~ uninitialised-use
const BEHIND_THE_END: u32 = 6; //~ out-of-bounds
const FOUR_BYTES_AT_TWO: u32 = 7; //~ misaligned

#[kernel(max_threads = 64, instances(BUG = CORRECT, NO_BARRIER, BARRIER_OF_THE_WARP, SECOND_USE_TOO_EARLY, PADDING_READ, HALF_WRITTEN, BEHIND_THE_END, FOUR_BYTES_AT_TWO))]
unsafe fn reverse<const BUG: u32>(output: *mut u32) {
    shared! {
        // One number in nine is padding.
        static NUMBERS: [u32; 72];
    }
    let thread = thread_idx().x;
    let at = |i: u32| NUMBERS::ptr().at(i + i / 8);
    for round in 0..2 {
        if BUG != HALF_WRITTEN || thread < 32 {
            at(thread).write(100 * round + thread);
        }
        match BUG {
            NO_BARRIER => {}
            BARRIER_OF_THE_WARP => warp::sync_warp(),
            _ => sync_threads(),
        }
        let from = match BUG {
            PADDING_READ => NUMBERS::ptr().at(63 - thread),
            BEHIND_THE_END => NUMBERS::ptr().at(63 - thread + 70_000),
            FOUR_BYTES_AT_TWO => at(63 - thread).byte_add(2),
            _ => at(63 - thread),
        };
        *output.add((64 * round + thread) as usize) = from.read();
        if BUG != SECOND_USE_TOO_EARLY {
            sync_threads();
        }
    }
}
