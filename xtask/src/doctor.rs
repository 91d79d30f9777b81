//! `doctor`: checks this machine. It also runs if the tools of the project do not.

pub(crate) mod gpu;
mod machine;

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use crate::output::Mark;

/// Checks this machine and shows the next command to type; exits with 1 if a requirement is missing
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The result of one check.
struct Diagnostic {
    mark: Mark,
    what: &'static str,
    says: String,
    /// The command that fixes the problem.
    remedy: Option<&'static str>,
}

impl Diagnostic {
    fn new(mark: Mark, what: &'static str, says: impl Into<String>) -> Self {
        Self {
            mark,
            what,
            says: says.into(),
            remedy: None,
        }
    }

    fn remedy(mut self, command: &'static str) -> Self {
        self.remedy = Some(command);
        self
    }
}

struct Report {
    diagnostics: Vec<Diagnostic>,
    next: &'static str,
}

impl Report {
    fn to_json(&self) -> serde_json::Value {
        let diagnostic = |diagnostic: &Diagnostic| {
            let mut object = json!({
                "mark": diagnostic.mark.name(),
                "what": diagnostic.what,
                "says": diagnostic.says,
            });
            if let Some(remedy) = diagnostic.remedy {
                object["remedy"] = remedy.into();
            }
            object
        };
        let diagnostics: Vec<_> = self.diagnostics.iter().map(diagnostic).collect();
        json!({ "findings": diagnostics, "next": self.next })
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut diagnostics = machine::diagnostics();
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
        says,
        remedy,
    } in &report.diagnostics
    {
        let indented = says.replace('\n', &format!("\n{:22}", ""));
        say!("{mark} {what:<18}  {indented}");
        if let Some(command) = remedy {
            say!("{:22}{command}", "");
        }
    }
    say!("\nNext: {}", report.next);
}

/// Returns the remedy of the first fatal diagnostic, or the next step if all checks passed.
fn next(diagnostics: &[Diagnostic], usable_gpu: bool) -> &'static str {
    let mut fatal = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.mark == Mark::Fatal);
    match fatal.next() {
        Some(diagnostic) => diagnostic
            .remedy
            .unwrap_or("cargo xtask doctor (after fixing the items marked ✗)"),
        None if usable_gpu => "cargo xtask run",
        None => "cargo xtask test",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_command_mends_the_first_fatal_finding() {
        let tool =
            || Diagnostic::new(Mark::Info, "ptxas", "missing").remedy("cargo xtask setup --cuda");
        assert_eq!(next(&[tool()], false), "cargo xtask test");
        assert_eq!(next(&[tool()], true), "cargo xtask run");
        let compiler =
            Diagnostic::new(Mark::Fatal, "device compiler", "missing").remedy("cargo xtask setup");
        assert_eq!(next(&[tool(), compiler], true), "cargo xtask setup");
        let disk = Diagnostic::new(Mark::Fatal, "target folder", "read-only");
        assert!(next(&[disk], true).starts_with("cargo xtask doctor"));
    }
}
