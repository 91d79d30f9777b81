//! `cp.async.bulk.prefetch`: a hint to fetch bytes into the L2 cache. PTX ISA 9.7.9.25.4.3.

use ptx::{Instruction, Type};
use ptx_isa::{Flag, Form, cp_async_bulk_prefetch::Op};

use crate::{
    decode::{NotSupported, space},
    inst::{Action, Decoder, nothing::Nothing},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Prefetch = op;
    let operands = decoder.without_policy(instruction, form.has(Flag::CacheHint))?;
    let [address, bytes] = operands else {
        return Err(NotSupported::Operands);
    };
    decoder.address(address, space(form))?;
    decoder.source(bytes, Type::U32)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
