//! Adds one to an array with a bulk copy in and out for each block, as fast as memory goes.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, fence, mbarrier::Mbarrier},
    shared,
    thread::{block_dim, block_idx, is_elected, sync_threads, thread_idx},
};

use crate::parts::add_one;

/// Writes `x + 1` for each number `x` of `src` to the same place of `dst`.
///
/// Each block has one tile, four numbers for each of its threads: 256 threads with 4 KiB are best on
/// an H100. The launch has a block for each tile, and asks for 16 bytes of shared memory for each
/// thread of a block.
///
/// # Safety
/// 1. `src` and `dst` point to `len_bytes` bytes of global memory that nobody else uses while the
///    kernel runs; they are the same or do not overlap.
/// 2. Both addresses and `len_bytes` are multiples of 16, and no block begins past the end.
/// 3. Grid and blocks are one-dimensional, blocks of a multiple of 32 threads, and the launch has
///    the shared memory.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/sm_90a/add_one_bulk.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn add_one_bulk(dst: *mut u8, src: *const u8, len_bytes: u64) {
    const VECTOR_BYTES: u32 = 16;
    shared! {
        static BAR: Mbarrier;
    }
    let data = shared::dynamic::<u8, 128>();
    let tile_bytes = block_dim().x * VECTOR_BYTES;
    let start = u64::from(block_idx().x) * u64::from(tile_bytes);
    // The last tile may be shorter.
    let bytes = (len_bytes - start).min(tile_bytes.into()) as u32;

    // One thread makes the barrier and starts the copy; the meeting comes after, so that the copy is
    // under way while the others gather.
    // SAFETY: blocks are one-dimensional, and whole warps are here (3).
    if unsafe { is_elected() } {
        // SAFETY: one thread does so, before any other uses the barrier.
        unsafe { Barrier::init(BAR::ptr(), 1) };
        // SAFETY: this thread initialised it; its one phase has this arrival and these bytes.
        let bar = unsafe { Barrier::assume_init(BAR::ptr()) };
        let _ = bar.arrive_expect_tx(bytes);
        // SAFETY: the tile lies within the source (1), aligned (2); nobody uses its place before the
        // phase completes.
        unsafe {
            cp_async_bulk::shared_cluster_global(
                data,
                src.add(start as usize),
                bytes,
                bar.address(),
            )
        };
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: the meeting orders the initialisation before.
    unsafe { Barrier::assume_init(BAR::ptr()) }.wait_parity(0);

    // SAFETY: the tile has been loaded, and each thread has its own vector.
    unsafe { add_one::<1>(data, bytes / VECTOR_BYTES, thread_idx().x, block_dim().x) };

    // Make each thread's writes visible to the copy engine, then meet.
    // SAFETY: a fence only orders.
    unsafe { fence::proxy_async_shared_cta() };
    // SAFETY: every thread is here.
    unsafe { sync_threads() };

    // SAFETY: blocks are one-dimensional, and whole warps are here (3).
    if unsafe { is_elected() } {
        // SAFETY: the tile lies within the destination (1), aligned (2); fences and the meeting order
        // the writes before.
        unsafe { cp_async_bulk::global_shared_cta(dst.add(start as usize), data, bytes) };
        // The tile's place ends with the block.
        // SAFETY: the group is this thread's.
        unsafe { cp_async_bulk::commit_group() };
        // SAFETY: the group is this thread's.
        unsafe { cp_async_bulk::wait_group_read::<0>() };
    }
}
