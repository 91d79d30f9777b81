//! `st.bulk`: many zeros to shared memory. PTX ISA 9.7.9.13.

use ptx::{Instruction, Type};
use ptx_isa::{Form, st_bulk::Op};

use crate::{
    decode::{NotSupported, exact, operands, space},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Address, Flow, Located, Slot, Trap, Trapped,
        observer::{AccessKind, Scope, Sem},
    },
    value::lanes_of,
};

const MAX_BYTES: u64 = 16 << 20;

/// A fill with zeros.
#[derive(Clone, Debug)]
pub(crate) struct Zeros {
    address: Address,
    bytes: Slot,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Store = op;
    let [address, bytes, value] = operands(instruction)?;
    exact(form, value)?;
    let address = decoder.address(address, space(form))?;
    let bytes = decoder.source(bytes, Type::U64)?;
    decoder.emit(Action::Zeros(Zeros { address, bytes }));
    Ok(())
}

impl Execute for Zeros {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        step.world.progress += 1;
        for lane in lanes_of(step.active) {
            let bytes = step.get(self.bytes)[lane];
            if !bytes.is_multiple_of(8) || bytes > MAX_BYTES {
                let what =
                    format!("{bytes} bytes: must be a multiple of 8 and at most {MAX_BYTES}");
                return Err(step.fault(lane, Trap::IllegalInstruction, what));
            }
            let located = step.locate(lane, &self.address, bytes, 8)?;
            if !matches!(located, Located::Shared { .. }) {
                let what = "the address is not one of shared memory".into();
                return Err(step.fault(lane, Trap::IllegalAddress, what));
            }
            let order = (Sem::Weak, Scope::Cta);
            step.tell_access(lane, located, bytes, AccessKind::Write, order);
            step.bytes_mut(lane, located, bytes as usize)?.fill(0);
        }
        Ok(Flow::Next)
    }
}
