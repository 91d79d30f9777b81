//! The pipeline of `items_of_a_pipeline` with barriers.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const AS_MANY_AS_STAGES: u32 = 1; //~ stages-filled-once strict
const WAITS_FROM_THE_SECOND_ROUND: u32 = 2; //~ stages-filled-once strict

const STAGES: u32 = 2;
const BYTES: u32 = 128;

/// The first round of stages is free: the producer waits for the phase before it, or does not wait.
#[kernel(max_threads = 64, instances(BUG = CORRECT, AS_MANY_AS_STAGES, WAITS_FROM_THE_SECOND_ROUND))]
unsafe fn items_of_barriers<const BUG: u32>(output: *mut u32, input: *const u32) {
    shared! {
        static TILES: [[u32; 32]; 2] align 128;
        static FULL: [Mbarrier; 2];
        static EMPTY: [Mbarrier; 2];
    }
    let thread = thread_idx().x;
    if thread == 0 {
        for stage in 0..STAGES {
            Barrier::init(FULL::ptr().at(stage), 1);
            Barrier::init(EMPTY::ptr().at(stage), 32);
        }
    }
    sync_threads();
    let full = |stage: u32| Barrier::assume_init(FULL::ptr().at(stage));
    let empty = |stage: u32| Barrier::assume_init(EMPTY::ptr().at(stage));
    for item in 0..const { if BUG == CORRECT { 6 } else { STAGES } } {
        let (stage, turn) = (item % STAGES, item / STAGES);
        let tile = TILES::ptr().at(stage);
        if thread == 0 {
            if turn > 0 || BUG != WAITS_FROM_THE_SECOND_ROUND {
                empty(stage).wait_parity((turn % 2) ^ 1);
            }
            let _ = full(stage).arrive_expect_tx(BYTES);
            let from = input.add(32 * item as usize);
            cp_async_bulk::shared_cluster_global(
                tile.cast(),
                from.cast(),
                BYTES,
                full(stage).address(),
            );
        }
        if thread >= 32 {
            full(stage).wait_parity(turn % 2);
            let number = tile.at(thread - 32).read();
            let _ = empty(stage).arrive();
            *output.add((32 * item + thread - 32) as usize) = number;
        }
    }
}
