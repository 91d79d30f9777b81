//! Ports the guide's "Prefetching Data" with LDGSTS: each thread keeps several of its own copies
//! (`cp.async`) on their way, in groups.

use tma::{
    kernel,
    ptx::{Ca, cp_async},
    shared,
    thread::{block_dim, block_idx, grid_dim, sync_threads, thread_idx},
};

/// Writes `3 * x + y` for each number `x` of `global_in` to the same place of `global_out`, where `y`
/// is the next number of the same batch and block, for the last one the first.
///
/// The input is `batches` batches of one number per thread of the grid. Each block keeps `STAGES`
/// batches in shared memory or on their way there: entries `prefetch_1` to `prefetch_8`.
///
/// The launch asks for `STAGES * 4 * threads of a block` bytes of shared memory.
///
/// # Safety
/// 1. `global_in` and `global_out` point to `batches * threads of the grid` numbers of global
///    memory, at multiples of 4 bytes, that nobody else uses while the kernel runs.
/// 2. Grid and blocks are one-dimensional, and the launch has the shared memory.
#[cfg_attr(doc, doc = concat!("\n# PTX of `prefetch_2`\n```text\n", include_str!("../../tests/golden/ptx/sm_90a/prefetch_2.ptx"), "\n```"))]
#[kernel(max_threads = 1024, instances(STAGES = 1, 2, 3, 4, 8))]
pub unsafe fn prefetch<const STAGES: u32>(
    global_out: *mut i32,
    global_in: *const i32,
    batches: u32,
) {
    let tid = thread_idx().x;
    let block_size = block_dim().x;
    let smem = shared::dynamic::<i32, 16>();
    let stage_data = |stage: u32| smem.add(stage * block_size);
    let block_batch = |batch: u32| {
        let grid_size = u64::from(grid_dim().x) * u64::from(block_size);
        (u64::from(block_idx().x) * u64::from(block_size) + grid_size * u64::from(batch)) as usize
    };
    // A group for every batch, also for those that are not there: so the number of groups behind the
    // one that is waited for is always the same.
    let fetch = |batch: u32, stage: u32| {
        // SAFETY: the batch lies within the input (1), and nobody uses the stage's buffer any more.
        unsafe {
            if batch < batches {
                let to = stage_data(stage).add(tid);
                let from = global_in.add(block_batch(batch) + tid as usize);
                cp_async::shared_cta_global::<Ca, 4>(to.cast(), from.cast());
            }
            cp_async::commit_group();
        }
    };

    // Fill the pipeline with the first batches.
    for stage in 0..STAGES {
        fetch(stage, stage);
    }

    let mut stage = 0;
    let mut compute_batch = 0;
    while compute_batch < batches {
        // Wait for the current batch: a thread for its own copy, the meeting for those of others.
        // SAFETY: the groups are this thread's; every thread is here.
        unsafe {
            // `STAGES - 1` groups may be on their way.
            wait_for_all_but::<STAGES>();
            sync_threads();
        }

        // Compute on it.
        // SAFETY: the copies wrote the numbers, and the output has its place (1).
        unsafe {
            let number = stage_data(stage).add(tid).read();
            let next = stage_data(stage).add((tid + 1) % block_size).read();
            *global_out.add(block_batch(compute_batch) + tid as usize) = 3 * number + next;
        }
        // SAFETY: every thread is here.
        unsafe { sync_threads() };

        // Load the batch that comes `STAGES` later into the same stage.
        fetch(compute_batch + STAGES, stage);
        stage = if stage + 1 == STAGES { 0 } else { stage + 1 };
        compute_batch += 1;
    }
}

/// Waits for all groups but the last `STAGES - 1`.
///
/// # Safety
/// 1. None: the groups belong to this thread.
#[inline(always)]
unsafe fn wait_for_all_but<const STAGES: u32>() {
    // SAFETY: (1).
    unsafe {
        match STAGES {
            1 => cp_async::wait_group::<0>(),
            2 => cp_async::wait_group::<1>(),
            3 => cp_async::wait_group::<2>(),
            4 => cp_async::wait_group::<3>(),
            _ => cp_async::wait_group::<7>(),
        }
    }
}
