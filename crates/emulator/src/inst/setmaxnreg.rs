//! `setmaxnreg`: registers that a warp gives back or gets. PTX ISA 9.7.19.5.
//!
//! The emulator has registers enough for all.

use ptx::Instruction;
use ptx_isa::{Form, setmaxnreg::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Flow, Trapped,
        observer::{Event, Watch},
    },
    value::lanes_of,
};

/// Registers of each thread from now on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers(u32);

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let (Op::Inc | Op::Dec) = op;
    let [count] = operands(instruction)?;
    let count = count
        .as_integer()
        .ok_or("its number of registers is not constant")?;
    if !(24..=256).contains(&count) || count % 8 != 0 {
        let reason = format!(
            "its number of registers is {count}, and must be 24 to 256 and a multiple of 8"
        );
        return Err(reason.into());
    }
    decoder.emit(Action::Registers(Registers(count as u32)));
    Ok(())
}

impl Execute for Registers {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        let first = lanes_of(step.active).next().unwrap_or(0);
        let count = self.0;
        step.tell(first, |_| Event::SetMaxRegisters { count });
        Ok(Flow::Next)
    }
}
