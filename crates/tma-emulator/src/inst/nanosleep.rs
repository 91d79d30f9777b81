//! `nanosleep`: time passes. PTX ISA 9.7.19.2.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, Trapped},
};

/// A sleep, which lets other warps run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleep;

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take_type("u32")?;
    let [time] = operands(instruction)?;
    decoder.source(time, Type::U32)?;
    decoder.emit(Action::Sleep(Sleep));
    Ok(())
}

impl Execute for Sleep {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        step.world.progress += 1;
        Ok(Flow::Next)
    }
}
