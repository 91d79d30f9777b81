//! `st.global`, stores to global memory. PTX ISA 9.7.9.11.
//!
//! A store without a cache operator is what Rust's own writes are.

#[cfg(target_arch = "nvptx64")]
use super::Word;
use super::{ArriveSem, Scope, StoreOperator};

/// The stores of a value of one shape: with a cache operator, and past the L1 cache.
macro_rules! stores {
    ($($name:ident $no_allocate:ident = $text:literal $registers:literal $type:ty as $pattern:pat =>
        $($value:ident as $class:ident)+;)+) => { $(
        #[doc = concat!("`st.global.O", $text, " [address], ", stringify!($($value),+), ";`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in global memory.
        /// 2. No other code uses these bytes at the same time.
        #[doc(alias("__stwb", "__stcg", "__stcs", "__stwt"))]
        #[device_fn(isa = "7.0", arch = sm_80)]
        pub unsafe fn $name<O: StoreOperator>(address: *mut $type, value: $type) {
            let $pattern = value;
            // SAFETY: the address is aligned and global (1), and no other access races with the store (2).
            unsafe {
                ptx_asm! { []
                    ("st.global" " [{address}],"; address = in(reg64) address)
                    { O::WORD; Word::Wb => (".wb"), Word::Cg => (".cg"), Word::Cs => (".cs"),
                        Word::Wt => (".wt"), _ => never }
                    ($text $registers; $($value = in($class) $value),+)
                }
            }
        }

        #[doc = concat!("`st.global.L1::no_allocate", $text, " [address], ", stringify!($($value),+), ";`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in global memory.
        /// 2. No other code uses these bytes at the same time.
        #[device_fn(isa = "7.4", arch = sm_80)]
        pub unsafe fn $no_allocate(address: *mut $type, value: $type) {
            let $pattern = value;
            // SAFETY: the address is aligned and global (1), and no other access races with the store (2).
            unsafe {
                ptx_asm! { []
                    ("st.global.L1::no_allocate" " [{address}],"; address = in(reg64) address)
                    ($text $registers; $($value = in($class) $value),+)
                }
            }
        }
    )+ };
}

stores! {
    b8 l1_no_allocate_b8 = ".b8" " {v0};" u8 as v0 => v0 as reg16;
    b16 l1_no_allocate_b16 = ".b16" " {v0};" u16 as v0 => v0 as reg16;
    b32 l1_no_allocate_b32 = ".b32" " {v0};" u32 as v0 => v0 as reg32;
    b64 l1_no_allocate_b64 = ".b64" " {v0};" u64 as v0 => v0 as reg64;
    v2_b32 l1_no_allocate_v2_b32 = ".v2.b32" " {{ {v0}, {v1} }};" [u32; 2] as [v0, v1] => v0 as reg32 v1 as reg32;
    v4_b32 l1_no_allocate_v4_b32 = ".v4.b32" " {{ {v0}, {v1}, {v2}, {v3} }};" [u32; 4] as [v0, v1, v2, v3] => v0 as reg32 v1 as reg32 v2 as reg32 v3 as reg32;
    v2_b64 l1_no_allocate_v2_b64 = ".v2.b64" " {{ {v0}, {v1} }};" [u64; 2] as [v0, v1] => v0 as reg64 v1 as reg64;
}

/// Stores with an order.
macro_rules! ordered {
    ($($name:ident: $type:ty as $class:ident = $text:literal;)+) => { $(
        #[doc = concat!("`st.S.C.global", $text, " [address], value;`")]
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size and is in global memory.
        /// 2. Others use the value at the same time by such loads and stores and by atomic operations only, and each
        ///    scope includes the others.
        #[device_fn(isa = "7.0, with `Cluster` 7.8", arch = sm_90)]
        pub unsafe fn $name<S: ArriveSem, C: Scope>(address: *mut $type, value: $type) {
            // SAFETY: the address is aligned and global (1), and other accesses are strong or atomic (2).
            unsafe {
                ptx_asm! { []
                    ("st" " [{address}], {value};"; address = in(reg64) address, value = in($class) value)
                    { sem S } { scope C } (".global") ($text)
                }
            }
        }
    )+ };
}

ordered! {
    ordered_b32: u32 as reg32 = ".b32";
    ordered_b64: u64 as reg64 = ".b64";
}
