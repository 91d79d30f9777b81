//! `discard`, bytes that need not be written back. PTX ISA 9.7.9.17.

use super::operand::address::GlobalAddress;

/// `discard.SPACE.L2 [address], 128;`
///
/// Forgets 128 bytes: reads of them before the next write return any value. `SPACE` is `.global`, or
/// empty for a raw pointer.
///
/// # Safety
/// 1. `address` is a multiple of 128 and points to 128 bytes of global memory that may be written.
/// 2. No other code uses these bytes at the same time, or reads them before they are written again.
#[doc(alias = "cuda::discard_memory")]
#[device_fn(isa = "7.4", arch = sm_80)]
pub unsafe fn l2<T>(address: impl GlobalAddress<T>) {
    // SAFETY: the 128 bytes are aligned and may be written (1), and no code depends on their contents (2).
    unsafe {
        ptx_asm! { [] ("discard") { space address } (".L2" " [{address}], 128;") }
    }
}
