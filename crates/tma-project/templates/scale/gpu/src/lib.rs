//! The kernels, compiled to PTX by `build.rs`. For the host they compile too, for editors.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{
    Block, Stores, Transaction, kernel,
    ptx::{fence, mbarrier::Mbarrier},
    shared,
};

/// Numbers that one block scales.
pub const BLOCK_LEN: u32 = 1024;

/// Multiplies `len` numbers by `factor`, [`BLOCK_LEN`] of them in each block.
///
/// # Safety
/// 1. `data` points to `len` numbers of global memory that no other code uses while the kernel runs.
/// 2. `data` is a multiple of 16 bytes, and `len` one of 4: a bulk copy moves 16 bytes at a time.
/// 3. Blocks are one-dimensional, of a multiple of 32 threads, and there are `len / BLOCK_LEN` of
///    them, rounded up.
#[kernel(max_threads = 1024)]
pub unsafe fn {{kernel_name}}(data: *mut f32, len: u32, factor: f32) {
    shared! {
        static NUMBERS: [f32; BLOCK_LEN as usize] align 16;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let start = block.index() * BLOCK_LEN;
    let count = (len - start).min(BLOCK_LEN);
    let bytes = count * size_of::<f32>() as u32;
    let numbers = NUMBERS::ptr();
    // SAFETY: the block's numbers begin within `data` (1, 3).
    let data = unsafe { data.add(start as usize) };

    // One thread starts the copy into shared memory; all wait for the bytes.
    // SAFETY: both ends have the bytes (1) and the alignment (2), and no thread uses the buffer before it is
    // loaded.
    let load = |loads: &mut Transaction<'_>| unsafe {
        loads.bulk(numbers.cast(), data.cast_const().cast(), bytes);
    };
    block.load(BAR::ptr(), load).wait();

    let mut i = block.thread();
    while i < count {
        let number = numbers.at(i);
        // SAFETY: the index is in bounds, the copy wrote the number, and no other thread has it.
        unsafe { number.write(number.read() * factor) };
        i += block.threads();
    }

    // The copy engine sees the threads' writes after this fence and the barrier of the block.
    fence::proxy_async_shared_cta();
    block.sync();

    // One thread copies the buffer back, and stays until the store has read it.
    if block.elect() {
        let mut stores = Stores::new();
        // SAFETY: both ends have the bytes (1) and the alignment (2); the writes are visible.
        unsafe { stores.bulk(data.cast(), numbers.cast(), bytes) };
        stores.commit().wait_read();
    }
}
