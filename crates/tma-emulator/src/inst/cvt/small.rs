//! Numbers of at most 8 bits, packed in pairs, and TensorFloat-32. PTX ISA 9.7.9.21.

use half::{bf16, f16};
use ptx::{Instruction, Operand, Type};

use super::Convert;
use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Step},
    machine::{Alu, Flow, Slot, Trapped},
    value::{LANES, Unary, lift, nearest},
};

/// A format with a sign: how many bits its exponent and its fraction have, its largest number, and its NaN.
#[derive(Debug)]
struct Small {
    exponent: i32,
    fraction: i32,
    largest: u8,
    nan: Option<u8>,
}

const E4M3: Small = Small::new(4, 3, 0x7e, Some(0x7f));
/// The upper half of half precision.
const E5M2: Small = Small::new(5, 2, 0x7b, Some(0x7f));
const E3M2: Small = Small::new(3, 2, 0x1f, None);
const E2M3: Small = Small::new(2, 3, 0x1f, None);
const E2M1: Small = Small::new(2, 1, 0x07, None);

impl Small {
    const fn new(exponent: i32, fraction: i32, largest: u8, nan: Option<u8>) -> Self {
        Self {
            exponent,
            fraction,
            largest,
            nan,
        }
    }

    fn of(ty: Type) -> Option<&'static Self> {
        Some(match ty {
            Type::E4m3x2 => &E4M3,
            Type::E5m2x2 => &E5M2,
            Type::E3m2x2 => &E3M2,
            Type::E2m3x2 => &E2M3,
            Type::E2m1x2 => &E2M1,
            _ => return None,
        })
    }

    fn sign(&self) -> u8 {
        1 << (self.exponent + self.fraction)
    }

    fn bias(&self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Rounds to nearest even. Values too large become the largest number, as does a NaN in formats without
    /// one.
    fn from(&self, value: f64, relu: bool) -> u8 {
        if value.is_nan() {
            return self.nan.unwrap_or(self.largest);
        }
        let negative = value.is_sign_negative();
        if relu && negative {
            return 0;
        }
        let sign = if negative { self.sign() } else { 0 };
        let lowest = 1 - self.bias() - self.fraction;
        let steps = in_steps(value.abs(), self.fraction, lowest);
        let bits = if steps >= self.to(self.largest) {
            self.largest
        } else if steps < f64::from(1 - self.bias()).exp2() {
            (steps / f64::from(lowest).exp2()) as u8
        } else {
            let bits = steps.to_bits() >> (52 - self.fraction);
            (bits - ((1023 - self.bias() as u64) << self.fraction)) as u8
        };
        sign | bits
    }

    fn to(&self, bits: u8) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let fraction = i32::from(magnitude) & ((1 << self.fraction) - 1);
        let value = match i32::from(magnitude) >> self.fraction {
            _ if magnitude == self.largest + 1 && self.nan > Some(magnitude) => f64::INFINITY,
            _ if magnitude > self.largest => return f64::NAN,
            0 => f64::from(fraction) * f64::from(1 - self.bias() - self.fraction).exp2(),
            exponent => {
                let significand = f64::from(1 << self.fraction | fraction);
                significand * f64::from(exponent - self.bias() - self.fraction).exp2()
            }
        };
        if bits & self.sign() == 0 {
            value
        } else {
            -value
        }
    }
}

/// Rounds a non-negative number to nearest even with `fraction_bits` bits of fraction, and no bit below
/// `2^lowest`.
fn in_steps(value: f64, fraction_bits: i32, lowest: i32) -> f64 {
    if value == 0.0 || value.is_infinite() {
        return value;
    }
    let exponent = (value.to_bits() >> 52) as i32 - 1023;
    let step = f64::from((exponent - fraction_bits).max(lowest)).exp2();
    (value / step).round_ties_even() * step
}

const UE8M0_NAN: u8 = 0xff;

/// Converts to the exponent of a power of two. The sign is ignored, as in the software conversion of
/// `cuda_fp8.hpp`; the manual leaves it open.
fn to_ue8m0(value: f64, up: bool, finite: bool) -> u8 {
    let magnitude = value.abs();
    let bits = magnitude.to_bits();
    let is_between = bits & ((1 << 52) - 1) != 0;
    let exponent = (bits >> 52) as i64 - 1023 + i64::from(up && is_between);
    match u8::try_from(exponent + 127) {
        _ if value.is_nan() => UE8M0_NAN,
        _ if magnitude <= (-127_f64).exp2() => 0,
        Ok(exponent) if exponent < UE8M0_NAN => exponent,
        _ if finite => UE8M0_NAN - 1,
        _ => UE8M0_NAN,
    }
}

fn of_ue8m0(bits: u8) -> f64 {
    match bits {
        UE8M0_NAN => f64::NAN,
        exponent => (f64::from(exponent) - 127.0).exp2(),
    }
}

/// Returns whether the conversion is one of these.
pub(super) fn is_small(instruction: &Instruction) -> bool {
    [
        "e4m3x2", "e5m2x2", "e3m2x2", "e2m3x2", "e2m1x2", "ue8m0x2", "s2f6x2", "tf32",
    ]
    .iter()
    .any(|ty| instruction.opcode.has(ty))
}

pub(super) fn cvt(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    // The manual leaves the range of the fixed-point format open, and no available GPU supports it.
    if modifiers.take("s2f6x2") {
        return Err(NotSupported::NotExecuted(ptx_isa::Version::new(9, 1)));
    }
    let relu = modifiers.take("relu");
    let finite = modifiers.take("satfinite");
    let scaled = modifiers.take("scaled::n2::ue8m0");
    let rounding = [
        ("rn", Tf32Rounding::Even),
        ("rna", Tf32Rounding::Away),
        ("rz", Tf32Rounding::Zero),
        ("rp", Tf32Rounding::Up),
    ];
    let way = modifiers
        .one_of(&rounding)
        .ok_or(NotSupported::Part("rounding"))?;
    let (to, from) = (modifiers.ty()?, modifiers.ty()?);
    let of_wide = matches!(from, Type::F32 | Type::F16x2 | Type::Bf16x2);
    let is_known = match (to, from) {
        (Type::Tf32, Type::F32) if !scaled => {
            let f = tf32(way, relu, finite).ok_or(NotSupported::Part("rounding"))?;
            let [d, a] = operands(instruction)?;
            let a = decoder.source(a, from)?;
            let d = decoder.destination(d)?.slot;
            decoder.emit(Action::Alu(Alu::Unary { f, d, a }));
            return Ok(());
        }
        (Type::Ue8m0x2, Type::F32 | Type::Bf16x2) => {
            matches!(way, Tf32Rounding::Zero | Tf32Rounding::Up) && !relu && !scaled
        }
        (Type::Bf16x2, Type::Ue8m0x2) => way == Tf32Rounding::Even && !relu && !finite && !scaled,
        (Type::F16x2, _) => {
            Small::of(from).is_some() && way == Tf32Rounding::Even && !finite && !scaled
        }
        (Type::Bf16x2, _) => Small::of(from).is_some() && way == Tf32Rounding::Even,
        _ => Small::of(to).is_some() && of_wide && way == Tf32Rounding::Even && finite && !scaled,
    };
    if !is_known {
        return Err(NotSupported::Part("combination of types"));
    }
    let mut source = |operand: &Operand, ty| decoder.source(operand, ty);
    let (d, a, other) = match (from, scaled) {
        (Type::F32, _) => {
            let [d, a, b] = operands(instruction)?;
            (d, source(a, from)?, Some(source(b, from)?))
        }
        (_, true) => {
            let [d, a, scale] = operands(instruction)?;
            (d, source(a, from)?, Some(source(scale, Type::B16)?))
        }
        _ => {
            let [d, a] = operands(instruction)?;
            (d, source(a, from)?, None)
        }
    };
    let d = decoder.destination(d)?.slot;
    let packed = Packed {
        d,
        a,
        other,
        to,
        from,
        relu,
        finite,
        up: way == Tf32Rounding::Up,
    };
    decoder.emit(Action::Convert(Box::new(Convert::Packed(packed))));
    Ok(())
}

/// A conversion of two numbers at once.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    d: Slot,
    a: Slot,
    /// The lower one of two in registers of their own, or the scales.
    other: Option<Slot>,
    to: Type,
    from: Type,
    relu: bool,
    finite: bool,
    up: bool,
}

impl Packed {
    pub(super) fn through(&self) -> (Slot, Vec<Slot>) {
        (self.d, [self.a].into_iter().chain(self.other).collect())
    }

    pub(super) fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let mut d = [0; LANES];
        let other = self.other.map_or([0; LANES], |slot| *step.get(slot));
        for (d, (a, other)) in d.iter_mut().zip(step.get(self.a).iter().zip(other)) {
            *d = self.of(*a, other);
        }
        step.set(self.d, &d);
        Ok(Flow::Next)
    }

    fn of(&self, a: u64, other: u64) -> u64 {
        // A number of four bits is in a nibble, of six bits in a byte.
        let (high, low) = match self.from {
            Type::E2m1x2 => ((a >> 4) as u8 & 15, a as u8 & 15),
            _ => ((a >> 8) as u8, a as u8),
        };
        let halves = |of: fn(u16) -> f64| (of((a >> 16) as u16), of(a as u16));
        let (high, low) = match (self.from, Small::of(self.from)) {
            (_, Some(small)) => (small.to(high), small.to(low)),
            (Type::Ue8m0x2, _) => (of_ue8m0(high), of_ue8m0(low)),
            (Type::F16x2, _) => halves(|bits| f16::from_bits(bits).to_f64()),
            (Type::Bf16x2, _) => halves(|bits| bf16::from_bits(bits).to_f64()),
            _ => {
                let single = |bits: u64| f64::from(f32::from_bits(bits as u32));
                (single(a), single(other))
            }
        };
        let (high, low) = match (self.from, self.other) {
            (Type::F32, _) | (_, None) => (high, low),
            _ => {
                let scale = |shift: u32| of_ue8m0((other >> shift) as u8);
                (high * scale(8), low * scale(0))
            }
        };
        let bits = match self.to {
            Type::F16x2 | Type::Bf16x2 => 16,
            Type::E2m1x2 => 4,
            _ => 8,
        };
        self.one(high) << bits | self.one(low)
    }

    fn one(&self, value: f64) -> u64 {
        if let Some(small) = Small::of(self.to) {
            return small.from(value, self.relu).into();
        }
        let half = match self.to {
            Type::Ue8m0x2 => return to_ue8m0(value, self.up, self.finite).into(),
            Type::F16x2 => Type::F16,
            _ => Type::Bf16,
        };
        let value = if self.relu && value < 0.0 { 0.0 } else { value };
        let bits = nearest(value, half);
        // Only `bf16` has scales, by which a number can become too large.
        let is_infinite = self.finite && bits & 0x7fff == bf16::INFINITY.to_bits();
        u64::from(bits) - u64::from(is_infinite)
    }
}

/// Ways of rounding; `.rna` takes ties away from zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tf32Rounding {
    Even,
    Away,
    Zero,
    Up,
}

fn tf32(way: Tf32Rounding, relu: bool, finite: bool) -> Option<Unary> {
    /// Rounds to ten bits of fraction; a NaN keeps the bits that an H200 keeps.
    fn round(a: f32, way: Tf32Rounding, relu: bool, finite: bool) -> u32 {
        let bits = a.to_bits();
        if a.is_nan() && way != Tf32Rounding::Away {
            return 0x7fff_e000;
        }
        if relu && a.is_sign_negative() {
            return 0;
        }
        let odd = bits >> 13 & 1;
        let rounded = match way {
            Tf32Rounding::Even => bits.wrapping_add(0xfff + odd),
            Tf32Rounding::Away if !a.is_nan() => bits.wrapping_add(0x1000),
            Tf32Rounding::Away | Tf32Rounding::Zero | Tf32Rounding::Up => bits,
        };
        let result = rounded & !0x1fff;
        // A NaN is treated as an infinity here.
        let is_infinite = finite && result & 0x7fff_ffff >= 0x7f80_0000;
        result - u32::from(is_infinite) * 0x2000
    }
    macro_rules! of {
        ($($way:ident)*) => {
            Some(match (way, relu, finite) {
                $((Tf32Rounding::$way, false, false) => lift!(|a: f32| round(a, Tf32Rounding::$way, false, false)),
                (Tf32Rounding::$way, false, true) => lift!(|a: f32| round(a, Tf32Rounding::$way, false, true)),
                (Tf32Rounding::$way, true, false) => lift!(|a: f32| round(a, Tf32Rounding::$way, true, false)),
                (Tf32Rounding::$way, true, true) => lift!(|a: f32| round(a, Tf32Rounding::$way, true, true)),)*
                _ => return None,
            })
        };
    }
    of!(Even Away Zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all non-negative finite numbers of a format, by its definition.
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
            (E4M3, all(4, 3, 0x7f)),
            (E5M2, all(5, 2, 0x7c)),
            (E3M2, all(3, 2, 0x20)),
            (E2M3, all(2, 3, 0x20)),
            (E2M1, all(2, 1, 0x08)),
        ] {
            for (bits, pair) in (0_u8..).zip(numbers.windows(2)) {
                let (low, high) = (pair[0], pair[1]);
                let sign = small.sign();
                assert_eq!(small.to(bits), low);
                assert_eq!(small.to(bits | sign), -low);
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
                    assert_eq!(small.from(-value, false), expected | sign, "{value:e}");
                }
            }
            let last = numbers.len() as u8 - 1;
            for value in [numbers[last as usize] * 1.1, 1e300, f64::INFINITY] {
                assert_eq!(small.from(value, false), last);
            }
            assert_eq!(small.from(f64::NAN, true), small.nan.unwrap_or(last));
            assert_eq!(small.from(-1.0, true), 0);
            assert!(small.nan.is_none_or(|nan| small.to(nan).is_nan()));
        }
        assert_eq!(E5M2.to(0x7c), f64::INFINITY);
        assert_eq!(E2M1.to(7), 6.0);
    }

    #[test]
    fn a_scale_is_a_power_of_two() {
        for exponent in 0..UE8M0_NAN {
            let value = of_ue8m0(exponent);
            assert_eq!(value, 2.0_f64.powi(i32::from(exponent) - 127));
            assert_eq!(to_ue8m0(value, true, false), exponent);
            assert_eq!(to_ue8m0(-value * 1.5, false, false), exponent);
            let above = if exponent == 254 {
                UE8M0_NAN
            } else {
                exponent + 1
            };
            assert_eq!(to_ue8m0(value * 1.5, true, false), above);
        }
        assert_eq!(to_ue8m0(0.0, true, false), 0);
        assert_eq!(to_ue8m0(f64::INFINITY, false, false), UE8M0_NAN);
        assert_eq!(to_ue8m0(f64::INFINITY, false, true), 254);
        assert_eq!(to_ue8m0(f64::NAN, false, true), UE8M0_NAN);
        assert!(of_ue8m0(UE8M0_NAN).is_nan());
    }

    #[test]
    fn tf32_has_ten_bits_of_fraction() {
        let round = |way, relu, finite, bits: u32| {
            tf32(way, relu, finite).unwrap()(&[bits.into(); 32])[0] as u32
        };
        let one = 1.0_f32.to_bits();
        assert_eq!(round(Tf32Rounding::Even, false, false, one + 0x1000), one);
        assert_eq!(
            round(Tf32Rounding::Away, false, false, one + 0x1000),
            one + 0x2000
        );
        assert_eq!(
            round(Tf32Rounding::Even, false, false, one + 0x3000),
            one + 0x4000
        );
        assert_eq!(round(Tf32Rounding::Zero, false, false, one + 0x1fff), one);
        let largest = f32::MAX.to_bits();
        assert_eq!(
            round(Tf32Rounding::Even, false, false, largest),
            0x7f80_0000
        );
        assert_eq!(
            round(Tf32Rounding::Even, false, true, largest | 1 << 31),
            0xff7f_e000
        );
        assert_eq!(
            round(Tf32Rounding::Away, true, false, (-1.0_f32).to_bits()),
            0
        );
        assert_eq!(
            round(Tf32Rounding::Away, false, true, 0x7f80_0000),
            0x7f7f_e000
        );
        assert_eq!(
            round(Tf32Rounding::Zero, false, false, 0xff80_0000),
            0xff80_0000
        );
        assert_eq!(
            round(Tf32Rounding::Zero, true, false, 0xffc0_0000),
            0x7fff_e000
        );
        assert_eq!(
            round(Tf32Rounding::Away, false, false, 0xffff_ffff),
            0xffff_e000
        );
        assert_eq!(
            round(Tf32Rounding::Away, false, true, 0x7fbf_ffff),
            0x7fbf_c000
        );
    }
}
