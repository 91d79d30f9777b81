//! `st.bulk`, zeros in shared memory. PTX ISA 9.7.9.13.

use super::operand::SharedPtr;

/// `st.bulk.weak.shared::cta [dst], bytes, 0;`
///
/// Writes zeros.
///
/// # Safety
/// 1. `bytes` is a multiple of 8, at most 2^24.
/// 2. `dst` is a multiple of 8 with room for `bytes` bytes in this block's shared memory, which no
///    other code uses at the same time.
#[doc(alias = "st_bulk")]
#[device_fn(isa = "8.6", arch = sm_100)]
pub unsafe fn weak_shared_cta<T>(dst: SharedPtr<T>, bytes: u64) {
    // SAFETY: size and address are aligned (1, 2), and no other code uses the bytes (2).
    unsafe {
        ptx_asm! { []
            ("st.bulk.weak.shared::cta" " [{dst}], {bytes}, 0;"; dst = in(reg32) dst.address(),
                bytes = in(reg64) bytes)
        }
    }
}
