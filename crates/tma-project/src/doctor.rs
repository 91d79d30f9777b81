//! `doctor`: checks this machine. It also runs if the tools of the project do not.

pub mod gpu;
mod machine;

use std::{path::Path, process::ExitCode};

use anyhow::Result;
use serde_json::json;

use crate::{output::Mark, typed};

/// Checks this machine and shows the next command to type; exits with 1 if a requirement is missing
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The result of one check.
pub struct Diagnostic {
    mark: Mark,
    what: &'static str,
    text: String,
    /// The command that fixes the problem.
    remedy: Option<String>,
}

impl Diagnostic {
    /// Makes the result of the check of `what`.
    pub fn new(mark: Mark, what: &'static str, text: impl Into<String>) -> Self {
        Self {
            mark,
            what,
            text: text.into(),
            remedy: None,
        }
    }

    /// Adds the command that fixes the problem.
    #[must_use]
    pub fn remedy(mut self, command: impl Into<String>) -> Self {
        self.remedy = Some(command.into());
        self
    }
}

struct Report {
    diagnostics: Vec<Diagnostic>,
    next: String,
}

impl Report {
    fn to_json(&self) -> serde_json::Value {
        let diagnostic = |diagnostic: &Diagnostic| {
            let mut object = json!({
                "mark": diagnostic.mark.name(),
                "what": diagnostic.what,
                "says": diagnostic.text,
            });
            if let Some(remedy) = &diagnostic.remedy {
                object["remedy"] = remedy.as_str().into();
            }
            object
        };
        let diagnostics: Vec<_> = self.diagnostics.iter().map(diagnostic).collect();
        json!({ "findings": diagnostics, "next": self.next })
    }
}

/// Runs the verb for a project with this target folder; `own` are the diagnostics of the project.
///
/// # Errors
/// None at present.
pub fn run(args: &Args, target: &Path, own: Vec<Diagnostic>) -> Result<ExitCode> {
    let mut diagnostics = machine::diagnostics(target);
    diagnostics.extend(own);
    let (driver, usable_gpu) = gpu::diagnostics();
    diagnostics.extend(driver);
    let next = next(&diagnostics, usable_gpu);
    let healthy = diagnostics
        .iter()
        .all(|diagnostic| diagnostic.mark != Mark::Fatal);
    let report = Report { diagnostics, next };
    if args.json {
        say!("{:#}", report.to_json());
    } else {
        print(&report);
    }
    Ok(if healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn print(report: &Report) {
    for Diagnostic {
        mark,
        what,
        text,
        remedy,
    } in &report.diagnostics
    {
        let indented = text.replace('\n', &format!("\n{:22}", ""));
        say!("{mark} {what:<18}  {indented}");
        if let Some(command) = remedy {
            say!("{:22}{command}", "");
        }
    }
    say!("\nNext: {}", report.next);
}

/// Returns the remedy of the first fatal diagnostic, or the next step if all checks passed.
fn next(diagnostics: &[Diagnostic], usable_gpu: bool) -> String {
    let mut fatal = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.mark == Mark::Fatal);
    match fatal.next() {
        Some(diagnostic) => diagnostic
            .remedy
            .clone()
            .unwrap_or_else(|| typed("doctor (after fixing the items marked ✗)")),
        None if usable_gpu => typed("run"),
        None => typed("test"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_mends_the_first_fatal_finding() {
        let tool =
            || Diagnostic::new(Mark::Info, "ptxas", "missing").remedy("cargo tma setup --cuda");
        assert_eq!(next(&[tool()], false), "cargo tma test");
        assert_eq!(next(&[tool()], true), "cargo tma run");
        let compiler =
            Diagnostic::new(Mark::Fatal, "device compiler", "missing").remedy("cargo tma setup");
        assert_eq!(next(&[tool(), compiler], true), "cargo tma setup");
        let disk = Diagnostic::new(Mark::Fatal, "target folder", "read-only");
        assert!(next(&[disk], true).starts_with("cargo tma doctor"));
    }
}
