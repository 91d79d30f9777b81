//! `prefetch` and `prefetchu`: hints to fetch into a cache. PTX ISA 9.7.9.15.

use ptx::Instruction;
use ptx_isa::{Form, prefetch::Op};

use crate::{
    decode::{NotSupported, operands, space},
    inst::{Action, Decoder, nothing::Nothing},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    match op {
        Op::Line | Op::Uniform | Op::Tensormap => {
            let [address] = operands(instruction)?;
            decoder.address(address, space(form))?;
        }
    }
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
