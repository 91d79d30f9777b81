//! Floating-point arithmetic. PTX ISA 9.7.3 to 9.7.5.
//!
//! Results that are defined to be correctly rounded are correctly rounded. A NaN result in single and half
//! precision is always the canonical one, as on hardware. `.approx` functions are computed in double precision
//! and rounded, so they may differ from a GPU in the last bits.

mod directed;
mod exact;

pub(crate) use exact::multiply_add;

use half::{bf16, f16};
use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::{Alu, Slot},
    value::{Binary, Bits, Float, Rounding, Ternary, Unary, lift},
};

/// Applies a function to both halves of each word.
fn halves<T: Bits, const N: usize>(words: [u32; N], f: impl Fn([T; N]) -> T) -> u32 {
    let half = |shift: u32| {
        let mut values = [T::of(0); N];
        for (value, word) in values.iter_mut().zip(words) {
            *value = T::of(u64::from(word >> shift & 0xffff));
        }
        (f(values).bits() as u32 & 0xffff) << shift
    };
    half(0) | half(16)
}

macro_rules! for_float {
    ($ty:expr, |$($v:ident),+| $body:expr) => {
        match $ty {
            Type::F16 => Some(lift!(|$($v: f16),+| $body)),
            Type::Bf16 => Some(lift!(|$($v: bf16),+| $body)),
            Type::F32 => Some(lift!(|$($v: f32),+| $body)),
            Type::F64 => Some(lift!(|$($v: f64),+| $body)),
            Type::F16x2 => Some(lift!(
                |$($v: u32),+| halves([$($v),+], |[$($v),+]: [f16; _]| $body)
            )),
            Type::Bf16x2 => Some(lift!(
                |$($v: u32),+| halves([$($v),+], |[$($v),+]: [bf16; _]| $body)
            )),
            _ => None,
        }
    };
}

/// Flushing and saturating around a function.
struct Around {
    flushes: bool,
    saturates: bool,
}

impl Around {
    fn take(modifiers: &mut Modifiers<'_>) -> Self {
        Self {
            flushes: modifiers.take("ftz"),
            saturates: modifiers.take("sat"),
        }
    }

    /// Returns whether the frequent operations flush as part of their computation.
    fn fuses(&self, ty: Type) -> bool {
        self.flushes && !self.saturates && ty == Type::F32
    }

    /// Decodes a source, flushed if the modifier requires it.
    fn source(
        &self,
        decoder: &mut Decoder<'_>,
        operand: &ptx::Operand,
        ty: Type,
    ) -> Result<Slot, NotSupported> {
        let a = decoder.source(operand, ty)?;
        self.flushed(decoder, a, ty)
    }

    fn flushed(&self, decoder: &mut Decoder<'_>, a: Slot, ty: Type) -> Result<Slot, NotSupported> {
        if !self.flushes {
            return Ok(a);
        }
        let f = flush(ty)?;
        Ok(decoder.temporary(|d| Alu::Unary { f, d, a }))
    }

    /// Emits an operation for each number in a register of this type: one, two halves, or two of single
    /// precision.
    fn each<const N: usize>(
        &self,
        decoder: &mut Decoder<'_>,
        ty: Type,
        d: &ptx::Operand,
        sources: [&ptx::Operand; N],
        alu: &dyn Fn(Slot, [Slot; N]) -> Alu,
    ) -> Result<(), NotSupported> {
        let one = of_pair(ty);
        let mut words = [[0; N]; 2];
        for (index, operand) in sources.into_iter().enumerate() {
            let a = decoder.source(operand, ty)?;
            let parts = if one == ty {
                [a, a]
            } else {
                let parts = [decoder.scope.slot(), decoder.scope.slot()];
                let bits = 32;
                let unpack = Alu::Unpack {
                    parts: parts.into(),
                    a,
                    bits,
                };
                decoder.emit_hidden(unpack.into());
                parts
            };
            for (word, part) in words.iter_mut().zip(parts) {
                word[index] = self.flushed(decoder, part, one)?;
            }
        }
        let d = decoder.destination(d)?.slot;
        if one == ty {
            return self.emit(decoder, d, ty, &|d| alu(d, words[0]));
        }
        let parts = [decoder.scope.slot(), decoder.scope.slot()];
        for (part, word) in parts.into_iter().zip(words) {
            self.emit(decoder, part, one, &|d| alu(d, word))?;
        }
        let parts = parts.into();
        decoder.emit(Action::Alu(Alu::Pack { d, parts, bits: 32 }));
        Ok(())
    }

    /// Emits the computation and the effect of its modifiers.
    fn emit(
        &self,
        decoder: &mut Decoder<'_>,
        d: Slot,
        ty: Type,
        alu: &dyn Fn(Slot) -> Alu,
    ) -> Result<(), NotSupported> {
        let mut steps = Vec::new();
        if self.flushes {
            steps.push(flush(ty)?);
        }
        if self.saturates {
            steps.push(for_float!(ty, |a| a.saturate()).ok_or(NotSupported::Part("type"))?);
        }
        let Some(last) = steps.pop() else {
            decoder.emit(Action::Alu(alu(d)));
            return Ok(());
        };
        let mut a = decoder.temporary(alu);
        for f in steps {
            a = decoder.temporary(|d| Alu::Unary { f, d, a });
        }
        decoder.emit(Action::Alu(Alu::Unary { f: last, d, a }));
        Ok(())
    }
}

/// Returns the type of both numbers of a pair of single precision; any other type unchanged.
fn of_pair(ty: Type) -> Type {
    match ty {
        Type::F32x2 => Type::F32,
        ty => ty,
    }
}

fn flush(ty: Type) -> Result<Unary, NotSupported> {
    for_float!(ty, |a| a.flush()).ok_or(NotSupported::Part("type"))
}

pub(crate) fn is_float(instruction: &Instruction) -> bool {
    let types = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"];
    types.iter().any(|ty| instruction.opcode.has(ty))
}

/// Returns the rounding direction, unless it is to nearest even.
fn direction(modifiers: &mut Modifiers<'_>) -> Option<Rounding> {
    use Rounding::*;
    modifiers
        .one_of(&[("rn", Nearest), ("rz", Zero), ("rm", Down), ("rp", Up)])
        .filter(|mode| *mode != Nearest)
}

/// Decodes `add`, `sub`, `mul`, `min`, `max` and `copysign`.
pub(crate) fn binary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let direction = direction(modifiers);
    let around = Around::take(modifiers);
    let propagates = modifiers.take("NaN");
    let of_magnitudes = modifiers.take("xorsign") && modifiers.take("abs");
    let pair = modifiers.ty()?;
    let ty = of_pair(pair);
    let f: Option<Binary> = match instruction.opcode.stem() {
        stem if let Some(mode) = direction => directed::binary(stem, ty, mode),
        "add" => for_float!(ty, |a, b| Float::add(a, b)),
        "sub" => for_float!(ty, |a, b| Float::sub(a, b)),
        "mul" => for_float!(ty, |a, b| Float::mul(a, b)),
        stem @ ("min" | "max") if of_magnitudes => match (stem, propagates) {
            ("min", false) => for_float!(ty, |a, b| with_signs(a, b, Float::min)),
            ("max", false) => for_float!(ty, |a, b| with_signs(a, b, Float::max)),
            ("min", _) => {
                for_float!(ty, |a, b| with_signs(a, b, |a, b| nan_or(a, b, Float::min)))
            }
            _ => for_float!(ty, |a, b| with_signs(a, b, |a, b| nan_or(a, b, Float::max))),
        },
        "min" if propagates => for_float!(ty, |a, b| nan_or(a, b, Float::min)),
        "max" if propagates => for_float!(ty, |a, b| nan_or(a, b, Float::max)),
        "min" => for_float!(ty, |a, b| Float::min(a, b)),
        "max" => for_float!(ty, |a, b| Float::max(a, b)),
        // The sign of the first, the rest of the second.
        "copysign" => match ty {
            Type::F32 => Some(lift!(|a: f32, b: f32| b.copysign(a))),
            Type::F64 => Some(lift!(|a: f64, b: f64| b.copysign(a))),
            _ => None,
        },
        _ => None,
    };
    let flushing = around.fuses(pair).then(|| match instruction.opcode.stem() {
        _ if direction.is_some() => None,
        "add" => Some(lift!(
            |a: f32, b: f32| Float::add(a.flush(), b.flush()).flush()
        )),
        "sub" => Some(lift!(
            |a: f32, b: f32| Float::sub(a.flush(), b.flush()).flush()
        )),
        "mul" => Some(lift!(
            |a: f32, b: f32| Float::mul(a.flush(), b.flush()).flush()
        )),
        _ => None,
    });
    if let Some(f) = flushing.flatten() {
        return crate::decode::binary(decoder, instruction, pair, f);
    }
    let f = f.ok_or(NotSupported::Part("type"))?;
    let [d, a, b] = operands(instruction)?;
    around.each(decoder, pair, d, [a, b], &|d, [a, b]| Alu::Binary {
        f,
        d,
        a,
        b,
    })
}

/// Applies a function to the absolute values and multiplies by both signs, unless the result is a NaN.
fn with_signs<T: Float + Bits>(a: T, b: T, f: impl Fn(T, T) -> T) -> T {
    let sign = 1 << (8 * size_of::<T>() - 1);
    let magnitude = |x: T| T::of(x.bits() & !sign);
    let result = f(magnitude(a), magnitude(b));
    if result.is_nan() {
        result
    } else {
        T::of(result.bits() | (a.bits() ^ b.bits()) & sign)
    }
}

fn nan_or<T: Float>(a: T, b: T, f: impl Fn(T, T) -> T) -> T {
    if a.is_nan() {
        a.canonical()
    } else if b.is_nan() {
        b.canonical()
    } else {
        f(a, b)
    }
}

/// Decodes `fma`, and `mad`, which is the same.
pub(crate) fn fma(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let direction = direction(modifiers);
    let around = Around::take(modifiers);
    let relu = modifiers.take("relu");
    // The manual does not define which of three operands count ("either").
    if modifiers.take("oob") {
        return Err(NotSupported::NotExecuted(ptx_isa::Version::new(8, 1)));
    }
    let pair = modifiers.ty()?;
    let ty = of_pair(pair);
    let f: Option<Ternary> = match (direction, relu) {
        (Some(mode), false) => directed::ternary(ty, mode),
        (Some(_), true) => None,
        (None, true) => for_float!(ty, |a, b, c| relu_of(a.fma(b, c))),
        (None, false) => for_float!(ty, |a, b, c| a.fma(b, c)),
    };
    if around.fuses(pair) && direction.is_none() && !relu {
        let f = lift!(|a: f32, b: f32, c: f32| a.flush().fma(b.flush(), c.flush()).flush());
        return crate::decode::ternary(decoder, instruction, pair, f);
    }
    let f = f.ok_or(NotSupported::Part("type"))?;
    let [d, a, b, c] = operands(instruction)?;
    let ternary = |d, [a, b, c]: [Slot; 3]| Alu::Ternary { f, d, a, b, c };
    around.each(decoder, pair, d, [a, b, c], &ternary)
}

/// Applies a function in double precision.
fn through<T: Float>(a: T, f: impl Fn(f64) -> f64) -> T {
    T::narrow(f(a.wide()))
}

/// Replaces negative numbers by zero, and a NaN by the canonical one.
fn relu_of<T: Float>(a: T) -> T {
    if a.wide() < 0.0 {
        T::narrow(0.0)
    } else {
        a.canonical()
    }
}

/// Decodes `neg`, `abs`, `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2` and `tanh`.
pub(crate) fn unary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let direction = direction(modifiers);
    modifiers.take("approx");
    let around = Around::take(modifiers);
    let ty = modifiers.ty()?;
    let single = |f: Unary| (ty == Type::F32).then_some(f);
    let f = match (instruction.opcode.stem(), ty) {
        (stem, _) if let Some(mode) = direction => directed::unary(stem, ty, mode),
        ("neg", Type::F64) => Some(lift!(|a: f64| -a)),
        ("neg", _) => for_float!(ty, |a| a.neg()),
        ("abs", Type::F32) => Some(lift!(|a: f32| a.abs())),
        ("abs", Type::F64) => Some(lift!(|a: f64| a.abs())),
        ("abs", Type::F16 | Type::Bf16) => Some(lift!(|a: u16| a & 0x7fff)),
        ("abs", Type::F16x2 | Type::Bf16x2) => Some(lift!(|a: u32| a & 0x7fff_7fff)),
        ("rcp", Type::F32) => Some(lift!(|a: f32| (1.0 / a).canonical())),
        ("rcp", Type::F64) => Some(lift!(|a: f64| 1.0 / a)),
        ("sqrt", Type::F32) => Some(lift!(|a: f32| Float::canonical(a.sqrt()))),
        ("sqrt", Type::F64) => Some(lift!(|a: f64| a.sqrt())),
        ("rsqrt", Type::F64) => Some(lift!(|a: f64| 1.0 / a.sqrt())),
        ("rsqrt", _) => single(lift!(|a: f32| f32::narrow(1.0 / a.wide().sqrt()))),
        ("sin", _) => single(lift!(|a: f32| f32::narrow(a.wide().sin()))),
        ("cos", _) => single(lift!(|a: f32| f32::narrow(a.wide().cos()))),
        ("lg2", _) => single(lift!(|a: f32| f32::narrow(a.wide().log2()))),
        ("ex2", _) => for_float!(ty, |a| through(a, f64::exp2)),
        ("tanh", _) => for_float!(ty, |a| through(a, f64::tanh)),
        _ => None,
    };
    let f = f.ok_or(NotSupported::Part("type"))?;
    let [d, a] = operands(instruction)?;
    let a = around.source(decoder, a, ty)?;
    let d = decoder.destination(d)?.slot;
    around.emit(decoder, d, ty, &|d| Alu::Unary { f, d, a })
}

/// Decodes `div`.
pub(crate) fn div(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let direction = direction(modifiers);
    let _ = modifiers.take("approx") || modifiers.take("full");
    let around = Around::take(modifiers);
    let ty = modifiers.ty()?;
    let f = match (ty, direction) {
        (_, Some(mode)) => directed::binary("div", ty, mode).ok_or(NotSupported::Part("type"))?,
        (Type::F32, None) => lift!(|a: f32, b: f32| (a / b).canonical()),
        (Type::F64, None) => lift!(|a: f64, b: f64| a / b),
        _ => return Err(NotSupported::Part("type")),
    };
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (
        around.source(decoder, a, ty)?,
        around.source(decoder, b, ty)?,
    );
    let d = decoder.destination(d)?.slot;
    around.emit(decoder, d, ty, &|d| Alu::Binary { f, d, a, b })
}

/// Decodes `testp`, which tests the class of a number.
pub(crate) fn testp(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let ty = modifiers.ty()?;
    macro_rules! kinds {
        ($t:ident) => {
            modifiers.one_of::<Unary>(&[
                ("finite", lift!(|a: $t| a.is_finite())),
                ("infinite", lift!(|a: $t| a.is_infinite())),
                ("number", lift!(|a: $t| !$t::is_nan(a))),
                ("notanumber", lift!(|a: $t| $t::is_nan(a))),
                // Zero counts as normal (PTX ISA, section 9.7.3.1).
                ("normal", lift!(|a: $t| a.is_normal() || a == 0.0)),
                ("subnormal", lift!(|a: $t| a.is_subnormal())),
            ])
        };
    }
    let kind = match ty {
        Type::F32 => kinds!(f32),
        Type::F64 => kinds!(f64),
        _ => return Err(NotSupported::Part("type")),
    };
    let f = kind.ok_or(NotSupported::Part("kind of number"))?;
    crate::decode::unary(decoder, instruction, ty, f)
}
