//! What the decoder asks of the instructions.

use ptx::{Instruction, Opcode};

use super::{Decoder, Modifiers, NotSupported};
use crate::machine::{Alu, Slot, Special};

/// Adds the operations of one instruction.
pub(crate) type Decode<A> =
    fn(&mut Decoder<'_, A>, &Instruction, &mut Modifiers<'_>) -> Result<(), NotSupported>;

/// Actions that instructions are decoded to. The decoder makes a few of them itself.
pub(crate) trait InstructionSet: From<Alu> + 'static {
    /// Beginnings of opcodes, and what decodes them; where several fit, the longest counts.
    const FAMILIES: &'static [(&'static str, Decode<Self>)];

    /// What decodes an opcode, and how much of the opcode is its stem.
    fn family(opcode: &Opcode) -> Option<(&'static str, Decode<Self>)> {
        let families = Self::FAMILIES.iter();
        let fitting = families.filter(|(stem, _)| opcode.starts_with(stem));
        fitting.max_by_key(|(stem, _)| stem.len()).copied()
    }

    /// Reads a special register that changes while a thread runs.
    fn read(special: Special, d: Slot) -> Self;

    /// The end of a function, which in a kernel is that of the thread.
    fn end_of_function() -> Self;

    /// Calls `change` with every index of an operation in it.
    fn for_each_target(&mut self, change: impl FnMut(&mut usize));
}
