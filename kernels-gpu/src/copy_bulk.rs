//! Copies memory as fast as it goes: bulk copies in and out, several on their way, chunks handed
//! out one by one.

use core::hint::assert_unchecked;

use tma::{Barrier, SharedPtr, kernel, ptx::cp_async_bulk};

use crate::parts::stream;

/// Copies `len_bytes` bytes from `src` to `dst`, in chunks of `chunk_bytes` of which each block
/// keeps `STAGES` in shared memory: `copy_bulk_2` to `copy_bulk_8`.
///
/// A block is one warp. The launch has as many blocks as run at once, and asks for
/// `STAGES * (chunk_bytes + 20)` bytes of shared memory; 64 KiB of chunks for each multiprocessor
/// are enough to keep an H100's memory busy.
///
/// # Safety
/// 1. `src` and `dst` point to `len_bytes` bytes of global memory that do not overlap and that
///    nobody else uses while the kernel runs.
/// 2. Both addresses, `len_bytes` and `chunk_bytes` are multiples of 16; a chunk has 1 to 2^20 - 16
///    bytes, and there are fewer than 2^31 chunks.
/// 3. `counter` points to a zero in global memory that nobody else uses while the kernel runs.
/// 4. Grid and blocks are one-dimensional, blocks of 32 threads, and the launch has the shared
///    memory.
#[cfg_attr(doc, doc = concat!("\n# PTX of `copy_bulk_4`\n```text\n", include_str!("../../tests/golden/ptx/sm_90a/copy_bulk_4.ptx"), "\n```"))]
#[kernel(max_threads = 32, instances(STAGES = 2, 3, 4, 6, 8))]
pub unsafe fn copy_bulk<const STAGES: u32>(
    dst: *mut u8,
    src: *const u8,
    len_bytes: u64,
    chunk_bytes: u32,
    counter: *mut u32,
) {
    // SAFETY: the caller says so (2).
    unsafe { assert_unchecked(chunk_bytes != 0) };
    let chunks = len_bytes.div_ceil(chunk_bytes.into()) as u32;
    let start = |chunk: u32| u64::from(chunk) * u64::from(chunk_bytes);
    // The last chunk may be shorter.
    let bytes = |chunk: u32| (len_bytes - start(chunk)).min(chunk_bytes.into()) as u32;
    let load = |chunk: u32, place: SharedPtr<u8>, bar: &Barrier| {
        let _ = bar.arrive_expect_tx(bytes(chunk));
        // SAFETY: the chunk lies within the source (1), aligned (2); the place is free and takes it.
        unsafe {
            cp_async_bulk::shared_cluster_global(
                place,
                src.add(start(chunk) as usize),
                bytes(chunk),
                bar.address(),
            )
        };
    };
    let store = |chunk: u32, place: SharedPtr<u8>| {
        // SAFETY: the chunk lies within the destination (1), aligned (2); it has been loaded, and
        // its place is left alone until the group has been read.
        unsafe {
            cp_async_bulk::global_shared_cta(dst.add(start(chunk) as usize), place, bytes(chunk))
        };
    };
    // SAFETY: `load` and `store` do so; the counter (3), the launch (4) and the number of chunks (2)
    // are as it wants them.
    unsafe { stream::<STAGES>(chunk_bytes, chunks, counter, load, store) };
}
