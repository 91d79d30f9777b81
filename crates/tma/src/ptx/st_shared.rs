//! `st.shared`, stores to this block's shared memory. PTX ISA 9.7.9.11.

macro_rules! stores {
    ($($name:ident: $type:ty, $class:ident, $ptx:literal;)*) => { $(
        #[doc = concat!("`", $ptx, " [address], value;`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in this block's shared memory.
        /// 2. No other thread and no copy uses these bytes at the same time.
        #[device_fn(isa = "7.0", arch = sm_80)]
        pub unsafe fn $name(address: u32, value: $type) {
            // SAFETY: the address is aligned and shared (1), and no other access races with the store (2).
            unsafe {
                core::arch::asm!(
                    concat!($ptx, " [{address}], {value};"),
                    address = in(reg32) address, value = in($class) value,
                    options(nostack, preserves_flags),
                )
            }
        }
    )* };
}

stores! {
    b16: u16, reg16, "st.shared.b16";
    b32: u32, reg32, "st.shared.b32";
    b64: u64, reg64, "st.shared.b64";
}

/// `st.shared.b8 [address], value;`
///
/// # Safety
/// The conditions of [`b32`].
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn b8(address: u32, value: u8) {
    // SAFETY: the byte is in shared memory (1 of `b32`), and no other access races with the store (2).
    unsafe {
        core::arch::asm!(
            "st.shared.b8 [{address}], {value};",
            address = in(reg32) address, value = in(reg16) u16::from(value),
            options(nostack, preserves_flags),
        )
    }
}

/// `st.shared.v4.b32 [address], {v0, v1, v2, v3};`
///
/// # Safety
/// The conditions of [`b32`], with 16 bytes.
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn v4_b32(address: u32, value: [u32; 4]) {
    let [v0, v1, v2, v3] = value;
    // SAFETY: the 16 bytes are aligned and shared (1 of `b32`), and no other access races with the store (2).
    unsafe {
        core::arch::asm!(
            "st.shared.v4.b32 [{address}], {{ {v0}, {v1}, {v2}, {v3} }};",
            address = in(reg32) address,
            v0 = in(reg32) v0, v1 = in(reg32) v1, v2 = in(reg32) v2, v3 = in(reg32) v3,
            options(nostack, preserves_flags),
        )
    }
}
