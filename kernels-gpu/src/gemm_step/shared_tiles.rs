//! The second step: tiles in shared memory, so that a value read by one thread serves all of its block.

use tma::{Block, halves::Bf16, kernel, shared, thread::block_idx};

use super::place;

/// The number of columns and rows of C that a block has, and elements along K at a time.
pub const TILE: u32 = 32;

shared! {
    static A: [[f32; TILE as usize]; TILE as usize];
    /// Transposed; the column that no thread uses puts the elements that a warp writes into different banks.
    static B: [[f32; TILE as usize + 1]; TILE as usize];
}

/// Multiplies tiles of 32 by 32; each thread brings an element of A and one of B.
///
/// # Safety
/// 1. `a`, `b` and `c` point to the matrices of [`gemm_step`](super). No thread writes A and B while the kernel runs,
///    no other code uses C.
/// 2. Blocks have 1024 threads; the grid has a block for each 32 columns of C, and in its second dimension for each 32
///    rows.
#[kernel(max_threads = 1024)]
pub unsafe fn gemm_step_2(c: *mut Bf16, a: *const Bf16, b: *const Bf16, m: u32, n: u32, k: u32) {
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let [x, y] = [block.thread() % TILE, block.thread() / TILE];
    let [first_column, first_row] = [block_idx().x * TILE, block_idx().y * TILE];
    let load = |matrix: *const Bf16, row: u32, rows: u32, at: u32| {
        if row >= rows || at >= k {
            return 0.0;
        }
        // SAFETY: the element is in the matrix (1).
        unsafe { *matrix.add(place(row, at, k)) }.to_f32()
    };
    let mut sum = 0.0;
    let mut first = 0;
    while first < k {
        let of_a = load(a, first_row + y, m, first + x);
        let of_b = load(b, first_column + y, n, first + x);
        // SAFETY: no other code writes these elements, and all have read those before.
        unsafe {
            A::ptr().at(y).at(x).write(of_a);
            B::ptr().at(x).at(y).write(of_b);
        }
        block.sync();
        for at in 0..TILE {
            // SAFETY: all elements have been written.
            sum += unsafe { A::ptr().at(y).at(at).read() * B::ptr().at(at).at(x).read() };
        }
        // All have read the tiles before they are written again.
        block.sync();
        first += TILE;
    }
    let [column, row] = [first_column + x, first_row + y];
    if row < m && column < n {
        // SAFETY: the element is this thread's (1).
        unsafe { *c.add(place(row, column, n)) = Bf16::from_f32(sum) };
    }
}
