//! The fourth step: a ring of stages, so that loads are in flight while others are multiplied.

use tma::{Block, halves::Bf16, kernel, pipeline, ring::Cursor, shared, thread::block_idx};

use super::{BOX, EACH, Map, Tile64, add_products, write_column};

/// The number of stages in shared memory; all but one are loaded ahead.
const STAGES: u32 = 4;

/// A tile of A and one of B.
type Stage = [Tile64; 2];

/// Multiplies tiles of 64 by 64.
///
/// # Safety
/// 1. The conditions of [`gemm_step_3`](super::tensor_copies::gemm_step_3()).
#[kernel(max_threads = 1024, shared_bytes = pipeline::bytes::<Stage>(STAGES, 1))]
pub unsafe fn gemm_step_4(
    #[grid_constant] a: &Map,
    #[grid_constant] b: &Map,
    c: *mut Bf16,
    m: u32,
    n: u32,
    k: u32,
) {
    // SAFETY: every thread gets here, and the tensors may be read (1).
    let block = unsafe { Block::converged() };
    let [column, row] = [block_idx().x * BOX, block_idx().y * BOX];
    let memory = shared::dynamic::<Stage, 1024>();
    // A stage is full when the copies have come, and empty when all threads have released it.
    let ring = block.ring::<STAGES>(memory.add(STAGES).cast(), 1, block.threads());
    let mut filling = Cursor::new();
    let mut fill = |first: u32| {
        if first < k && block.elect() {
            ring.acquire(filling);
            let stage = memory.add(filling.stage());
            let full = ring.full(filling);
            let mut loads = full.transaction();
            // SAFETY: the stage is empty, and the maps belong to the tiles (1).
            unsafe {
                loads.tile(stage.at(0), a, [first as i32, row as i32]);
                loads.tile(stage.at(1), b, [first as i32, column as i32]);
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
    let (mut sums, mut draining) = ([0.0; EACH], Cursor::new());
    let mut first = 0;
    while first < k {
        fill(first + (STAGES - 1) * BOX);
        ring.wait(draining);
        let stage = memory.add(draining.stage());
        // SAFETY: the stage is full.
        unsafe { add_products(&mut sums, block.thread(), [stage.at(0), stage.at(1)]) };
        ring.release(draining);
        draining.advance();
        first += BOX;
    }
    // SAFETY: C is this kernel's (1).
    unsafe { write_column(c, sums, block.thread(), [column, row], [m, n]) };
}
