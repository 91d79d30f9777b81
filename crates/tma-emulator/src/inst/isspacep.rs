//! `isspacep`: tests whether a generic address is in a space. PTX ISA 9.7.9.19.

use ptx::Instruction;
use ptx_isa::{Form, isspacep::Op};

use crate::{
    decode::NotSupported,
    inst::{
        Decoder,
        cvta::{Ask, window},
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Test = op;
    window(decoder, instruction, form, Ask::Contains)
}
