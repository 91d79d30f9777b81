//! Copies memory as fast as it goes: bulk copies in and out, several in flight, chunks handed
//! out one by one.

use core::num::NonZero;

use tma::{
    Barrier, Block, Counter, SharedPtr, Stores, Transaction, kernel,
    pipeline::{self, Items},
    ptx::mbarrier::Mbarrier,
    shared,
};

/// Copies `len_bytes` bytes from `src` to `dst`, in chunks of `chunk_bytes`; each block
/// keeps `STAGES` chunks in shared memory: `copy_bulk_2` to `copy_bulk_8`.
///
/// A block is one warp. The launch has the number of blocks that run at once; [`settings`](crate::settings) has the
/// number of chunks that keeps the memory of a device busy.
///
/// # Safety
/// 1. `src` and `dst` point to `len_bytes` bytes of global memory that do not overlap and that
///    only this kernel uses while it runs.
/// 2. Both addresses, `len_bytes` and `chunk_bytes` are multiples of 16; a chunk has at most
///    2^20 - 16 bytes, and there are fewer than 2^31 chunks.
/// 3. `counter` is as its type requires.
/// 4. Grid and blocks are one-dimensional, blocks of 32 threads, and the launch has the shared
///    memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `copy_bulk_4`\n```text\n", include_str!("../../tests/golden/ptx/copy_bulk_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 32,
    instances(STAGES = 2, 3, 4, 6, 8),
    shared_bytes = pipeline::bytes::<u8>(STAGES, chunk_bytes.get().into())
)]
pub unsafe fn copy_bulk<const STAGES: u32>(
    dst: *mut u8,
    src: *const u8,
    len_bytes: u64,
    chunk_bytes: NonZero<u32>,
    counter: Counter,
) {
    let chunk_bytes = chunk_bytes.get();
    let chunks = len_bytes.div_ceil(chunk_bytes.into()) as u32;
    let start = |chunk: u32| u64::from(chunk) * u64::from(chunk_bytes);
    // The last chunk may be shorter.
    let bytes = |chunk: u32| (len_bytes - start(chunk)).min(chunk_bytes.into()) as u32;
    // SAFETY: the chunk is within the source (1), aligned (2); the buffer is free and takes it.
    let load = |chunk: u32, loads: &mut Transaction<'_>, buffer| unsafe {
        loads.bulk(buffer, src.add(start(chunk) as usize), bytes(chunk));
    };
    // SAFETY: the chunk is within the destination (1), aligned (2); it has been loaded, and its buffer is
    // left alone until the group has been read.
    let store = |chunk: u32, stores: &mut Stores, buffer| unsafe {
        stores.bulk(dst.add(start(chunk) as usize), buffer, bytes(chunk));
    };
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    let items = Items::drawn(block, STAGES - 1, chunks, counter);
    let memory = shared::dynamic::<u8, 1024>();
    block.stream::<_, STAGES>(memory, chunk_bytes, items, load, store);
}

/// Works like [`copy_bulk`], but each block copies one chunk and leaves. The launch has a block for each chunk.
///
/// One thread of a block works. With more threads fewer blocks run at once, and so fewer bytes are in flight.
///
/// # Safety
/// The conditions of [`copy_bulk`], without (3); blocks have up to 256 threads, in whole warps.
#[kernel(max_threads = 256, shared_bytes = chunk_bytes.get())]
pub unsafe fn copy_bulk_once(
    dst: *mut u8,
    src: *const u8,
    len_bytes: u64,
    chunk_bytes: NonZero<u32>,
) {
    // SAFETY: the source (1), the multiples of 16 (2) and the shape of the launch are those of `once`. Each chunk is within
    // the destination (1), aligned (2), so that its store may be started (4).
    unsafe {
        once(
            src,
            len_bytes,
            chunk_bytes,
            |stores, start, buffer, bytes| {
                stores.bulk(dst.add(start), buffer, bytes);
            },
        );
    }
}

/// Loads the chunk of this block; `store` gets its start and its number of bytes, and starts the copies
/// that read the buffer.
///
/// # Safety
/// 1. `src` points to `len_bytes` bytes of global memory that no thread writes while the kernel runs.
/// 2. The address, `len_bytes` and `chunk_bytes` are multiples of 16; a chunk has at most 2^20 - 16 bytes, and
///    there is a block for each.
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, and the launch has `chunk_bytes` of shared memory.
/// 4. The copies of `store` may be started on these bytes.
#[inline(always)]
pub(crate) unsafe fn once(
    src: *const u8,
    len_bytes: u64,
    chunk_bytes: NonZero<u32>,
    store: impl FnOnce(&mut Stores, usize, SharedPtr<u8>, u32),
) {
    shared! {
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    if !block.elect() {
        return;
    }
    let buffer = shared::dynamic::<u8, 128>();
    let start = u64::from(block.index()) * u64::from(chunk_bytes.get());
    // The last chunk may be shorter.
    let bytes = (len_bytes - start).min(chunk_bytes.get().into()) as u32;
    // SAFETY: this thread alone uses the barrier, in memory that is for it alone.
    unsafe { Barrier::init(BAR::ptr(), 1) };
    // SAFETY: this thread has made the barrier; its one phase has this arrival and the bytes of the load.
    let full = unsafe { Barrier::assume_init(BAR::ptr()) };
    let mut loads = full.transaction();
    // SAFETY: the chunk is within the source (1), aligned (2); the buffer takes it.
    unsafe { loads.bulk(buffer, src.add(start as usize), bytes) };
    full.wait(loads.arrive());
    let mut stores = Stores::new();
    store(&mut stores, start as usize, buffer, bytes);
    // The block stays until the buffer has been read.
    stores.commit().wait_read();
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::CopyBulk;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, DeviceDescription, Region, Shape};

    use super::{copy_bulk, copy_bulk_once};
    use crate::{
        arguments::{chunk, chunks, divisor, drawn, each, ends},
        settings::{Setting, Streaming},
    };

    /// Copies contiguous bytes in chunks that blocks of one warp draw from a counter, or a chunk for each
    /// block.
    ///
    /// ```
    /// use kernels_gpu::copy_bulk::CopyBulk;
    /// use tma_launch::DeviceDescription;
    ///
    /// let device = DeviceDescription::h100(); // tma_host::Device::description
    /// let copy = CopyBulk { len_bytes: 1 << 30, dst: 0, src: 1, counter: 2, ..CopyBulk::default() };
    /// assert!(copy.on(&device).launch().is_ok());
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CopyBulk {
        /// Chunks that a block keeps in shared memory: 2, 3, 4, 6 or 8. With 1 there is a block for each chunk,
        /// and neither `blocks` nor the counter is used.
        pub stages: u32,
        /// The number of bytes of a chunk.
        pub chunk_bytes: u32,
        /// The number of bytes to copy.
        pub len_bytes: u64,
        /// The buffer that is written.
        pub dst: usize,
        /// The offset of the copy in it.
        pub dst_offset_bytes: u64,
        /// The buffer that is read, from its start.
        pub src: usize,
        /// The buffer of the counter, a `u32` that is zero.
        pub counter: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The least shared memory of a block in bytes, where there is a block for each chunk. More than a chunk needs makes fewer blocks run at once.
        pub shared_bytes: u32,
        /// The number of threads of a block: 32, but where there is a block for each chunk up to 256.
        pub threads: u32,
    }

    /// A copy of no bytes from buffer 1 to buffer 0, with the counter in buffer 2.
    impl Default for CopyBulk {
        fn default() -> Self {
            Self {
                stages: 2,
                chunk_bytes: 8192,
                len_bytes: 0,
                dst: 0,
                dst_offset_bytes: 0,
                src: 1,
                counter: 2,
                blocks: 1,
                shared_bytes: 0,
                threads: 32,
            }
        }
    }

    impl CopyBulk {
        /// Returns the same copy with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            self.set(Streaming::CopyBulk.setting(device), device)
        }

        /// Returns the same copy with a setting.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                stages: setting.stages,
                chunk_bytes: setting.chunk_bytes,
                blocks: setting.grid(device, self.len_bytes),
                shared_bytes: setting.shared_bytes(device),
                threads: setting.threads,
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            chunk(conditions, self.chunk_bytes);
            ends(conditions, self.dst_offset_bytes, self.len_bytes);
            let chunks = chunks(conditions, self.len_bytes, self.chunk_bytes);
            conditions.reads(Region::bytes(self.src, self.len_bytes));
            conditions.writes(Region::bytes(self.dst, self.len_bytes).skip(self.dst_offset_bytes));
            let (dst, src) = (
                BufferRef::new(self.dst).skip(self.dst_offset_bytes),
                BufferRef::new(self.src),
            );
            let chunk_bytes = divisor(self.chunk_bytes);
            if self.stages == 1 {
                each(conditions, self.len_bytes, self.threads);
                let call = copy_bulk_once(dst, src, self.len_bytes, chunk_bytes);
                return (
                    call,
                    Shape::new(chunks, self.threads).shared_bytes(self.shared_bytes),
                );
            }
            let reason = "one warp moves the chunks";
            conditions.within("block size", self.threads, 32..=32, reason);
            let own = self.stages.saturating_sub(1);
            drawn(conditions, self.blocks, own, chunks, self.counter);
            let counter = BufferRef::new(self.counter);
            let call = copy_bulk(self.stages, dst, src, self.len_bytes, chunk_bytes, counter);
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}
