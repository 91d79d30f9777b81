//! `cvta`, addresses between state spaces. PTX ISA 9.7.9.20.

device_fn! {
    /// `cvta.shared.u64 generic, address;` — the generic address of a byte in shared memory.
    ///
    /// PTX ISA 2.0, sm_20.
    ///
    /// # Safety
    /// 1. None: an address is only converted.
    #[doc(alias = "__cvta_shared_to_generic")]
    pub unsafe fn shared(address: u32) -> *mut u8 {
        let generic;
        // SAFETY: (1). The result depends on the operand alone and no memory is touched.
        unsafe {
            core::arch::asm!(
                "cvta.shared.u64 {generic}, {address};",
                generic = out(reg64) generic, address = in(reg64) u64::from(address),
                options(pure, nomem, nostack, preserves_flags),
            )
        }
        generic
    }
}
