//! The kernels, compiled to PTX by `build.rs`. For the host they compile too, for editors.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, fence, mbarrier::Mbarrier},
    shared,
    thread::{block_dim, block_idx, is_elected, sync_threads, thread_idx},
};

/// Numbers that one block scales.
pub const BLOCK_LEN: u32 = 1024;

/// Multiplies `len` numbers by `factor`, [`BLOCK_LEN`] of them in each block.
///
/// # Safety
/// 1. `data` points to `len` numbers of global memory that nobody else uses while the kernel runs.
/// 2. `data` is a multiple of 16 bytes, and `len` one of 4: a bulk copy moves 16 bytes at a time.
/// 3. Blocks are one-dimensional, of a multiple of 32 threads, and there are `len / BLOCK_LEN` of
///    them, rounded up.
#[kernel(max_threads = 1024)]
pub unsafe fn scale(data: *mut f32, len: u32, factor: f32) {
    shared! {
        static NUMBERS: [f32; BLOCK_LEN as usize] align 16;
        static BAR: Mbarrier;
    }
    let (thread, threads) = (thread_idx().x, block_dim().x);
    let start = block_idx().x * BLOCK_LEN;
    let count = (len - start).min(BLOCK_LEN);
    let bytes = count * size_of::<f32>() as u32;
    let numbers = NUMBERS::ptr();
    // SAFETY: the block's numbers begin within `data` (1, 3).
    let data = unsafe { data.add(start as usize) };

    // Thread 0 prepares the barrier: one arrival, that of the elected thread, completes a phase.
    if thread == 0 {
        // SAFETY: one thread does so, before any other uses the barrier.
        unsafe { Barrier::init(BAR::ptr(), 1) };
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: `sync_threads` orders the initialisation before; its only phase has the one arrival
    // and the bytes of the copy.
    let bar = unsafe { Barrier::assume_init(BAR::ptr()) };

    // One thread starts the copy into shared memory; everyone waits for the bytes.
    // SAFETY: whole warps are here, and blocks are one-dimensional (3).
    if unsafe { is_elected() } {
        // SAFETY: both ends have the bytes (1) and the alignment (2), and nobody uses the buffer
        // before the phase completes.
        unsafe {
            cp_async_bulk::shared_cluster_global(numbers.cast(), data.cast(), bytes, bar.address());
        }
        let _ = bar.arrive_expect_tx(bytes);
    }
    bar.wait_parity(0);

    let mut i = thread;
    while i < count {
        let number = numbers.at(i);
        // SAFETY: the index is in bounds, the copy wrote the number, and no other thread has it.
        unsafe { number.write(number.read() * factor) };
        i += threads;
    }

    // The copy engine sees the threads' writes after this fence and `sync_threads`.
    // SAFETY: a fence only orders.
    unsafe { fence::proxy_async_shared_cta() };
    // SAFETY: every thread is here.
    unsafe { sync_threads() };

    // One thread copies the buffer back, and stays until it has been read.
    // SAFETY: whole warps are here, and blocks are one-dimensional (3).
    if unsafe { is_elected() } {
        // SAFETY: both ends have the bytes (1) and the alignment (2); the writes are visible.
        unsafe { cp_async_bulk::global_shared_cta(data.cast(), numbers.cast(), bytes) };
        // SAFETY: the group is this thread's.
        unsafe { cp_async_bulk::commit_group() };
        // SAFETY: the group is this thread's.
        unsafe { cp_async_bulk::wait_group_read::<0>() };
    }
}
