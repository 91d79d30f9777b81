//! The products of matrices that an H200 computes, number by number, by the rules that were measured on one. No code
//! is the emulator's.

use half::f16;

use super::form::{Element, Group, ProductForm, Sum};

/// A factor or a sum: the value is `significand * 2^(exponent - fraction)`.
#[derive(Clone, Copy, Debug)]
struct Number {
    kind: Kind,
    negative: bool,
    significand: u64,
    exponent: i32,
    fraction: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Finite,
    Infinite,
    Nan,
}

/// Splits a floating-point number; a subnormal one has the exponent of the smallest normal one.
fn number(bits: u64, exponent_bits: u32, fraction_bits: u32, has_infinity: bool) -> Number {
    let field = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    let fraction = bits & ((1 << fraction_bits) - 1);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let all = (1 << exponent_bits) - 1;
    let kind = match has_infinity {
        true if field == all && fraction == 0 => Kind::Infinite,
        true if field == all => Kind::Nan,
        false if field == all && fraction == (1 << fraction_bits) - 1 => Kind::Nan,
        _ => Kind::Finite,
    };
    Number {
        kind,
        negative: bits >> (exponent_bits + fraction_bits) & 1 != 0,
        significand: if field == 0 {
            fraction
        } else {
            fraction | 1 << fraction_bits
        },
        exponent: field.max(1) as i32 - bias,
        fraction: fraction_bits as i32,
    }
}

fn factor(bits: u64, element: Element) -> Number {
    match element {
        Element::F16 => number(bits, 5, 10, true),
        Element::Bf16 => number(bits, 8, 7, true),
        Element::Tf32 => number(bits >> 13, 8, 10, true),
        Element::E4m3 => number(bits, 4, 3, false),
        _ => number(bits, 5, 2, true),
    }
}

fn sum(bits: u64, ty: Sum) -> Number {
    match ty {
        Sum::F16 => number(bits, 5, 10, true),
        _ => number(bits, 8, 23, true),
    }
}

/// The conversion of a sum of products to a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result {
    /// Rounds to single precision toward zero, with this many bits of fraction.
    Single(i32),
    /// Half precision to nearest even.
    Half,
}

/// Computes one fused sum: all terms are cut to `kept` bits below the greatest exponent, and added exactly.
fn fused(pairs: &[(Number, Number)], c: Number, kept: i32, result: Result) -> u64 {
    let (nan, infinity, sign) = match result {
        Result::Single(_) => (0x7fff_ffff, 0x7f80_0000, 1 << 31),
        Result::Half => (0x7fff, 0x7c00, 1 << 15),
    };
    let mut infinities = [false; 2];
    for (a, b) in pairs {
        let is_zero = |x: &Number| x.kind == Kind::Finite && x.significand == 0;
        let infinite = a.kind == Kind::Infinite || b.kind == Kind::Infinite;
        if a.kind == Kind::Nan || b.kind == Kind::Nan || infinite && (is_zero(a) || is_zero(b)) {
            return nan;
        }
        infinities[usize::from(a.negative != b.negative)] |= infinite;
    }
    if c.kind == Kind::Nan {
        return nan;
    }
    infinities[usize::from(c.negative)] |= c.kind == Kind::Infinite;
    match infinities {
        [true, true] => return nan,
        [true, false] => return infinity,
        [false, true] => return infinity | sign,
        _ => {}
    }
    let least = if result == Result::Half { -21 } else { -133 };
    let of_c = if c.significand == 0 {
        least
    } else {
        c.exponent
    };
    let nonzero = pairs
        .iter()
        .filter(|(a, b)| a.significand * b.significand != 0);
    let greatest = nonzero
        .map(|(a, b)| a.exponent + b.exponent)
        .fold(of_c, i32::max);
    let quantum = greatest - kept;
    let term = |negative: bool, significand: u64, exponent: i32| {
        let shift = exponent - quantum;
        let magnitude = match significand {
            0 => 0,
            _ if shift >= 0 => i128::from(significand) << shift,
            _ => i128::from(significand) >> (-shift).min(127),
        };
        if negative { -magnitude } else { magnitude }
    };
    let products = pairs.iter().map(|(a, b)| {
        let exponent = a.exponent - a.fraction + b.exponent - b.fraction;
        term(
            a.negative != b.negative,
            a.significand * b.significand,
            exponent,
        )
    });
    let total = products.sum::<i128>() + term(c.negative, c.significand, c.exponent - c.fraction);
    if total == 0 {
        return 0;
    }
    let magnitude = total.unsigned_abs();
    let exponent = 127 - magnitude.leading_zeros() as i32 + quantum;
    let bits = match result {
        Result::Single(fraction) => {
            let step = (exponent - fraction).max(-126 - fraction);
            let units = shifted(magnitude, quantum - step).0;
            // In units of the last bit of single precision.
            let units = units << (23 - fraction);
            match () {
                () if exponent >= 128 => infinity,
                () if units < 1 << 23 => units,
                () => ((exponent + 127) as u64) << 23 | units & 0x7f_ffff,
            }
        }
        Result::Half => {
            let step = (exponent - 10).max(-24);
            let (units, rest) = shifted(magnitude, quantum - step);
            let up = rest > 2 || rest == 2 && units & 1 == 1;
            let units = units + u64::from(up);
            // A carry increments the exponent.
            let base = ((exponent + 14).max(0) as u64) << 10;
            let bits = if exponent < -14 { units } else { base + units };
            bits.min(infinity)
        }
    };
    match (bits, total < 0) {
        (0, _) => 0,
        (bits, true) => bits | sign,
        (bits, false) => bits,
    }
}

/// Returns a magnitude by a power of two, and the lost part: 0, less than a half, a half (2), more (3).
fn shifted(magnitude: u128, by: i32) -> (u64, u32) {
    if by >= 0 {
        return ((magnitude << by) as u64, 0);
    }
    let by = -by as u32;
    if by > 127 {
        return (0, 1);
    }
    let rest = magnitude & ((1 << by) - 1);
    let half = 1_u128 << (by - 1);
    let lost = match rest {
        0 => 0,
        rest if rest < half => 1,
        rest if rest == half => 2,
        _ => 3,
    };
    ((magnitude >> by) as u64, lost)
}

/// Computes one result from the pairs of factors in the order of K, and C.
pub(super) fn result(form: &ProductForm, pairs: &[(u64, u64)], c: u64) -> Option<u64> {
    let [a, b] = form.elements;
    let is_float = matches!(
        a,
        Element::F16 | Element::Bf16 | Element::Tf32 | Element::E4m3 | Element::E5m2
    );
    let is_small = matches!(a, Element::E4m3 | Element::E5m2);
    let numbers: Vec<_> = pairs
        .iter()
        .map(|(x, y)| {
            let (mut x, y) = (factor(*x, a), factor(*y, b));
            // Both signs of a product change or none, so that the product keeps its own.
            x.negative ^= form.negates[0] != form.negates[1];
            (x, y)
        })
        .collect();
    let plain = match form.d {
        Sum::F16 => Result::Half,
        _ => Result::Single(23),
    };
    Some(match form.group {
        _ if a == Element::F64 && form.has("rn", "rz", "rm", "rp") => return None,
        _ if a == Element::F64 => pairs.iter().fold(c, |c, (a, b)| double(*a, *b, c)),
        _ if a == Element::B1 => {
            let count = |(a, b): &(u64, u64)| match form.opcode.contains(".xor.") {
                true => (a ^ b).count_ones(),
                false => (a & b).count_ones(),
            };
            u64::from(pairs.iter().map(count).fold(c as u32, u32::wrapping_add))
        }
        _ if !is_float => integer(form, pairs, c),
        Group::Warp if form.shape.k == 4 && form.shape.m == 8 => scalar(form, pairs, c),
        Group::Warp if is_small => {
            // Two products in half precision from zero, then C.
            let zero = number(0, 5, 10, true);
            let half = |late: bool, c: Number| {
                let all = numbers.iter().enumerate();
                let taken = all
                    .filter(|(k, _)| (k % 4 >= 2) == late)
                    .map(|(_, pair)| *pair);
                fused(&taken.collect::<Vec<_>>(), c, 25, plain)
            };
            let product = half(true, sum(half(false, zero), form.d));
            match form.d {
                Sum::F16 => {
                    let exact =
                        f16::from_bits(c as u16).to_f64() + f16::from_bits(product as u16).to_f64();
                    canonical_half(exact)
                }
                _ => canonical(f32::from_bits(c as u32) + f32::from_bits(product as u32)),
            }
        }
        Group::Warpgroup if is_small => {
            let result = match form.d {
                Sum::F16 => Result::Half,
                _ => Result::Single(13),
            };
            fused(&numbers, sum(c, form.d), 13, result)
        }
        Group::Fragments if a == Element::Tf32 => {
            let first = fused(&numbers[..4], sum(c, form.d), 25, plain);
            fused(&numbers[4..], sum(first, form.d), 25, plain)
        }
        _ if form.c == form.d => fused(&numbers, sum(c, form.d), 25, plain),
        // C counts as single precision.
        _ => {
            let c = match form.c {
                Sum::F16 => f16::from_bits(c as u16).to_f32().to_bits().into(),
                _ => c,
            };
            let bits = fused(&numbers, sum(c, Sum::F32), 25, Result::Single(23));
            match form.d {
                Sum::F16 => canonical_half(f32::from_bits(bits as u32).into()),
                _ => bits,
            }
        }
    })
}

fn canonical(value: f32) -> u64 {
    u64::from(if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    })
}

fn canonical_half(value: f64) -> u64 {
    u64::from(if value.is_nan() {
        0x7fff
    } else {
        f16::from_f64(value).to_bits()
    })
}

fn integer(form: &ProductForm, pairs: &[(u64, u64)], c: u64) -> u64 {
    let value = |bits: u64, element: Element| {
        let width = element.bits();
        match element {
            Element::S8 | Element::S4 if bits >> (width - 1) != 0 => bits as i64 - (1 << width),
            _ => bits as i64,
        }
    };
    let [a, b] = form.elements;
    let sum: i64 = pairs.iter().map(|(x, y)| value(*x, a) * value(*y, b)).sum();
    let sum = sum + i64::from(c as u32 as i32);
    let sum = match form.opcode.contains(".satfinite") {
        true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
        false => sum,
    };
    u64::from(sum as u32)
}

/// Computes one step of double precision, with the NaN of an operand.
fn double(a: u64, b: u64, c: u64) -> u64 {
    let nan = [b, c, a]
        .into_iter()
        .find(|bits| f64::from_bits(*bits).is_nan());
    if let Some(nan) = nan {
        return nan | 1 << 51;
    }
    let result = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
    if result.is_nan() {
        0xfff8 << 48
    } else {
        result.to_bits()
    }
}

/// `m8n8k4` of half precision.
fn scalar(form: &ProductForm, pairs: &[(u64, u64)], c: u64) -> u64 {
    let half = |bits: u64| f16::from_bits(bits as u16).to_f32();
    let c = match form.c {
        Sum::F16 => half(c),
        _ => f32::from_bits(c as u32),
    };
    let pair = |at: usize| (half(pairs[at].0), half(pairs[at].1));
    let product = |at: usize| pair(at).0 * pair(at).1;
    let fma = |at: usize, sum: f32| pair(at).0.mul_add(pair(at).1, sum);
    match form.d {
        Sum::F16 => canonical_half((c + fma(1, product(0)) + fma(3, product(2))).into()),
        // From a positive zero on.
        _ => canonical(c + (0..4).fold(0.0, |sum, at| fma(at, sum))),
    }
}
