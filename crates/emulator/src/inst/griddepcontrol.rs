//! `griddepcontrol`: launches that begin before the one before them ends. PTX ISA 9.7.13.13.
//!
//! The emulator runs one launch after the other: there is nothing to wait for, and whom a launch lets
//! begin begins after it.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, nothing::Nothing},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers
        .one_of(&[("wait", ()), ("launch_dependents", ())])
        .ok_or(NotSupported::Part("action"))?;
    let [] = operands(instruction)?;
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
