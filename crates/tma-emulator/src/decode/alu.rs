//! Instructions that are one function of their operands.

use ptx::{Instruction, Type};

use super::{Decoder, InstructionSet, NotSupported, operands};
use crate::{
    machine::Alu,
    value::{Binary, Ternary, Unary},
};

/// Decodes `d = f(a)`, with one type for all operands.
pub(crate) fn unary<A: InstructionSet>(
    decoder: &mut Decoder<'_, A>,
    instruction: &Instruction,
    ty: Type,
    f: Unary,
) -> Result<(), NotSupported> {
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, ty)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Alu::Unary { f, d, a }.into());
    Ok(())
}

/// Decodes `d = f(a, b)`, with one type for all operands.
pub(crate) fn binary<A: InstructionSet>(
    decoder: &mut Decoder<'_, A>,
    instruction: &Instruction,
    ty: Type,
    f: Binary,
) -> Result<(), NotSupported> {
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let d = decoder.destination(d)?.slot;
    decoder.emit(Alu::Binary { f, d, a, b }.into());
    Ok(())
}

/// Decodes `d = f(a, b, c)`, with one type for all operands.
pub(crate) fn ternary<A: InstructionSet>(
    decoder: &mut Decoder<'_, A>,
    instruction: &Instruction,
    ty: Type,
    f: Ternary,
) -> Result<(), NotSupported> {
    let [d, a, b, c] = operands(instruction)?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let c = decoder.source(c, ty)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Alu::Ternary { f, d, a, b, c }.into());
    Ok(())
}
