//! The hyperbolic tangent.

use super::{exp, fma, rcp};

/// Returns the hyperbolic tangent of `x`.
///
/// The greatest error is 1.60 ULP, over all inputs.
#[doc(alias = "tanhf")]
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let magnitude = x.abs();
    if magnitude < 0.55 {
        let square = x * x;
        // Least error relative to the tangent: 2^-29.7.
        let cubic =
            polynomial!(square; -0.33333316, 0.13332544, -0.053847548, 0.021050714, -0.0062428494);
        // The zero added keeps the sign of a zero.
        return fma(fma(x, square, 0.0), cubic, x);
    }
    // From 9.02 on the result is 1; a NaN passes.
    let clamped = if magnitude > 10.0 { 10.0 } else { magnitude };
    let power = exp::bounded(2.0 * clamped);
    fma(-2.0, rcp(power + 1.0), 1.0).copysign(x)
}
