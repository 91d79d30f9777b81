//! `isspacep`: whether a generic address is in a space. PTX ISA 9.7.9.19.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, Refusal},
    inst::{
        Decoder,
        cvta::{Ask, SPACES, window},
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), Refusal> {
    let space = modifiers.one_of(&SPACES).ok_or("its space")?;
    window(decoder, instruction, space, Ask::Contains)
}
