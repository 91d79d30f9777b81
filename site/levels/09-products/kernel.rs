//! A warpgroup multiplies a matrix of ones by one whose columns are 1 to 8, twice, and then clears the first.

use tma::{
    SharedPtr, kernel,
    ptx::{
        Aligned, U8, fence,
        wgmma::{self, Registers},
    },
    shared,
    thread::{sync_threads, thread_idx},
};

#[kernel(max_threads = 128)]
unsafe fn product(output: *mut i32) {
    shared! {
        static A: [u32; 512] align 128;
        static B: [u32; 64] align 128;
    }
    let thread = thread_idx().x;
    let ones = 0x0101_0101;
    for word in 0..4 {
        A::ptr().at(4 * thread + word).write(ones);
    }
    if thread < 64 {
        B::ptr().at(thread).write((thread / 4 % 8 + 1) * ones);
    }
    fence::proxy_async_shared_cta();
    sync_threads();

    // Core matrices along K are 128 bytes apart, across it 256.
    let descriptor = |matrix: SharedPtr<u32>| u64::from(matrix.address() >> 4) | 0x10_0008_0000;
    let [a, b] = [A::ptr().cast(), B::ptr().cast()].map(descriptor);
    let sums = [0_i32; 4].pinned();
    wgmma::fence_sync::<Aligned>();
    let sums = wgmma::mma_async::<_, U8, U8, 1, 1, 0, 0>(sums, a, b, true);
    wgmma::commit_group_sync::<Aligned>();
    let sums = wgmma::mma_async::<_, U8, U8, 1, 1, 0, 0>(sums, a, b, true);
    wgmma::commit_group_sync::<Aligned>();
    wgmma::wait_group_sync::<Aligned, 0>(); // not cleared_at_once
    for word in 0..4 {
        A::ptr().at(4 * thread + word).write(0);
    }
    wgmma::wait_group_sync::<Aligned, 0>(); // only cleared_at_once
    let sums = sums.pinned();
    let to = output.add(2 * thread as usize);
    to.write(sums[0]);
    to.add(1).write(sums[1]);
}
