//! Instructions that the emulator does not support.

use std::fmt::{self, Display, Formatter};

use ptx::Instruction;
use ptx_isa::Version;

use crate::machine::Location;

/// An instruction, or a form of one, that the emulator does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The opcode with its modifiers, or what else it is.
    pub instruction: String,
    /// The part that is not supported.
    pub reason: String,
    /// Location of the instruction.
    pub location: Location,
}

impl Display for Unsupported {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            instruction,
            reason,
            location,
        } = self;
        write!(f, "{location}: `{instruction}` is not supported: {reason}")
    }
}

/// The reason why an instruction is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotSupported {
    /// The number of operands fits none of the known forms.
    Operands,
    /// A part of its opcode, such as the type, is missing or not known here.
    Part(&'static str),
    /// The table has no such form.
    NoForm(String),
    /// The table has the form, but the emulator does not execute it.
    NotExecuted(Version),
    /// Any other reason, as a sentence.
    Because(String),
}

impl NotSupported {
    /// Returns the reason as a sentence about this instruction.
    pub(super) fn sentence(self, instruction: &Instruction) -> String {
        match self {
            Self::Operands => {
                let count = instruction.operands.len();
                let plural = if count == 1 { "" } else { "s" };
                format!("no form of it with {count} operand{plural} is known")
            }
            Self::Part(part) => format!("its {part} is missing or not known here"),
            Self::NoForm(text) => {
                format!("`{text}` is not a form of PTX ISA {}", ptx_isa::NEWEST)
            }
            Self::NotExecuted(isa) => {
                format!("it is a form of PTX ISA {isa} that the emulator cannot execute")
            }
            Self::Because(reason) => reason,
        }
    }
}

impl From<&str> for NotSupported {
    fn from(reason: &str) -> Self {
        Self::Because(reason.to_owned())
    }
}

impl From<String> for NotSupported {
    fn from(reason: String) -> Self {
        Self::Because(reason)
    }
}
