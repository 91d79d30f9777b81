//! Two examples of rust-cuda, a vector sum and a product of matrices by tiles, with this library.

use core::slice;
use tma::{
    kernel, shared,
    thread::{block_dim, block_idx, sync_threads, thread_idx},
};

/// Adds two vectors, an element for each thread.
///
/// # Safety
/// 1. `a` and `b` have these lengths, at least the length of `a`, and no thread writes them; `c` has the length of `a`.
#[kernel(local_memory)]
pub unsafe fn vecadd(a: *const f32, a_len: usize, b: *const f32, b_len: usize, c: *mut f32) {
    // SAFETY: the numbers are valid, and no thread writes them (1).
    let (a, b) = unsafe {
        (
            slice::from_raw_parts(a, a_len),
            slice::from_raw_parts(b, b_len),
        )
    };
    let index = (block_idx().x * block_dim().x + thread_idx().x) as usize;
    if index < a.len() {
        // SAFETY: `c` has the same length (1), and this element is this thread's.
        unsafe { c.add(index).write(a[index] + b[index]) };
    }
}

const TILE: u32 = 16;
const SIDE: usize = TILE as usize;

/// `C = alpha * A * B + beta * C` by 16x16 tiles in shared memory: A has m rows of k numbers, B k rows of n, C m rows of n.
///
/// # Safety
/// 1. Blocks have 16x16 threads, and the matrices that many numbers.
#[kernel(max_threads = [16, 16])]
#[allow(clippy::too_many_arguments, reason = "the example has as many")]
pub unsafe fn gemm_tiled(
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    m: usize,
    n: usize,
    k: usize,
    alpha: f32,
    beta: f32,
) {
    shared! {
        static TILE_A: [f32; SIDE * SIDE];
        static TILE_B: [f32; SIDE * SIDE];
    }
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let row = (block_idx().x * TILE + ty) as usize;
    let col = (block_idx().y * TILE + tx) as usize;
    let mut sum = 0.0;
    for kk in (0..k).step_by(SIDE) {
        // SAFETY: the indices are within the matrices (1), each thread writes its own numbers of the tiles, and every
        // thread of the block reaches the barriers.
        unsafe {
            let (x, y) = (kk + tx as usize, kk + ty as usize);
            let of_a = if row < m && x < k {
                *a.add(row * k + x)
            } else {
                0.0
            };
            let of_b = if col < n && y < k {
                *b.add(y * n + col)
            } else {
                0.0
            };
            TILE_A::ptr().at(ty * TILE + tx).write(of_a);
            TILE_B::ptr().at(ty * TILE + tx).write(of_b);
            sync_threads();
            for i in 0..TILE {
                sum +=
                    TILE_A::ptr().at(ty * TILE + i).read() * TILE_B::ptr().at(i * TILE + tx).read();
            }
            sync_threads();
        }
    }
    if row < m && col < n {
        // SAFETY: the element is within C (1), and this thread's.
        unsafe {
            let c = c.add(row * n + col);
            *c = alpha * sum + beta * *c;
        }
    }
}
