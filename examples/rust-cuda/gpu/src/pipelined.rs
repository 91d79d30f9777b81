//! A pipeline: one warp loads tiles ahead, the others sum them.

use tma::{Block, TileArray, TileMap, kernel, shared};

use crate::STAGES;

/// A tile: 16 rows of 64 columns.
pub type Numbers = [[f32; 64]; 16];

/// Writes the sum of each of `tiles` tiles, which are adjacent along the rows of a matrix.
///
/// # Safety
/// 1. `sums` points to a number for each tile that no other kernel uses meanwhile; the tensor of `map` is not written.
/// 2. Grid and blocks are one-dimensional; a block has two or more whole warps.
#[kernel(max_threads = 128, shared_bytes = tma::pipeline::bytes::<tma::Tile<Numbers>>(STAGES, 1))]
pub unsafe fn sum_pipelined(#[grid_constant] map: &TileMap<Numbers>, sums: *mut f32, tiles: u32) {
    // SAFETY: every thread of the block reaches this call (2), and the tensor may be read (1).
    let block = unsafe { Block::converged() };
    let [columns, rows] = [Numbers::BOX[0], Numbers::BOX[1]];
    let pipeline = block.pipeline::<tma::Tile<Numbers>, STAGES>(shared::dynamic::<_, 128>(), 1);
    pipeline.split(
        |mut fill| {
            for tile in block.items(tiles) {
                fill.next().load(map, [0, (tile * rows) as i32]);
            }
        },
        |workers, mut drain| {
            for tile in block.items(tiles) {
                let stage = drain.next();
                let mut sum = 0.0;
                let mut index = workers.warp().lane();
                while index < columns * rows {
                    sum += stage.get(index);
                    index += 32;
                }
                stage.release();
                let sum = workers.warp().reduce(sum, |left, right| left + right);
                if workers.thread() == 0 {
                    // SAFETY: there is a number for each tile (1).
                    unsafe { *sums.add(tile as usize) = sum };
                }
            }
        },
    );
}
