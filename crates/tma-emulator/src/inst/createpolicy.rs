//! `createpolicy`: cache eviction policies. PTX ISA 9.7.9.18.
//!
//! The emulator has no caches: copies accept the policy and ignore it.

use ptx::{Instruction, Type};
use ptx_isa::{Form, createpolicy::Op};

use crate::{
    decode::{NotSupported, space},
    inst::{Action, Decoder},
    machine::{Alu, Constant},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let nothing = decoder.constant(Constant::Value(0));
    let (d, policy) = match (op, instruction.operands.as_slice()) {
        (Op::Range, [d, address, primary, total]) => {
            decoder.address(address, space(form))?;
            decoder.source(primary, Type::U32)?;
            decoder.source(total, Type::U32)?;
            (d, nothing)
        }
        (Op::Fractional, [d]) => (d, nothing),
        (Op::Fractional, [d, fraction]) => {
            decoder.source(fraction, Type::F32)?;
            (d, nothing)
        }
        (Op::Cvt, [d, property]) => (d, decoder.source(property, Type::B64)?),
        (Op::Range | Op::Fractional | Op::Cvt, _) => return Err(NotSupported::Operands),
    };
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Copy([(d, policy)].into())));
    Ok(())
}
