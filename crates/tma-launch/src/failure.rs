use std::fmt::{self, Display, Formatter};

use crate::Violations;

/// The reason why a job, or a part of one, failed.
///
/// Displays as `stage: what (ERROR_NAME): hint`, without missing parts. `Debug` prints the same, so that `unwrap` and a
/// `main` that returns it show the report.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stage of the work that failed.
    pub stage: Stage,
    /// The failed operation and its operands.
    pub what: String,
    /// The backend's own name for the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub error_name: Option<String>,
    /// The likely cause and a remedy.
    pub hint: Option<String>,
    /// All violations, for [`Stage::Check`].
    pub violations: Violations,
}

/// The stages of a job, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Opening the device, its driver or its context.
    Open,
    /// Reading the PTX and compiling it to machine code.
    Load,
    /// Finding the kernel in its module.
    Resolve,
    /// Checking the launch in advance.
    Check,
    /// Allocating and filling device memory.
    Upload,
    /// Encoding the tensor maps of the arguments.
    Encode,
    /// Starting the kernel on its stream.
    Launch,
    /// Waiting for the kernel to end.
    Synchronise,
    /// Copying results back from device memory.
    CopyBack,
}

impl Stage {
    /// Returns the stage's name in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Load => "load",
            Self::Resolve => "resolve",
            Self::Check => "check",
            Self::Upload => "upload",
            Self::Encode => "encode",
            Self::Launch => "launch",
            Self::Synchronise => "synchronise",
            Self::CopyBack => "copy back",
        }
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Failure {
    /// Creates a failure without an error name or a hint.
    pub fn new(stage: Stage, what: impl Into<String>) -> Self {
        Self {
            stage,
            what: what.into(),
            error_name: None,
            hint: None,
            violations: Violations::default(),
        }
    }

    /// Creates the failure of a launch of `entry` that breaks rules.
    pub fn check(entry: &str, violations: Violations) -> Self {
        let what = format!("the launch of `{entry}` cannot work");
        Self {
            violations,
            ..Self::new(Stage::Check, what)
        }
    }

    /// Adds the backend's name for the error.
    #[must_use]
    pub fn error_name(self, name: impl Into<String>) -> Self {
        Self {
            error_name: Some(name.into()),
            ..self
        }
    }

    /// Adds a hint on how to fix the failure.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.stage, self.what)?;
        if let Some(name) = &self.error_name {
            write!(f, " ({name})")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, ": {hint}")?;
        }
        for violation in &self.violations.0 {
            write!(f, "\n  {violation}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwrap_shows_the_report_as_people_read_it() {
        let failure = Failure::new(Stage::Launch, "two\nlines").hint("fix \"it\"");
        assert_eq!(format!("{failure:?}"), "launch: two\nlines: fix \"it\"");
    }

    #[test]
    fn parts_that_are_missing_leave_no_trace() {
        let bare = Failure::new(Stage::CopyBack, "buffer `x`");
        assert_eq!(bare.to_string(), "copy back: buffer `x`");
        let full = bare
            .error_name("CUDA_ERROR_ILLEGAL_ADDRESS")
            .hint("look at the bounds");
        assert_eq!(
            full.to_string(),
            "copy back: buffer `x` (CUDA_ERROR_ILLEGAL_ADDRESS): look at the bounds"
        );
    }
}
