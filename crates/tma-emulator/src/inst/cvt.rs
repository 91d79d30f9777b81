//! `cvt`: conversion between all types. PTX ISA 9.7.9.21.

mod small;

use half::{bf16, f16};
use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step},
    machine::{Alu, Flow, Slot, Trapped},
    value::{Float, LANES, Rounding, Unary, decompose, encode, format, lift, round_to_integer},
};

/// A value of any type, in the widest form of its class.
#[derive(Clone, Copy)]
enum Value {
    Integer(i128),
    Float(f64),
}

/// A conversion from `from` to `to`, lane by lane.
#[derive(Clone, Debug)]
struct Conversion {
    to: Type,
    from: Type,
    rounding: Option<Rounding>,
    to_integer: bool,
    flushes: bool,
    saturates: bool,
    relu: bool,
    /// True with `.satfinite`: a value that is too large becomes the largest number.
    finite: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    use Rounding::*;
    if small::is_small(instruction) {
        return small::cvt(decoder, instruction, modifiers);
    }
    let integer_rounding =
        modifiers.one_of(&[("rni", Nearest), ("rzi", Zero), ("rmi", Down), ("rpi", Up)]);
    let rounding = modifiers.one_of(&[("rn", Nearest), ("rz", Zero), ("rm", Down), ("rp", Up)]);
    let (flushes, saturates, relu) = (
        modifiers.take("ftz"),
        modifiers.take("sat"),
        modifiers.take("relu"),
    );
    let finite = modifiers.take("satfinite");
    let to = modifiers.ty()?;
    let from = modifiers.ty()?;
    let packed = match to {
        Type::F16x2 => Some(Type::F16),
        Type::Bf16x2 => Some(Type::Bf16),
        _ => None,
    };
    let conversion = Conversion {
        to: packed.unwrap_or(to),
        from,
        rounding: integer_rounding.or(rounding),
        to_integer: integer_rounding.is_some(),
        flushes,
        saturates,
        relu,
        finite,
    };
    conversion.check()?;
    if packed.is_some() {
        // The first source goes into the upper half.
        let [d, high, low] = operands(instruction)?;
        let (high, low) = (decoder.source(high, from)?, decoder.source(low, from)?);
        let high = conversion.temporary(decoder, high);
        let low = conversion.temporary(decoder, low);
        let d = decoder.destination(d)?.slot;
        decoder.emit(Action::Alu(Alu::Pack {
            d,
            parts: [low, high].into(),
            bits: 16,
        }));
        return Ok(());
    }
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, from)?;
    let register = decoder.destination(d)?;
    let d = register.slot;
    if let Some(f) = conversion.plain(register.ty) {
        decoder.emit(Action::Alu(Alu::Unary { f, d, a }));
        return Ok(());
    }
    let bits = register.ty.size_bytes().unwrap_or(8) * 8;
    let bits = bits as u32;
    let convert = One {
        d,
        a,
        conversion,
        bits,
    };
    decoder.emit(Action::Convert(Box::new(Convert::One(convert))));
    Ok(())
}

/// A conversion that is not one function.
#[derive(Clone, Debug)]
pub(crate) enum Convert {
    One(One),
    Packed(small::Packed),
}

impl Convert {
    /// Returns the destination slot and its source slots.
    pub(crate) fn through(&self) -> (Slot, Vec<Slot>) {
        match self {
            Self::One(one) => (one.d, vec![one.a]),
            Self::Packed(packed) => packed.through(),
        }
    }
}

impl Execute for Convert {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        match self {
            Self::One(one) => one.run(step),
            Self::Packed(packed) => packed.run(step),
        }
    }
}

/// A conversion of one number.
#[derive(Clone, Debug)]
pub(crate) struct One {
    d: Slot,
    a: Slot,
    conversion: Conversion,
    /// Width of the register that gets the result: narrow signed values fill it.
    bits: u32,
}

impl One {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let mut d = [0; LANES];
        for (d, a) in d.iter_mut().zip(step.get(self.a)) {
            *d = self.conversion.of(*a, self.bits);
        }
        step.set(self.d, &d);
        Ok(Flow::Next)
    }
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
}

/// Returns the bits of an integer type, and whether it is signed.
fn integer(ty: Type) -> Option<(u32, bool)> {
    Some(match ty {
        Type::U8 => (8, false),
        Type::U16 => (16, false),
        Type::U32 => (32, false),
        Type::U64 => (64, false),
        Type::S8 => (8, true),
        Type::S16 => (16, true),
        Type::S32 => (32, true),
        Type::S64 => (64, true),
        _ => return None,
    })
}

impl Conversion {
    fn check(&self) -> Result<(), NotSupported> {
        let known = |ty| is_float(ty) || integer(ty).is_some();
        if !known(self.to) || !known(self.from) {
            return Err(NotSupported::Part("combination of types"));
        }
        if self.finite && !matches!(self.to, Type::F16 | Type::Bf16) {
            return Err("`.satfinite` is not known for its types".into());
        }
        if is_float(self.from) && integer(self.to).is_some() && !self.to_integer {
            return Err("a conversion to an integer needs a rounding modifier".into());
        }
        Ok(())
    }

    fn temporary(&self, decoder: &mut Decoder<'_>, a: Slot) -> Slot {
        let d = decoder.scope.slot();
        let convert = One {
            d,
            a,
            conversion: self.clone(),
            bits: 16,
        };
        decoder.emit_hidden(Action::Convert(Box::new(Convert::One(convert))));
        d
    }

    /// Returns the function of a frequent conversion.
    fn plain(&self, register: Type) -> Option<Unary> {
        if self.flushes || self.saturates || self.relu || self.finite {
            return None;
        }
        let same_width = register.size_bytes() == self.to.size_bytes();
        let zero_or_nearest = matches!(self.rounding, None | Some(Rounding::Nearest));
        Some(match (self.to, self.from) {
            (Type::U64 | Type::S64, Type::U32) => lift!(|a: u32| u64::from(a)),
            (Type::U64 | Type::S64, Type::S32) => lift!(|a: i32| i64::from(a)),
            (Type::U64 | Type::S64, Type::U16) => lift!(|a: u16| u64::from(a)),
            (Type::U32 | Type::S32, Type::U64 | Type::S64 | Type::U32 | Type::S32)
                if same_width =>
            {
                lift!(|a: u32| a)
            }
            (Type::U32 | Type::S32, Type::U16) if same_width => lift!(|a: u16| u32::from(a)),
            (Type::U32 | Type::S32, Type::S16) if same_width => lift!(|a: i16| i32::from(a)),
            (Type::U16 | Type::S16, _)
                if same_width && integer(self.from).is_some_and(|f| f.0 >= 16) =>
            {
                lift!(|a: u16| a)
            }
            (Type::F32, Type::S32) if zero_or_nearest => lift!(|a: i32| a as f32),
            (Type::F32, Type::U32) if zero_or_nearest => lift!(|a: u32| a as f32),
            (Type::F64, Type::S32) => lift!(|a: i32| f64::from(a)),
            (Type::F64, Type::U32) => lift!(|a: u32| f64::from(a)),
            (Type::F32, Type::F16) => lift!(|a: f16| a.to_f32().canonical()),
            (Type::F32, Type::Bf16) => lift!(|a: u16| u32::from(a) << 16),
            _ => return None,
        })
    }

    fn of(&self, bits: u64, register_bits: u32) -> u64 {
        let mut value = self.read(bits);
        if let Value::Float(float) = &mut value {
            if self.flushes && self.from == Type::F32 {
                *float = f64::from((*float as f32).flush());
            }
            if self.to_integer {
                *float = round_to_integer(*float, self.rounding);
            }
            if self.relu && *float < 0.0 {
                *float = 0.0;
            }
        }
        match integer(self.to) {
            Some((width, signed)) => {
                let result = self.to_int(value, width, signed);
                result & (u64::MAX >> (64 - register_bits.max(width)))
            }
            None => self.to_float(value),
        }
    }

    fn read(&self, bits: u64) -> Value {
        match self.from {
            Type::F16 => Value::Float(f16::from_bits(bits as u16).to_f64()),
            Type::Bf16 => Value::Float(bf16::from_bits(bits as u16).to_f64()),
            Type::F32 => Value::Float(f64::from(f32::from_bits(bits as u32))),
            Type::F64 => Value::Float(f64::from_bits(bits)),
            ty => {
                let (width, signed) = integer(ty).unwrap_or((64, false));
                let shift = 64 - width;
                Value::Integer(match signed {
                    true => i128::from((bits << shift) as i64 >> shift),
                    false => i128::from(bits << shift >> shift),
                })
            }
        }
    }

    /// Converts to an integer. Floating-point sources always saturate, integers only with `.sat`.
    fn to_int(&self, value: Value, width: u32, signed: bool) -> u64 {
        let (low, high) = match signed {
            true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
            false => (0, (1_i128 << width) - 1),
        };
        match value {
            Value::Integer(value) if self.saturates => value.clamp(low, high) as u64,
            // Cut to the type, then extended as the type is signed.
            Value::Integer(value) => {
                let shift = 64 - width;
                let bits = (value as u64) << shift;
                if signed {
                    (bits as i64 >> shift) as u64
                } else {
                    bits >> shift
                }
            }
            Value::Float(value) if value.is_nan() => {
                let wide = self.from == Type::F64 || width == 64;
                if wide { 1 << (width - 1) } else { 0 }
            }
            Value::Float(value) => (value as i128).clamp(low, high) as u64,
        }
    }

    fn to_float(&self, value: Value) -> u64 {
        let mode = self.rounding.unwrap_or(Rounding::Nearest);
        let (sign, bits) = match (value, self.to) {
            (Value::Float(value), _) if value.is_nan() && self.saturates => (false, 0),
            (Value::Float(value), Type::F64) if value.is_nan() => return value.to_bits(),
            (Value::Float(value), _) if value.is_nan() => {
                return if self.to == Type::F32 {
                    0x7fff_ffff
                } else {
                    0x7fff
                };
            }
            (Value::Float(value), _) => {
                let value = if self.saturates {
                    value.clamp(0.0, 1.0)
                } else {
                    value
                };
                let negative = value.is_sign_negative();
                (
                    negative,
                    encode(decompose(value.abs()), negative, self.to, mode),
                )
            }
            (Value::Integer(value), _) => {
                let value = if self.saturates {
                    value.clamp(0, 1)
                } else {
                    value
                };
                (
                    value < 0,
                    encode((value.unsigned_abs(), 0), value < 0, self.to, mode),
                )
            }
        };
        let (width, exponent_bits) = format(self.to);
        let infinity = ((1 << exponent_bits) - 1) << (width - 1 - exponent_bits);
        let bits = if self.finite && bits == infinity {
            infinity - 1
        } else {
            bits
        };
        let smallest_normal = 1_u64 << (width - 1 - exponent_bits);
        let bits = if self.flushes && self.to == Type::F32 && bits < smallest_normal {
            0
        } else {
            bits
        };
        bits | u64::from(sign) << (width - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(to: Type, from: Type, rounding: Rounding, bits: u64) -> u64 {
        let conversion = Conversion {
            to,
            from,
            rounding: Some(rounding),
            to_integer: integer(to).is_some(),
            flushes: false,
            saturates: false,
            relu: false,
            finite: false,
        };
        conversion.of(bits, 64)
    }

    #[test]
    fn rounding_to_nearest_is_that_of_rust() {
        let mut rng = crate::machine::Rng::new(1);
        for _ in 0..20_000 {
            let bits = rng.next();
            let (wide, single) = (f64::from_bits(bits), f32::from_bits(bits as u32));
            if wide.is_nan() || single.is_nan() {
                continue;
            }
            let near = f64::from_bits(
                (bits & 0x8000_ffff_ffff_ffff) | (0x3000 + (bits >> 40 & 0xfff)) << 48,
            );
            for value in [wide, near] {
                let got = convert(Type::F32, Type::F64, Rounding::Nearest, value.to_bits());
                assert_eq!(got as u32, (value as f32).to_bits(), "{value:e}");
            }
            let got = convert(Type::F16, Type::F32, Rounding::Nearest, bits & 0xffff_ffff);
            assert_eq!(got as u16, f16::from_f32(single).to_bits(), "{single:e}");
            let got = convert(Type::Bf16, Type::F32, Rounding::Nearest, bits & 0xffff_ffff);
            assert_eq!(got as u16, bf16::from_f32(single).to_bits());
            let got = convert(Type::F32, Type::S64, Rounding::Nearest, bits);
            assert_eq!(got as u32, (bits as i64 as f32).to_bits());
            let got = convert(Type::F64, Type::U64, Rounding::Nearest, bits);
            assert_eq!(got, (bits as f64).to_bits());
        }
    }

    #[test]
    fn a_value_just_below_the_middle_of_two_is_rounded_once() {
        // 1 + 2^-11 is the middle of two numbers of half precision.
        let below = 1.0 + 2.0_f64.powi(-11) - 2.0_f64.powi(-50);
        assert_eq!(
            convert(Type::F16, Type::F64, Rounding::Nearest, below.to_bits()),
            0x3c00
        );
        let above = 1.0 + 2.0_f64.powi(-11) + 2.0_f64.powi(-50);
        assert_eq!(
            convert(Type::F16, Type::F64, Rounding::Nearest, above.to_bits()),
            0x3c01
        );
    }

    #[test]
    fn directed_rounding_brackets_the_value() {
        let third = (1.0_f64 / 3.0).to_bits();
        let to = |mode| f32::from_bits(convert(Type::F32, Type::F64, mode, third) as u32);
        assert!(f64::from(to(Rounding::Down)) < 1.0 / 3.0);
        assert!(f64::from(to(Rounding::Up)) > 1.0 / 3.0);
        assert_eq!(to(Rounding::Zero), to(Rounding::Down));
        let large = f64::MAX.to_bits();
        assert_eq!(
            convert(Type::F32, Type::F64, Rounding::Zero, large) as u32,
            f32::MAX.to_bits()
        );
        assert_eq!(
            convert(Type::F32, Type::F64, Rounding::Up, large) as u32,
            f32::INFINITY.to_bits()
        );
    }

    #[test]
    fn integers_saturate_and_a_nan_has_its_own_number() {
        let float = |value: f32| u64::from(value.to_bits());
        assert_eq!(
            convert(Type::S32, Type::F32, Rounding::Zero, float(-3.9)) as u32,
            -3_i32 as u32
        );
        assert_eq!(
            convert(Type::U8, Type::F32, Rounding::Zero, float(300.0)),
            255
        );
        assert_eq!(
            convert(Type::S32, Type::F32, Rounding::Nearest, float(2.5)),
            2
        );
        assert_eq!(
            convert(Type::S32, Type::F32, Rounding::Zero, float(f32::NAN)),
            0
        );
        assert_eq!(
            convert(Type::S64, Type::F32, Rounding::Zero, float(f32::NAN)),
            1 << 63
        );
    }
}
