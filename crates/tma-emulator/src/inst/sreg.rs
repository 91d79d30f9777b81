//! Special registers that change while a thread runs. PTX ISA section 10.

use crate::{
    inst::{Execute, Step},
    machine::{Flow, Slot, Special, Trapped},
    value::LANES,
};

/// Reads a special register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) d: Slot,
    pub(crate) special: Special,
}

impl Execute for Clock {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        // Time passes, so that waiting for it ends.
        step.world.progress += 1;
        let value = [self.special.time(step.world.steps); LANES];
        step.set(self.d, &value);
        Ok(Flow::Next)
    }
}
