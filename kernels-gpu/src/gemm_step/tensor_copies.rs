//! The third step: one thread issues the loads of the tiles, and a barrier signals their arrival to all.

use tma::{Block, halves::Bf16, kernel, ptx::mbarrier::Mbarrier, shared, thread::block_idx};

use super::{BOX, EACH, Map, Tile64, add_products, write_column};

shared! {
    static A: Tile64;
    static B: Tile64;
    static LOADED: Mbarrier;
}

/// Multiplies tiles of 64 by 64; elements after the ends of A and B are loaded as zeros.
///
/// # Safety
/// 1. `a` and `b` are maps of the matrices of [`gemm_step`](super), and `c` points to C. No thread writes A and B while
///    the kernel runs, no other code uses C.
/// 2. Blocks have 1024 threads; the grid has a block for each 64 columns of C, and in its second dimension for each 64
///    rows.
#[kernel(max_threads = 1024)]
pub unsafe fn gemm_step_3(
    #[grid_constant] a: &Map,
    #[grid_constant] b: &Map,
    c: *mut Bf16,
    m: u32,
    n: u32,
    k: u32,
) {
    // SAFETY: every thread gets here (2), and the tensors may be read (1).
    let block = unsafe { Block::converged() };
    let [column, row] = [block_idx().x * BOX, block_idx().y * BOX];
    let loaded = block.barrier(LOADED::ptr(), 1);
    let (mut sums, mut parity) = ([0.0; EACH], 0);
    let mut first = 0;
    while first < k {
        if block.elect() {
            let mut loads = loaded.transaction();
            // SAFETY: all have read the tiles before, and the maps belong to the tiles (1).
            unsafe {
                loads.tile(A::ptr(), a, [first as i32, row as i32]);
                loads.tile(B::ptr(), b, [first as i32, column as i32]);
            }
            let _ = loads.arrive();
        }
        loaded.wait_parity(parity);
        parity ^= 1;
        // SAFETY: the tiles have been loaded.
        unsafe { add_products(&mut sums, block.thread(), [A::ptr(), B::ptr()]) };
        // All have read the tiles before they are loaded again.
        block.sync();
        first += BOX;
    }
    // SAFETY: C is this kernel's (1).
    unsafe { write_column(c, sums, block.thread(), [column, row], [m, n]) };
}
