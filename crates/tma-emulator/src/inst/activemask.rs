//! `activemask`: the mask of active lanes. PTX ISA 9.7.13.11.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, Slot, Trapped},
    value::LANES,
};

/// Writes the mask of active lanes to `d`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activemask {
    d: Slot,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take_type("b32")?;
    let [d] = operands(instruction)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Activemask(Activemask { d }));
    Ok(())
}

impl Execute for Activemask {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let value = [u64::from(step.active); LANES];
        step.set(self.d, &value);
        Ok(Flow::Next)
    }
}
