//! Diagnostics of a kernel.

use std::fmt::{self, Display, Formatter};

use tma_emulator::check;

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Diagnostic {
    /// By the checker.
    Kernel(Box<check::Diagnostic>),
    /// What ended a kernel, where the checker did not watch.
    Fault {
        /// The driver's name for it.
        error_name: Option<String>,
        /// What happened, and where.
        what: String,
    },
    /// A buffer is not as expected.
    Mismatch(String),
}

impl Diagnostic {
    /// Its name in kebab case: that of the checker, `fault` or `mismatch`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Kernel(found) => found.kind.name(),
            Self::Fault { .. } => "fault",
            Self::Mismatch(_) => "mismatch",
        }
    }

    /// Whether it is worse than a warning.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Kernel(found) => found.kind.severity() >= check::Severity::Error,
            _ => true,
        }
    }

    /// Whether two seeds found the same: for the checker, the same kind at the same instructions.
    pub fn is_like(&self, other: &Self) -> bool {
        let locations = |found: &check::Diagnostic| {
            let location =
                |site: &Option<check::Site>| site.as_ref().map(|site| site.location.clone());
            (found.kind, location(&found.here), location(&found.there))
        };
        match (self, other) {
            (Self::Kernel(a), Self::Kernel(b)) => locations(a) == locations(b),
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
