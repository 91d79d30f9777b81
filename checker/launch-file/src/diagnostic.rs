//! Findings about a kernel.

use std::fmt::{self, Display, Formatter};

use tma_emulator::check;

/// A finding about a kernel or its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Diagnostic {
    /// A finding of the checker.
    Kernel(Box<check::Diagnostic>),
    /// The fault that ended a kernel while the checker was off.
    Fault {
        /// The driver's name for the fault.
        error_name: Option<String>,
        /// The description with the location.
        what: String,
    },
    /// A buffer differs from its expected contents.
    Mismatch(String),
}

impl Diagnostic {
    /// Returns the kind in kebab case: the checker's kind, `fault` or `mismatch`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Kernel(found) => found.kind.name(),
            Self::Fault { .. } => "fault",
            Self::Mismatch(_) => "mismatch",
        }
    }

    /// Returns `error`, `warning` or `note`.
    pub fn severity(&self) -> &'static str {
        match self {
            Self::Kernel(found) if found.is_note => "note",
            _ if self.is_error() => "error",
            _ => "warning",
        }
    }

    /// Returns whether the finding is an error.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Kernel(found) => found.kind.severity() >= check::Severity::Error,
            _ => true,
        }
    }

    /// Returns whether the finding reports a kernel that did not end in time.
    pub fn is_endless(&self) -> bool {
        match self {
            Self::Kernel(found) => found.kind == check::DiagnosticKind::Endless,
            Self::Fault { error_name, what } => {
                error_name.as_deref() == Some(tma_emulator::Trap::Endless.name())
                    && what.contains("interrupted")
            }
            Self::Mismatch(_) => false,
        }
    }

    /// Returns the kind and the source lines as one line of text.
    pub fn headline(&self) -> String {
        let kind = self.kind();
        match self {
            Self::Kernel(found) => {
                let sites = found.here.iter().chain(&found.there);
                let sites: Vec<String> = sites.map(|site| site.location.to_string()).collect();
                match sites.as_slice() {
                    [] => kind.to_owned(),
                    sites => format!("{kind} at {}", sites.join(" and ")),
                }
            }
            Self::Fault { .. } => kind.to_owned(),
            Self::Mismatch(what) => {
                let buffer = what.split(": ").next().unwrap_or_default();
                format!("{kind} of {buffer}")
            }
        }
    }

    /// Returns whether two seeds have the same finding; for the checker, the same kind at the same instructions.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kernel(a), Self::Kernel(b)) => a.is_like(b),
            _ => self == other,
        }
    }
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(found) => found.fmt(f),
            Self::Fault { error_name, what } => {
                let name = error_name.as_deref().unwrap_or("unknown");
                write!(f, "error[fault]: {name}: {what}")
            }
            Self::Mismatch(what) => write!(f, "error[mismatch]: {what}"),
        }
    }
}
