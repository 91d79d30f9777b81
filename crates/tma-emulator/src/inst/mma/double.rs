//! Double precision: a chain of fused multiply-adds.

use ptx::Type;

use crate::{
    inst::float::multiply_add,
    value::{Bits, Rounding},
};

/// The NaN that an operation makes.
const NAN: u64 = 0xfff8_0000_0000_0000;
const QUIET: u64 = 1 << 51;

/// Returns `a * b + c`. A NaN operand is passed on, quieted; `b` takes precedence over `c`, and `c` over `a`.
pub(super) fn fma(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let is_nan = |bits: &&u64| f64::of(**bits).is_nan();
    if let Some(nan) = [b, c, a].iter().find(is_nan) {
        return nan | QUIET;
    }
    let (x, y, z) = (f64::of(a), f64::of(b), f64::of(c));
    let rounded = match rounding {
        Rounding::Nearest => None,
        other => multiply_add(x, y, z, Type::F64, other),
    };
    // A result that is not finite is the same in each direction.
    let result = rounded.unwrap_or_else(|| x.mul_add(y, z).to_bits());
    match f64::of(result).is_nan() {
        true => NAN,
        false => result,
    }
}
