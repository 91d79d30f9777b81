//! The kernels, compiled to PTX by `build.rs`. For the host they compile too, for editors.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{Block, Tile, TileMap, kernel, pipeline, shared};

/// The number of columns of a tile: each consumer thread has one.
pub const COLUMNS: u32 = 64;
/// The number of rows of a tile.
pub const ROWS: u32 = 16;
/// The number of tiles in shared memory: while one is summed, the others are loaded.
pub const STAGES: u32 = 3;
/// The number of threads of a block: a producer warp, and a consumer for each column.
pub const THREADS: u32 = 32 + COLUMNS;

/// The box of the map: `ROWS` rows of `COLUMNS` numbers.
pub type Rows = [[f32; COLUMNS as usize]; ROWS as usize];

/// Sums each column of a matrix; each block has `COLUMNS` of them.
///
/// # Safety
/// 1. `map` is over a matrix of `columns` by `rows` numbers that no thread writes while the kernel runs.
/// 2. `sums` points to `columns` numbers that no other code uses while the kernel runs.
/// 3. Blocks have `THREADS` threads, grid and blocks are one-dimensional, and the launch has the shared memory.
#[kernel(max_threads = 96, shared_bytes = pipeline::bytes::<Tile<Rows>>(STAGES, 1))]
pub unsafe fn {{kernel_name}}(
    #[grid_constant] map: &TileMap<Rows>,
    sums: *mut f32,
    columns: u32,
    rows: u32,
) {
    // SAFETY: every thread gets here (3), and the matrix may be read (1).
    let block = unsafe { Block::converged() };
    let first = block.index() * COLUMNS;
    let tiles = rows.div_ceil(ROWS);
    let pipeline = block.pipeline::<Tile<Rows>, STAGES>(shared::dynamic::<_, 128>(), 1);
    pipeline.split(
        // The producer warp waits for an empty stage, and starts its load.
        |mut fill| {
            for tile in 0..tiles {
                let at = [first, tile * ROWS].map(u32::cast_signed);
                fill.next().load(map, at);
            }
        },
        // The consumer threads wait for a full stage, read it, and release it to the producer.
        |consumers, mut drain| {
            let column = consumers.thread();
            let mut sum = 0.0;
            for _ in 0..tiles {
                let stage = drain.next();
                // Rows out of bounds are zero.
                for row in 0..ROWS {
                    sum += stage.get(row * COLUMNS + column);
                }
                stage.release();
            }
            if first + column < columns {
                // SAFETY: the column is in bounds, and its sum is this thread's (2).
                unsafe { *sums.add((first + column) as usize) = sum };
            }
        },
    );
}
