//! One thread loads stages and a warp reads them, with `full` and `empty` barriers.

use tma::{
    Barrier, kernel,
    ptx::{
        cp_async_bulk,
        mbarrier::{self, Mbarrier},
    },
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const PARITY_NEVER_FLIPS: u32 = 1; //~ wrong-phase
const PARITY_FLIPS_WITH_EACH_STAGE: u32 = 2; //~ wrong-phase
const RELEASED_BEFORE_THE_READS: u32 = 3; //~ stage-still-read
const NOT_WAITED_UNTIL_EMPTY: u32 = 4; //~ mbarrier-overflow
const FIRST_WAIT_FOR_EMPTY_HANGS: u32 = 5; //~ deadlock
const EMPTY_COUNTS_TOO_MANY: u32 = 6; //~ deadlock
const ONE_LOAD_TOO_MANY: u32 = 7; //~ exit-with-copy-in-flight
const SECOND_BARRIER_NOT_INITIALISED: u32 = 8; //~ mbarrier-uninitialised
const WHOLE_WARP_ARRIVES: u32 = 9; //~ mbarrier-overflow
const EMPTY_COUNTS_TOO_FEW: u32 = 10; //~ mbarrier-overflow
const PRODUCER_ENDS_THE_BARRIERS: u32 = 11; //~ mbarrier-invalidated-in-use
const WAITS_FOR_THE_FIRST_STAGE_ALONE: u32 = 12; //~ mbarrier-overflow

const STAGES: u32 = 2;
const ROUNDS: u32 = 6;
const BYTES: u32 = 128;

#[kernel(
    max_threads = 64,
    instances(BUG = CORRECT, PARITY_NEVER_FLIPS, PARITY_FLIPS_WITH_EACH_STAGE, RELEASED_BEFORE_THE_READS, NOT_WAITED_UNTIL_EMPTY, FIRST_WAIT_FOR_EMPTY_HANGS, EMPTY_COUNTS_TOO_MANY, ONE_LOAD_TOO_MANY, SECOND_BARRIER_NOT_INITIALISED, WHOLE_WARP_ARRIVES, EMPTY_COUNTS_TOO_FEW, PRODUCER_ENDS_THE_BARRIERS, WAITS_FOR_THE_FIRST_STAGE_ALONE)
)]
unsafe fn full_empty<const BUG: u32>(output: *mut u32, input: *const u32) {
    shared! {
        static TILES: [[u32; 32]; 2] align 128;
        static FULL: [Mbarrier; 2];
        static EMPTY: [Mbarrier; 2];
    }
    let thread = thread_idx().x;
    if thread == 0 {
        let consumers = match BUG {
            EMPTY_COUNTS_TOO_MANY => 33,
            EMPTY_COUNTS_TOO_FEW => 16,
            _ => 32,
        };
        for stage in 0..STAGES {
            if BUG != SECOND_BARRIER_NOT_INITIALISED || stage == 0 {
                Barrier::init(FULL::ptr().at(stage), 1);
            }
            Barrier::init(EMPTY::ptr().at(stage), consumers);
        }
    }
    sync_threads();
    let full = |stage: u32| Barrier::assume_init(FULL::ptr().at(stage));
    let empty = |stage: u32| Barrier::assume_init(EMPTY::ptr().at(stage));

    if thread / 32 == 0 {
        let loads = if BUG == ONE_LOAD_TOO_MANY {
            ROUNDS + 1
        } else {
            ROUNDS
        };
        for round in 0..loads {
            let (stage, turn) = (round % STAGES, round / STAGES);
            if thread == 0 {
                match BUG {
                    NOT_WAITED_UNTIL_EMPTY => {}
                    WAITS_FOR_THE_FIRST_STAGE_ALONE => empty(0).wait_parity((turn % 2) ^ 1),
                    FIRST_WAIT_FOR_EMPTY_HANGS => empty(stage).wait_parity(turn % 2),
                    _ => empty(stage).wait_parity((turn % 2) ^ 1),
                }
            }
            if thread == 0 || BUG == WHOLE_WARP_ARRIVES {
                let _ = full(stage).arrive_expect_tx(BYTES);
            }
            if thread == 0 {
                let from = input.add((round % ROUNDS * 32) as usize);
                let to = TILES::ptr().at(stage).cast();
                cp_async_bulk::shared_cluster_global(to, from.cast(), BYTES, full(stage).address());
            }
        }
        if BUG == PRODUCER_ENDS_THE_BARRIERS && thread == 0 {
            mbarrier::inval(FULL::ptr().at(0));
        }
    } else {
        for round in 0..ROUNDS {
            let (stage, turn) = (round % STAGES, round / STAGES);
            match BUG {
                PARITY_NEVER_FLIPS => full(stage).wait_parity(0),
                PARITY_FLIPS_WITH_EACH_STAGE => full(stage).wait_parity(round % 2),
                _ => full(stage).wait_parity(turn % 2),
            }
            if BUG == RELEASED_BEFORE_THE_READS {
                let _ = empty(stage).arrive();
            }
            let number = TILES::ptr().at(stage).at(63 - thread).read();
            if BUG != RELEASED_BEFORE_THE_READS {
                let _ = empty(stage).arrive();
            }
            *output.add((round * 32 + thread % 32) as usize) = number;
        }
    }
}
