//! Integers in pairs of 16 bits, and `.relu` of integers. PTX ISA 9.7.1.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::Alu,
    value::{Binary, lift},
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Signed,
    Unsigned,
}

/// Returns whether the instruction is one of these.
pub(crate) fn is_one(instruction: &Instruction) -> bool {
    let opcode = &instruction.opcode;
    opcode.has("s16x2") || opcode.has("u16x2") || opcode.has("relu") && opcode.has("s32")
}

fn each(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let half = |shift: u32| u32::from(f((a >> shift) as u16, (b >> shift) as u16)) << shift;
    half(0) | half(16)
}

fn signed(a: u32, b: u32, f: impl Fn(i16, i16) -> i16) -> u32 {
    each(a, b, |a, b| f(a as i16, b as i16) as u16)
}

/// `add`, `min`, `max`; `.relu` makes zeros of what is negative.
pub(crate) fn binary(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let relu = modifiers.take("relu");
    let kinds = [
        ("s32", Kind::Word),
        ("s16x2", Kind::Signed),
        ("u16x2", Kind::Unsigned),
    ];
    let kind = modifiers.one_of(&kinds).ok_or(NotSupported::Part("type"))?;
    let f: Binary = match (instruction.opcode.stem(), kind, relu) {
        ("add", Kind::Signed | Kind::Unsigned, false) => {
            lift!(|a: u32, b: u32| each(a, b, u16::wrapping_add))
        }
        ("min", Kind::Word, true) => lift!(|a: i32, b: i32| a.min(b).max(0)),
        ("max", Kind::Word, true) => lift!(|a: i32, b: i32| a.max(b).max(0)),
        ("min", Kind::Signed, false) => lift!(|a: u32, b: u32| signed(a, b, Ord::min)),
        ("max", Kind::Signed, false) => lift!(|a: u32, b: u32| signed(a, b, Ord::max)),
        ("min", Kind::Signed, true) => {
            lift!(|a: u32, b: u32| signed(a, b, |a, b| a.min(b).max(0)))
        }
        ("max", Kind::Signed, true) => {
            lift!(|a: u32, b: u32| signed(a, b, |a, b| a.max(b).max(0)))
        }
        ("min", Kind::Unsigned, false) => lift!(|a: u32, b: u32| each(a, b, Ord::min)),
        ("max", Kind::Unsigned, false) => lift!(|a: u32, b: u32| each(a, b, Ord::max)),
        _ => return Err(NotSupported::Part("combination of modifiers")),
    };
    let [d, a, b] = operands(instruction)?;
    let (a, b) = (decoder.source(a, Type::B32)?, decoder.source(b, Type::B32)?);
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Binary { f, d, a, b }));
    Ok(())
}
