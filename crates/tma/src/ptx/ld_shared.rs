//! `ld.shared`, loads from this block's shared memory. PTX ISA 9.7.9.8.

macro_rules! loads {
    ($($name:ident: $type:ty, $class:ident, $ptx:literal;)*) => { $(
        #[doc = concat!("`", $ptx, " value, [address];`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in this block's shared memory.
        /// 2. The bytes were written, that happens before, and no thread writes them at the same time.
        #[device_fn(isa = "7.0", arch = sm_80)]
        pub unsafe fn $name(address: u32) -> $type {
            let value;
            // SAFETY: the address is aligned and shared (1); the bytes are initialised and no write races with the
            // load (2).
            unsafe {
                core::arch::asm!(
                    concat!($ptx, " {value}, [{address}];"),
                    value = out($class) value, address = in(reg32) address,
                    options(readonly, nostack, preserves_flags),
                )
            }
            value
        }
    )* };
}

loads! {
    b16: u16, reg16, "ld.shared.b16";
    b32: u32, reg32, "ld.shared.b32";
    b64: u64, reg64, "ld.shared.b64";
}

/// `ld.shared.b8 value, [address];`
///
/// # Safety
/// The conditions of [`b32`].
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn b8(address: u32) -> u8 {
    let value: u16;
    // SAFETY: the byte is in shared memory (1 of `b32`), initialised, and no write races with the load (2).
    unsafe {
        core::arch::asm!(
            "ld.shared.b8 {value}, [{address}];",
            value = out(reg16) value, address = in(reg32) address,
            options(readonly, nostack, preserves_flags),
        )
    }
    value as u8
}

/// `ld.shared.v4.b32 {v0, v1, v2, v3}, [address];`
///
/// # Safety
/// The conditions of [`b32`], with 16 bytes.
#[device_fn(isa = "7.0", arch = sm_80)]
pub unsafe fn v4_b32(address: u32) -> [u32; 4] {
    let (v0, v1, v2, v3);
    // SAFETY: the 16 bytes are aligned and shared (1 of `b32`), initialised, and no write races with the load
    // (2).
    unsafe {
        core::arch::asm!(
            "ld.shared.v4.b32 {{ {v0}, {v1}, {v2}, {v3} }}, [{address}];",
            v0 = out(reg32) v0, v1 = out(reg32) v1, v2 = out(reg32) v2, v3 = out(reg32) v3,
            address = in(reg32) address,
            options(readonly, nostack, preserves_flags),
        )
    }
    [v0, v1, v2, v3]
}
