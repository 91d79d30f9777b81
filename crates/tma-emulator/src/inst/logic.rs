//! Logic, shifts and bit fields. PTX ISA 9.7.8, and the bit instructions of 9.7.1.

mod lop3;
mod mask;

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, binary, operands, ternary, unary},
    inst::{Action, Decoder},
    machine::Alu,
    value::{Ternary, for_type, lift},
};

pub(crate) use lop3::lop3;
pub(crate) use mask::{bmsk, szext};

macro_rules! for_bits {
    ($ty:expr, $t:ident, $body:expr) => {
        for_type!($ty, $t in [Pred => u8, B16 => u16, B32 => u32, B64 => u64], $body)
    };
}

/// Decodes `and`, `or`, `xor`, `not` and `cnot`.
pub(crate) fn logic(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let ty = modifiers.ty()?;
    let stem = instruction.opcode.stem();
    let f = match (stem, ty) {
        ("not", Type::Pred) => Some(lift!(|a: bool| !a)),
        ("not", _) => for_type!(ty, T in [B16 => u16, B32 => u32, B64 => u64], lift!(|a: T| !a)),
        ("cnot", _) => {
            for_type!(ty, T in [B16 => u16, B32 => u32, B64 => u64], lift!(|a: T| T::from(a == 0)))
        }
        _ => None,
    };
    if let Some(f) = f {
        return unary(decoder, instruction, ty, f);
    }
    let f = match stem {
        "and" => for_bits!(ty, T, lift!(|a: T, b: T| a & b)),
        "or" => for_bits!(ty, T, lift!(|a: T, b: T| a | b)),
        "xor" => for_bits!(ty, T, lift!(|a: T, b: T| a ^ b)),
        _ => None,
    };
    binary(
        decoder,
        instruction,
        ty,
        f.ok_or(NotSupported::Part("type"))?,
    )
}

/// Decodes `shl` and `shr`. Amounts beyond the width shift everything out.
pub(crate) fn shift(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let ty = modifiers.ty()?;
    let f = match instruction.opcode.stem() {
        "shl" => for_type!(ty, T in [B16 => u16, B32 => u32, B64 => u64],
            lift!(|a: T, b: u32| a.checked_shl(b).unwrap_or(0))),
        _ => for_type!(ty, T in [B16 => u16, B32 => u32, B64 => u64, U16 => u16, U32 => u32, U64 => u64],
            lift!(|a: T, b: u32| a.checked_shr(b).unwrap_or(0)))
        .or_else(|| for_type!(ty, T in [S16 => i16, S32 => i32, S64 => i64],
            lift!(|a: T, b: u32| a >> b.min(T::BITS - 1)))),
    };
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, Type::U32)?);
    let d = decoder.destination(d)?.slot;
    let f = f.ok_or(NotSupported::Part("type"))?;
    decoder.emit(Action::Alu(Alu::Binary { f, d, a, b }));
    Ok(())
}

/// Decodes `shf`: a shift of 64 bits that keeps 32.
pub(crate) fn funnel(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let left = modifiers
        .one_of(&[("l", true), ("r", false)])
        .ok_or(NotSupported::Part("direction"))?;
    let wraps = modifiers
        .one_of(&[("wrap", true), ("clamp", false)])
        .ok_or(NotSupported::Part("mode"))?;
    modifiers.take_type("b32")?;
    fn left_by(a: u32, b: u32, n: u32) -> u32 {
        ((((u64::from(b) << 32) | u64::from(a)) << n) >> 32) as u32
    }
    fn right_by(a: u32, b: u32, n: u32) -> u32 {
        (((u64::from(b) << 32) | u64::from(a)) >> n) as u32
    }
    let f = match (left, wraps) {
        (true, true) => lift!(|a: u32, b: u32, c: u32| left_by(a, b, c & 31)),
        (true, false) => lift!(|a: u32, b: u32, c: u32| left_by(a, b, c.min(32))),
        (false, true) => lift!(|a: u32, b: u32, c: u32| right_by(a, b, c & 31)),
        (false, false) => lift!(|a: u32, b: u32, c: u32| right_by(a, b, c.min(32))),
    };
    ternary(decoder, instruction, Type::B32, f)
}

/// Decodes `bfe` and `bfi`.
pub(crate) fn field(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let ty = modifiers.ty()?;
    fn ones(length: u32) -> u64 {
        if length >= 64 {
            u64::MAX
        } else {
            (1 << length) - 1
        }
    }
    /// Extracts a field; bits beyond the value are its sign (PTX ISA 9.7.1.20).
    fn extract(a: i128, position: u32, length: u32, signed: bool, width: u32) -> u64 {
        let (position, length) = (position & 255, length & 255);
        let bits = (a >> position.min(127)) as u64 & ones(length);
        if !signed || length == 0 || length >= 64 {
            return bits;
        }
        let top = (position + length - 1).min(width - 1);
        let sign = a >> top & 1 != 0;
        let length = length.min(width.saturating_sub(position));
        if sign {
            bits & ones(length) | !ones(length)
        } else {
            bits & ones(length)
        }
    }
    fn insert(a: u64, b: u64, position: u32, length: u32, width: u32) -> u64 {
        let (position, length) = (position & 255, length & 255);
        if position >= width {
            return b;
        }
        let mask = ones(length) << position;
        (b & !mask) | (a << position & mask)
    }
    if instruction.opcode.stem() == "bfi" {
        let [d, a, b, position, length] = operands(instruction)?;
        let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
        let position = decoder.source(position, Type::U32)?;
        let length = decoder.source(length, Type::U32)?;
        let d = decoder.destination(d)?.slot;
        // Position and length share a slot, since no operation has four sources.
        let both = decoder.temporary(|d| Alu::Pack {
            d,
            parts: [position, length].into(),
            bits: 32,
        });
        let f = match ty {
            Type::B32 => lift!(|a: u32, b: u32, c: u64| {
                insert(a.into(), b.into(), c as u32, (c >> 32) as u32, 32) as u32
            }),
            Type::B64 => {
                lift!(|a: u64, b: u64, c: u64| insert(a, b, c as u32, (c >> 32) as u32, 64))
            }
            _ => return Err(NotSupported::Part("type")),
        };
        decoder.emit(Action::Alu(Alu::Ternary {
            f,
            d,
            a,
            b,
            c: both,
        }));
        return Ok(());
    }
    let f = match ty {
        Type::U32 => lift!(|a: u32, b: u32, c: u32| extract(a.into(), b, c, false, 32) as u32),
        Type::S32 => lift!(|a: i32, b: u32, c: u32| extract(a.into(), b, c, true, 32) as u32),
        Type::U64 => lift!(|a: u64, b: u32, c: u32| extract(a.into(), b, c, false, 64)),
        Type::S64 => lift!(|a: i64, b: u32, c: u32| extract(a.into(), b, c, true, 64)),
        _ => return Err(NotSupported::Part("type")),
    };
    let [d, a, b, c] = operands(instruction)?;
    let a = decoder.source(a, ty)?;
    let (b, c) = (decoder.source(b, Type::U32)?, decoder.source(c, Type::U32)?);
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Ternary { f, d, a, b, c }));
    Ok(())
}

/// Decodes `popc`, `clz`, `brev` and `bfind`.
pub(crate) fn count(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let amount = modifiers.take("shiftamt");
    let ty = modifiers.ty()?;
    let f = match instruction.opcode.stem() {
        "popc" => for_type!(ty, T in [B32 => u32, B64 => u64], lift!(|a: T| a.count_ones())),
        "clz" => for_type!(ty, T in [B32 => u32, B64 => u64], lift!(|a: T| a.leading_zeros())),
        "brev" => for_type!(ty, T in [B32 => u32, B64 => u64], lift!(|a: T| a.reverse_bits())),
        // The highest bit that differs from the sign; all ones if there is none.
        "bfind" if amount => for_type!(ty, T in [U32 => u32, U64 => u64],
            lift!(|a: T| if a == 0 { u32::MAX } else { a.leading_zeros() }))
        .or_else(|| {
            for_type!(ty, T in [S32 => i32, S64 => i64], lift!(|a: T| {
                let a = if a < 0 { !a } else { a };
                if a == 0 { u32::MAX } else { a.leading_zeros() }
            }))
        }),
        "bfind" => for_type!(ty, T in [U32 => u32, U64 => u64],
            lift!(|a: T| if a == 0 { u32::MAX } else { T::BITS - 1 - a.leading_zeros() }))
        .or_else(|| {
            for_type!(ty, T in [S32 => i32, S64 => i64], lift!(|a: T| {
                let a = if a < 0 { !a } else { a };
                if a == 0 { u32::MAX } else { T::BITS - 1 - a.leading_zeros() }
            }))
        }),
        _ => None,
    };
    unary(
        decoder,
        instruction,
        ty,
        f.ok_or(NotSupported::Part("type"))?,
    )
}

/// Decodes `prmt`, which selects bytes. PTX ISA 9.7.9.7.
pub(crate) fn prmt(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take_type("b32")?;
    fn pick(a: u32, b: u32, selector: u32) -> u32 {
        let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
        let byte = |index: u32| {
            let control = selector >> (4 * index);
            let byte = bytes[(control & 7) as usize];
            let byte = if control & 8 == 0 {
                byte
            } else {
                (byte as i8 >> 7) as u8
            };
            u32::from(byte) << (8 * index)
        };
        byte(0) | byte(1) | byte(2) | byte(3)
    }
    // The selector of each value of the last two bits.
    macro_rules! mode {
        ($selectors:expr) => {
            lift!(|a: u32, b: u32, c: u32| pick(a, b, $selectors[c as usize & 3]))
        };
    }
    let modes = [
        ("f4e", mode!([0x3210, 0x4321, 0x5432, 0x6543])),
        ("b4e", mode!([0x5670, 0x6701, 0x7012, 0x0123])),
        ("rc8", mode!([0x0000, 0x1111, 0x2222, 0x3333])),
        ("ecl", mode!([0x3210, 0x3211, 0x3222, 0x3333])),
        ("ecr", mode!([0x0000, 0x1110, 0x2210, 0x3210])),
        ("rc16", mode!([0x1010, 0x3232, 0x1010, 0x3232])),
    ];
    let any = lift!(|a: u32, b: u32, c: u32| pick(a, b, c));
    let f = modifiers.one_of::<Ternary>(&modes).unwrap_or(any);
    ternary(decoder, instruction, Type::B32, f)
}

/// Decodes `fns`, which finds the n-th set bit. PTX ISA 9.7.1.17.
pub(crate) fn fns(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take_type("b32")?;
    fn find(mask: u32, base: u32, offset: i32) -> u32 {
        let set = |bit: &u32| mask >> bit & 1 != 0;
        let found = match offset {
            0 => Some(base).filter(|base| *base < 32 && set(base)),
            1.. => (base..32).filter(set).nth(offset as usize - 1),
            _ => (0..base.saturating_add(1).min(32))
                .rev()
                .filter(set)
                .nth(offset.unsigned_abs() as usize - 1),
        };
        found.unwrap_or(u32::MAX)
    }
    ternary(
        decoder,
        instruction,
        Type::B32,
        lift!(|a: u32, b: u32, c: i32| find(a, b, c)),
    )
}
