//! Integer arithmetic. PTX ISA 9.7.1 and 9.7.2.

mod carry;
pub(crate) mod pairs;

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::Alu,
    value::{Ternary, for_type, lift},
};

macro_rules! for_integer {
    ($ty:expr, $t:ident, $body:expr) => {
        for_type!($ty, $t in [U16 => u16, S16 => i16, U32 => u32, S32 => i32, U64 => u64, S64 => i64], $body)
    };
}

fn no_type(ty: Type) -> NotSupported {
    format!("its type `{}` is not known here", ty.as_str()).into()
}

/// Decodes `add`, `sub`, `div`, `rem`, `min` and `max` of integers.
pub(crate) fn binary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let stem = instruction.opcode.stem();
    if modifiers.take("cc") {
        return carry::sum(decoder, instruction, modifiers);
    }
    let saturates = modifiers.take("sat");
    let ty = modifiers.ty()?;
    let f = match stem {
        "add" if saturates => {
            for_type!(ty, T in [S32 => i32], lift!(|a: T, b: T| a.saturating_add(b)))
        }
        "sub" if saturates => {
            for_type!(ty, T in [S32 => i32], lift!(|a: T, b: T| a.saturating_sub(b)))
        }
        "add" => for_integer!(ty, T, lift!(|a: T, b: T| a.wrapping_add(b))),
        "sub" => for_integer!(ty, T, lift!(|a: T, b: T| a.wrapping_sub(b))),
        // Division by zero is unspecified (PTX ISA, section 9.7.1.8); the emulator returns all ones.
        "div" => for_integer!(
            ty,
            T,
            lift!(|a: T, b: T| if b == 0 { !0 } else { a.wrapping_div(b) })
        ),
        "rem" => for_integer!(
            ty,
            T,
            lift!(|a: T, b: T| if b == 0 { a } else { a.wrapping_rem(b) })
        ),
        "min" => for_integer!(ty, T, lift!(|a: T, b: T| a.min(b))),
        "max" => for_integer!(ty, T, lift!(|a: T, b: T| a.max(b))),
        _ => None,
    };
    let f = f.ok_or_else(|| no_type(ty))?;
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Binary { f, d, a, b }));
    Ok(())
}

/// Decodes `neg` and `abs` of integers.
pub(crate) fn unary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let ty = modifiers.ty()?;
    let f = match instruction.opcode.stem() {
        "neg" => {
            for_type!(ty, T in [S16 => i16, S32 => i32, S64 => i64], lift!(|a: T| a.wrapping_neg()))
        }
        _ => {
            for_type!(ty, T in [S16 => i16, S32 => i32, S64 => i64], lift!(|a: T| a.wrapping_abs()))
        }
    };
    let f = f.ok_or_else(|| no_type(ty))?;
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, ty)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Unary { f, d, a }));
    Ok(())
}

pub(crate) use carry::{sum as carry, with_carry};

/// The upper half of a product.
trait High {
    fn high(self, other: Self) -> Self;
}

macro_rules! high {
    ($($ty:ident $wide:ident)*) => {$(
        impl High for $ty {
            fn high(self, other: Self) -> Self {
                ($wide::from(self) * $wide::from(other) >> Self::BITS) as Self
            }
        }
    )*};
}
high! { u16 u32 i16 i32 u32 u64 i32 i64 u64 u128 i64 i128 }

/// Decodes `mul` and `mad` of integers, `sad`, `mul24` and `mad24`.
pub(crate) fn product(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let stem = instruction.opcode.stem();
    let wide = modifiers.take("wide");
    let high = modifiers.take("hi");
    if !wide && !high && stem != "sad" {
        modifiers
            .take("lo")
            .then_some(())
            .ok_or("it has neither `.lo`, `.hi` nor `.wide`")?;
    }
    if modifiers.take("cc") {
        return carry::product(decoder, instruction, modifiers, high);
    }
    let ty = modifiers.ty()?;
    let f: Option<Ternary> = match (stem, wide, high) {
        ("sad", ..) => for_integer!(
            ty,
            T,
            lift!(|a: T, b: T, c: T| c.wrapping_add(a.max(b).wrapping_sub(a.min(b))))
        ),
        ("mul24" | "mad24", false, false) => match ty {
            Type::U32 => Some(lift!(|a: u32, b: u32, c: u32| {
                (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c)
            })),
            Type::S32 => Some(lift!(|a: i32, b: i32, c: i32| {
                (a << 8 >> 8).wrapping_mul(b << 8 >> 8).wrapping_add(c)
            })),
            _ => None,
        },
        ("mul" | "mad", true, _) => match ty {
            Type::U16 => Some(lift!(|a: u16, b: u16, c: u32| (u32::from(a)
                * u32::from(b))
            .wrapping_add(c))),
            Type::S16 => Some(lift!(|a: i16, b: i16, c: i32| (i32::from(a)
                * i32::from(b))
            .wrapping_add(c))),
            Type::U32 => Some(lift!(|a: u32, b: u32, c: u64| (u64::from(a)
                * u64::from(b))
            .wrapping_add(c))),
            Type::S32 => Some(lift!(|a: i32, b: i32, c: i64| (i64::from(a)
                * i64::from(b))
            .wrapping_add(c))),
            _ => None,
        },
        ("mul" | "mad", _, true) => {
            for_integer!(ty, T, lift!(|a: T, b: T, c: T| a.high(b).wrapping_add(c)))
        }
        ("mul" | "mad", ..) => for_integer!(
            ty,
            T,
            lift!(|a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c))
        ),
        _ => None,
    };
    let f = f.ok_or_else(|| no_type(ty))?;
    let (d, a, b, c) = match instruction.operands.as_slice() {
        [d, a, b] if stem.starts_with("mul") => (d, a, b, None),
        [d, a, b, c] if !stem.starts_with("mul") => (d, a, b, Some(c)),
        _ => return Err(NotSupported::Operands),
    };
    let sum = match (wide, ty) {
        (true, Type::U16 | Type::S16) => Type::U32,
        (true, _) => Type::U64,
        _ => ty,
    };
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let c = match c {
        Some(c) => decoder.source(c, sum)?,
        None => decoder.constant(crate::machine::Constant::Value(0)),
    };
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Ternary { f, d, a, b, c }));
    Ok(())
}

/// Decodes `dp4a` and `dp2a`: dot products of bytes, or of halves and bytes. PTX ISA 9.7.1.23 and 9.7.1.24.
pub(crate) fn dot(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    fn byte(value: u8, signed: bool) -> i32 {
        match signed {
            true => i32::from(value as i8),
            false => i32::from(value),
        }
    }
    fn half(value: u32, signed: bool) -> i32 {
        match signed {
            true => i32::from(value as i16),
            false => i32::from(value as u16),
        }
    }
    fn four(a: u32, b: u32, c: u32, signed: (bool, bool)) -> u32 {
        let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        pairs.fold(c, |c, (a, b)| {
            c.wrapping_add((byte(a, signed.0) * byte(b, signed.1)) as u32)
        })
    }
    /// Computes `dp2a` with the two bytes of `b` from `first` on.
    fn two(a: u32, b: u32, c: u32, signed: (bool, bool), first: usize) -> u32 {
        let b = b.to_le_bytes();
        let product = |at: usize, a: u32| {
            half(a, signed.0).wrapping_mul(byte(b[first + at], signed.1)) as u32
        };
        c.wrapping_add(product(0, a))
            .wrapping_add(product(1, a >> 16))
    }
    let is_two = instruction.opcode.stem() == "dp2a";
    let part = modifiers.one_of(&[("lo", 0), ("hi", 2)]);
    if is_two != part.is_some() {
        return Err("`dp2a` needs `.lo` or `.hi`, and `dp4a` takes neither".into());
    }
    macro_rules! of {
        ($a:literal, $b:literal) => {
            match part {
                None => lift!(|a: u32, b: u32, c: u32| four(a, b, c, ($a, $b))),
                Some(0) => lift!(|a: u32, b: u32, c: u32| two(a, b, c, ($a, $b), 0)),
                Some(_) => lift!(|a: u32, b: u32, c: u32| two(a, b, c, ($a, $b), 2)),
            }
        };
    }
    let f = match (modifiers.ty()?, modifiers.ty()?) {
        (Type::U32, Type::U32) => of!(false, false),
        (Type::U32, Type::S32) => of!(false, true),
        (Type::S32, Type::U32) => of!(true, false),
        (Type::S32, Type::S32) => of!(true, true),
        (ty, _) => return Err(no_type(ty)),
    };
    crate::decode::ternary(decoder, instruction, Type::U32, f)
}
