//! `red.shared`, atomic operations on this block's shared memory without a result. PTX ISA 9.7.13.6.

/// `red.relaxed.cta.shared::cta.add.u32 [address], value;`
///
/// Adds `value` to the number there in one step, which wraps.
///
/// # Safety
/// 1. `address` is a multiple of 4 and is in this block's shared memory, where a number was written.
/// 2. Others use the number at the same time by atomic operations alone.
#[doc(alias = "atomicAdd_block")]
#[device_fn(isa = "7.8", arch = sm_80)]
pub unsafe fn add_u32(address: u32, value: u32) {
    // SAFETY: the address is aligned, shared and initialised (1), and other accesses are atomic (2).
    unsafe {
        core::arch::asm!(
            "red.relaxed.cta.shared::cta.add.u32 [{address}], {value};",
            address = in(reg32) address, value = in(reg32) value,
            options(nostack, preserves_flags),
        )
    }
}
