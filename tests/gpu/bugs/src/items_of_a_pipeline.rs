//! Pipelines that work on more items than they have stages, or on too few to fill a stage again.

use tma::{
    Barrier, Block, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const AS_MANY_AS_STAGES: u32 = 1;
const A_SINGLE_ONE: u32 = 2;
const WAITS_FROM_THE_SECOND_ROUND: u32 = 3;

const STAGES: u32 = 2;
const BYTES: u32 = 128;

const fn items(bug: u32) -> u32 {
    match bug {
        AS_MANY_AS_STAGES | WAITS_FROM_THE_SECOND_ROUND => STAGES,
        A_SINGLE_ONE => 1,
        _ => 6,
    }
}

/// The kernel with the typed layer.
#[kernel(
    max_threads = 64,
    instances(BUG = CORRECT, AS_MANY_AS_STAGES, A_SINGLE_ONE),
    shared_bytes = tma::pipeline::bytes::<u32>(STAGES, 32)
)]
unsafe fn items_of_a_pipeline<const BUG: u32>(output: *mut u32, input: *const u32) {
    let block = Block::converged();
    let pipeline = block.pipeline::<u32, STAGES>(shared::dynamic::<_, 16>(), 32);
    pipeline.split(
        |mut fill| {
            for item in 0..const { items(BUG) } {
                fill.next().copy(input.add(32 * item as usize), BYTES);
            }
        },
        |workers, mut drain| {
            for item in 0..const { items(BUG) } {
                let stage = drain.next();
                let number = stage.get(workers.thread());
                *output.add((32 * item + workers.thread()) as usize) = number;
                stage.release();
            }
        },
    );
}

/// The kernel with barriers. The first round of stages is free: the producer waits for the phase before it, or does not wait.
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
    for item in 0..const { items(BUG) } {
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
