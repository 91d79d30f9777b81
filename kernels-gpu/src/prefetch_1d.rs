//! Ports the guide's "Prefetching Data" with TMA: several batches in flight while one is worked
//! on, with explicit phase tracking.

use tma::{Block, kernel, ptx::mbarrier::Mbarrier, ring::Cursor, shared, thread::grid_dim};

/// Writes `3 * x + 1` for each number `x` of `global_in` to the same index of `global_out`.
///
/// The input is `batches` batches of one number per thread of the grid. Each block keeps `STAGES`
/// batches in shared memory or in flight: `prefetch_1d_1` to `prefetch_1d_8`.
///
/// # Safety
/// 1. `global_in` and `global_out` point to `batches * threads of the grid` numbers of global
///    memory that only this kernel uses while it runs.
/// 2. `global_in` is a multiple of 16 bytes, and threads of a block are a multiple of 32.
/// 3. Grid and blocks are one-dimensional, and the launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `prefetch_1d_4`\n```text\n", include_str!("../../tests/golden/ptx/prefetch_1d_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 1024,
    instances(STAGES = 1, 2, 3, 4, 5, 6, 7, 8),
    shared_bytes = |threads| {
        u64::from(STAGES) * (threads * size_of::<i32>() as u64 + size_of::<Mbarrier>() as u64)
    }
)]
pub unsafe fn prefetch_1d<const STAGES: u32>(
    global_out: *mut i32,
    global_in: *const i32,
    batches: u32,
) {
    // SAFETY: every thread gets here (2, 3); each phase has the one arrival and the bytes of `fetch`.
    let block = unsafe { Block::converged() };
    let (tid, block_size) = (block.thread(), block.threads());
    let bytes = block_size * size_of::<i32>() as u32;

    // The stages are one after another, the barriers after them.
    let smem = shared::dynamic::<i32, 16>();
    let stage_data = |stage: u32| smem.add(stage * block_size);
    // Numbers of a batch, and the block's first one.
    let grid_size = grid_dim().x as usize * block_size as usize;
    let mut block_batch = block.index() as usize * block_size as usize;
    // Only the thread that starts a copy arrives; the others wait for the parity to flip.
    let bars = block.barrier_array::<STAGES>(stage_data(STAGES).cast::<Mbarrier>(), 1);

    let fetch = |block_batch: usize, at: Cursor<STAGES>| {
        let bar = bars.at(at);
        let mut load = bar.transaction();
        // SAFETY: the batch is within the input (1), aligned (2); no thread uses the stage's buffer
        // any more.
        unsafe {
            let from = global_in.add(block_batch).cast();
            load.bulk(stage_data(at.stage()).cast(), from, bytes)
        };
        let _ = load.arrive();
    };

    // Fill the pipeline with the first batches.
    if block.elect() {
        let mut cursor = Cursor::new();
        for batch in 0..STAGES {
            if batch < batches {
                fetch(block_batch + batch as usize * grid_size, cursor);
            }
            cursor.advance();
        }
    }

    let mut cursor = Cursor::new();
    let mut compute_batch = 0;
    while compute_batch < batches {
        // (a) Wait for the current batch.
        bars.at(cursor).wait_parity(cursor.parity());

        // (b) Compute on it.
        // SAFETY: the copy wrote this thread's number, and the output has room for it (1).
        unsafe {
            let number = stage_data(cursor.stage()).add(tid).read();
            *global_out.add(block_batch + tid as usize) = 3 * number + 1;
        }
        block.sync();

        // (c) Load the batch that comes `STAGES` later into the same stage.
        if compute_batch + STAGES < batches && block.elect() {
            fetch(block_batch + STAGES as usize * grid_size, cursor);
        }

        // (d) Go to the next stage.
        cursor.advance();
        block_batch += grid_size;
        compute_batch += 1;
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::Prefetch1d;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::prefetch_1d;
    use crate::arguments::{batches, product};

    /// Writes `3 * x + 1` for each number of the input, which arrives in batches.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Prefetch1d {
        /// The number of batches in shared memory or in flight: 1 to 8.
        pub stages: u32,
        /// The buffer of `i32` that is written: a number for each thread of the grid and each batch.
        pub output: usize,
        /// The buffer that is read, with the same length.
        pub input: usize,
        /// The number of batches.
        pub batches: u32,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    impl Prefetch1d {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            batches(conditions, self.batches, self.stages);
            let numbers = product(&[self.batches, self.blocks, self.threads]);
            let bytes = numbers.saturating_mul(size_of::<i32>() as u64);
            conditions.writes(Region::bytes(self.output, bytes));
            conditions.reads(Region::bytes(self.input, bytes));
            let (output, input) = (BufferRef::new(self.output), BufferRef::new(self.input));
            let call = prefetch_1d(self.stages, output, input, self.batches);
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}
