//! A warpgroup multiplies ones in registers, then twos and so on, by a matrix whose columns are 1 to 8.

use tma::{
    kernel,
    ptx::{
        Aligned, U8, fence,
        wgmma::{self, Registers},
    },
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const READ_IN_FLIGHT: u32 = 1; //~ product-register-in-flight
const CHANGED_IN_FLIGHT: u32 = 2; //~ product-register-in-flight

#[kernel(max_threads = 128, allow(C7514, C7517), instances(BUG = CORRECT, READ_IN_FLIGHT, CHANGED_IN_FLIGHT))]
unsafe fn warpgroup_fragment<const BUG: u32>(output: *mut i32, rounds: u32) {
    let thread = thread_idx().x;
    let b = shared::dynamic::<u32, 128>();
    let ones = 0x0101_0101;
    if thread < 64 {
        b.add(thread).write((thread / 4 % 8 + 1) * ones);
    }
    fence::proxy_async_shared_cta();
    sync_threads();
    // Core matrices along K are 128 bytes apart.
    let descriptor = u64::from(b.address() >> 4) | 0x10_0008_0000;
    let to = output.add(2 * thread as usize);
    let mut a = [ones; 4];
    let mut sums = [0_i32; 4].pinned();
    let mut round = 0;
    while round < rounds {
        wgmma::fence_sync::<Aligned>();
        sums = wgmma::mma_async::<_, U8, U8, 1, 1, 0, 0>(sums, a, descriptor, true);
        wgmma::commit_group_sync::<Aligned>();
        if BUG == READ_IN_FLIGHT {
            to.write_volatile(a[2] as i32);
        }
        if BUG != CHANGED_IN_FLIGHT {
            wgmma::wait_group_sync::<Aligned, 0>();
        }
        a = [a[0] + ones, a[1] + ones, a[2] + ones, a[3] + ones];
        round += 1;
    }
    wgmma::wait_group_sync::<Aligned, 0>();
    let sums = sums.pinned();
    to.write(sums[0]);
    to.add(1).write(sums[1]);
}
