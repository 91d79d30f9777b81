//! Ports the guide's "Prefetching Data" with LDGSTS: each thread keeps several of its own copies
//! (`cp.async`) in flight, in groups.

use tma::{
    Block, kernel,
    ptx::{Ca, cp_async},
    shared,
    thread::grid_dim,
};

/// Writes `3 * x + y` for each number `x` of `global_in` to the same index of `global_out`, where
/// `y` is the next number of the same batch and block, for the last one the first.
///
/// The input is `batches` batches of one number per thread of the grid. Each block keeps `STAGES`
/// batches in shared memory or in flight: entries `prefetch_1`, `_2`, `_3`, `_4`, `_8`.
///
/// # Safety
/// 1. `global_in` and `global_out` point to `batches * threads of the grid` numbers of global
///    memory, at multiples of 4 bytes, that only this kernel uses while it runs.
/// 2. Grid and blocks are one-dimensional, and the launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `prefetch_2`\n```text\n", include_str!("../../tests/golden/ptx/prefetch_2.ptx"), "\n```"))]
#[kernel(
    max_threads = 1024,
    instances(STAGES = 1, 2, 3, 4, 8),
    shared_bytes = |threads| u64::from(STAGES) * threads * size_of::<i32>() as u64
)]
pub unsafe fn prefetch<const STAGES: u32>(
    global_out: *mut i32,
    global_in: *const i32,
    batches: u32,
) {
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let (tid, block_size) = (block.thread(), block.threads());
    let smem = shared::dynamic::<i32, 16>();
    let stage_data = |stage: u32| smem.add(stage * block_size);
    // Numbers of a batch, and this thread's one.
    let grid_size = grid_dim().x as usize * block_size as usize;
    let mut own = block.index() as usize * block_size as usize + tid as usize;
    // A group for every batch, also for missing ones: so the number of groups after the
    // awaited one is always the same.
    let fetch = |batch: u32, own: usize, stage: u32| {
        if batch < batches {
            let to = stage_data(stage).add(tid);
            // SAFETY: the batch is within the input (1), and no thread uses the stage's buffer any more.
            unsafe {
                let from = global_in.add(own);
                cp_async::shared_cta_global::<Ca, 4>(to.cast(), from.cast());
            }
        }
        cp_async::commit_group();
    };

    // Fill the pipeline with the first batches.
    for stage in 0..STAGES {
        fetch(stage, own + stage as usize * grid_size, stage);
    }

    let mut stage = 0;
    let mut compute_batch = 0;
    while compute_batch < batches {
        // Wait for the current batch, with `STAGES - 1` groups in flight: a thread for its own copy,
        // `sync` for the copies of others.
        wait_for_all_but::<STAGES>();
        block.sync();

        // Compute on it.
        // SAFETY: the copies wrote the numbers, and the output has room for it (1).
        unsafe {
            let number = stage_data(stage).add(tid).read();
            let next = stage_data(stage).add((tid + 1) % block_size).read();
            *global_out.add(own) = 3 * number + next;
        }
        block.sync();

        // Load the batch that comes `STAGES` later into the same stage.
        let ahead = own + STAGES as usize * grid_size;
        fetch(compute_batch + STAGES, ahead, stage);
        own += grid_size;
        stage = if stage + 1 == STAGES { 0 } else { stage + 1 };
        compute_batch += 1;
    }
}

/// Waits for all groups but the last `STAGES - 1`.
#[inline(always)]
fn wait_for_all_but<const STAGES: u32>() {
    match STAGES {
        1 => cp_async::wait_group::<0>(),
        2 => cp_async::wait_group::<1>(),
        3 => cp_async::wait_group::<2>(),
        4 => cp_async::wait_group::<3>(),
        _ => cp_async::wait_group::<7>(),
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::Prefetch;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::prefetch;
    use crate::arguments::{batches, product};

    /// Writes `3 * x` and the next number for each number of the input, which arrives in batches by the
    /// copies of each thread.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Prefetch {
        /// The number of batches in shared memory or in flight: 1, 2, 3, 4 or 8.
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

    impl Prefetch {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.within("block size", self.threads, 1..=1024, "");
            batches(conditions, self.batches, self.stages);
            let numbers = product(&[self.batches, self.blocks, self.threads]);
            let bytes = numbers.saturating_mul(size_of::<i32>() as u64);
            conditions.writes(Region::bytes(self.output, bytes));
            conditions.reads(Region::bytes(self.input, bytes));
            let (output, input) = (BufferRef::new(self.output), BufferRef::new(self.input));
            let call = prefetch(self.stages, output, input, self.batches);
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}
