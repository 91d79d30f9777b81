use tma::{
    cluster, kernel,
    ptx::fence,
    thread::{block_idx, thread_idx},
};

/// Writes each block's rank and the size of its cluster, which the kernel sets to two.
///
/// # Safety
/// 1. `output` has two numbers for each block.
#[kernel(max_threads = 64, min_blocks = 2, cluster = 2)]
pub unsafe fn cluster_of_two(output: *mut u32) {
    // SAFETY: as (1).
    unsafe { write_rank(output) }
}

/// As [`cluster_of_two`], for the cluster that the launch asks for.
///
/// # Safety
/// 1. `output` has two numbers for each block.
#[kernel(max_threads = 64)]
pub unsafe fn cluster_at_launch(output: *mut u32) {
    // SAFETY: as (1).
    unsafe { write_rank(output) }
}

/// # Safety
/// 1. `output` has two numbers for each block, and all threads of the cluster are here.
#[inline(always)]
unsafe fn write_rank(output: *mut u32) {
    // SAFETY: a fence only orders.
    unsafe { fence::mbarrier_init_release_cluster() };
    // SAFETY: all threads of the cluster are here (1).
    unsafe { cluster::sync() };
    if thread_idx().x == 0 {
        let block = block_idx().x as usize;
        // SAFETY: two numbers for each block (1).
        unsafe {
            *output.add(2 * block) = cluster::block_rank();
            *output.add(2 * block + 1) = cluster::blocks();
        }
    }
}
