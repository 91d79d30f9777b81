//! `ld.global`, loads from global memory. PTX ISA 9.7.9.8 and 9.7.9.9.
//!
//! A load without a cache operator is what Rust's own reads are.

#[cfg(target_arch = "nvptx64")]
use super::Word;
use super::{LoadOperator, Scope, WaitSem};

/// A load through the cache of values that no thread writes, with hints in its opcode.
macro_rules! constant_loads {
    ($name:ident = $opcode:literal isa $isa:literal; $text:literal $registers:literal
        $type:ty = $result:expr; $($value:ident: $bits:ty as $class:ident)+) => {
        #[doc = concat!("`", $opcode, $text, " ", stringify!($($value),+), ", [address];`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in global memory.
        /// 2. No thread writes the bytes while the kernel runs.
        #[doc(alias = "__ldg")]
        #[device_fn(isa = $isa, arch = sm_80)]
        pub unsafe fn $name(address: *const $type) -> $type {
            $(let $value: $bits;)+
            // SAFETY: the address is aligned and global (1), and no write races with the load (2), which makes it
            // `pure`.
            unsafe {
                core::arch::asm!(
                    concat!($opcode, $text, $registers, ", [{address}];"),
                    $($value = out($class) $value,)+ address = in(reg64) address,
                    options(pure, readonly, nostack, preserves_flags),
                )
            }
            $result
        }
    };
}

/// The loads of a value of one shape: with a cache operator, and of values that no thread writes.
macro_rules! loads {
    ($($name:ident $nc:ident $no_allocate:ident $no_allocate_128b:ident $no_allocate_256b:ident
        = $text:literal $registers:literal $type:ty = $result:expr; $($value:ident: $bits:ty as $class:ident)+;)+) => { $(
        #[doc = concat!("`ld.global.O", $text, " ", stringify!($($value),+), ", [address];`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in global memory.
        /// 2. The bytes were written, that happens before, and no thread writes them at the same time.
        #[doc(alias("__ldcg", "__ldcs", "__ldlu", "__ldcv"))]
        #[device_fn(isa = "7.0", arch = sm_80)]
        pub unsafe fn $name<O: LoadOperator>(address: *const $type) -> $type {
            $(let $value: $bits;)+
            // SAFETY: the address is aligned and global (1); the bytes are initialised and no write races with
            // the load (2).
            unsafe {
                ptx_asm! { [readonly]
                    ("ld.global" $registers; $($value = out($class) $value),+)
                    { O::WORD; Word::Cg => (".cg"), Word::Cs => (".cs"), Word::Lu => (".lu"),
                        Word::Cv => (".cv"), _ => never }
                    ($text ", [{address}];"; address = in(reg64) address)
                }
            }
            $result
        }
        constant_loads! {
            $nc = "ld.global.nc" isa "7.0";
            $text $registers $type = $result; $($value: $bits as $class)+
        }
        constant_loads! {
            $no_allocate = "ld.global.nc.L1::no_allocate" isa "7.4";
            $text $registers $type = $result; $($value: $bits as $class)+
        }
        constant_loads! {
            $no_allocate_128b = "ld.global.nc.L1::no_allocate.L2::128B" isa "7.4";
            $text $registers $type = $result; $($value: $bits as $class)+
        }
        constant_loads! {
            $no_allocate_256b = "ld.global.nc.L1::no_allocate.L2::256B" isa "7.4";
            $text $registers $type = $result; $($value: $bits as $class)+
        }
    )+ };
}

loads! {
    b8 nc_b8 nc_l1_no_allocate_b8 nc_l1_no_allocate_l2_128b_b8 nc_l1_no_allocate_l2_256b_b8
        = ".b8" " {v0}" u8 = v0 as u8; v0: u16 as reg16;
    b16 nc_b16 nc_l1_no_allocate_b16 nc_l1_no_allocate_l2_128b_b16 nc_l1_no_allocate_l2_256b_b16
        = ".b16" " {v0}" u16 = v0; v0: u16 as reg16;
    b32 nc_b32 nc_l1_no_allocate_b32 nc_l1_no_allocate_l2_128b_b32 nc_l1_no_allocate_l2_256b_b32
        = ".b32" " {v0}" u32 = v0; v0: u32 as reg32;
    b64 nc_b64 nc_l1_no_allocate_b64 nc_l1_no_allocate_l2_128b_b64 nc_l1_no_allocate_l2_256b_b64
        = ".b64" " {v0}" u64 = v0; v0: u64 as reg64;
    v2_b32 nc_v2_b32 nc_l1_no_allocate_v2_b32 nc_l1_no_allocate_l2_128b_v2_b32 nc_l1_no_allocate_l2_256b_v2_b32
        = ".v2.b32" " {{ {v0}, {v1} }}" [u32; 2] = [v0, v1]; v0: u32 as reg32 v1: u32 as reg32;
    v4_b32 nc_v4_b32 nc_l1_no_allocate_v4_b32 nc_l1_no_allocate_l2_128b_v4_b32 nc_l1_no_allocate_l2_256b_v4_b32
        = ".v4.b32" " {{ {v0}, {v1}, {v2}, {v3} }}" [u32; 4] = [v0, v1, v2, v3]; v0: u32 as reg32 v1: u32 as reg32 v2: u32 as reg32 v3: u32 as reg32;
    v2_b64 nc_v2_b64 nc_l1_no_allocate_v2_b64 nc_l1_no_allocate_l2_128b_v2_b64 nc_l1_no_allocate_l2_256b_v2_b64
        = ".v2.b64" " {{ {v0}, {v1} }}" [u64; 2] = [v0, v1]; v0: u64 as reg64 v1: u64 as reg64;
}

/// Loads with an order.
macro_rules! ordered {
    ($($name:ident: $type:ty as $class:ident = $text:literal;)+) => { $(
        #[doc = concat!("`ld.S.C.global", $text, " value, [address];`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in global memory, where a value was written.
        /// 2. Others write the value at the same time by such stores and atomic operations only, and each scope
        ///    includes the others.
        #[device_fn(isa = "7.0, with `Cluster` 7.8", arch = sm_90)]
        pub unsafe fn $name<S: WaitSem, C: Scope>(address: *const $type) -> $type {
            let value;
            // SAFETY: the address is aligned, global and initialised (1), and other accesses are strong or atomic
            // (2).
            unsafe {
                ptx_asm! { []
                    ("ld" " {value}, [{address}];"; value = out($class) value, address = in(reg64) address)
                    { sem S } { scope C } (".global") ($text)
                }
            }
            value
        }
    )+ };
}

ordered! {
    ordered_b32: u32 as reg32 = ".b32";
    ordered_b64: u64 as reg64 = ".b64";
}
