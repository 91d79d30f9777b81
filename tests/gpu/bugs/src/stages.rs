//! A pipeline of the typed layer, whose threads release their stages.

use tma::{Block, kernel, pipeline, shared};

const CORRECT: u32 = 0;
const ONE_WARP_KEEPS_A_STAGE: u32 = 1; //~ deadlock
const ONE_LANE_KEEPS_A_STAGE: u32 = 2; //~ deadlock
const SOME_NUMBERS_ARE_SKIPPED: u32 = 3; //~ deadlock

const STAGES: u32 = 2;
const ROUNDS: u32 = 6;
const LEN: u32 = 64;

#[kernel(
    max_threads = 96,
    shared_bytes = pipeline::bytes::<u32>(STAGES, LEN as u64),
    instances(BUG = CORRECT, ONE_WARP_KEEPS_A_STAGE, ONE_LANE_KEEPS_A_STAGE, SOME_NUMBERS_ARE_SKIPPED)
)]
unsafe fn stages<const BUG: u32>(output: *mut u32, input: *const u32) {
    let block = Block::converged();
    let pipeline = block.pipeline::<u32, STAGES>(shared::dynamic::<_, 16>(), LEN);
    pipeline.split(
        |mut fill| {
            for round in 0..ROUNDS {
                let from = input.add((round * LEN) as usize);
                fill.next().copy(from, LEN * 4);
            }
        },
        |workers, mut drain| {
            let thread = workers.thread();
            for round in 0..ROUNDS {
                let stage = drain.next();
                let number = stage.get(LEN - 1 - thread);
                let keeps = match BUG {
                    ONE_WARP_KEEPS_A_STAGE => round == 1 && thread >= 32,
                    ONE_LANE_KEEPS_A_STAGE => round == 0 && thread == 37,
                    SOME_NUMBERS_ARE_SKIPPED => number % 7 == 0,
                    _ => false,
                };
                *output.add((round * LEN + thread) as usize) = number;
                if !keeps {
                    stage.release();
                }
            }
        },
    );
}
