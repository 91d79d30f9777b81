//! The name of the dynamic shared memory. PTX ISA 5.1.7, "Shared State Space".

#[cfg(target_arch = "nvptx64")]
core::arch::global_asm!(".extern .shared .align 1024 .b8 tma_dynamic_shared[];");

device_fn! {
    /// `mov.u32 address, tma_dynamic_shared;` — where dynamic shared memory begins.
    ///
    /// PTX ISA 2.0, every architecture.
    ///
    /// # Safety
    /// 1. None: an address is only taken.
    pub unsafe fn dynamic() -> u32 {
        let address;
        // SAFETY: (1). The result is a constant and no memory is touched.
        unsafe {
            core::arch::asm!(
                "mov.u32 {address}, tma_dynamic_shared;",
                address = out(reg32) address,
                options(pure, nomem, nostack, preserves_flags),
            )
        }
        address
    }
}
