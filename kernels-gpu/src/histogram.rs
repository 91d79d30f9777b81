//! A histogram: each block counts in shared memory, and one bulk reduction (`cp.reduce.async.bulk`)
//! adds its counts to the counts of all blocks.

use tma::{Block, kernel, memory, shared, warp};

use crate::vectors::{VECTOR_BYTES, Vector};

/// Bins: one for each value of a byte.
pub const BINS: usize = 256;

const BINS_BYTES: u32 = size_of::<[u32; BINS]>() as u32;

/// Adds to `counts[v]` the number of bytes `v` among the `len` bytes of `data`.
///
/// # Safety
/// 1. `data` has `len` bytes that no thread writes while the kernel runs.
/// 2. `counts` has [`BINS`] numbers at a multiple of 16 bytes that no other code uses.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/histogram.ptx"), "\n```"))]
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

/// Lanes of a warp, each with counts of its own.
const LANES: usize = 32;

/// Works like [`histogram`], with vectors of bytes in flight and counts of its own for each lane of the block's warps:
/// the counts of a lane are in one bank of shared memory, so that lanes never wait for each other.
///
/// # Safety
/// The conditions of [`histogram`], and
/// 4. `data` is a multiple of 16.
#[kernel(max_threads = 1024)]
pub unsafe fn histogram_lanes(data: *const u8, len: u32, counts: *mut u32) {
    shared! {
        static COUNTS_OF_LANES: [u32; BINS * LANES] align 16;
        static SUMS: [u32; BINS] align 16;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let of_lanes = block.counts(COUNTS_OF_LANES::ptr());
    let lane = warp::lane() % LANES as u32;
    let count = |byte: u32| of_lanes.add((byte & 0xff) * LANES as u32 + lane, 1);
    let count_word = |word: u32| {
        count(word);
        count(word >> 8);
        count(word >> 16);
        count(word >> 24);
    };
    let count_vector = |[a, b, c, d]: Vector| {
        count_word(a);
        count_word(b);
        count_word(c);
        count_word(d);
    };
    let vectors = len / VECTOR_BYTES;
    // SAFETY: callers pass indices of existing vectors (1), aligned (4), and no thread writes them (1).
    let load = |index: u64| unsafe { memory::load_nc(data.cast::<Vector>().add(index as usize)) };
    let of_grid = u64::from(block.blocks().get()) * u64::from(block.threads());
    let mut index =
        u64::from(block.index()) * u64::from(block.threads()) + u64::from(block.thread());
    // Two vectors are in flight before the first is counted.
    while index + of_grid < u64::from(vectors) {
        let (first, second) = (load(index), load(index + of_grid));
        count_vector(first);
        count_vector(second);
        index += 2 * of_grid;
    }
    if index < u64::from(vectors) {
        count_vector(load(index));
    }
    // The bytes after the last vector.
    let rest = vectors * VECTOR_BYTES + block.thread();
    if block.index() == 0 && rest < len {
        // SAFETY: the index is in bounds (1).
        count(u32::from(unsafe { *data.add(rest as usize) }));
    }
    let of_lanes = of_lanes.finish(block);

    let sums = block.counts(SUMS::ptr());
    let mut bin = block.thread();
    while bin < BINS as u32 {
        let mut sum = 0;
        for lane in 0..LANES as u32 {
            // Neighbours begin with different lanes, which have different banks.
            sum += of_lanes.get(bin * LANES as u32 + (bin + lane) % LANES as u32);
        }
        sums.add(bin, sum);
        bin += block.threads();
    }
    sums.finish(block).store(block, |stores, sums| {
        // SAFETY: both ends have the bins (2), and others use the sums by such reductions alone.
        unsafe { stores.add(counts, sums, BINS_BYTES) };
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Histogram, HistogramForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::{BINS_BYTES, histogram, histogram_lanes};

    /// Counts bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Histogram {
        /// The counters that threads use.
        pub form: HistogramForm,
        /// The buffer of bytes.
        pub data: usize,
        /// The number of bytes to count.
        pub len: u32,
        /// The buffer of 256 `u32` that the counts are added to.
        pub counts: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    /// The counters in shared memory that threads use.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HistogramForm {
        /// All threads of a block in the same counts.
        Block,
        /// Each lane of a block's warps in counts of its own.
        Lanes,
    }

    impl Histogram {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            conditions.reads(Region::bytes(self.data, self.len.into()));
            conditions.updates(Region::bytes(self.counts, BINS_BYTES.into()));
            let kernel = match self.form {
                HistogramForm::Block => histogram,
                HistogramForm::Lanes => histogram_lanes,
            };
            let call = kernel(
                BufferRef::new(self.data),
                self.len,
                BufferRef::new(self.counts),
            );
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}
