//! The names of the dynamic shared memory. PTX ISA 5.1.7, "Shared State Space".

/// Declares a name for each alignment. All of them are the same memory; `tma-build` drops those
/// that a module does not use, since the largest alignment holds for all its kernels.
macro_rules! dynamic_symbols {
    ($($align:literal)*) => {
        #[cfg(target_arch = "nvptx64")]
        core::arch::global_asm!($(
            concat!(".extern .shared .align ", $align, " .b8 tma_dynamic_shared_", $align, "[];"),
        )*);

        /// `mov.u32 address, tma_dynamic_shared_ALIGN;` — where dynamic shared memory begins, at
        /// a multiple of `ALIGN` bytes: a power of two from 16 to 1024.
        ///
        /// PTX ISA 2.0, every architecture.
        #[device_fn]
        pub fn dynamic<const ALIGN: usize>() -> u32 {
            const { assert!(ALIGN.is_power_of_two() && ALIGN >= 16 && ALIGN <= 1024) };
            let address;
            // SAFETY: an address is only taken. The result is a constant and no memory is touched.
            unsafe {
                match ALIGN {
                    $($align => core::arch::asm!(
                        concat!("mov.u32 {address}, tma_dynamic_shared_", $align, ";"),
                        address = out(reg32) address,
                        options(pure, nomem, nostack, preserves_flags),
                    ),)*
                    _ => unreachable!(),
                }
            }
            address
        }
    };
}

dynamic_symbols! { 16 32 64 128 256 512 1024 }
