use tma::{
    cluster, kernel,
    ptx::fence,
    thread::{block_idx, grid_dim, thread_idx},
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

/// Works like [`cluster_of_two`], for the cluster of the launch.
///
/// # Safety
/// 1. `output` has two numbers for each block.
#[kernel(max_threads = 64)]
pub unsafe fn cluster_at_launch(output: *mut u32) {
    // SAFETY: as (1).
    unsafe { write_rank(output) }
}

/// Writes each block's index in its cluster, the cluster's in the grid, and both extents.
///
/// # Safety
/// 1. `output` has 12 numbers for each block.
#[kernel(max_threads = 32, cluster = [2, 1, 2])]
pub unsafe fn cluster_indices(output: *mut u32) {
    let (block, blocks) = (block_idx(), grid_dim());
    let flat = block.x + blocks.x * (block.y + blocks.y * block.z);
    if thread_idx().x == 0 {
        let at = [
            cluster::block_idx(),
            cluster::cluster_idx(),
            cluster::cluster_dim(),
            cluster::grid_dim(),
        ];
        // SAFETY: twelve numbers for each block (1).
        unsafe {
            let output = output.add(flat as usize * 12).cast::<[[u32; 3]; 4]>();
            *output = [
                [at[0].x, at[0].y, at[0].z],
                [at[1].x, at[1].y, at[1].z],
                [at[2].x, at[2].y, at[2].z],
                [at[3].x, at[3].y, at[3].z],
            ];
        }
    }
}

/// # Safety
/// 1. `output` has two numbers for each block, and all threads of the cluster are here.
#[inline(always)]
unsafe fn write_rank(output: *mut u32) {
    fence::mbarrier_init_release_cluster();
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
