//! A warpgroup multiplies a matrix of ones by one whose columns are 1 to 8, and then clears the first one.

use tma::{
    SharedPtr, kernel,
    ptx::{
        Aligned, S8, U8, fence,
        wgmma::{self, Registers},
    },
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const NO_PROXY_FENCE: u32 = 1; //~ missing-proxy-fence
const HALF_OF_B: u32 = 2; //~ uninitialised-use
const OUTSIDE_OF_SHARED_MEMORY: u32 = 3; //~ out-of-bounds
const NO_FENCE: u32 = 4; //~ missing-product-fence
const SUMS_READ_EARLY: u32 = 5; //~ product-register-in-flight
const CLEARED_AT_ONCE: u32 = 6; //~ product-source-overwritten
const A_WARP_HAS_LEFT: u32 = 7; //~ illegal-instruction
const ANOTHER_PRODUCT: u32 = 8; //~ illegal-instruction

#[kernel(max_threads = 128, allow(C7517, C7519, C7520), instances(BUG = CORRECT, NO_PROXY_FENCE, HALF_OF_B, OUTSIDE_OF_SHARED_MEMORY, NO_FENCE,
    SUMS_READ_EARLY, CLEARED_AT_ONCE, A_WARP_HAS_LEFT, ANOTHER_PRODUCT))]
unsafe fn warpgroup_product<const BUG: u32>(output: *mut i32) {
    let thread = thread_idx().x;
    let a = shared::dynamic::<u32, 128>();
    let b = a.byte_add(2048);
    let ones = 0x0101_0101;
    let mut word = 0;
    while word < 4 {
        a.add(4 * thread + word).write(ones);
        word += 1;
    }
    if thread < if BUG == HALF_OF_B { 32 } else { 64 } {
        b.add(thread).write((thread / 4 % 8 + 1) * ones);
    }
    if BUG != NO_PROXY_FENCE {
        fence::proxy_async_shared_cta();
    }
    if BUG == A_WARP_HAS_LEFT && thread >= 96 {
        return;
    }
    sync_threads();
    let b = if BUG == OUTSIDE_OF_SHARED_MEMORY {
        b.byte_add(128)
    } else {
        b
    };
    // Core matrices along K are 128 bytes apart, across it 256.
    let descriptor = |matrix: SharedPtr<u32>| u64::from(matrix.address() >> 4) | 0x10_0008_0000;
    let to = output.add(2 * thread as usize);
    let sums = [0_i32; 4].pinned();
    if BUG != NO_FENCE {
        wgmma::fence_sync::<Aligned>();
    }
    let sums = if BUG == ANOTHER_PRODUCT && thread >= 96 {
        // The numbers are the same with a sign.
        wgmma::mma_async::<_, U8, S8, 1, 1, 0, 0>(sums, descriptor(a), descriptor(b), true)
    } else {
        wgmma::mma_async::<_, U8, U8, 1, 1, 0, 0>(sums, descriptor(a), descriptor(b), true)
    };
    wgmma::commit_group_sync::<Aligned>();
    if BUG == SUMS_READ_EARLY {
        to.write_volatile(sums[0]);
    }
    if BUG == CLEARED_AT_ONCE {
        a.add(4 * thread).write(0);
    }
    wgmma::wait_group_sync::<Aligned, 0>();
    let sums = sums.pinned();
    a.add(4 * thread).write(0);
    to.write(sums[0]);
    to.add(1).write(sums[1]);
}
