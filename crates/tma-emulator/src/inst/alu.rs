//! Arithmetic: registers in, registers out.

use super::{Execute, Step};
use crate::machine::{Alu, Flow, Trapped};

impl Execute for Alu {
    #[inline]
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let registers = step.warp.registers.get_mut(step.group.base..);
        self.compute(registers.unwrap_or(&mut []), step.active);
        Ok(Flow::Next)
    }
}
