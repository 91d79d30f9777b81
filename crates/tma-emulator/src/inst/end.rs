//! `ret`, `exit`, `trap` and `brkpt`: how functions and threads end. PTX ISA 9.7.12 and 9.7.19.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, Trap, Trapped},
};

/// Instructions that end a thread or the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// The function; in a kernel, that is the thread.
    Function,
    Thread,
    Trap,
    /// Suspends execution by the manual; without a debugger it cannot continue.
    Breakpoint,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take("uni");
    let end = match instruction.opcode.stem() {
        "exit" => End::Thread,
        "ret" => End::Function,
        "brkpt" => End::Breakpoint,
        _ => End::Trap,
    };
    decoder.emit(Action::End(end));
    Ok(())
}

impl Execute for End {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        match self {
            Self::Function => Ok(step.leave_function()),
            Self::Thread => Ok(Flow::Ended),
            Self::Breakpoint => {
                let what = "a breakpoint was reached, and there is no debugger to continue from it";
                Err(step.trapped(Trap::LaunchFailed, what.into()))
            }
            Self::Trap => Err(step.trapped(Trap::LaunchFailed, "the kernel trapped".into())),
        }
    }

    fn splits(&self) -> bool {
        !matches!(self, Self::Trap | Self::Breakpoint)
    }
}
