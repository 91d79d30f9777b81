//! Intrinsics that libNVVM refuses for `compute_100`, as `asm!`. The conditions are those of the intrinsics.

use core::arch::asm;

#[inline(always)]
pub(crate) unsafe fn wgmma_fence_sync_aligned() {
    // SAFETY: the warpgroup takes part as a whole (1 of `fence_sync`, the only caller).
    unsafe { asm!("wgmma.fence.sync.aligned;") }
}

#[inline(always)]
pub(crate) unsafe fn wgmma_commit_group_sync_aligned() {
    // SAFETY: the warpgroup takes part as a whole (1 of `fence_sync`, by way of `commit_group_sync`).
    unsafe { asm!("wgmma.commit_group.sync.aligned;") }
}

/// The instruction takes a constant. A number above 7 waits until 7 groups are left, which is the stronger condition.
#[inline(always)]
pub(crate) unsafe fn wgmma_wait_group_sync_aligned(left: u64) {
    macro_rules! wait {
        ($($known:literal)*; $greatest:literal) => {
            match left {
                // SAFETY: the warpgroup takes part as a whole (1 of `fence_sync`, by way of `wait_group_sync`).
                $($known => unsafe { asm!(concat!("wgmma.wait_group.sync.aligned ", $known, ";")) },)*
                // SAFETY: the warpgroup takes part as a whole (1 of `fence_sync`); waiting for more groups is
                // allowed.
                _ => unsafe { asm!(concat!("wgmma.wait_group.sync.aligned ", $greatest, ";")) },
            }
        };
    }
    wait!(0 1 2 3 4 5 6; 7)
}
