//! Powers of any base.

use super::{
    exp::exp2_plus,
    fma,
    log::{LOG2_E, product, split},
    rcp,
};

/// `x` to the power of `y`, with the special cases of C.
///
/// The greatest error is 0.95 ULP, over 2^27 samples.
#[doc(alias = "powf")]
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    // Numbers from 2^24 on are even, and whole. The sign of the base counts where `y` is odd.
    let is_whole = y.abs() >= 8_388_608.0 || y as i32 as f32 == y;
    let is_odd = is_whole && y.abs() < 16_777_216.0 && y as i32 & 1 != 0;
    let magnitude = x.abs();
    let power = if magnitude == 0.0 || magnitude == f32::INFINITY {
        if (magnitude == 0.0) == (y < 0.0) {
            f32::INFINITY
        } else {
            0.0
        }
    } else if y.abs() == f32::INFINITY {
        if magnitude == 1.0 {
            1.0
        } else if (magnitude > 1.0) == (y > 0.0) {
            f32::INFINITY
        } else {
            0.0
        }
    } else if x < 0.0 && !is_whole {
        f32::NAN
    } else {
        finite(magnitude, y)
    };
    if is_odd { power.copysign(x) } else { power }
}

/// Returns the power of a positive finite base and a finite exponent.
#[inline(always)]
fn finite(x: f32, y: f32) -> f32 {
    let [high, low] = log2(x);
    let [whole, mut rest] = product(high, y);
    rest = fma(low, y, rest);
    // Beyond these the result is 0 or infinite, and the rest does not count.
    let clamped = whole.clamp(-151.0, 129.0);
    if clamped != whole {
        rest = 0.0;
    }
    exp2_plus(clamped, rest)
}

/// Returns the logarithm to the base 2, and its rounding error.
#[inline(always)]
fn log2(x: f32) -> [f32; 2] {
    /// 1 / 12 in two parts.
    const TWELFTH: [f32; 2] = [1.0 / 12.0, -2.483_527e-9];
    let (exponent, fraction) = split(x);
    // ln(1 + f) = q + q^3 (1 / 12 + ...) of q = 2 f / (2 + f).
    let reciprocal = rcp(2.0 + fraction);
    let q = 2.0 * fraction * reciprocal;
    let q_low = fma(-q, fraction, 2.0 * (fraction - q)) * reciprocal;
    let [square, square_low] = product(q, q);
    let [cube, cube_low] = product(q, square);
    let cube_low = fma(q, square_low, cube_low);
    // Least error relative to ln(1 + f), after the first coefficient: 2^-34.5.
    let rest = polynomial!(square; 0.012500122, 0.0022285657, 4.6625533e-4);
    let factor = fma(square, rest, TWELFTH[0]);
    let factor_low = fma(square, rest, TWELFTH[0] - factor) + TWELFTH[1];
    let [tail, tail_low] = product(cube, factor);
    // The error of q counts a little more than once: by 1 + q^2 / 4.
    let tail_low = fma(cube_low, factor, fma(cube, factor_low, tail_low));
    let tail_low = tail_low + fma(q_low * square, 0.25, q_low);
    let log = q + tail;
    let log_low = (q - log) + tail + tail_low;
    let [high, low] = product(log, LOG2_E[0]);
    let low = fma(log, LOG2_E[1], fma(log_low, LOG2_E[0], low));
    let sum = exponent + high;
    let lost = (high - (sum - exponent)) + low;
    let high = sum + lost;
    [high, (sum - high) + lost]
}
