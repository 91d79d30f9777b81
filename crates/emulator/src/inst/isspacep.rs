//! `isspacep`: whether a generic address is in a space. PTX ISA 9.7.9.19.

use ptx::Instruction;

use crate::{
    decode::{Refusal, Words},
    inst::{
        Decoder,
        cvta::{Ask, SPACES, window},
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let space = words.one_of(&SPACES).ok_or("its space")?;
    window(decoder, instruction, space, Ask::Contains)
}
