//! The results of the kernels `halves_f16` and `halves_bf16` of `tests-device`.

use crate::semantics::arithmetic::{decode, encode};

/// The results of the thread `index` with this number.
pub fn results(ty: &str, index: u32, number: u32) -> [u32; 16] {
    let pair = |bits: u32| [u64::from(bits & 0xffff), u64::from(bits >> 16)];
    let (a, b) = (pair(index & 0xffff | number << 16), pair(number));
    let c = b[0];
    let both = |f: &dyn Fn(u64, u64) -> u64| (f(a[0], b[0]) | f(a[1], b[1]) << 16) as u32;
    let of =
        |f: &dyn Fn(f64, f64) -> f64| both(&|a, b| encode(f(decode(a, ty), decode(b, ty)), ty));
    let value = |bits: u64| decode(bits, ty);
    let fma = |a: u64, b: u64| sum(value(a) * value(b), value(c));
    let relu = |value: f64| if value < 0.0 { 0.0 } else { value };
    let single = |bits: u64, factor: f32| encode(f64::from(value(bits) as f32 * factor), ty);
    let two = |first: f64, second: f64| (encode(first, ty) | encode(second, ty) << 16) as u32;
    let (low, third) = (value(a[0]), value(c));
    [
        of(&|a, b| sum(a, b)),
        of(&|a, b| sum(a, -b)),
        of(&|a, b| a * b),
        both(&|a, _| a ^ 0x8000),
        both(&|a, _| a & 0x7fff),
        of(&lesser),
        of(&|a, b| {
            if a.is_nan() || b.is_nan() {
                f64::NAN
            } else {
                -lesser(-a, -b)
            }
        }),
        both(&|a, b| encode(fma(a, b), ty)),
        both(&|a, b| encode(relu(fma(a, b)), ty)),
        (single(a[0], 1.5) | single(a[1], 0.25) << 16) as u32,
        two(sum(low, third), sum(low, -third)),
        two(low * third, sum(low * third, third)),
        two(
            if low.is_nan() || third.is_nan() {
                lesser(low, third)
            } else {
                -lesser(-low, -third)
            },
            if low.is_nan() || third.is_nan() {
                f64::NAN
            } else {
                lesser(low, third)
            },
        ),
        single(a[0], 0.3) as u32,
        both(&|a, _| power(a, ty)),
        of(&|a, _| a.tanh()),
    ]
}

/// Returns the lesser number; a NaN yields to a number.
fn lesser(a: f64, b: f64) -> f64 {
    if a.is_nan() || b < a || (a == b && b.is_sign_negative()) {
        b
    } else {
        a
    }
}

/// Returns a sum of two numbers with few bits. If it is not exact, the last of its 53 bits is set, so that rounding it
/// again to a half does no harm.
fn sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let (large, small) = if a.abs() > b.abs() { (a, b) } else { (b, a) };
    let lost = small - (sum - large);
    if !sum.is_finite() || lost == 0.0 || sum.to_bits() & 1 == 1 {
        sum
    } else if lost > 0.0 {
        sum.next_up()
    } else {
        sum.next_down()
    }
}

/// Returns 2 to the power of a half; for `bf16`, subnormal numbers are flushed to zero, in the input and the result.
fn power(bits: u64, ty: &str) -> u64 {
    let is_flushed = |bits: u64| ty == "bf16" && bits & 0x7f80 == 0;
    let value = if is_flushed(bits) {
        0.0
    } else {
        decode(bits, ty)
    };
    let result = encode(value.exp2(), ty);
    if is_flushed(result) {
        result & 0x8000
    } else {
        result
    }
}
