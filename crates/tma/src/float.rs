//! Numbers as kernels keep them: halves in memory, `f32` in registers.
//!
//! Stable Rust has no `f16`, so halves are their bits.

/// On the device the expression, elsewhere a panic.
macro_rules! on_device {
    ($name:literal, $expression:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            $expression
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::__private::device_only($name)
    }};
}

/// The value of a half.
///
/// PTX: `cvt.f32.f16`
#[doc(alias = "__half2float")]
#[inline(always)]
pub fn f32_of_f16(bits: u16) -> f32 {
    let _ = bits;
    on_device!("f32_of_f16", f16::from_bits(bits) as f32)
}

/// The values of two halves that lie in one word, the lower one first.
#[doc(alias = "__half22float2")]
#[inline(always)]
pub fn f32s_of_f16s(word: u32) -> [f32; 2] {
    [f32_of_f16(word as u16), f32_of_f16((word >> 16) as u16)]
}

/// The half nearest to a value, ties to even.
///
/// PTX: `cvt.rn.f16.f32`
#[doc(alias = "__float2half_rn")]
#[inline(always)]
pub fn f16_of_f32(value: f32) -> u16 {
    let _ = value;
    on_device!("f16_of_f32", (value as f16).to_bits())
}

/// Two halves in one word, the first one lower.
///
/// PTX: `cvt.rn.f16x2.f32`
#[doc(alias = "__floats2half2_rn")]
#[inline(always)]
pub fn f16s_of_f32s([low, high]: [f32; 2]) -> u32 {
    crate::ptx::cvt::rn_f16x2_f32(high, low)
}

pub use crate::math::{approx::exp2, floor, fma};
