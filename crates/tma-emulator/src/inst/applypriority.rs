//! `applypriority`: a hint for the cache eviction priority. PTX ISA 9.7.9.16.

use ptx::{Instruction, Type};
use ptx_isa::{Form, applypriority::Op};

use crate::{
    decode::{NotSupported, exact, operands, space},
    inst::{Action, Decoder, nothing::Nothing},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    match op {
        Op::Line => {
            let [address, bytes] = operands(instruction)?;
            exact(form, bytes)?;
            decoder.address(address, space(form))?;
        }
        // It belongs to a bulk group, but completes at once.
        Op::Bulk => {
            let [address, bytes] = operands(instruction)?;
            decoder.address(address, space(form))?;
            decoder.source(bytes, Type::U32)?;
        }
    }
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
