//! Numbers of 8 bits, packed in pairs, and TensorFloat-32. PTX ISA 9.7.9.21.

use half::{bf16, f16};
use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::{Alu, Slot},
    value::{Binary, Unary, lift},
};

/// Formats of 8 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Small {
    /// Four bits of exponent, no infinity.
    E4m3,
    /// The upper half of half precision.
    E5m2,
}

const NAN: u8 = 0x7f;

impl Small {
    /// To nearest even; what is too large becomes the largest.
    fn from(self, value: f64, relu: bool) -> u8 {
        if value.is_nan() {
            return NAN;
        }
        let negative = value.is_sign_negative();
        if relu && negative {
            return 0;
        }
        let sign = u8::from(negative) << 7;
        sign | match self {
            Self::E5m2 => {
                // Rounding to two bits of fraction first, half precision holds the result.
                let steps = in_steps(value.abs(), 2, -16);
                let bits = f16::from_f64(steps).to_bits() >> 8;
                (bits as u8).min(0x7b)
            }
            Self::E4m3 => {
                let steps = in_steps(value.abs(), 3, -9);
                if steps >= 448.0 {
                    0x7e
                } else {
                    // Below 2^-6 in steps of 2^-9, above with an exponent that is 7 more than true.
                    let bits = steps.to_bits();
                    match steps {
                        0.0..0.015625 => (steps * 512.0) as u8,
                        _ => ((bits >> 49) - ((1023 - 7) << 3)) as u8,
                    }
                }
            }
        }
    }

    fn to(self, bits: u8) -> f16 {
        let sign = u16::from(bits & 0x80) << 8;
        let value = match (self, bits & 0x7f) {
            (Self::E4m3, NAN) => return f16::from_bits(0x7fff),
            (Self::E5m2, 0x7d..) => return f16::from_bits(0x7fff),
            (Self::E5m2, bits) => u16::from(bits) << 8,
            (Self::E4m3, bits) => {
                let (exponent, fraction) = (i32::from(bits >> 3), f64::from(bits & 7));
                let value = match exponent {
                    0 => fraction / 512.0,
                    _ => (1.0 + fraction / 8.0) * f64::from(exponent - 7).exp2(),
                };
                f16::from_f64(value).to_bits()
            }
        };
        f16::from_bits(sign | value)
    }
}

/// A number that is not negative, rounded to nearest even with so many bits of fraction, the last of
/// them not below `2^lowest`.
fn in_steps(value: f64, fraction_bits: i32, lowest: i32) -> f64 {
    if value == 0.0 || value.is_infinite() {
        return value;
    }
    let exponent = (value.to_bits() >> 52) as i32 - 1023;
    let step = f64::from((exponent - fraction_bits).max(lowest)).exp2();
    (value / step).round_ties_even() * step
}

/// Returns whether the conversion is one of these.
pub(super) fn is_small(instruction: &Instruction) -> bool {
    ["e4m3x2", "e5m2x2", "tf32"]
        .iter()
        .any(|ty| instruction.opcode.has(ty))
}

pub(super) fn cvt(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let relu = modifiers.take("relu");
    let finite = modifiers.take("satfinite");
    let rounding = [("rn", Way::Even), ("rna", Way::Away), ("rz", Way::Zero)];
    let rounding = modifiers
        .one_of(&rounding)
        .ok_or(NotSupported::Part("rounding"))?;
    let (to, from) = (modifiers.ty()?, modifiers.ty()?);
    match (to, from) {
        (Type::Tf32, Type::F32) => {
            let [d, a] = operands(instruction)?;
            let a = decoder.source(a, from)?;
            let d = decoder.destination(d)?.slot;
            let f = tf32(rounding, relu, finite);
            decoder.emit(Action::Alu(Alu::Unary { f, d, a }));
            Ok(())
        }
        (Type::E4m3x2 | Type::E5m2x2, _) if finite && rounding == Way::Even => {
            pack(decoder, instruction, to, from, relu)
        }
        (Type::F16x2, Type::E4m3x2 | Type::E5m2x2) if !finite && rounding == Way::Even => {
            unpack(decoder, instruction, from, relu)
        }
        _ => Err(NotSupported::Part("combination of types")),
    }
}

fn pack(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    to: Type,
    from: Type,
    relu: bool,
) -> Result<(), NotSupported> {
    macro_rules! of_singles {
        ($small:ident, $relu:literal) => {
            lift!(|a: f32, b: f32| both(Small::$small, a.into(), b.into(), $relu))
        };
    }
    macro_rules! of_halves {
        ($half:ident, $small:ident, $relu:literal) => {
            lift!(|a: u32| {
                let part = |shift: u32| $half::from_bits((a >> shift) as u16).to_f64();
                both(Small::$small, part(16), part(0), $relu)
            })
        };
    }
    if from == Type::F32 {
        let f: Binary = match (to, relu) {
            (Type::E4m3x2, false) => of_singles!(E4m3, false),
            (Type::E4m3x2, true) => of_singles!(E4m3, true),
            (_, false) => of_singles!(E5m2, false),
            (_, true) => of_singles!(E5m2, true),
        };
        let [d, a, b] = operands(instruction)?;
        let (a, b) = (decoder.source(a, from)?, decoder.source(b, from)?);
        let d = decoder.destination(d)?.slot;
        decoder.emit(Action::Alu(Alu::Binary { f, d, a, b }));
        return Ok(());
    }
    let f: Unary = match (to, from, relu) {
        (Type::E4m3x2, Type::F16x2, false) => of_halves!(f16, E4m3, false),
        (Type::E4m3x2, Type::F16x2, true) => of_halves!(f16, E4m3, true),
        (Type::E5m2x2, Type::F16x2, false) => of_halves!(f16, E5m2, false),
        (Type::E5m2x2, Type::F16x2, true) => of_halves!(f16, E5m2, true),
        (Type::E4m3x2, Type::Bf16x2, false) => of_halves!(bf16, E4m3, false),
        (Type::E4m3x2, Type::Bf16x2, true) => of_halves!(bf16, E4m3, true),
        (Type::E5m2x2, Type::Bf16x2, false) => of_halves!(bf16, E5m2, false),
        (Type::E5m2x2, Type::Bf16x2, true) => of_halves!(bf16, E5m2, true),
        _ => return Err(NotSupported::Part("combination of types")),
    };
    one(decoder, instruction, from, f)
}

/// The first goes into the upper half.
fn both(small: Small, high: f64, low: f64, relu: bool) -> u16 {
    u16::from(small.from(high, relu)) << 8 | u16::from(small.from(low, relu))
}

fn unpack(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    from: Type,
    relu: bool,
) -> Result<(), NotSupported> {
    fn halves(small: Small, a: u16, relu: bool) -> u32 {
        let half = |bits: u8| {
            let value = small.to(bits);
            let value = if relu && value < f16::ZERO {
                f16::ZERO
            } else {
                value
            };
            u32::from(value.to_bits())
        };
        half((a >> 8) as u8) << 16 | half(a as u8)
    }
    let f = match (from, relu) {
        (Type::E4m3x2, false) => lift!(|a: u16| halves(Small::E4m3, a, false)),
        (Type::E4m3x2, true) => lift!(|a: u16| halves(Small::E4m3, a, true)),
        (_, false) => lift!(|a: u16| halves(Small::E5m2, a, false)),
        (_, true) => lift!(|a: u16| halves(Small::E5m2, a, true)),
    };
    one(decoder, instruction, from, f)
}

fn one(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    from: Type,
    f: Unary,
) -> Result<(), NotSupported> {
    let [d, a] = operands(instruction)?;
    let a: Slot = decoder.source(a, from)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Unary { f, d, a }));
    Ok(())
}

/// Ways of rounding; `.rna` takes ties away from zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Even,
    Away,
    Zero,
}

fn tf32(way: Way, relu: bool, finite: bool) -> Unary {
    /// Ten bits of fraction are left.
    fn round(a: f32, way: Way, relu: bool, finite: bool) -> u32 {
        let bits = a.to_bits();
        if a.is_nan() {
            return 0x7fff_ffff;
        }
        if relu && a.is_sign_negative() {
            return 0;
        }
        let odd = bits >> 13 & 1;
        let rounded = match way {
            Way::Even => bits.wrapping_add(0xfff + odd),
            Way::Away => bits.wrapping_add(0x1000),
            Way::Zero => bits,
        };
        let result = rounded & !0x1fff;
        match (
            a.is_infinite(),
            finite && result & 0x7fff_ffff >= 0x7f80_0000,
        ) {
            (_, true) => bits & 0x8000_0000 | 0x7f7f_e000,
            (true, false) => bits,
            (false, false) => result,
        }
    }
    macro_rules! of {
        ($($way:ident)*) => {
            match (way, relu, finite) {
                $((Way::$way, false, false) => lift!(|a: f32| round(a, Way::$way, false, false)),
                (Way::$way, false, true) => lift!(|a: f32| round(a, Way::$way, false, true)),
                (Way::$way, true, false) => lift!(|a: f32| round(a, Way::$way, true, false)),
                (Way::$way, true, true) => lift!(|a: f32| round(a, Way::$way, true, true)),)*
            }
        };
    }
    of!(Even Away Zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers of a format that are not negative and finite, by the definition of the format.
    fn all(exponent_bits: i32, fraction_bits: i32, count: u8) -> Vec<f64> {
        let bias = (1 << (exponent_bits - 1)) - 1;
        (0..count)
            .map(|bits| {
                let (exponent, fraction) = (
                    i32::from(bits) >> fraction_bits,
                    f64::from(i32::from(bits) & ((1 << fraction_bits) - 1))
                        / f64::from(1 << fraction_bits),
                );
                match exponent {
                    0 => fraction * 2.0_f64.powi(1 - bias),
                    _ => (1.0 + fraction) * 2.0_f64.powi(exponent - bias),
                }
            })
            .collect()
    }

    #[test]
    fn every_number_of_8_bits_and_what_is_between() {
        for (small, numbers) in [
            (Small::E4m3, all(4, 3, 0x7f)),
            (Small::E5m2, all(5, 2, 0x7c)),
        ] {
            for (bits, pair) in (0_u8..).zip(numbers.windows(2)) {
                let (low, high) = (pair[0], pair[1]);
                assert_eq!(small.to(bits).to_f64(), low);
                assert_eq!(small.to(bits | 0x80).to_f64(), -low);
                let middle = (low + high) / 2.0;
                let even = if bits & 1 == 0 { bits } else { bits + 1 };
                for (value, expected) in [
                    (low, bits),
                    (middle, even),
                    (middle.next_down(), bits),
                    (middle.next_up(), bits + 1),
                    (high, bits + 1),
                ] {
                    assert_eq!(small.from(value, false), expected, "{value:e}");
                    assert_eq!(small.from(-value, false), expected | 0x80, "{value:e}");
                }
            }
            let last = numbers.len() as u8 - 1;
            for value in [numbers[last as usize] * 1.1, 1e300, f64::INFINITY] {
                assert_eq!(small.from(value, false), last);
            }
            assert_eq!(small.from(f64::NAN, true), NAN);
            assert_eq!((small.from(-1.0, true), small.to(NAN).is_nan()), (0, true));
        }
        assert_eq!(Small::E5m2.to(0x7c), f16::INFINITY);
    }

    #[test]
    fn tf32_has_ten_bits_of_fraction() {
        let round =
            |way, relu, finite, bits: u32| tf32(way, relu, finite)(&[bits.into(); 32])[0] as u32;
        let one = 1.0_f32.to_bits();
        assert_eq!(round(Way::Even, false, false, one + 0x1000), one);
        assert_eq!(round(Way::Away, false, false, one + 0x1000), one + 0x2000);
        assert_eq!(round(Way::Even, false, false, one + 0x3000), one + 0x4000);
        assert_eq!(round(Way::Zero, false, false, one + 0x1fff), one);
        let largest = f32::MAX.to_bits();
        assert_eq!(round(Way::Even, false, false, largest), 0x7f80_0000);
        assert_eq!(
            round(Way::Even, false, true, largest | 1 << 31),
            0xff7f_e000
        );
        assert_eq!(round(Way::Away, true, false, (-1.0_f32).to_bits()), 0);
        assert_eq!(round(Way::Away, false, true, 0x7f80_0000), 0x7f7f_e000);
    }
}
