//! A pipeline that works on more items than it has stages, or on too few to fill a stage again.

use tma::{Block, kernel, shared};

const CORRECT: u32 = 0;
const AS_MANY_AS_STAGES: u32 = 1; //~ stages-filled-once strict
const A_SINGLE_ONE: u32 = 2; //~ stages-filled-once strict

const STAGES: u32 = 2;
const BYTES: u32 = 128;

const fn items(bug: u32) -> u32 {
    match bug {
        AS_MANY_AS_STAGES => STAGES,
        A_SINGLE_ONE => 1,
        _ => 6,
    }
}

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
