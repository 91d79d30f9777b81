//! Sines and cosines.

use super::{exp::TO_WHOLE, fma};

/// Returns the sine of `x`, in radians.
///
/// The greatest error is 1.54 ULP, over all inputs.
#[doc(alias = "sinf")]
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (rest, quadrant) = reduce(x);
    of_quadrant(rest, quadrant)
}

/// Returns the cosine of `x`, in radians.
///
/// The greatest error is 1.54 ULP, over all inputs.
#[doc(alias = "cosf")]
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let (rest, quadrant) = reduce(x);
    of_quadrant(rest, quadrant.wrapping_add(1))
}

/// Returns the sine and the cosine of `x`, in radians, with one reduction for both.
#[doc(alias = "sincosf")]
#[inline(always)]
pub fn sin_cos(x: f32) -> (f32, f32) {
    let (rest, quadrant) = reduce(x);
    (
        of_quadrant(rest, quadrant),
        of_quadrant(rest, quadrant.wrapping_add(1)),
    )
}

/// Returns the sine of `rest`, which is at most a quarter of pi, and that many right angles.
#[inline(always)]
fn of_quadrant(rest: f32, quadrant: u32) -> f32 {
    let square = rest * rest;
    let value = if quadrant & 1 == 0 {
        // Least error relative to the sine: 2^-27.9.
        let cubic = polynomial!(square; -0.16666655, 0.008332188, -1.95181e-4);
        // The zero added keeps the sign of a zero.
        fma(fma(rest, square, 0.0), cubic, rest)
    } else {
        // Least error relative to the cosine: 2^-33.0.
        let fourth = polynomial!(square; 0.041666646, -0.0013887311, 2.4432553e-5);
        fma(square, fma(square, fourth, -0.5), 1.0)
    };
    if quadrant & 2 == 0 { value } else { -value }
}

/// `x` without the nearest multiple of a right angle, and which multiple it is.
#[inline(always)]
fn reduce(x: f32) -> (f32, u32) {
    /// Up to here the three parts of a right angle are enough.
    const FEW: f32 = 71_476.0;
    /// pi / 2 in three parts.
    const RIGHT_ANGLE: [f32; 3] = [
        f32::from_bits(0x3fc9_0fda),
        f32::from_bits(0x33a2_2168),
        f32::from_bits(0x27c2_34c4),
    ];
    if x.abs() > FEW {
        return reduce_large(x);
    }
    let shifted = fma(x, core::f32::consts::FRAC_2_PI, TO_WHOLE);
    let count = shifted - TO_WHOLE;
    let rest = fma(count, -RIGHT_ANGLE[0], x);
    let rest = fma(count, -RIGHT_ANGLE[1], rest);
    (fma(count, -RIGHT_ANGLE[2], rest), shifted.to_bits())
}

/// 32 zeros and then the bits of 2 / pi after its point.
static TWO_OVER_PI: [u32; 8] = [
    0,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
];

/// Returns the same for any `x` from 2^16 on; a NaN for infinities and NaN.
///
/// The mantissa is multiplied by the 96 bits of 2 / pi that decide: bits above them contribute multiples of a
/// full turn, and bits below do not count (Payne and Hanek).
#[inline(always)]
fn reduce_large(x: f32) -> (f32, u32) {
    if !x.is_finite() {
        return (f32::NAN, 0);
    }
    let exponent = (x.to_bits() >> 23 & 0xff) - 127;
    let mantissa = u64::from(x.to_bits() & 0x7f_ffff | 0x80_0000);
    let (first, bits) = ((exponent + 7) / 32, (exponent + 7) % 32);
    let word = |index: u32| u64::from(TWO_OVER_PI[(first + index) as usize % TWO_OVER_PI.len()]);
    let part = |index: u32| mantissa * ((word(index) << 32 | word(index + 1)) << bits >> 32);
    // Right angles in units of 2^-62, modulo 4.
    let angle = (part(0) << 32)
        .wrapping_add(part(1))
        .wrapping_add(part(2) >> 32);
    let nearest = angle.wrapping_add(1 << 61) >> 62;
    let rest = angle.wrapping_sub(nearest << 62) as i64;
    // Seldom executed, so double precision costs little where the hardware has few units of it.
    let rest = (rest as f64 * (core::f64::consts::FRAC_PI_2 / (1_u64 << 62) as f64)) as f32;
    if x < 0.0 {
        (-rest, nearest.wrapping_neg() as u32)
    } else {
        (rest, nearest as u32)
    }
}
