//! One barrier counts two loads, one after the other.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const SAME_PARITY_AGAIN: u32 = 1; //~ wrong-phase
const OLD_TOKEN_AGAIN: u32 = 2; //~ wrong-phase
const ARMED_TWICE: u32 = 3; //~ transaction-bytes

#[kernel(max_threads = 64, instances(BUG = CORRECT, SAME_PARITY_AGAIN, OLD_TOKEN_AGAIN, ARMED_TWICE))]
unsafe fn two_phases<const BUG: u32>(output: *mut u32, input: *const u32) {
    shared! {
        static TILES: [[u32; 64]; 2] align 128;
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    if thread == 0 {
        Barrier::init(BAR::ptr(), 64);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    let load = |half: u32| {
        let (to, from) = (TILES::ptr().at(half), input.add((64 * half) as usize));
        cp_async_bulk::shared_cluster_global(to.cast(), from.cast(), 256, bar.address());
    };

    if thread == 0 {
        load(0);
        bar.expect_tx(256);
        if BUG == ARMED_TWICE {
            bar.expect_tx(256);
        }
    }
    let first = bar.arrive();
    bar.wait_parity(0);
    let mut sum = TILES::ptr().at(0).at(thread).read();

    if thread == 0 {
        load(1);
        bar.expect_tx(256);
    }
    let second = bar.arrive();
    match BUG {
        SAME_PARITY_AGAIN => bar.wait_parity(0),
        OLD_TOKEN_AGAIN => bar.wait(first),
        _ => bar.wait(second),
    }
    sum += TILES::ptr().at(1).at(thread).read();
    *output.add(thread as usize) = sum;
}
