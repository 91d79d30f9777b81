//! One dimension: a kernel of `cuda_std`, with `tma`'s bulk copies.

use cuda_std::{kernel, thread};
use tma::{
    Block, Stores, Transaction,
    ptx::{fence, mbarrier::Mbarrier},
    shared,
};

use crate::BLOCK_LEN;

/// Multiplies `len` numbers by `factor`, [`BLOCK_LEN`] of them in each block.
///
/// # Safety
/// 1. `data` points to `len` numbers of global memory that no other kernel uses meanwhile.
/// 2. `data` is a multiple of 16 bytes, and `len` one of 4: a bulk copy moves 16 bytes at a time.
/// 3. Blocks are one-dimensional, of a multiple of 32 threads, and there are `len / BLOCK_LEN` of them, rounded up.
#[kernel]
pub unsafe fn scale_1d(data: *mut f32, len: u32, factor: f32) {
    shared! {
        static NUMBERS: [f32; BLOCK_LEN as usize] align 16;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread of the block reaches this call (3).
    let block = unsafe { Block::converged() };
    let start = thread::block_idx_x() * BLOCK_LEN;
    let count = (len - start).min(BLOCK_LEN);
    let bytes = count * size_of::<f32>() as u32;
    let numbers = NUMBERS::ptr();
    // SAFETY: the block's numbers begin within `data` (1, 3).
    let data = unsafe { data.add(start as usize) };

    // SAFETY: both ends have the bytes (1) and the alignment (2), and the buffer is not used before it is loaded.
    let load = |loads: &mut Transaction<'_>| unsafe {
        loads.bulk(numbers.cast(), data.cast_const().cast(), bytes);
    };
    block.load(BAR::ptr(), load).wait();

    let mut index = thread::thread_idx_x();
    while index < count {
        let number = numbers.at(index);
        // SAFETY: the index is in bounds, the copy wrote the number, and no other thread has it.
        unsafe { number.write(number.read() * factor) };
        index += thread::block_dim_x();
    }

    // Makes the writes visible to the copy engine.
    fence::proxy_async_shared_cta();
    block.sync();

    if block.elect() {
        let mut stores = Stores::new();
        // SAFETY: both ends have the bytes (1) and the alignment (2); the writes are visible.
        unsafe { stores.bulk(data.cast(), numbers.cast(), bytes) };
        stores.commit().wait_read();
    }
}
