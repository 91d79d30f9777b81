//! What the emulator does not know.

use std::fmt::{self, Display, Formatter};

use crate::machine::Place;

/// An instruction, or a form of one, that the emulator does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The opcode with its modifiers, or what else it is.
    pub instruction: String,
    /// What of it is not known.
    pub reason: String,
    /// Where it stands.
    pub place: Place,
}

impl Display for Unsupported {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            instruction,
            reason,
            place,
        } = self;
        write!(f, "{place}: `{instruction}` is not supported: {reason}")
    }
}

/// Why an instruction is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}
