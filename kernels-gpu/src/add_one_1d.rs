//! Ports the guide's "Using TMA to transfer one-dimensional arrays".

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, fence, mbarrier::Mbarrier},
    shared,
    thread::{block_dim, block_idx, is_elected, sync_threads, thread_idx},
};

/// Numbers that one block handles.
pub const BUF_LEN: usize = 1024;

/// Adds one to [`BUF_LEN`] numbers for each block: those at `offset_elems` of `data` for block 0,
/// the next ones for block 1, and so on.
///
/// # Safety
/// 1. `data` points to at least `offset_elems + BUF_LEN * blocks` numbers of global memory that
///    nobody else uses while the kernel runs.
/// 2. `data + offset_elems` is a multiple of 16 bytes.
/// 3. Blocks are one-dimensional, of a multiple of 32 threads.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/sm_90a/add_one_1d.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn add_one_1d(data: *mut i32, offset_elems: u64) {
    // The shared buffer of a bulk copy is aligned to 16 bytes.
    shared! {
        static SMEM_DATA: [i32; BUF_LEN] align 16;
        static BAR: Mbarrier;
    }
    const BYTES: u32 = size_of::<[i32; BUF_LEN]>() as u32;
    let smem_data = SMEM_DATA::ptr();
    let block_offset = u64::from(block_idx().x) * BUF_LEN as u64;
    // SAFETY: the block's numbers lie within `data` (1).
    let data = unsafe { data.add((offset_elems + block_offset) as usize) };

    // 1. Initialise the barrier with the number of threads that arrive on it.
    if thread_idx().x == 0 {
        // SAFETY: one thread does so, before any other uses the barrier.
        unsafe { Barrier::init(BAR::ptr(), block_dim().x) };
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: the meeting orders the initialisation before; below each thread arrives once and the
    // copy delivers the bytes that are expected.
    let bar = unsafe { Barrier::assume_init(BAR::ptr()) };

    // 2. One thread starts the copy and says how many bytes will come.
    // SAFETY: whole warps are here, and blocks are one-dimensional (3).
    if unsafe { is_elected() } {
        bar.expect_tx(BYTES);
        // SAFETY: both ends have the bytes (1) and the alignment (2), and nobody uses the buffer
        // before the phase completes.
        unsafe {
            cp_async_bulk::shared_cluster_global(
                smem_data.cast(),
                data.cast(),
                BYTES,
                bar.address(),
            )
        };
    }
    // 3. All threads arrive, and wait for the data.
    let token = bar.arrive();
    bar.wait(token);

    // 4. Work on the data in shared memory.
    let mut i = thread_idx().x;
    while i < BUF_LEN as u32 {
        let number = smem_data.at(i);
        // SAFETY: the index is in bounds, the copy wrote the number, and no other thread has it.
        unsafe { number.write(number.read() + 1) };
        i += block_dim().x;
    }

    // 5. Make each thread's writes visible to the copy engine, then meet.
    // SAFETY: a fence only orders.
    unsafe { fence::proxy_async_shared_cta() };
    // SAFETY: every thread is here.
    unsafe { sync_threads() };

    // 6. One thread copies the buffer back.
    // SAFETY: whole warps are here, and blocks are one-dimensional (3).
    if unsafe { is_elected() } {
        // SAFETY: both ends have the bytes (1) and the alignment (2); fences and the meeting order
        // the writes before.
        unsafe { cp_async_bulk::global_shared_cta(data.cast(), smem_data.cast(), BYTES) };
        // 7. Wait until the buffer has been read: it ends with the block.
        // SAFETY: the group is this thread's.
        unsafe { cp_async_bulk::commit_group() };
        // SAFETY: the group is this thread's.
        unsafe { cp_async_bulk::wait_group_read::<0>() };
    }
}
