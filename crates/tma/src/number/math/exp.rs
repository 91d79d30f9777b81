//! Powers of e and 2.

use core::f32::consts::{LN_2, LOG2_E};

use super::fma;

/// Added to a value below 2^22, leaves the nearest whole number in the low bits.
pub(super) const TO_WHOLE: f32 = 12_582_912.0;
/// ln 2 in two parts, the first with bits to spare.
const LN_2_PARTS: [f32; 2] = [f32::from_bits(0x3f31_7200), f32::from_bits(0x35bf_be8e)];

/// Returns e to the power of `x`.
///
/// The greatest error is 0.90 ULP, over all inputs.
#[doc(alias = "expf")]
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Beyond these the result is 0 or infinite; a NaN passes.
    bounded(x.clamp(-105.0, 90.0))
}

/// e to the power of an `x` from -105 to 90.
#[inline(always)]
pub(super) fn bounded(x: f32) -> f32 {
    let shifted = fma(x, LOG2_E, TO_WHOLE);
    let whole = shifted - TO_WHOLE;
    let rest = fma(whole, -LN_2_PARTS[1], fma(whole, -LN_2_PARTS[0], x));
    // Least error relative to e^x up to half of ln 2 on both sides: 2^-28.2.
    let power =
        polynomial!(rest; 1.0, 1.0, 0.49999994, 0.16666521, 0.041668274, 0.008368685, 0.001382011);
    scale(power, shifted)
}

/// Returns 2 to the power of `x`.
///
/// The greatest error is 0.88 ULP, over all inputs.
#[doc(alias = "exp2f")]
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    exp2_plus(x.clamp(-151.0, 129.0), 0.0)
}

/// `2^(x + low)` for `x` from -151 to 129 and a `low` that is small compared with it.
#[inline(always)]
pub(super) fn exp2_plus(x: f32, low: f32) -> f32 {
    let shifted = x + TO_WHOLE;
    let rest = x - (shifted - TO_WHOLE) + low;
    // Least error relative to 2^x from -0.5 to 0.5: 2^-28.3.
    let power = polynomial!(rest; 1.0, LN_2, 0.24022648, 0.0555036, 0.009618506, 0.0013390806, 1.5326463e-4);
    scale(power, shifted)
}

/// Multiplies by 2 to the power of the whole number that [`TO_WHOLE`] was added to. Two steps reach
/// subnormal results, with rounding only in the second one, and infinity.
#[inline(always)]
fn scale(power: f32, shifted: f32) -> f32 {
    let exponent = shifted.to_bits().wrapping_sub(TO_WHOLE.to_bits()) as i32;
    let half = exponent >> 1;
    let power_of_2 = |exponent: i32| f32::from_bits((exponent.wrapping_add(127) as u32) << 23);
    power * power_of_2(half) * power_of_2(exponent.wrapping_sub(half))
}
