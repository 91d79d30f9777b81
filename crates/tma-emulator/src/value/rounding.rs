//! Rounding to a floating-point format, exactly and in every direction.

use ptx::Type;

use super::{read, write};

/// Rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

/// Rounds to the nearest number of half precision, as its 16 bits. (`half` rounds twice.)
pub(crate) fn nearest(value: f64, ty: Type) -> u16 {
    if value.is_nan() {
        return 0x7fff;
    }
    let negative = value.is_sign_negative();
    let bits = encode(decompose(value.abs()), negative, ty, Rounding::Nearest) as u16;
    bits | u16::from(negative) << 15
}

pub(crate) fn round_to_integer(value: f64, mode: Option<Rounding>) -> f64 {
    match mode {
        Some(Rounding::Zero) => value.trunc(),
        Some(Rounding::Down) => value.floor(),
        Some(Rounding::Up) => value.ceil(),
        _ => value.round_ties_even(),
    }
}

/// Returns the width of a format, and of its exponent.
pub(crate) fn format(ty: Type) -> (u32, u32) {
    match ty {
        Type::F16 => (16, 5),
        Type::Bf16 => (16, 8),
        Type::F32 => (32, 8),
        _ => (64, 11),
    }
}

/// Splits a non-negative number into `m * 2^e`; infinity becomes the largest of both.
pub(crate) fn decompose(value: f64) -> (u128, i32) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, u128::from(bits & ((1 << 52) - 1)));
    match exponent {
        0 => (fraction, -1074),
        0x7ff => (1, i32::MAX / 2),
        _ => (fraction | 1 << 52, exponent - 1075),
    }
}

/// Rounds `m * 2^e` to the format and returns its bits, without the sign.
pub(crate) fn encode((m, e): (u128, i32), negative: bool, ty: Type, mode: Rounding) -> u64 {
    let (width, exponent_bits) = format(ty);
    let fraction_bits = width - 1 - exponent_bits;
    let bias = (1_i32 << (exponent_bits - 1)) - 1;
    let infinity = ((1_u64 << exponent_bits) - 1) << fraction_bits;
    if m == 0 {
        return 0;
    }
    // Infinity has no number to round.
    if e == i32::MAX / 2 {
        return infinity;
    }
    let top = 127 - m.leading_zeros() as i32;
    // The position of the last bit that is kept; subnormal numbers share the lowest.
    let last = (top + e - fraction_bits as i32).max(1 - bias - fraction_bits as i32);
    let drop = last - e;
    let (kept, rest, half) = match drop {
        ..=0 => (m << (-drop).min(100), 0, 1),
        1..=127 => (m >> drop, m & ((1 << drop) - 1), 1_u128 << (drop - 1)),
        _ => (0, 1, 2),
    };
    let up = match mode {
        Rounding::Nearest => rest > half || (rest == half && rest != 0 && kept & 1 == 1),
        Rounding::Zero => false,
        Rounding::Down => negative && rest != 0,
        Rounding::Up => !negative && rest != 0,
    };
    let kept = kept as u64 + u64::from(up);
    // Adding the exponent lets a carry out of the fraction reach it.
    let biased = (last + fraction_bits as i32 + bias - 1) as u64;
    let bits = (biased << fraction_bits).saturating_add(kept);
    if bits < infinity {
        return bits;
    }
    let to_largest = match mode {
        Rounding::Nearest => false,
        Rounding::Zero => true,
        Rounding::Down => !negative,
        Rounding::Up => negative,
    };
    if to_largest { infinity - 1 } else { infinity }
}

/// Rounds each `f32` to nearest even with 10 bits of fraction; a NaN has a pattern of its own.
pub(crate) fn round_to_tf32(bytes: &mut [u8]) {
    for element in bytes.chunks_exact_mut(4) {
        let bits = read(element) as u32;
        let is_nan = bits & 0x7fff_ffff > 0x7f80_0000;
        let odd = bits >> 13 & 1;
        let rounded = if is_nan {
            0x7fff_e000
        } else {
            bits.wrapping_add(0xfff + odd) & !0x1fff
        };
        write(element, rounded.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tf32_is_rounded_to_nearest_even() {
        let round = |value: u32| {
            let mut bytes = value.to_le_bytes();
            round_to_tf32(&mut bytes);
            u32::from_le_bytes(bytes)
        };
        let one = 1.0_f32.to_bits();
        assert_eq!(round(one), one);
        assert_eq!(round(one + 0x1000), one);
        assert_eq!(round(one + 0x1001), one + 0x2000);
        assert_eq!(round(one + 0x3000), one + 0x4000);
        assert_eq!(round(f32::INFINITY.to_bits()), f32::INFINITY.to_bits());
        assert_eq!(round(f32::NAN.to_bits()), 0x7fff_e000);
    }
}
