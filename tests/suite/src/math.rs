//! The functions of `tma::math`, beside double precision.

pub mod halves;
mod reference;

pub use reference::erf;
use tma::math;

/// A function of one `f32` and the kernel of `tests-device` that computes it.
#[derive(Clone, Copy, Debug)]
pub struct MathFunction {
    /// The kernel.
    pub kernel: &'static str,
    /// The exact result in double precision.
    pub exact: fn(f64) -> f64,
    /// The way in which the kernel computes it.
    pub how: How,
}

/// The implementation of a function, and its accuracy.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// Operations with the same result everywhere.
    Accurately {
        /// Computation on the host.
        host: fn(f32) -> f32,
        /// The greatest error, in units of the last place.
        most_ulp: f64,
    },
    /// One instruction whose error PTX ISA bounds like this.
    Approximately(Bound),
}

/// The accepted distance of a result from the exact value.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// The error relative to the exact value, if PTX ISA bounds it.
    pub relative: f64,
    /// The absolute error that is allowed in any case.
    pub absolute: f64,
    /// The bound holds for arguments of at most this magnitude.
    pub up_to: f64,
}

impl Bound {
    /// Returns whether a result is so near.
    pub fn has(self, x: f32, got: f32, exact: f64) -> bool {
        // NaN, and subnormal numbers, which may be anything up to the least normal one.
        let least = f64::from(f32::MIN_POSITIVE);
        let is_small = |value: f64| value.abs() <= least;
        if f64::from(x).abs() > self.up_to || got.is_nan() && exact.is_nan() {
            return true;
        }
        let got = f64::from(got);
        let rounded = f64::from(exact as f32);
        let error = (got - exact).abs();
        got == rounded
            || is_small(got) && is_small(exact)
            || error <= self.absolute.max(self.relative * exact.abs()) + ulp(exact) / 2.0
    }
}

const fn relative(exponent: u32) -> How {
    bound(1.0 / (1_u64 << exponent) as f64, 0.0, f64::INFINITY)
}

const fn bound(relative: f64, absolute: f64, up_to: f64) -> How {
    How::Approximately(Bound {
        relative,
        absolute,
        up_to,
    })
}

const fn accurately(host: fn(f32) -> f32, most_ulp: f64) -> How {
    How::Accurately { host, most_ulp }
}

macro_rules! functions {
    ($($kernel:ident: $exact:expr, $how:expr;)+) => {
        &[$(MathFunction { kernel: stringify!($kernel), exact: $exact, how: $how },)+]
    };
}

/// 2^-20.5, the error of sines.
const SINE: f64 = 6.743_495_761_743_436e-7;

/// The manual states 2^-20.5 for cosines too; an H200 misses the cosine of 4.7369437 by 6.82e-7.
const COSINE: f64 = 7e-7;

/// Every function. The bounds are from PTX ISA 9.7.3; `tma::math` states the others.
pub const FUNCTIONS: &[MathFunction] = functions! {
    math_exp: f64::exp, accurately(math::exp, 0.9);
    math_exp2: f64::exp2, accurately(math::exp2, 0.88);
    math_log: f64::ln, accurately(math::log, 0.89);
    math_log2: f64::log2, accurately(math::log2, 1.13);
    math_sin: f64::sin, accurately(math::sin, 1.54);
    math_cos: f64::cos, accurately(math::cos, 1.54);
    math_tanh: f64::tanh, accurately(math::tanh, 1.6);
    math_erf: erf, accurately(math::erf, 1.08);
    math_sqrt: f64::sqrt, accurately(math::sqrt, 0.5);
    math_rsqrt: |x| 1.0 / x.sqrt(), accurately(math::rsqrt, 1.5);
    math_rcp: |x| 1.0 / x, accurately(math::rcp, 0.5);
    math_floor: f64::floor, accurately(math::floor, 0.0);
    math_ceil: f64::ceil, accurately(math::ceil, 0.0);
    math_trunc: f64::trunc, accurately(math::trunc, 0.0);
    math_round_ties_even: f64::round_ties_even, accurately(math::round_ties_even, 0.0);
    math_pow_half: |x| x.powf(0.5), accurately(|x| math::pow(x, 0.5), 0.95);
    math_pow_minus_3: |x| x.powf(-3.0), accurately(|x| math::pow(x, -3.0), 0.95);
    math_power_of_1_5: |x| 1.5_f64.powf(x), accurately(|x| math::pow(1.5, x), 0.95);
    approx_exp2: f64::exp2, relative(22);
    approx_log2: f64::log2, bound(1.0 / 4_194_304.0, 1.0 / 4_194_304.0, f64::INFINITY);
    approx_sin: f64::sin, bound(0.0, SINE, std::f64::consts::TAU);
    approx_cos: f64::cos, bound(0.0, COSINE, std::f64::consts::TAU);
    approx_tanh: f64::tanh, relative(11);
    approx_sqrt: f64::sqrt, relative(23);
    approx_rsqrt: |x| 1.0 / x.sqrt(), bound(1.278_385e-7, 0.0, f64::INFINITY);
    approx_rcp: |x| 1.0 / x, relative(23);
};

/// The unit of the last place of the `f32` nearest to a value.
pub fn ulp(value: f64) -> f64 {
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    2_f64.powi(exponent.clamp(-126, 127) - 23)
}

/// Returns the distance of a result from the exact value, in units of the last place; infinite if only one of them is a
/// NaN, or if a zero has the other sign.
pub fn error_ulp(got: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    let same_sign = got.is_sign_negative() == nearest.is_sign_negative();
    if got.is_nan() || nearest.is_nan() {
        return if got.is_nan() && nearest.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got == nearest && got.is_infinite() {
        return 0.0;
    }
    if got == 0.0 && nearest == 0.0 && !same_sign {
        return f64::INFINITY;
    }
    // Infinity stands for the number after the greatest.
    let got = match got.is_infinite() {
        true => 2_f64.powi(128).copysign(f64::from(got)),
        false => f64::from(got),
    };
    (got - exact).abs() / ulp(exact)
}

/// Returns the greatest error of a function over every `step`th input, and the input.
pub fn greatest_error(host: fn(f32) -> f32, exact: fn(f64) -> f64, step: u32) -> (f64, f32) {
    let inputs = (0..=u32::MAX).step_by(step as usize).map(f32::from_bits);
    let errors = inputs.map(|x| (error_ulp(host(x), exact(f64::from(x))), x));
    errors.fold(
        (0.0, 0.0),
        |worst, one| if one.0 > worst.0 { one } else { worst },
    )
}
