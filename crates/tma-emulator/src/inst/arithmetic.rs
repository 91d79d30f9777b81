//! Arithmetic mnemonics shared by integers and floating-point numbers.

use ptx::Instruction;

use super::{Action, Decoder, float, integer};
use crate::decode::{Modifiers, NotSupported, Words};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    if integer::pairs::is_one(instruction) {
        return integer::pairs::binary(decoder, instruction, modifiers);
    }
    let is_float = float::is_float(instruction);
    let family: Words<Action> = match (instruction.opcode.stem(), is_float) {
        ("mad", true) => float::fma,
        ("div", true) => float::div,
        ("neg" | "abs", true) => float::unary,
        (_, true) => float::binary,
        ("mul" | "mad", false) => integer::product,
        ("neg" | "abs", false) => integer::unary,
        (_, false) => integer::binary,
    };
    family(decoder, instruction, modifiers)
}
