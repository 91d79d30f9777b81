//! Arithmetic of halves: `f16` and `bf16`, one in 16 bits or two in a word.
//!
//! An instruction takes both halves of a word at once, so that [`F16x2`] and [`Bf16x2`] are twice as fast as
//! [`F16`] and [`Bf16`]. Operators round to nearest even; subnormal numbers count. All results are the same
//! on a GPU and the emulator, except [`exp2`](F16::exp2) and [`tanh`](F16::tanh), with greatest errors that PTX ISA
//! 9.7.4.9 and 9.7.4.10 state: the emulator's results are nearest to the exact ones.
//!
//! With the feature `half`, `half::f16` and `half::bf16` are elements of tiles, parameters and exchanged values, too,
//! so that a kernel and its host have one type. Their own operators and conversions compute bit by bit on the device:
//! turned into [`F16`] or [`Bf16`], which costs nothing, they are computed with by the hardware.
//!
//! ```
//! # #[cfg(feature = "half")]
//! # mod kernels {
//! use half::{bf16, f16};
//! use tma::{
//!     halves::{Bf16, F16},
//!     kernel, thread,
//! };
//!
//! /// Multiplies 32 numbers by `factor`.
//! ///
//! /// # Safety
//! /// 1. `data` points to 32 numbers that no other code uses, and there is a block of 32 threads.
//! #[kernel(max_threads = 32)]
//! pub unsafe fn scale(data: *mut bf16, factor: f16) {
//!     // SAFETY: the number exists, and is this thread's (1).
//!     let number = unsafe { &mut *data.add(thread::thread_idx().x as usize) };
//!     let factor = Bf16::from_f32(F16::from(factor).to_f32());
//!     *number = (Bf16::from(*number) * factor).into();
//! }
//! # }
//! # fn main() {}
//! ```

use core::ops::{Add, Mul, Neg, Sub};

use crate::ptx::{
    self,
    cp_reduce_async_bulk::GlobalReduce,
    operand::value::{Type, Value, values},
};

macro_rules! halves {
    ($(#[$attribute:meta])* $name:ident($bits:ident): $sign:literal, $instruction:ident,
        $exp2:ident [$exp2_error:literal] $tanh_error:literal, $rn:ident $rn_relu:ident $nan:ident $approx:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $name($bits);

        impl $name {
            /// Makes a value from its bits.
            #[inline(always)]
            pub const fn from_bits(bits: $bits) -> Self {
                Self(bits)
            }

            /// Returns the bits of the encoding.
            #[inline(always)]
            pub const fn to_bits(self) -> $bits {
                self.0
            }

            /// `self * b + c`, rounded once.
            #[doc(alias("__hfma", "__hfma2"))]
            #[inline(always)]
            pub fn fma(self, b: Self, c: Self) -> Self {
                Self(ptx::fma::$rn(self.0, b.0, c.0))
            }

            /// `self * b + c`, rounded once; negative values become 0.
            #[doc(alias("__hfma_relu", "__hfma2_relu"))]
            #[inline(always)]
            pub fn fma_relu(self, b: Self, c: Self) -> Self {
                Self(ptx::fma::$rn_relu(self.0, b.0, c.0))
            }

            /// Returns the lesser one; where one is a NaN, the other one.
            #[doc(alias("__hmin", "__hmin2"))]
            #[inline(always)]
            pub fn min(self, other: Self) -> Self {
                Self(ptx::min::$instruction(self.0, other.0))
            }

            /// Returns the greater one; where one is a NaN, the other one.
            #[doc(alias("__hmax", "__hmax2"))]
            #[inline(always)]
            pub fn max(self, other: Self) -> Self {
                Self(ptx::max::$instruction(self.0, other.0))
            }

            /// Returns the lesser one; where one is a NaN, a NaN.
            #[doc(alias("__hmin_nan", "__hmin2_nan"))]
            #[inline(always)]
            pub fn minimum(self, other: Self) -> Self {
                Self(ptx::min::$nan(self.0, other.0))
            }

            /// Returns the greater one; where one is a NaN, a NaN.
            #[doc(alias("__hmax_nan", "__hmax2_nan"))]
            #[inline(always)]
            pub fn maximum(self, other: Self) -> Self {
                Self(ptx::max::$nan(self.0, other.0))
            }

            /// Returns the absolute value, by clearing each sign bit.
            #[doc(alias("__habs", "__habs2"))]
            #[inline(always)]
            pub const fn abs(self) -> Self {
                Self(self.0 & !$sign)
            }

            #[doc = concat!("2 to the power of it, by the hardware: the relative error is at most ", $exp2_error, ".")]
            #[doc(alias("hexp2", "h2exp2"))]
            #[inline(always)]
            pub fn exp2(self) -> Self {
                Self(ptx::ex2::$exp2(self.0))
            }

            #[doc = concat!("The hyperbolic tangent, by the hardware: the absolute error is at most ", $tanh_error, ".")]
            #[doc(alias("htanh_approx", "h2tanh_approx"))]
            #[inline(always)]
            pub fn tanh(self) -> Self {
                Self(ptx::tanh::$approx(self.0))
            }
        }

        halves! { @operators $name $rn: Add add, Sub sub, Mul mul }

        // SAFETY: zero bits are the number zero.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl bytemuck::Zeroable for $name {}

        // SAFETY: the type is a transparent integer, and any bits are a valid number.
        #[cfg(not(target_arch = "nvptx64"))]
        unsafe impl bytemuck::Pod for $name {}

        impl Neg for $name {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self(self.0 ^ $sign)
            }
        }
    };
    (@operators $name:ident $rn:ident: $($operator:ident $method:ident),+) => {$(
        impl $operator for $name {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(ptx::$method::$rn(self.0, other.0))
            }
        }
    )+};
}

halves! {
    /// A half: 5 bits of exponent, 10 of fraction.
    #[doc(alias("__half", "half"))]
    F16(u16): 0x8000, f16, approx_f16["2^-9.9"] "2^-10.987", rn_f16 rn_relu_f16 nan_f16 approx_f16
}
halves! {
    /// The upper half of an `f32`: 8 bits of exponent, 7 of fraction.
    #[doc(alias("__nv_bfloat16", "bfloat16"))]
    Bf16(u16): 0x8000, bf16, approx_ftz_bf16["2^-7"] "2^-8", rn_bf16 rn_relu_bf16 nan_bf16 approx_bf16
}
halves! {
    /// Two [`F16`], the first one in the lower bits.
    #[doc(alias("__half2", "half2"))]
    F16x2(u32): 0x8000_8000, f16x2, approx_f16x2["2^-9.9"] "2^-10.987", rn_f16x2 rn_relu_f16x2 nan_f16x2 approx_f16x2
}
halves! {
    /// Two [`Bf16`], the first one in the lower bits.
    #[doc(alias("__nv_bfloat162", "bfloat162"))]
    Bf16x2(u32): 0x8000_8000, bf16x2, approx_ftz_bf16x2["2^-7"] "2^-8", rn_bf16x2 rn_relu_bf16x2 nan_bf16x2 approx_bf16x2
}

impl F16 {
    /// Returns the half nearest to a value, ties to even.
    ///
    /// PTX: `cvt.rn.f16.f32`
    #[doc(alias = "__float2half_rn")]
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        #[cfg(target_arch = "nvptx64")]
        {
            Self((value as f16).to_bits())
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let _ = value;
            crate::ptx::macros::device_only("F16::from_f32")
        }
    }

    /// Returns the value as `f32`, without rounding.
    ///
    /// PTX: `cvt.f32.f16`
    #[doc(alias = "__half2float")]
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        #[cfg(target_arch = "nvptx64")]
        {
            f16::from_bits(self.0) as f32
        }
        #[cfg(not(target_arch = "nvptx64"))]
        crate::ptx::macros::device_only("F16::to_f32")
    }
}

impl Bf16 {
    /// Returns the `bf16` nearest to a value, ties to even.
    ///
    /// PTX: `cvt.rn.bf16.f32`
    #[doc(alias = "__float2bfloat16_rn")]
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        Self(ptx::cvt::rn_bf16_f32(value))
    }

    /// Returns the value as `f32`, without rounding.
    #[doc(alias = "__bfloat162float")]
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

impl F16x2 {
    /// Returns the nearest numbers of this type, ties to even.
    ///
    /// PTX: `cvt.rn.f16x2.f32`
    #[doc(alias = "__floats2half2_rn")]
    #[inline(always)]
    pub fn from_f32s([low, high]: [f32; 2]) -> Self {
        Self(ptx::cvt::rn_f16x2_f32(high, low))
    }

    /// Returns both values as `f32`, without rounding.
    #[doc(alias = "__half22float2")]
    #[inline(always)]
    pub fn to_f32s(self) -> [f32; 2] {
        self.halves().map(F16::to_f32)
    }
}

impl Bf16x2 {
    /// Returns the nearest numbers of this type, ties to even.
    ///
    /// PTX: `cvt.rn.bf16x2.f32`
    #[doc(alias = "__floats2bfloat162_rn")]
    #[inline(always)]
    pub fn from_f32s([low, high]: [f32; 2]) -> Self {
        Self(ptx::cvt::rn_bf16x2_f32(high, low))
    }

    /// Returns both values as `f32`, without rounding.
    #[doc(alias = "__bfloat1622float2")]
    #[inline(always)]
    pub fn to_f32s(self) -> [f32; 2] {
        self.halves().map(Bf16::to_f32)
    }
}

/// [`F16`] or [`Bf16`], or with the feature `half` the types of that crate.
pub trait Half: super::element::Element {
    /// Returns the nearest two numbers of the type, ties to even, in one word.
    #[doc(hidden)]
    fn round(values: [f32; 2]) -> u32;

    /// Returns the values of the two numbers in one word.
    #[doc(hidden)]
    fn values(pair: u32) -> [f32; 2];

    /// `a * b + c`, of 16 rows, 8 columns and 16 elements along K.
    ///
    /// # Safety
    /// 1. All threads of the warp reach this same call together.
    #[doc(hidden)]
    unsafe fn multiply(a: [u32; 4], b: [u32; 2], c: [f32; 4]) -> [f32; 4];
}

macro_rules! elements {
    ($($half:ty as $type:ident, two of them $name:ident: $multiply:ident;)+) => {$(
        values! { $half = $type, value => value.to_bits(); }
        impl GlobalReduce<ptx::Add> for $half {}
        impl GlobalReduce<ptx::Min> for $half {}
        impl GlobalReduce<ptx::Max> for $half {}

        impl Half for $half {
            #[inline(always)]
            fn round(values: [f32; 2]) -> u32 {
                $name::from_f32s(values).to_bits()
            }

            #[inline(always)]
            fn values(pair: u32) -> [f32; 2] {
                $name::from_bits(pair).to_f32s()
            }

            #[inline(always)]
            unsafe fn multiply(a: [u32; 4], b: [u32; 2], c: [f32; 4]) -> [f32; 4] {
                // SAFETY: all threads of the warp are at this call (1).
                unsafe { ptx::mma::$multiply(a, b, c) }
            }
        }
    )+};
}

elements! {
    F16 as F16, two of them F16x2: sync_aligned_m16n8k16_row_col_f32_f16_f16_f32;
    Bf16 as Bf16, two of them Bf16x2: sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32;
}

#[cfg(feature = "half")]
elements! {
    half::f16 as F16, two of them F16x2: sync_aligned_m16n8k16_row_col_f32_f16_f16_f32;
    half::bf16 as Bf16, two of them Bf16x2: sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32;
}

/// The types of the crate `half` have the same bits.
#[cfg(feature = "half")]
macro_rules! same_bits {
    ($($name:ident $half:ident;)+) => {$(
        impl From<half::$half> for $name {
            #[inline(always)]
            fn from(half: half::$half) -> Self {
                Self(half.to_bits())
            }
        }

        impl From<$name> for half::$half {
            #[inline(always)]
            fn from(half: $name) -> Self {
                Self::from_bits(half.0)
            }
        }
    )+};
}

#[cfg(feature = "half")]
same_bits! {
    F16 f16;
    Bf16 bf16;
}

macro_rules! pairs {
    ($($name:ident of $half:ident;)+) => {$(
        impl $name {
            /// Packs two values, the first one in the lower bits.
            #[inline(always)]
            pub const fn new([low, high]: [$half; 2]) -> Self {
                Self(low.0 as u32 | (high.0 as u32) << 16)
            }

            /// Packs the value into both halves.
            #[inline(always)]
            pub const fn splat(half: $half) -> Self {
                Self::new([half; 2])
            }

            /// Returns both values, the lower one first.
            #[inline(always)]
            pub const fn halves(self) -> [$half; 2] {
                [self.low(), self.high()]
            }

            /// Returns the number in the lower half of the word.
            #[doc(alias = "__low2half")]
            #[inline(always)]
            pub const fn low(self) -> $half {
                $half(self.0 as u16)
            }

            /// Returns the number in the upper half of the word.
            #[doc(alias = "__high2half")]
            #[inline(always)]
            pub const fn high(self) -> $half {
                $half((self.0 >> 16) as u16)
            }
        }
    )+};
}

pairs! {
    F16x2 of F16;
    Bf16x2 of Bf16;
}
