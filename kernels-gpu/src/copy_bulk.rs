//! Copies memory as fast as it goes: bulk copies in and out, several on their way, chunks handed
//! out one by one.

use core::num::NonZero;

use tma::{
    Block, Counter, Stores, Transaction, kernel,
    pipeline::{self, Items},
    shared,
};

/// Copies `len_bytes` bytes from `src` to `dst`, in chunks of `chunk_bytes` of which each block
/// keeps `STAGES` in shared memory: `copy_bulk_2` to `copy_bulk_8`.
///
/// A block is one warp. The launch has as many blocks as run at once; 64 KiB of chunks for each
/// multiprocessor are enough to keep an H100's memory busy.
///
/// # Safety
/// 1. `src` and `dst` point to `len_bytes` bytes of global memory that do not overlap and that
///    nobody else uses while the kernel runs.
/// 2. Both addresses, `len_bytes` and `chunk_bytes` are multiples of 16; a chunk has at most
///    2^20 - 16 bytes, and there are fewer than 2^31 chunks.
/// 3. `counter` is as its type says.
/// 4. Grid and blocks are one-dimensional, blocks of 32 threads, and the launch has the shared
///    memory.
#[cfg_attr(doc, doc = concat!("\n# PTX of `copy_bulk_4`\n```text\n", include_str!("../../tests/golden/ptx/copy_bulk_4.ptx"), "\n```"))]
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
    // SAFETY: the chunk lies within the source (1), aligned (2); the buffer is free and takes it.
    let load = |chunk: u32, loads: &mut Transaction<'_>, buffer| unsafe {
        loads.bulk(buffer, src.add(start(chunk) as usize), bytes(chunk));
    };
    // SAFETY: the chunk lies within the destination (1), aligned (2); it has been loaded, and its buffer is
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

#[cfg(not(target_arch = "nvptx64"))]
pub use host::CopyBulk;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Conditions, Launch, Region, Shape, Violations};

    use super::copy_bulk;
    use crate::arguments::{bulk, chunks, divisor, drawn, ends};

    /// The longest pieces that one bulk copy and one phase of a barrier take.
    const MOST_CHUNK_BYTES: u32 = (1 << 20) - 16;

    /// Copies contiguous bytes in chunks that blocks of one warp draw from a counter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CopyBulk {
        /// Chunks that a block keeps in shared memory: 2, 3, 4, 6 or 8.
        pub stages: u32,
        /// Bytes of a chunk.
        pub chunk_bytes: u32,
        /// Bytes to copy.
        pub len_bytes: u64,
        /// The buffer that is written.
        pub dst: usize,
        /// Where in it the copy begins.
        pub dst_offset_bytes: u64,
        /// The buffer that is read, from its start.
        pub src: usize,
        /// The buffer of the counter, a `u32` that is zero.
        pub counter: usize,
        /// Blocks.
        pub blocks: u32,
    }

    impl CopyBulk {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            let reason = "what a bulk copy takes:";
            conditions.within(
                "chunk_bytes",
                self.chunk_bytes,
                16..=MOST_CHUNK_BYTES,
                reason,
            );
            bulk(&mut conditions, "chunk_bytes", self.chunk_bytes.into());
            ends(&mut conditions, self.dst_offset_bytes, self.len_bytes);
            let chunks = chunks(&mut conditions, self.len_bytes, self.chunk_bytes);
            let own = self.stages.saturating_sub(1);
            conditions.reads(Region::bytes(self.src, self.len_bytes));
            drawn(&mut conditions, self.blocks, own, chunks, self.counter);
            conditions.writes(Region::bytes(self.dst, self.len_bytes).skip(self.dst_offset_bytes));
            let call = copy_bulk(
                self.stages,
                BufferRef::new(self.dst).skip(self.dst_offset_bytes),
                BufferRef::new(self.src),
                self.len_bytes,
                divisor(self.chunk_bytes),
                BufferRef::new(self.counter),
            );
            conditions.launch(call, Shape::new(self.blocks, 32))
        }
    }
}
