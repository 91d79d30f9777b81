//! The kernel, compiled to PTX by `build.rs`. For the host it is a function that makes its launch.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{Block, kernel, math::approx::exp2, shared};

/// The most columns of a row.
pub const MOST_COLUMNS: u32 = 1024;
/// Rows that a block keeps in shared memory, in flight or loaded.
pub const STAGES: u32 = 3;
/// Threads of a block: a producer warp and a consumer warp.
pub const THREADS: u32 = 64;

/// Writes the softmax of each row: `exp(x - max) / sum`, where `max` is the row's greatest number and
/// `sum` is the sum of all `exp(x - max)`.
///
/// Block `b` takes the rows `b`, `b + blocks`, and so on.
///
/// # Safety
/// 1. `input` and `output` point to `rows * columns` numbers of global memory, row by row, that no
///    other code uses while the kernel runs.
/// 2. Both are multiples of 16 bytes, and `columns` is a multiple of 4: a bulk copy moves 16 bytes at
///    a time. `columns` is 4 to [`MOST_COLUMNS`].
/// 3. Grid and blocks are one-dimensional; a block has [`THREADS`] threads. `rows` and the blocks
///    together are fewer than 2^32.
#[kernel(max_threads = 64, shared_bytes = tma::pipeline::bytes::<f32>(STAGES, MOST_COLUMNS.into()))]
pub unsafe fn softmax(output: *mut f32, input: *const f32, rows: u32, columns: u32) {
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let stages = shared::dynamic::<f32, 128>();
    let pipeline = block.storing_pipeline::<_, STAGES>(stages, MOST_COLUMNS);
    let start = |row: u32| row as usize * columns as usize;
    pipeline.split(
        |mut fill| {
            for row in block.items(rows) {
                let stage = fill.next().with_item(row);
                // SAFETY: the row is in the input (1), aligned, and fits into the stage (2).
                unsafe { stage.copy(input.add(start(row)), 4 * columns) };
            }
            fill.finish();
        },
        |worker, mut drain| {
            while let Some((row, stage)) = drain.next_item() {
                let mut numbers = stage.own(worker, columns);
                let max = numbers.fold(f32::NEG_INFINITY, f32::max);
                let max = worker.warp().reduce(max, f32::max);

                let power = |number| exp2((number - max) * core::f32::consts::LOG2_E);
                numbers.update(power);
                let sum = numbers.fold(0.0, |a, b| a + b);
                let sum = worker.warp().reduce(sum, |a, b| a + b);

                numbers.update(|power| power / sum);
                // SAFETY: the row is in the output (1), aligned (2).
                drain.store(stage, |stores, stage| unsafe {
                    stores.bulk(output.add(start(row)).cast(), stage.cast(), 4 * columns);
                });
            }
            drain.finish();
        },
    );
}
