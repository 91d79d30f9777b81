//! The kernel, compiled to PTX by `build.rs`. For the host it compiles too, for editors.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{Block, Tile, TileArray, TileMap, kernel, ptx::mbarrier::Mbarrier, shared};

/// A tile: 8 rows of 32 columns.
pub type Rows = [[f32; 32]; 8];

/// The box of the map: columns and rows of a tile.
pub const BOX: [u32; 2] = [Rows::BOX[0], Rows::BOX[1]];

/// Multiplies the numbers of a matrix by `factor`, a tile in each block.
///
/// # Safety
/// 1. `map` is over a matrix that no other code uses while the kernel runs.
/// 2. Blocks are one-dimensional, of a multiple of 32 threads; no two blocks of the grid have the same tile.
#[kernel(max_threads = 256)]
pub unsafe fn scale(#[grid_constant] map: &TileMap<Rows>, factor: f32) {
    shared! {
        static TILE: Tile<Rows>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (2), and the matrix is this kernel's (1).
    let block = unsafe { Block::converged() };
    let at = tma::thread::block_idx();
    let at = [(at.x * BOX[0]) as i32, (at.y * BOX[1]) as i32];
    let tile = block.load_tile(TILE::ptr(), BAR::ptr(), map, at);
    let tile = tile.update(block, |_, number| number * factor);
    tile.store(block, map, at);
}
