//! `isspacep`: whether a generic address is in a space. PTX ISA 9.7.9.19.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{
        Decoder,
        cvta::{Ask, SPACES, window},
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let space = modifiers
        .one_of(&SPACES)
        .ok_or(NotSupported::Part("space"))?;
    window(decoder, instruction, space, Ask::Contains)
}
