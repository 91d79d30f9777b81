//! `red.async`: reductions that complete on an mbarrier of another block. PTX ISA 9.7.13.7.

use ptx::Instruction;
use ptx_isa::{Form, red_async::Op};

use crate::{
    decode::{NotSupported, operator, ty},
    inst::{Decoder, st_async::decode_store},
    value::Reduction,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Reduce = op;
    let reduction = Reduction::new(operator(form)?, ty(form)?)?;
    decode_store(decoder, instruction, form, Some(reduction))
}
