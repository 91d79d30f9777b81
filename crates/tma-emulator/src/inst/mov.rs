//! `mov`: copies, and values joined and taken apart. PTX ISA 9.7.9.5 and 9.7.9.6.

use ptx::{Instruction, Operand, OperandKind, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::{Alu, Slot},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let ty = modifiers.ty()?;
    let [d, a] = operands(instruction)?;
    let bits_of = |parts: usize| match (ty, parts) {
        (Type::B16 | Type::B32 | Type::B64, 2) => Ok(4 * ty.size_bytes().unwrap_or(0) as u32),
        (Type::B32 | Type::B64, 4) => Ok(2 * ty.size_bytes().unwrap_or(0) as u32),
        _ => Err("the size of its vector is not known"),
    };
    if ty == Type::B128 {
        let copies = wide(decoder, d, true)?
            .into_iter()
            .zip(wide(decoder, a, false)?);
        decoder.emit(Action::Alu(Alu::Copy(copies.collect())));
        return Ok(());
    }
    let alu = match (&d.kind, &a.kind) {
        (_, OperandKind::Vector(parts)) => {
            let bits = bits_of(parts.len())?;
            let part_type = if bits == 32 { Type::B32 } else { Type::B16 };
            let parts = parts.iter().map(|part| decoder.source(part, part_type));
            let parts = parts.collect::<Result<_, _>>()?;
            Alu::Pack {
                d: decoder.destination(d)?.slot,
                parts,
                bits,
            }
        }
        (OperandKind::Vector(parts), _) => {
            let bits = bits_of(parts.len())?;
            let a = decoder.source(a, ty)?;
            let parts = parts.iter().map(|part| Ok(decoder.destination(part)?.slot));
            Alu::Unpack {
                parts: parts.collect::<Result<_, NotSupported>>()?,
                a,
                bits,
            }
        }
        _ => {
            let a = decoder.source(a, ty)?;
            Alu::Copy([(decoder.destination(d)?.slot, a)].into())
        }
    };
    decoder.emit(Action::Alu(alu));
    Ok(())
}

/// Decodes the halves of a register of 128 bits, or a vector of them.
fn wide(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
    is_written: bool,
) -> Result<[Slot; 2], NotSupported> {
    let OperandKind::Vector(parts) = &operand.kind else {
        return decoder.wide_register(operand);
    };
    let [low, high] = parts.as_slice() else {
        return Err("the size of its vector is not known".into());
    };
    let mut half = |part| match is_written {
        true => Ok(decoder.destination(part)?.slot),
        false => decoder.source(part, Type::B64),
    };
    Ok([half(low)?, half(high)?])
}
