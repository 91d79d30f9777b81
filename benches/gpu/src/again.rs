use tma::{
    kernel, memory,
    ptx::Cg,
    thread::{block_dim, block_idx, grid_dim, thread_idx},
};

/// Reads the same vectors repeatedly, bypassing the L1 caches, and writes the exclusive or of each thread's
/// vectors.
///
/// Thread `t` of `n` reads vector `t + n * k` modulo `vectors`, for each
/// `k` below eight times `rounds`.
///
/// # Safety
/// 1. `data` points to `vectors` vectors of global memory, a power of two, that are not written while the kernel
///    runs.
/// 2. `sums` has one number per thread, without other users.
/// 3. Grid and blocks are one-dimensional.
#[kernel(max_threads = 1024)]
pub unsafe fn read_again(data: *const [u32; 4], vectors: u32, rounds: u32, sums: *mut u32) {
    let threads = grid_dim().x * block_dim().x;
    let thread = block_idx().x * block_dim().x + thread_idx().x;
    let (mut index, mut sum) = (thread, 0);
    for _ in 0..rounds {
        let mut next = || {
            // SAFETY: the index is in bounds (1).
            let vector =
                unsafe { memory::load::<Cg, _>(data.add((index & (vectors - 1)) as usize)) };
            index = index.wrapping_add(threads);
            vector
        };
        // All loads precede the first use.
        let (a, b, c, d) = (next(), next(), next(), next());
        let (e, f, g, h) = (next(), next(), next(), next());
        let all = |[a, b, c, d]: [u32; 4]| a ^ b ^ c ^ d;
        sum ^= all(a) ^ all(b) ^ all(c) ^ all(d) ^ all(e) ^ all(f) ^ all(g) ^ all(h);
    }
    // SAFETY: `sums` has a number for each thread (2).
    unsafe { sums.add(thread as usize).write(sum) };
}
