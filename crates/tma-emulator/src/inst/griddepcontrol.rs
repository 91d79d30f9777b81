//! `griddepcontrol`: launches that begin before the previous one ends. PTX ISA 9.7.13.13.
//!
//! The emulator runs launches one after another, so a wait always passes. The checker still judges the order by
//! the executed instructions.

use ptx::Instruction;
use ptx_isa::{Form, griddepcontrol::Op};

use crate::{
    decode::NotSupported,
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, Trapped, observer::Event},
};

/// The operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridDependency(Op);

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    _: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    decoder.emit(Action::GridDependency(GridDependency(op)));
    Ok(())
}

impl Execute for GridDependency {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        step.tell_all(match self.0 {
            Op::Wait => Event::GridWait,
            Op::LaunchDependents => Event::GridLaunchDependents,
        });
        Ok(Flow::Next)
    }
}
