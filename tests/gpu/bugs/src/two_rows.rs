//! Two warps read one row each, of the same bytes and counted by the same barrier, one after the other.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const SECOND_WARP_SKIPS_A_PHASE: u32 = 1; //~ wrong-phase
const SKIPS_AFTER_A_BARRIER_TOO_EARLY: u32 = 2; //~ wrong-phase

#[kernel(max_threads = 96, instances(BUG = CORRECT, SECOND_WARP_SKIPS_A_PHASE, SKIPS_AFTER_A_BARRIER_TOO_EARLY))]
unsafe fn two_rows<const BUG: u32>(output: *mut u32, input: *const u32) {
    shared! {
        static ROW: [u32; 32] align 128;
        static FULL: Mbarrier;
        static EMPTY: Mbarrier;
    }
    let (thread, warp) = (thread_idx().x, thread_idx().x / 32);
    if thread == 0 {
        Barrier::init(FULL::ptr(), 1);
        Barrier::init(EMPTY::ptr(), 32);
    }
    sync_threads();
    let full = Barrier::assume_init(FULL::ptr());
    let empty = Barrier::assume_init(EMPTY::ptr());
    let load = |row: u32| {
        let from = input.add((32 * row) as usize);
        let _ = full.arrive_expect_tx(128);
        cp_async_bulk::shared_cluster_global(ROW::ptr().cast(), from.cast(), 128, full.address());
    };
    if BUG == SKIPS_AFTER_A_BARRIER_TOO_EARLY {
        sync_threads();
    }
    match warp {
        0 if thread == 0 => {
            load(0);
            empty.wait_parity(0);
            load(1);
        }
        1 => {
            full.wait_parity(0);
            *output.add((thread - 32) as usize) = ROW::ptr().at(thread - 32).read();
            if BUG == CORRECT {
                tma::ptx::barrier_cta::sync_aligned_count(1, 64);
            }
            let _ = empty.arrive();
        }
        2 => {
            if BUG == CORRECT {
                // The other warp has waited for phase 0.
                tma::ptx::barrier_cta::sync_aligned_count(1, 64);
            }
            full.wait_parity(1);
            *output.add((thread - 32) as usize) = ROW::ptr().at(thread - 64).read();
        }
        _ => {}
    }
}
