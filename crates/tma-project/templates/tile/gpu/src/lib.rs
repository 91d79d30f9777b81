//! The kernels, compiled to PTX by `build.rs`. For the host they compile too, for editors.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{Block, Tile, TileMap, kernel, ptx::mbarrier::Mbarrier, shared, thread::block_idx};

/// The number of columns of a tile.
pub const COLUMNS: u32 = 64;
/// The number of rows of a tile.
pub const ROWS: u32 = 16;

/// The box of the map: `ROWS` rows of `COLUMNS` numbers.
pub type Rows = [[i32; COLUMNS as usize]; ROWS as usize];

/// Adds one to each number of the matrix; each block has one tile. Elements out of bounds are not stored.
///
/// # Safety
/// 1. `map` is over a matrix that only this kernel uses while it runs.
/// 2. Blocks are one-dimensional, of a multiple of 32 threads; the grid has a block for each tile.
#[kernel(max_threads = 1024)]
pub unsafe fn {{kernel_name}}(#[grid_constant] map: &TileMap<Rows>) {
    shared! {
        static TILE: Tile<Rows>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (2), and the tiles of different blocks do not overlap (1, 2).
    let block = unsafe { Block::converged() };
    let at = [block_idx().x * COLUMNS, block_idx().y * ROWS].map(u32::cast_signed);
    let tile = block.load_tile(TILE::ptr(), BAR::ptr(), map, at);
    let tile = tile.update(block, |_, number| number + 1);
    tile.store(block, map, at);
}
