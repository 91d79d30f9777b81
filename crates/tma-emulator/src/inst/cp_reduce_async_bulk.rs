//! `cp.reduce.async.bulk`: copies that reduce into their destination. PTX ISA 9.7.9.25.4.2.
//!
//! Sums of `f32` keep subnormal numbers, as on an H100, although the manual flushes them.

use ptx::Instruction;
use ptx_isa::{Form, cp_reduce_async_bulk::Op};

use crate::{
    decode::{NotSupported, operator, ty},
    inst::{Decoder, cp_async_bulk},
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
    cp_async_bulk::decode_copy(decoder, instruction, form, Some(reduction))
}
