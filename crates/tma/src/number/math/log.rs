//! Logarithms.

use core::f32::consts::LN_2;

use super::fma;

/// log2(e) in two parts.
pub(super) const LOG2_E: [f32; 2] = [f32::from_bits(0x3fb8_aa3b), f32::from_bits(0x32a5_7060)];

/// Returns the natural logarithm of `x`.
///
/// The greatest error is 0.89 ULP, over all inputs.
#[doc(alias = "logf")]
#[inline(always)]
pub fn log(x: f32) -> f32 {
    let (exponent, fraction) = split(x);
    let tail = tail(fraction);
    special(x, fma(exponent, LN_2, fraction + tail))
}

/// Returns the logarithm of `x` to the base 2.
///
/// The greatest error is 1.13 ULP, over all inputs.
#[doc(alias = "log2f")]
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    let (exponent, fraction) = split(x);
    let small = fma(fraction, LOG2_E[1], tail(fraction) * LOG2_E[0]);
    let [high, low] = product(fraction, LOG2_E[0]);
    let sum = exponent + high;
    // The part of the smaller one that the sum has lost, and the rest.
    let lost = high - (sum - exponent);
    special(x, sum + (lost + (low + small)))
}

/// Returns the product of two numbers and its rounding error.
#[inline(always)]
pub(super) fn product(a: f32, b: f32) -> [f32; 2] {
    let high = a * b;
    [high, fma(a, b, -high)]
}

/// Returns a positive number as `2^exponent * (1 + fraction)`, the fraction from -1/3 to 1/3.
#[inline(always)]
pub(super) fn split(x: f32) -> (f32, f32) {
    let is_subnormal = x < f32::MIN_POSITIVE;
    let (x, bias) = if is_subnormal {
        (x * 8_388_608.0, -23.0)
    } else {
        (x, 0.0)
    };
    let two_thirds = 0x3f2a_aaab;
    let exponent = x.to_bits().wrapping_sub(two_thirds) as i32 & !0x7f_ffff;
    let mantissa = f32::from_bits(x.to_bits().wrapping_sub(exponent as u32));
    let exponent = fma(exponent as f32, 1.0 / 8_388_608.0, bias);
    (exponent, mantissa - 1.0)
}

/// `ln(1 + fraction) - fraction`.
#[inline(always)]
fn tail(fraction: f32) -> f32 {
    // Least error relative to ln(1 + f) from -1/3 to 1/3: 2^-30.1.
    let cubic = polynomial!(fraction; 0.33333334, -0.24999827, 0.19999681, -0.16679296, 0.14302716, -0.12199418, 0.107695885, -0.1283011, 0.11958284);
    fraction * fraction * fma(fraction, cubic, -0.5)
}

/// Returns the logarithm of a number that is not positive and finite, else `log`.
#[inline(always)]
fn special(x: f32, log: f32) -> f32 {
    if x > 0.0 && x < f32::INFINITY {
        log
    } else if x == 0.0 {
        f32::NEG_INFINITY
    } else if x < 0.0 {
        f32::NAN
    } else {
        x
    }
}
