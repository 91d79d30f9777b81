//! The first step: a thread for each element of C.

use tma::{
    halves::Bf16,
    kernel,
    thread::{block_idx, thread_idx},
};

use super::place;

/// The number of columns and rows of C that a block has: a thread for each element.
pub const TILE: u32 = 16;

/// Multiplies: every thread reads its row of A and its row of B from memory.
///
/// # Safety
/// 1. `a`, `b` and `c` point to the matrices of [`gemm_step`](super). No thread writes A and B while the kernel runs,
///    no other code uses C.
/// 2. Blocks have 256 threads; the grid has a block for each 16 columns of C, and in its second dimension for each 16
///    rows.
#[kernel(max_threads = 256)]
pub unsafe fn gemm_step_1(c: *mut Bf16, a: *const Bf16, b: *const Bf16, m: u32, n: u32, k: u32) {
    let column = block_idx().x * TILE + thread_idx().x % TILE;
    let row = block_idx().y * TILE + thread_idx().x / TILE;
    if row >= m || column >= n {
        return;
    }
    let mut sum = 0.0;
    for at in 0..k {
        // SAFETY: row and column are in the matrices (1).
        let (a, b) = unsafe { (*a.add(place(row, at, k)), *b.add(place(column, at, k))) };
        sum += a.to_f32() * b.to_f32();
    }
    // SAFETY: the element is this thread's (1).
    unsafe { *c.add(place(row, column, n)) = Bf16::from_f32(sum) };
}
