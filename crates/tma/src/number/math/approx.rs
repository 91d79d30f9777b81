//! The hardware's own functions: fast, with the errors that [`math`](super) lists, and subnormal numbers.
//!
//! The emulator returns the nearest number; a GPU's result may differ by the error of the instruction. Where
//! subnormal numbers may become zero, the functions of [`ptx`] called `approx_ftz_f32` save the few instructions
//! that keep them.

use crate::ptx;

/// Returns e to the power of `x`, approximately.
///
/// PTX: `mul.f32` and `ex2.approx.f32`
#[doc(alias = "__expf")]
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    exp2(x * core::f32::consts::LOG2_E)
}

/// Returns 2 to the power of `x`, approximately.
///
/// PTX: `ex2.approx.f32`
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    ptx::ex2::approx_f32(x)
}

/// Returns the natural logarithm.
///
/// PTX: `lg2.approx.f32` and `mul.f32`
#[doc(alias = "__logf")]
#[inline(always)]
pub fn log(x: f32) -> f32 {
    log2(x) * core::f32::consts::LN_2
}

/// Returns the logarithm to the base 2.
///
/// PTX: `lg2.approx.f32`
#[doc(alias = "__log2f")]
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    ptx::lg2::approx_f32(x)
}

/// Returns `x` to the power of `y`, approximately; `x` must not be negative.
///
/// PTX: `lg2.approx.f32`, `mul.f32` and `ex2.approx.f32`
#[doc(alias = "__powf")]
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    exp2(y * log2(x))
}

/// Returns the sine of `x`, in radians.
///
/// PTX: `sin.approx.f32`
#[doc(alias = "__sinf")]
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    ptx::sin::approx_f32(x)
}

/// Returns the cosine of `x`, in radians.
///
/// PTX: `cos.approx.f32`
#[doc(alias = "__cosf")]
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    ptx::cos::approx_f32(x)
}

/// Returns the hyperbolic tangent.
///
/// PTX: `tanh.approx.f32`
#[doc(alias = "__tanhf")]
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    ptx::tanh::approx_f32(x)
}

/// Returns the square root of `x`, approximately.
///
/// PTX: `sqrt.approx.f32`
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    ptx::sqrt::approx_f32(x)
}

/// Returns the reciprocal of the square root.
///
/// PTX: `rsqrt.approx.f32`
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    ptx::rsqrt::approx_f32(x)
}

/// Returns the reciprocal of `x`, approximately.
///
/// PTX: `rcp.approx.f32`
#[inline(always)]
pub fn rcp(x: f32) -> f32 {
    ptx::rcp::approx_f32(x)
}
