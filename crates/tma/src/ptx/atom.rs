//! `atom`, memory read, changed and written in one step. PTX ISA 9.7.13.5.
//!
//! ptxas turns an `atom` into `red` if no thread reads the result.

#[cfg(target_arch = "nvptx64")]
use super::Word;
use super::operand::address::AtomAddress;
use super::{AtomSem, Scope};

/// The operations of any order.
macro_rules! ordered {
    ($($(#[$attribute:meta])* $name:ident($($operand:ident),+): $type:ty as $class:ident = $text:literal $operands:literal;)+)
    => { $(
        #[doc = concat!("`atom.S.C.SPACE", $text, " result, [address]" $(, ", ", stringify!($operand))+, ";`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `address` is a multiple of the value's size, and a value was written there.
        /// 2. Others use the value at the same time by atomic operations only, and each scope includes the others.
        #[device_fn(isa = "7.0, with `Cluster` or in shared memory 7.8", arch = sm_90)]
        pub unsafe fn $name<S: AtomSem, C: Scope>(
            address: impl AtomAddress<$type, C>, $($operand: $type),+
        ) -> $type {
            let result;
            // SAFETY: the address is aligned and has a value (1); no access races with this one, as others are atomic
            // too (2).
            unsafe {
                ptx_asm! { []
                    ("atom" " {result}, [{address}]"; result = out($class) result)
                    { S::WORD; Word::Relaxed => (".relaxed"), Word::Acquire => (".acquire"),
                        Word::Release => (".release"), Word::AcqRel => (".acq_rel"), _ => never }
                    { scope C } { space address }
                    ($text $operands; $($operand = in($class) $operand),+)
                }
            }
            result
        }
    )+ };
}

ordered! {
    /// The old value; the sum is written, which wraps.
    #[doc(alias = "atomicAdd")]
    add_u32(value): u32 as reg32 = ".add.u32" ", {value};";
    /// Same as [`add_u32`], for this type.
    add_u64(value): u64 as reg64 = ".add.u64" ", {value};";
    /// The old value; `value` is written.
    #[doc(alias = "atomicExch")]
    exch_b32(value): u32 as reg32 = ".exch.b32" ", {value};";
    /// Same as [`exch_b32`], for this type.
    exch_b64(value): u64 as reg64 = ".exch.b64" ", {value};";
    /// The old value; `value` is written if it was `compare`.
    #[doc(alias = "atomicCAS")]
    cas_b32(compare, value): u32 as reg32 = ".cas.b32" ", {compare}, {value};";
    /// Same as [`cas_b32`], for this type.
    cas_b64(compare, value): u64 as reg64 = ".cas.b64" ", {compare}, {value};";
}

/// The operations without ordering.
macro_rules! relaxed {
    ($($(#[$attribute:meta])* $name:ident: $type:ty as $class:ident = $text:literal isa $isa:literal;)+)
    => { $(
        #[doc = concat!("`atom.relaxed.C.SPACE", $text, " result, [address], value;`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// The conditions of [`add_u32`].
        #[device_fn(isa = $isa, arch = sm_90)]
        pub unsafe fn $name<C: Scope>(address: impl AtomAddress<$type, C>, value: $type) -> $type {
            let result;
            // SAFETY: the address is aligned and has a value (1), and other accesses are atomic (2 of `add_u32`).
            unsafe {
                ptx_asm! { []
                    ("atom.relaxed" " {result}, [{address}], {value};"; result = out($class) result)
                    { scope C } { space address }
                    ($text ""; value = in($class) value)
                }
            }
            result
        }
    )+ };
}

relaxed! {
    /// The old value; the bits in both are written.
    #[doc(alias = "atomicAnd")]
    and_b32: u32 as reg32 = ".and.b32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`and_b32`], for this type.
    and_b64: u64 as reg64 = ".and.b64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; the bits in one or both are written.
    #[doc(alias = "atomicOr")]
    or_b32: u32 as reg32 = ".or.b32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`or_b32`], for this type.
    or_b64: u64 as reg64 = ".or.b64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; the bits in one alone are written.
    #[doc(alias = "atomicXor")]
    xor_b32: u32 as reg32 = ".xor.b32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`xor_b32`], for this type.
    xor_b64: u64 as reg64 = ".xor.b64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; the lesser one is written.
    #[doc(alias = "atomicMin")]
    min_u32: u32 as reg32 = ".min.u32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`min_u32`], for this type.
    min_s32: i32 as reg32 = ".min.s32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`min_u32`], for this type.
    min_u64: u64 as reg64 = ".min.u64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`min_u32`], for this type.
    min_s64: i64 as reg64 = ".min.s64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; the greater one is written.
    #[doc(alias = "atomicMax")]
    max_u32: u32 as reg32 = ".max.u32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`max_u32`], for this type.
    max_s32: i32 as reg32 = ".max.s32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`max_u32`], for this type.
    max_u64: u64 as reg64 = ".max.u64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`max_u32`], for this type.
    max_s64: i64 as reg64 = ".max.s64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; one more is written, or 0 once it has reached `value`.
    #[doc(alias = "atomicInc")]
    inc_u32: u32 as reg32 = ".inc.u32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; one less is written, or `value` where it is 0 or above `value`.
    #[doc(alias = "atomicDec")]
    dec_u32: u32 as reg32 = ".dec.u32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; the sum is written. In global memory subnormal numbers become zeros.
    #[doc(alias = "atomicAdd")]
    add_f32: f32 as reg32 = ".add.f32" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old value; the sum is written.
    #[doc(alias = "atomicAdd")]
    add_f64: f64 as reg64 = ".add.f64" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// The old halves; the sum of each is written, each for itself. In the memory of another block an H200 writes the
    /// sum of the words as integers instead: use [`cas_b32`] there.
    #[doc(alias = "atomicAdd")]
    add_noftz_f16x2: u32 as reg32 = ".add.noftz.f16x2" isa "7.0, with `Cluster` or in shared memory 7.8";
    /// Same as [`add_noftz_f16x2`], of `bf16`, and with the same result in the memory of another block.
    #[doc(alias = "atomicAdd")]
    add_noftz_bf16x2: u32 as reg32 = ".add.noftz.bf16x2" isa "7.8";
}
