//! Two dimensions: a tensor map as a parameter, and `half::f16`.

use half::f16;
use tma::{Block, Tile, TileArray, TileMap, kernel, ptx::mbarrier::Mbarrier, shared};

/// A tile: 16 rows of 64 columns.
pub type Rows = [[f16; 64]; 16];

/// Doubles the numbers of a matrix, a tile in each block.
///
/// # Safety
/// 1. `map` is over a matrix that no other kernel uses meanwhile.
/// 2. Blocks are one-dimensional, of a multiple of 32 threads; no two blocks of the grid have the same tile.
#[kernel(max_threads = 256)]
pub unsafe fn double_2d(#[grid_constant] map: &TileMap<Rows>) {
    shared! {
        static TILE: Tile<Rows>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread of the block reaches this call (2), and the matrix is this kernel's (1).
    let block = unsafe { Block::converged() };
    let at = tma::thread::block_idx();
    let [columns, rows] = [Rows::BOX[0], Rows::BOX[1]];
    let at = [(at.x * columns) as i32, (at.y * rows) as i32];
    let tile = block.load_tile(TILE::ptr(), BAR::ptr(), map, at);
    let tile = tile.update(block, |_, number: f16| {
        let number = tma::halves::F16::from(number);
        (number + number).into()
    });
    tile.store(block, map, at);
}
