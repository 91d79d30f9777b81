//! Functions that one instruction computes, correctly rounded.

/// Expands to the first expression on the device, and to the second one elsewhere.
macro_rules! either {
    ($device:expr, $host:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            $device
        }
        #[cfg(not(target_arch = "nvptx64"))]
        {
            $host
        }
    }};
}

/// Returns `a * b + c`, rounded once.
///
/// PTX: `fma.rn.f32`
#[doc(alias("fmaf", "__fmaf_rn"))]
#[inline(always)]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    either!(core::intrinsics::fmaf32(a, b, c), a.mul_add(b, c))
}

/// Returns the square root of `x`, correctly rounded.
///
/// PTX: `sqrt.rn.f32`
#[doc(alias("sqrtf", "__fsqrt_rn"))]
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    either!(core::intrinsics::sqrtf32(x), x.sqrt())
}

/// Returns the reciprocal of `x`, correctly rounded.
///
/// PTX: `rcp.rn.f32`
#[doc(alias = "__frcp_rn")]
#[inline(always)]
pub fn rcp(x: f32) -> f32 {
    1.0 / x
}

/// Returns the reciprocal of the square root, each of them rounded.
///
/// PTX: `sqrt.rn.f32` and `rcp.rn.f32`
#[doc(alias = "rsqrtf")]
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    rcp(sqrt(x))
}

/// Returns the greatest whole number that is not above `x`.
///
/// PTX: `cvt.rmi.f32.f32`
#[doc(alias = "floorf")]
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    either!(core::intrinsics::floorf32(x), x.floor())
}

/// Returns the least whole number that is not below `x`.
///
/// PTX: `cvt.rpi.f32.f32`
#[doc(alias = "ceilf")]
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    either!(core::intrinsics::ceilf32(x), x.ceil())
}

/// Returns the whole number next to `x` towards zero.
///
/// PTX: `cvt.rzi.f32.f32`
#[doc(alias = "truncf")]
#[inline(always)]
pub fn trunc(x: f32) -> f32 {
    either!(core::intrinsics::truncf32(x), x.trunc())
}

/// Returns the nearest whole number, the even one of two.
///
/// PTX: `cvt.rni.f32.f32`
#[doc(alias("rintf", "nearbyintf"))]
#[inline(always)]
pub fn round_ties_even(x: f32) -> f32 {
    either!(
        core::intrinsics::round_ties_even_f32(x),
        x.round_ties_even()
    )
}

/// Returns the lesser one; a NaN where one of them is a NaN, and -0 of both zeros.
///
/// PTX: `min.NaN.f32`
#[inline(always)]
pub fn minimum(a: f32, b: f32) -> f32 {
    either!(core::intrinsics::minimumf32(a, b), {
        if a.is_nan() || b.is_nan() {
            f32::NAN
        } else if a < b || a == b && a.is_sign_negative() {
            a
        } else {
            b
        }
    })
}

/// Returns the greater one; a NaN where one of them is a NaN, and +0 of both zeros.
///
/// PTX: `max.NaN.f32`
#[inline(always)]
pub fn maximum(a: f32, b: f32) -> f32 {
    either!(core::intrinsics::maximumf32(a, b), -minimum(-a, -b))
}
