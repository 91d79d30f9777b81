//! Two comparisons at once, of the halves of a register. PTX ISA 9.7.7.

use ptx::{Instruction, Operand, Type};

use super::{COMBINATIONS, RELATIONS, combined, relation};
use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder},
    machine::{Alu, Slot},
    value::lift,
};

/// Returns whether pairs of halves are compared.
pub(super) fn is_packed(instruction: &Instruction) -> bool {
    let last = instruction.opcode.parts().next_back();
    matches!(last, Some("f16x2" | "bf16x2"))
}

/// Emits the comparisons of the lower and the upper half.
fn compared(
    decoder: &mut Decoder<'_>,
    modifiers: &mut Modifiers<'_>,
    sources: [&Operand; 2],
    c: Option<&Operand>,
) -> Result<[Slot; 2], NotSupported> {
    let which = modifiers
        .one_of(&RELATIONS)
        .ok_or(NotSupported::Part("comparison"))?;
    let combine = modifiers.one_of(&COMBINATIONS);
    if modifiers.take("ftz") {
        return Err("a comparison of halves cannot flush".into());
    }
    let packed = modifiers.ty()?;
    let ty = match packed {
        Type::F16x2 => Type::F16,
        _ => Type::Bf16,
    };
    let f = relation(which, ty, false).ok_or(NotSupported::Part("type"))?;
    let mut halves = [[0; 2]; 2];
    for (source, halves) in sources.into_iter().zip(&mut halves) {
        let a = decoder.source(source, packed)?;
        *halves = [decoder.scope.slot(), decoder.scope.slot()];
        decoder.emit_hidden(Action::Alu(Alu::Unpack {
            parts: (*halves).into(),
            a,
            bits: 16,
        }));
    }
    let [a, b] = halves;
    let mut holds = [0, 1].map(|half| {
        let (a, b) = (a[half], b[half]);
        decoder.temporary(|d| Alu::Binary { f, d, a, b })
    });
    match (combine, c) {
        (None, None) => {}
        (Some(combine), Some(c)) => {
            let (f, b) = (combined(combine), decoder.source(c, Type::Pred)?);
            holds = holds.map(|a| decoder.temporary(|d| Alu::Binary { f, d, a, b }));
        }
        _ => return Err(NotSupported::Operands),
    }
    Ok(holds)
}

pub(super) fn setp(
    decoder: &mut Decoder<'_>,
    modifiers: &mut Modifiers<'_>,
    d: &Operand,
    sources: [&Operand; 2],
    c: Option<&Operand>,
) -> Result<(), NotSupported> {
    let [low, high] = compared(decoder, modifiers, sources, c)?;
    let (p, q) = decoder.pair(d)?;
    let q = q.ok_or("it needs a predicate for each half")?;
    let copies = [(p.slot, low), (q.slot, high)];
    decoder.emit(Action::Alu(Alu::Copy(copies.into())));
    Ok(())
}

pub(super) fn set(
    decoder: &mut Decoder<'_>,
    modifiers: &mut Modifiers<'_>,
    to: Type,
    d: &Operand,
    sources: [&Operand; 2],
    c: Option<&Operand>,
) -> Result<(), NotSupported> {
    let holds = compared(decoder, modifiers, sources, c)?;
    // True is 1, or all ones where the result is an integer.
    let f = match to {
        Type::F16x2 => lift!(|p: bool| if p { 0x3c00_u16 } else { 0 }),
        Type::Bf16x2 => lift!(|p: bool| if p { 0x3f80_u16 } else { 0 }),
        Type::U32 | Type::S32 => lift!(|p: bool| if p { 0xffff_u16 } else { 0 }),
        _ => return Err(NotSupported::Part("type")),
    };
    let parts = holds.map(|a| decoder.temporary(|d| Alu::Unary { f, d, a }));
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Pack {
        d,
        parts: parts.into(),
        bits: 16,
    }));
    Ok(())
}
