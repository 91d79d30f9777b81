//! All stages are loaded at the start, and read in turn.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const ALWAYS_THE_FIRST_BARRIER: u32 = 1; //~ read-before-completion
const LAST_STAGE_NOT_WAITED_FOR: u32 = 2; //~ read-before-completion
const LAST_STAGE_NOT_USED: u32 = 3; //~ exit-with-copy-in-flight

#[kernel(max_threads = 32, instances(BUG = CORRECT, ALWAYS_THE_FIRST_BARRIER, LAST_STAGE_NOT_WAITED_FOR, LAST_STAGE_NOT_USED))]
unsafe fn stages_once<const BUG: u32>(output: *mut u32, input: *const u32) {
    shared! {
        static TILES: [[u32; 32]; 3] align 128;
        static BARS: [Mbarrier; 3];
    }
    let thread = thread_idx().x;
    let bar = |stage: u32| Barrier::assume_init(BARS::ptr().at(stage));
    if thread == 0 {
        for stage in 0..3 {
            Barrier::init(BARS::ptr().at(stage), 1);
        }
    }
    sync_threads();
    if thread == 0 {
        for stage in 0..3 {
            let (to, from) = (TILES::ptr().at(stage), input.add((32 * stage) as usize));
            let _ = bar(stage).arrive_expect_tx(128);
            cp_async_bulk::shared_cluster_global(to.cast(), from.cast(), 128, bar(stage).address());
        }
    }
    for stage in 0..3 {
        match BUG {
            LAST_STAGE_NOT_USED if stage == 2 => return,
            LAST_STAGE_NOT_WAITED_FOR if stage == 2 => {}
            ALWAYS_THE_FIRST_BARRIER => bar(0).wait_parity(0),
            _ => bar(stage).wait_parity(0),
        }
        let number = TILES::ptr().at(stage).at(thread).read();
        *output.add((32 * stage + thread) as usize) = number;
    }
}
