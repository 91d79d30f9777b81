//! The fifth step: tensor cores, which read the tiles where the copies have put them.

use tma::{
    Accumulator, Block, Matrix, Swizzle128, halves::Bf16, kernel, matrix::Boxes, pipeline,
    ring::Cursor, shared, thread::block_idx, tile::Pair,
};

use super::{BOX, Box64, Map, Tile64, write_sums};

/// The number of columns and rows of C that a block has: 64 rows for each of two warpgroups.
pub const TILE: u32 = 128;
/// The number of stages in shared memory; all but one are loaded ahead.
const STAGES: u32 = 4;

/// Tiles of A, and of B.
type Stage = Pair<[Tile64; 2], [Tile64; 2]>;
/// 128 rows with contiguous elements along K.
type Layout = Boxes<Box64, Swizzle128, 2, true>;

/// Multiplies tiles of 128 by 128.
///
/// # Safety
/// 1. (1) of [`gemm_step_3`](super::tensor_copies::gemm_step_3()); C has an even number of columns.
/// 2. Blocks have 256 threads; the grid has a block for each 128 columns of C, and in its second dimension for each 128
///    rows.
#[kernel(max_threads = 256, shared_bytes = pipeline::bytes::<Stage>(STAGES, 1))]
pub unsafe fn gemm_step_5(
    #[grid_constant] a: &Map,
    #[grid_constant] b: &Map,
    c: *mut Bf16,
    m: u32,
    n: u32,
    k: u32,
) {
    // SAFETY: every thread gets here (2), and the tensors may be read (1).
    let block = unsafe { Block::converged() };
    let Some(warpgroup) = block.warpgroup() else {
        return;
    };
    let [column, row] = [block_idx().x * TILE, block_idx().y * TILE];
    let memory = shared::dynamic::<Stage, 1024>();
    let ring = block.ring::<STAGES>(memory.add(STAGES).cast(), 1, block.threads());
    let mut filling = Cursor::new();
    let mut fill = |first: u32| {
        if first < k && block.elect() {
            ring.acquire(filling);
            let stage = memory.add(filling.stage());
            let full = ring.full(filling);
            let mut loads = full.transaction();
            for number in 0..2 {
                let at = |mn: u32| [first as i32, (mn + number * BOX) as i32];
                // SAFETY: the stage is empty, and the maps belong to the tiles (1).
                unsafe {
                    loads.tile(stage.first().at(number), a, at(row));
                    loads.tile(stage.second().at(number), b, at(column));
                }
            }
            let _ = loads.arrive();
        }
        filling.advance();
    };
    let mut stage = 0;
    while stage < STAGES - 1 {
        fill(stage * BOX);
        stage += 1;
    }
    let (mut sums, mut draining) = (Accumulator::<[f32; 64]>::zero(), Cursor::new());
    let mut first = 0;
    while first < k {
        fill(first + (STAGES - 1) * BOX);
        // The lane that loads is back.
        block.warp().sync();
        ring.wait(draining);
        let stage = memory.add(draining.stage());
        // SAFETY: the stage is full, and is not loaded again before it has been released.
        let (a, b) = unsafe {
            (
                Matrix::<Layout>::from_ptr(stage.first()),
                Matrix::<Layout>::from_ptr(stage.second()),
            )
        };
        // SAFETY: the stage is released after the wait for the products (1), which follows (2).
        let batch = unsafe {
            sums.begin(warpgroup)
                .multiply(a.part::<64>(warpgroup.index()), b)
        };
        sums = batch.commit().wait();
        ring.release(draining);
        draining.advance();
        first += BOX;
    }
    let row = row + BOX * warpgroup.index();
    // SAFETY: C is this kernel's (1).
    unsafe { write_sums(c, &sums, warpgroup, [column, row], [m, n]) };
}
