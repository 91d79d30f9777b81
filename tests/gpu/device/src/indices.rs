use tma::{
    kernel,
    thread::{Dim3, block_dim, block_idx, grid_dim, thread_idx},
};

/// Writes for each thread of a three-dimensional launch its position, the block's and both extents.
///
/// # Safety
/// 1. `output` has 12 numbers for each thread.
#[kernel]
pub unsafe fn indices(output: *mut u32) {
    let (thread, block, threads, blocks) = (thread_idx(), block_idx(), block_dim(), grid_dim());
    let flat = |at: Dim3, extent: Dim3| at.x + extent.x * (at.y + extent.y * at.z);
    let index = flat(block, blocks) * threads.x * threads.y * threads.z + flat(thread, threads);
    // SAFETY: twelve numbers for each thread (1).
    unsafe {
        let output = output.add(index as usize * 12).cast::<[u32; 12]>();
        *output = [
            thread.x, thread.y, thread.z, block.x, block.y, block.z, threads.x, threads.y,
            threads.z, blocks.x, blocks.y, blocks.z,
        ];
    }
}
