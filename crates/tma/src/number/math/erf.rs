//! The error function.

use super::{exp, fma};

/// Returns the error function of `x`.
///
/// The greatest error is 1.08 ULP, over all inputs.
#[doc(alias = "erff")]
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let magnitude = x.abs();
    if magnitude < 1.0 {
        // Least error relative to erf: 2^-29.4.
        let square = x * x;
        let linear = polynomial!(square; 0.12837917, -0.37612626, 0.11283579, -0.026853347, 0.005187162, -7.997853e-4, 7.806904e-5);
        return fma(x, linear, x);
    }
    // From 3.92 on the result is 1; a NaN passes.
    let clamped = if magnitude > 4.0 { 4.0 } else { magnitude };
    // -ln(1 - erf(x)) from 1 to 4, with the least error of erf: 2^-35.4.
    let exponent = polynomial!(clamped; -1.8803701e-4, 1.1295784, 0.63322014, 0.10841822, -0.025207974, 0.0042044376, -4.4130764e-4, 2.1684125e-5);
    (1.0 - exp::bounded(-exponent)).copysign(x)
}
