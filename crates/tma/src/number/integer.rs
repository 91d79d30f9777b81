//! Instructions for integers that Rust has no method for.
//!
//! | CUDA C++ | Rust | PTX |
//! | --- | --- | --- |
//! | `__popc`, `__popcll` | [`u32::count_ones`], [`u64::count_ones`] | `popc` |
//! | `__clz`, `__clzll` | [`u32::leading_zeros`], [`u64::leading_zeros`] | `clz` |
//! | `__ffs(x) - 1` | [`u32::trailing_zeros`] | `brev`, `clz` |
//! | `__brev` | [`u32::reverse_bits`] | `brev` |
//! | `__byte_perm(x, 0, 0x0123)` | [`u32::swap_bytes`] | `prmt` |
//! | `__funnelshift_l(x, x, n)` | [`u32::rotate_left`] | `shf.l.wrap` |
//! | `__umulhi`, `__mulhi`, `__umul64hi`, `__mul64hi` | [`mulhi`] | `mul.hi` |
//! | `__byte_perm` | [`byte_perm`] | `prmt` |
//! | `__dp4a` | [`dp4a`] | `dp4a` |
//! | `__dp2a_lo`, `__dp2a_hi` | [`dp2a_lo`], [`dp2a_hi`] | `dp2a` |
//! | `asm("bfe.u32 …")` | [`bfe`] | `bfe` |
//! | `asm("bfi.b32 …")` | [`bfi`] | `bfi` |
//! | `__builtin_assume(c)` | [`core::hint::assert_unchecked`] | |

use crate::ptx;

/// Returns a word of any four bytes: byte `i` is chosen by the four bits `4 i` of `selectors`, 0 to 3 from `a` and
/// 4 to 7 of `b`; with 8 added, its sign eight times.
///
/// PTX: `prmt.b32`
#[doc(alias("__byte_perm", "prmt"))]
#[inline(always)]
pub fn byte_perm(a: u32, b: u32, selectors: u32) -> u32 {
    ptx::prmt::b32(a, b, selectors)
}

/// A number that fields are taken out of: `u32`, `i32`, `u64` or `i64`.
pub trait Field: Copy + crate::sealed::Sealed {
    #[doc(hidden)]
    fn bfe(self, position: u32, length: u32) -> Self;
    #[doc(hidden)]
    fn bfi(self, into: Self, position: u32, length: u32) -> Self;
    #[doc(hidden)]
    fn mulhi(self, other: Self) -> Self;
}

macro_rules! fields {
    ($($type:ident: $bfe:ident $bfi:ident $bits:ident $wide:ident;)+) => {$(
        impl Field for $type {
            #[inline(always)]
            fn bfe(self, position: u32, length: u32) -> Self {
                ptx::bfe::$bfe(self, position, length)
            }

            #[inline(always)]
            fn bfi(self, into: Self, position: u32, length: u32) -> Self {
                ptx::bfi::$bfi(self as $bits, into as $bits, position, length) as Self
            }

            #[inline(always)]
            fn mulhi(self, other: Self) -> Self {
                ((self as $wide * other as $wide) >> Self::BITS) as Self
            }
        }
    )+};
}

fields! {
    u32: u32 b32 u32 u64;
    i32: s32 b32 u32 i64;
    u64: u64 b64 u64 u128;
    i64: s64 b64 u64 i128;
}

/// Returns the `length` bits of a number from `position` on, above them zeros, or the sign of an `i32` or `i64`.
/// Only 8 bits of position and length count.
///
/// PTX: `bfe`
#[doc(alias = "bit field extract")]
#[inline(always)]
pub fn bfe<T: Field>(value: T, position: u32, length: u32) -> T {
    value.bfe(position, length)
}

/// `into` with the lowest `length` bits of `value` from `position` on. Only 8 bits of position and length are used.
///
/// PTX: `bfi`
#[doc(alias = "bit field insert")]
#[inline(always)]
pub fn bfi<T: Field>(value: T, into: T, position: u32, length: u32) -> T {
    value.bfi(into, position, length)
}

/// Returns the upper half of the product.
///
/// PTX: `mul.hi`
#[doc(alias("__umulhi", "__mulhi", "__umul64hi", "__mul64hi"))]
#[inline(always)]
pub fn mulhi<T: Field>(a: T, b: T) -> T {
    a.mulhi(b)
}

/// Four bytes, or two halves and two bytes: `u32` where they are unsigned, `i32` where they are signed.
pub trait Packed<B>: Copy + crate::sealed::Sealed {
    /// The sum: `i32` where one of them is signed.
    type Sum;
    #[doc(hidden)]
    fn dp4a(self, b: B, c: Self::Sum) -> Self::Sum;
    #[doc(hidden)]
    fn dp2a_lo(self, b: B, c: Self::Sum) -> Self::Sum;
    #[doc(hidden)]
    fn dp2a_hi(self, b: B, c: Self::Sum) -> Self::Sum;
}

macro_rules! packed {
    ($($a:ty, $b:ty => $sum:ty: $four:ident $low:ident $high:ident;)+) => {$(
        impl Packed<$b> for $a {
            type Sum = $sum;

            #[inline(always)]
            fn dp4a(self, b: $b, c: $sum) -> $sum {
                ptx::dp4a::$four(self, b, c)
            }

            #[inline(always)]
            fn dp2a_lo(self, b: $b, c: $sum) -> $sum {
                ptx::dp2a::$low(self, b, c)
            }

            #[inline(always)]
            fn dp2a_hi(self, b: $b, c: $sum) -> $sum {
                ptx::dp2a::$high(self, b, c)
            }
        }
    )+};
}

packed! {
    u32, u32 => u32: u32_u32 lo_u32_u32 hi_u32_u32;
    u32, i32 => i32: u32_s32 lo_u32_s32 hi_u32_s32;
    i32, u32 => i32: s32_u32 lo_s32_u32 hi_s32_u32;
    i32, i32 => i32: s32_s32 lo_s32_s32 hi_s32_s32;
}

/// Returns the sum of `c` and the products of each byte of `a` with the same byte of `b`, which wraps.
///
/// PTX: `dp4a`
#[doc(alias = "__dp4a")]
#[inline(always)]
pub fn dp4a<A: Packed<B>, B>(a: A, b: B, c: A::Sum) -> A::Sum {
    a.dp4a(b, c)
}

/// Returns the sum of `c` and of the products of the halves of `a` with the lower two bytes of `b`, which wraps.
///
/// PTX: `dp2a.lo`
#[doc(alias = "__dp2a_lo")]
#[inline(always)]
pub fn dp2a_lo<A: Packed<B>, B>(a: A, b: B, c: A::Sum) -> A::Sum {
    a.dp2a_lo(b, c)
}

/// Returns the sum of `c` and of the products of the halves of `a` with the upper two bytes of `b`, which wraps.
///
/// PTX: `dp2a.hi`
#[doc(alias = "__dp2a_hi")]
#[inline(always)]
pub fn dp2a_hi<A: Packed<B>, B>(a: A, b: B, c: A::Sum) -> A::Sum {
    a.dp2a_hi(b, c)
}
