//! `applypriority`, the turn in which cached bytes go. PTX ISA 9.7.9.16.

use super::operand::address::GlobalAddress;

/// `applypriority.SPACE.L2::evict_normal [address], 128;`
///
/// Lets 128 bytes in the L2 cache go in their turn. `SPACE` is `.global`, or empty for a raw pointer.
///
/// # Safety
/// 1. `address` is a multiple of 128 in global memory.
#[device_fn(isa = "7.4", arch = sm_80)]
pub unsafe fn l2_evict_normal<T>(address: impl GlobalAddress<T>) {
    // SAFETY: the 128 bytes begin at a multiple of 128 in global memory (1).
    unsafe {
        ptx_asm! { [] ("applypriority") { space address } (".L2::evict_normal" " [{address}], 128;") }
    }
}

/// `applypriority.async.bulk.global.bulk_group.L2::evict_normal [address], bytes;`
///
/// Starts to let bytes in the L2 cache go in their turn; it joins the thread's next bulk group.
///
/// # Safety
/// 1. `address` is a multiple of 16, and so is `bytes`.
/// 2. `address` points to `bytes` bytes of global memory.
#[doc(alias = "applypriority_async_bulk_L2_evict_normal")]
#[device_fn(isa = "9.4", arch = sm_107a)]
pub unsafe fn async_bulk_global_bulk_group_l2_evict_normal<T>(address: *mut T, bytes: u32) {
    // SAFETY: address and size are multiples of 16 (1), and the bytes are in global memory (2).
    unsafe {
        ptx_asm! { []
            ("applypriority.async.bulk.global.bulk_group.L2::evict_normal" " [{address}], {bytes};";
                address = in(reg64) address, bytes = in(reg32) bytes)
        }
    }
}
