//! `bmsk` and `szext`: runs of bits. PTX ISA 9.7.1.21 and 9.7.1.22.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, binary},
    inst::Decoder,
    value::lift,
};

fn clamps(modifiers: &mut Modifiers<'_>) -> Result<bool, NotSupported> {
    modifiers
        .one_of(&[("clamp", true), ("wrap", false)])
        .ok_or(NotSupported::Part("mode"))
}

/// Returns a mask of `width` ones from a position on.
fn run(position: u32, width: u32) -> u32 {
    let ones = 1_u64.checked_shl(width).map_or(u64::MAX, |end| end - 1);
    (ones << position.min(32)) as u32
}

pub(crate) fn bmsk(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let clamps = clamps(modifiers)?;
    modifiers.take_type("b32")?;
    let f = match clamps {
        true => lift!(|a: u32, b: u32| run(a, b.min(32))),
        false => lift!(|a: u32, b: u32| run(a & 31, b & 31)),
    };
    binary(decoder, instruction, Type::B32, f)
}

pub(crate) fn szext(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    fn signed(a: u32, bits: u32) -> u32 {
        match bits {
            0 => 0,
            1..32 => (a << (32 - bits))
                .cast_signed()
                .wrapping_shr(32 - bits)
                .cast_unsigned(),
            _ => a,
        }
    }
    let clamps = clamps(modifiers)?;
    let ty = modifiers.ty()?;
    let f = match (ty, clamps) {
        (Type::U32, true) => lift!(|a: u32, b: u32| a & run(0, b.min(32))),
        (Type::U32, false) => lift!(|a: u32, b: u32| a & run(0, b & 31)),
        (Type::S32, true) => lift!(|a: u32, b: u32| signed(a, b)),
        (Type::S32, false) => lift!(|a: u32, b: u32| signed(a, b & 31)),
        _ => return Err(NotSupported::Part("type")),
    };
    binary(decoder, instruction, ty, f)
}
