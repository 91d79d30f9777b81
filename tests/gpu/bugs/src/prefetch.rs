//! Loads run ahead of the work; all threads synchronise before a stage is filled again.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const REFILLED_BEFORE_THE_BARRIER: u32 = 1; //~ stage-still-read read-before-completion
const NO_BARRIER: u32 = 2; //~ stage-still-read
const PARITY_OF_THE_BATCH: u32 = 3; //~ wrong-phase
const PREFETCHED_TOO_FAR: u32 = 4; //~ exit-with-copy-in-flight
const STAGES_OF_1000_BYTES: u32 = 5; //~ misaligned
const LEAVES_EARLY: u32 = 6; //~ exit-with-copy-in-flight
const SUM_IN_A_LOADED_STAGE: u32 = 7; //~ destination-overwritten

const STAGES: u32 = 3;
const BATCHES: u32 = 8;
const BYTES: u32 = 256;

#[kernel(max_threads = 64, instances(BUG = CORRECT, REFILLED_BEFORE_THE_BARRIER, NO_BARRIER, PARITY_OF_THE_BATCH, PREFETCHED_TOO_FAR, STAGES_OF_1000_BYTES, LEAVES_EARLY, SUM_IN_A_LOADED_STAGE))]
unsafe fn prefetch<const BUG: u32>(output: *mut u32, input: *const u32) {
    let thread = thread_idx().x;
    shared! {
        static BARS: [Mbarrier; 3];
    }
    let data = shared::dynamic::<u32, 128>();
    let stage_bytes = if BUG == STAGES_OF_1000_BYTES {
        1000
    } else {
        1024
    };
    let stage_data = |stage: u32| data.byte_add(stage * stage_bytes);
    let bar = |stage: u32| Barrier::assume_init(BARS::ptr().at(stage));
    if thread == 0 {
        for stage in 0..STAGES {
            Barrier::init(BARS::ptr().at(stage), 1);
        }
    }
    sync_threads();

    let fetch = |batch: u32| {
        let stage = batch % STAGES;
        let from = input.add((batch % BATCHES * 64) as usize);
        let _ = bar(stage).arrive_expect_tx(BYTES);
        let (to, bar) = (stage_data(stage), bar(stage));
        cp_async_bulk::shared_cluster_global(to.cast(), from.cast(), BYTES, bar.address());
    };
    if thread == 0 {
        for batch in 0..STAGES {
            fetch(batch);
        }
    }
    for batch in 0..BATCHES {
        let stage = batch % STAGES;
        let parity = if BUG == PARITY_OF_THE_BATCH {
            batch
        } else {
            batch / STAGES
        };
        bar(stage).wait_parity(parity % 2);
        if BUG == LEAVES_EARLY && batch == 2 {
            return;
        }
        let last = match BUG {
            PREFETCHED_TOO_FAR => BATCHES + 1,
            _ => BATCHES,
        };
        if BUG == REFILLED_BEFORE_THE_BARRIER && thread == 0 && batch + STAGES < last {
            fetch(batch + STAGES);
        }
        let number = stage_data(stage).add(thread).read();
        if BUG == SUM_IN_A_LOADED_STAGE && batch == 5 {
            // Meant as scratch memory, though the load of the last batch into it is in flight.
            stage_data(1).add(thread).write(number);
        }
        *output.add((batch * 64 + thread) as usize) = number;
        if BUG != NO_BARRIER {
            sync_threads();
        }
        if BUG != REFILLED_BEFORE_THE_BARRIER && thread == 0 && batch + STAGES < last {
            fetch(batch + STAGES);
        }
    }
}
