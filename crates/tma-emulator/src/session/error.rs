//! The reasons why a launch has no result, and their conversion to a failure.

use tma_launch::{Failure, Stage};

use crate::{check::CheckReport, decode::Unsupported, machine::Fault};

/// The number of instructions that are listed.
const MOST_LISTED: usize = 100;

/// The reason why a launch has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The kernel uses unsupported features. It was not run.
    #[error("{}", list(.0))]
    Unsupported(Vec<Unsupported>),
    /// A fault of a thread ended the kernel.
    #[error("{0}")]
    Fault(Box<Fault>),
}

fn list(items: &[Unsupported]) -> String {
    let lines = items.iter().take(MOST_LISTED).map(ToString::to_string);
    let mut lines: Vec<_> = lines.collect();
    if let Some(more) = items.len().checked_sub(MOST_LISTED + 1) {
        lines.push(format!("and {} more", more + 1));
    }
    lines.join("\n")
}

impl From<Box<Fault>> for Error {
    fn from(fault: Box<Fault>) -> Self {
        Self::Fault(fault)
    }
}

impl Error {
    /// Returns why a kernel was not run, or not to its end.
    pub(crate) fn failure(self) -> Failure {
        match &self {
            Self::Unsupported(_) => Failure::new(Stage::Load, self.to_string())
                .error_name("UNSUPPORTED")
                .hint("the kernel was not run"),
            Self::Fault(fault) => {
                Failure::new(Stage::Synchronise, fault.to_string()).error_name(fault.trap.name())
            }
        }
    }
}

impl CheckReport {
    /// Returns all diagnostics as one failure if one is worse than a warning. The first fault has the driver's
    /// name for it.
    pub fn failure(&self) -> Option<Failure> {
        if self.is_clean() {
            return None;
        }
        let diagnostics: Vec<String> = self.diagnostics.iter().map(ToString::to_string).collect();
        let fault = self
            .diagnostics
            .iter()
            .find_map(|diagnostic| diagnostic.trap);
        let failure = Failure::new(Stage::Synchronise, diagnostics.join("\n\n"));
        Some(failure.error_name(fault.map_or("CHECKER", |trap| trap.name())))
    }
}
