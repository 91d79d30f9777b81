//! A histogram: each block counts in shared memory, and one bulk reduction (`cp.reduce.async.bulk`)
//! adds its counts to those of all blocks.

use tma::{Block, kernel, shared};

/// Bins: one for each value of a byte.
pub const BINS: usize = 256;

const BINS_BYTES: u32 = size_of::<[u32; BINS]>() as u32;

/// Adds to `counts[v]` how often the byte `v` is among the `len` ones of `data`.
///
/// # Safety
/// 1. `data` has `len` bytes that nobody writes while the kernel runs.
/// 2. `counts` has [`BINS`] numbers at a multiple of 16 bytes that nobody else uses.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/histogram.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn histogram(data: *const u8, len: u32, counts: *mut u32) {
    shared! {
        static COUNTS: [u32; BINS] align 16;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let block_counts = block.counts(COUNTS::ptr());
    let threads = u64::from(block.threads());
    let mut i = u64::from(block.index()) * threads + u64::from(block.thread());
    while i < u64::from(len) {
        // SAFETY: the index is in bounds (1).
        let value = unsafe { *data.add(i as usize) };
        block_counts.add(value.into(), 1);
        i += u64::from(block.blocks().get()) * threads;
    }
    block_counts
        .finish(block)
        .store(block, |stores, block_counts| {
            // SAFETY: both ends have the bins (2), and others use the sums by such reductions alone.
            unsafe { stores.add(counts, block_counts, BINS_BYTES) };
        });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::Histogram;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Conditions, Launch, Region, Shape, Violations};

    use super::{BINS_BYTES, histogram};

    /// Counts bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Histogram {
        /// The buffer of bytes.
        pub data: usize,
        /// Bytes to count.
        pub len: u32,
        /// The buffer of 256 `u32` that the counts are added to.
        pub counts: usize,
        /// Blocks.
        pub blocks: u32,
        /// Threads of a block.
        pub threads: u32,
    }

    impl Histogram {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            conditions.whole_warps(self.threads);
            conditions.reads(Region::bytes(self.data, self.len.into()));
            conditions.updates(Region::bytes(self.counts, BINS_BYTES.into()));
            let call = histogram(
                BufferRef::new(self.data),
                self.len,
                BufferRef::new(self.counts),
            );
            conditions.launch(call, Shape::new(self.blocks, self.threads))
        }
    }
}
