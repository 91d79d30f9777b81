//! Functions of `f32`: accurate ones here, the hardware's own in [`approx`].
//!
//! | function | in CUDA C++ | greatest error, ULP | [`approx`], in CUDA C++ | its greatest error (PTX ISA 9.7.3) |
//! | --- | --- | --- | --- | --- |
//! | [`exp`] | `expf` | 0.90 | `__expf` | relative: as `exp2`, and 2^-23 \|`x`\| more |
//! | [`exp2`] | `exp2f` | 0.88 | | relative: 2^-22 |
//! | [`log`] | `logf` | 0.89 | `__logf` | as `log2`, and 1 ULP more |
//! | [`log2`] | `log2f` | 1.13 | `__log2f` | absolute: 2^-22 from 0.5 to 2, else relative: 2^-22 |
//! | [`pow`] | `powf` | 0.95, over 2^27 samples | `__powf` | as `exp2`, and `y` times the error of `log2` |
//! | [`sin`], [`cos`] | `sinf`, `cosf` | 1.54 | `__sinf`, `__cosf` | absolute: 2^-20.5 from -2 pi to 2 pi |
//! | [`tanh`] | `tanhf` | 1.60 | `__tanhf` | relative: 2^-11 |
//! | [`erf`] | `erff` | 1.08 | | |
//! | [`sqrt`], [`rcp`] | `sqrtf`, `__frcp_rn` | 0.5 | | relative: 2^-23 |
//! | [`rsqrt`] | `rsqrtf` | 1.5 | | relative: 2^-22.9 |
//! | [`fma`] | `fmaf` | 0.5 | | |
//!
//! Accurate functions consist of correctly rounded operations. So a GPU, the emulator and the host return
//! the same bits, except for the bits of a NaN; the errors are measured over all 2^32 inputs, against double
//! precision. Subnormal numbers count.
//!
//! `core` has the rest: [`f32::abs`], [`f32::copysign`], and [`f32::min`] and [`f32::max`], which are
//! `min.f32` and `max.f32`: where one operand is a NaN, the result is the other one. [`minimum`] and
//! [`maximum`] return a NaN. `a / b` is correctly rounded, `div.rn.f32`.

/// The polynomial with these coefficients, from the constant one on.
macro_rules! polynomial {
    ($x:expr; $last:expr) => { $last };
    ($x:expr; $first:expr, $($rest:expr),+) => {
        $crate::number::math::fma($x, polynomial!($x; $($rest),+), $first)
    };
}

pub mod approx;
mod basic;
mod erf;
mod exp;
mod log;
mod pow;
mod tanh;
mod trig;

pub use basic::{ceil, floor, fma, maximum, minimum, rcp, round_ties_even, rsqrt, sqrt, trunc};
pub use erf::erf;
pub use exp::{exp, exp2};
pub use log::{log, log2};
pub use pow::pow;
pub use tanh::tanh;
pub use trig::{cos, sin, sin_cos};
