//! The interface from the decoder to the instructions.

use ptx::{Instruction, Opcode};
use ptx_isa::Form;

use super::{Decoder, Modifiers, NotSupported};
use crate::machine::{Alu, Slot, Special};

/// Decoder of an instruction.
pub(crate) enum Decode<A: 'static> {
    /// The decoder of a form in the table.
    Form(ByForm<A>),
    /// Decoder by the words of the opcode.
    Words(Words<A>),
}

/// Adds the operations of one instruction of this form.
pub(crate) type ByForm<A> =
    fn(&mut Decoder<'_, A>, &Instruction, &Form) -> Result<(), NotSupported>;

/// Adds the operations of one instruction, and takes the words of its opcode.
pub(crate) type Words<A> =
    fn(&mut Decoder<'_, A>, &Instruction, &mut Modifiers<'_>) -> Result<(), NotSupported>;

/// Actions that instructions are decoded to. The decoder makes a few of them itself.
pub(crate) trait InstructionSet: From<Alu> + 'static {
    /// Beginnings of opcodes, and how they are decoded; where several fit, the longest counts.
    const FAMILIES: &'static [(&'static str, Decode<Self>)];

    /// Returns the decoder of an opcode, and the stem of the opcode that selects it.
    fn family(opcode: &Opcode) -> Option<&'static (&'static str, Decode<Self>)> {
        let families = Self::FAMILIES.iter();
        let fitting = families.filter(|(stem, _)| opcode.starts_with(stem));
        fitting.max_by_key(|(stem, _)| stem.len())
    }

    /// Returns whether an instruction only computes its first operand from the others.
    fn only_computes(opcode: &Opcode) -> bool;

    /// Returns whether an instruction makes no sense unless its first operand is used.
    fn has_result_to_use(opcode: &Opcode) -> bool;

    /// Reads a special register that changes while a thread runs.
    fn read(special: Special, d: Slot) -> Self;

    /// Returns the action at the end of a function, which ends the thread in a kernel.
    fn end_of_function() -> Self;

    /// Calls `change` with every index of an operation in it.
    fn for_each_target(&mut self, change: impl FnMut(&mut usize));
}
