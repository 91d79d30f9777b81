//! `cp.async.bulk.prefetch.tensor`: a hint to fetch a box into the L2 cache. PTX ISA 9.7.9.27.1.4.

use ptx::{Instruction, Type};
use ptx_isa::{Flag, Form, cp_async_bulk_prefetch_tensor::Op};

use crate::{
    decode::NotSupported,
    inst::{
        Action, Decoder,
        cp_async_bulk_tensor::{box_of, has_offsets, numbers},
        nothing::Nothing,
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Prefetch = op;
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or(NotSupported::Operands);
    box_of(decoder, next()?)?;
    if form.mode().is_some_and(has_offsets) {
        numbers(decoder, next()?, Type::U16)?;
    }
    if form.has(Flag::CacheHint) {
        decoder.source(next()?, Type::B64)?;
    }
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
