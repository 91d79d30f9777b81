//! Vectors of tiles, and roles with registers of their own.

use tma::{
    Block, GlobalMut, Outputs, PerBlock, PerThread, Swizzle64, Swizzle128, Tile, TileMap, kernel,
    ptx::mbarrier::Mbarrier, shared,
};

/// Columns of the tile that is read by vectors, and rows.
pub type VectorRows = [[u32; 32]; 9];

/// Each thread writes the vector of the tile at column `x` and row `y` with its number, counted down the
/// columns: the first 9 are in column 0.
///
/// # Safety
/// 1. There is one block, one-dimensional, of whole warps.
/// 2. `output` is as its type requires, no thread writes the tensor, and `x` is a multiple of 4.
#[kernel(max_threads = 96)]
pub unsafe fn tile_vectors(
    output: GlobalMut<[[u32; 4]; 72], PerBlock>,
    #[grid_constant] map: &TileMap<VectorRows, Swizzle128>,
    x: i32,
    y: i32,
) {
    shared! {
        static TILE: Tile<VectorRows, Swizzle128>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (1), and the tensor may be read (2).
    let block = unsafe { Block::converged() };
    let tile = block.load_tile(TILE::ptr(), BAR::ptr(), map, [x, y]).wait();
    output.write_own(block, || {
        tile.vector([block.thread() / 9, block.thread() % 9])
    });
}

/// The tile that is written by vectors: the halves of a row count on.
pub type HalfRows = [[u16; 32]; 5];

/// Writes their numbers to the elements of a tile, eight at a time, and stores it at column `x` and row `y`.
///
/// # Safety
/// 1. There is one block, one-dimensional, of whole warps.
/// 2. No other code uses the tensor; `x` is a multiple of 8, and neither coordinate is negative.
#[kernel(max_threads = 96)]
pub unsafe fn written_vectors(#[grid_constant] map: &TileMap<HalfRows, Swizzle64>, x: i32, y: i32) {
    shared! {
        static TILE: Tile<HalfRows, Swizzle64>;
    }
    // SAFETY: every thread gets here (1), and the tensor is this kernel's (2).
    let block = unsafe { Block::converged() };
    let mut outputs = Outputs::<HalfRows, Swizzle64, _, 1>::new(block, TILE::ptr());
    let mut tile = outputs.next();
    tile.write_vectors(|index| {
        let first = 8 * index as u16;
        [0, 1, 2, 3, 4, 5, 6, 7].map(|next| first + next)
    });
    tile.store(map, [x, y]);
    outputs.finish();
}

/// Each thread of the first warpgroup writes 1000 plus the number of the next one, modulo 128, each of the others
/// 2000 plus the same modulo 256; the numbers go through shared memory.
///
/// # Safety
/// 1. `output` is as its type requires. Blocks have 384 threads.
#[cfg(not(any(tma_arch = "sm_90", tma_arch = "sm_100", tma_arch = "sm_120")))]
#[kernel(max_threads = 384, min_blocks = 1)]
pub unsafe fn registers_of_roles(output: GlobalMut<u32, PerThread>) {
    shared! {
        static NUMBERS: [u32; 384];
    }
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let role = |warps: tma::Warps, first: u32, base: u32| {
        let (thread, threads) = (warps.thread(), warps.threads());
        // SAFETY: the place is this thread's until the role synchronises, and is read by one thread then.
        let next = unsafe {
            NUMBERS::ptr().at(first + thread).write(base + thread);
            warps.sync();
            NUMBERS::ptr().at(first + (thread + 1) % threads).read()
        };
        output.write(block, next);
    };
    // SAFETY: the attribute sets them.
    unsafe {
        block.split_registers::<384, 40, 232>(
            |loaders| role(loaders, 0, 1000),
            |workers| role(workers, 128, 2000),
        );
    }
}
