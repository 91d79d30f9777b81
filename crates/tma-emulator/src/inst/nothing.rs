//! Instructions without visible effect: hints, and `pmevent`, an event for profilers.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, Trapped},
};

/// An operation without effect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nothing;

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    _: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take("mask");
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}

impl Execute for Nothing {
    fn run(&self, _: &mut Step<'_>) -> Result<Flow, Trapped> {
        Ok(Flow::Next)
    }
}
