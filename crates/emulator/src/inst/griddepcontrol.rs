//! `griddepcontrol`: launches that begin before the one before them ends. PTX ISA 9.7.13.13.
//!
//! The emulator runs one launch after the other: there is nothing to wait for, and whom a launch lets
//! begin begins after it.

use ptx::Instruction;
use ptx_isa::{Form, griddepcontrol::Op};

use crate::{
    decode::NotSupported,
    inst::{Action, Decoder, nothing::Nothing},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    _: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    match op {
        Op::Wait | Op::LaunchDependents => decoder.emit(Action::Nothing(Nothing)),
    }
    Ok(())
}
