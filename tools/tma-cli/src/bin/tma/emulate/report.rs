//! The report of an emulation, for people and for programs.

use std::{io::Write, path::Path};

use anyhow::Result;
use serde_json::{Value, json};
use tma_cli::emulate::{Diagnostic, Run, Stopped, Verdict};
use tma_emulator::{Location, check::Site};

use super::Seeds;

/// The command that was given, to give it again.
#[derive(Clone, Copy)]
pub(crate) struct Again<'a> {
    pub(crate) file: &'a Path,
    pub(crate) max_steps: Option<u64>,
    pub(crate) no_check: bool,
}

impl Again<'_> {
    /// With this seed.
    fn with(&self, seed: u64) -> String {
        let file = quoted(&self.file.display().to_string());
        let mut command = format!("tma emulate {file} --seed {seed}");
        if let Some(steps) = self.max_steps {
            command.push_str(&format!(" --max-steps {steps}"));
        }
        if self.no_check {
            command.push_str(" --no-check");
        }
        command
    }
}

/// As a shell wants it.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./+=@%:,".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// All that is to be said.
pub(crate) struct Report<'a> {
    again: Again<'a>,
    /// Where there are many.
    seeds: Option<Seeds>,
    pub(crate) runs: Vec<Run>,
    pub(crate) stopped: Option<Stopped>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(again: Again<'a>, seeds: Option<Seeds>) -> Self {
        Self {
            again,
            seeds,
            runs: Vec::new(),
            stopped: None,
        }
    }

    /// The worst.
    pub(crate) fn verdict(&self) -> Verdict {
        let runs = self.runs.iter().map(Run::verdict).max();
        let stopped = self.stopped.as_ref().map(Stopped::verdict);
        runs.max(stopped).unwrap_or(Verdict::Clean)
    }

    /// The diagnostics, each with the seeds that have it.
    fn diagnostics(&self) -> Vec<(&Diagnostic, Vec<u64>)> {
        let mut all: Vec<(&Diagnostic, Vec<u64>)> = Vec::new();
        for run in &self.runs {
            for diagnostic in &run.diagnostics {
                match all.iter_mut().find(|(known, _)| known.is_like(diagnostic)) {
                    // Two launches of a run may have it.
                    Some((_, seeds)) if seeds.last() == Some(&run.seed) => {}
                    Some((_, seeds)) => seeds.push(run.seed),
                    None => all.push((diagnostic, vec![run.seed])),
                }
            }
        }
        all
    }

    pub(crate) fn print(&self, out: &mut impl Write) -> Result<()> {
        if let ([run], None) = (&self.runs[..], self.seeds) {
            out.write_all(run.printed.as_bytes())?;
            if !run.printed.is_empty() && !run.printed.ends_with('\n') {
                writeln!(out)?;
            }
        }
        for (diagnostic, seeds) in self.diagnostics() {
            writeln!(out, "{diagnostic}")?;
            if self.seeds.is_some() {
                writeln!(out, "  = seeds: {}", list(&seeds))?;
            }
            writeln!(out, "  = again: {}\n", self.again.with(seeds[0]))?;
        }
        let verdict = self.verdict().as_str();
        if let Some(stopped) = &self.stopped {
            writeln!(out, "{verdict}: {stopped}")?;
            return Ok(());
        }
        match (&self.runs[..], self.seeds) {
            ([run], None) => match run.steps {
                Some(steps) => writeln!(out, "{verdict}: seed {}, {steps} steps", run.seed)?,
                None => writeln!(out, "{verdict}: seed {}", run.seed)?,
            },
            (runs, _) => {
                let bad: Vec<u64> = runs
                    .iter()
                    .filter(|run| run.verdict() != Verdict::Clean)
                    .map(|run| run.seed)
                    .collect();
                let count = runs.len();
                match bad.len() {
                    0 => writeln!(out, "{verdict}: all of {count} seeds")?,
                    bad_count => writeln!(
                        out,
                        "{verdict}: {bad_count} of {count} seeds: {}",
                        list(&bad)
                    )?,
                }
            }
        }
        Ok(())
    }

    pub(crate) fn to_json(&self) -> Value {
        let stopped = self.stopped.as_ref();
        let violations = match stopped {
            Some(Stopped::Violations(violations)) => {
                let violation = |violation: &tma_cli::emulate::Violation| {
                    json!({
                        "line": violation.line,
                        "column": violation.column,
                        "message": violation.says,
                    })
                };
                violations.iter().map(violation).collect()
            }
            _ => Vec::new(),
        };
        json!({
            "file": self.again.file.display().to_string(),
            "verdict": self.verdict().as_str(),
            "message": stopped.map(ToString::to_string),
            "mistakes": violations,
            "runs": self.runs.iter().map(|run| self.run_to_json(run)).collect::<Vec<_>>(),
        })
    }

    fn run_to_json(&self, run: &Run) -> Value {
        json!({
            "seed": run.seed,
            "verdict": run.verdict().as_str(),
            "steps": run.steps,
            "printed": run.printed,
            "findings": run.diagnostics.iter().map(diagnostic_to_json).collect::<Vec<_>>(),
            "again": self.again.with(run.seed),
        })
    }
}

fn diagnostic_to_json(diagnostic: &Diagnostic) -> Value {
    let mut value = json!({
        "kind": diagnostic.kind(),
        "severity": if diagnostic.is_error() { "error" } else { "warning" },
        "message": diagnostic.to_string(),
    });
    match diagnostic {
        Diagnostic::Kernel(found) => {
            value["title"] = json!(found.kind.title());
            value["entry"] = json!(found.entry);
            value["here"] = json!(found.here.as_ref().map(site_to_json));
            value["there"] = json!(found.there.as_ref().map(site_to_json));
            value["notes"] = json!(found.notes);
            value["count"] = json!(found.count);
            value["rule"] = json!(found.kind.rule());
            value["help"] = json!(found.kind.help());
            value["error_name"] = json!(found.trap.map(tma_emulator::Trap::name));
        }
        Diagnostic::Fault { error_name, .. } => value["error_name"] = json!(error_name),
        Diagnostic::Mismatch(_) => {}
    }
    value
}

fn site_to_json(site: &Site) -> Value {
    let Location {
        file,
        line,
        column,
        source,
    } = &site.location;
    json!({
        "file": file,
        "line": line,
        "column": column,
        "source": source.as_ref().map(|(file, line)| json!({ "file": file, "line": line })),
        "instruction": site.instruction,
        "block": site.block,
        "thread": site.thread,
        "what": site.what,
    })
}

/// Seeds that a line can hold.
fn list(seeds: &[u64]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = seeds.iter().take(SHOWN).map(u64::to_string).collect();
    let more = match seeds.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted() {
        let again = |file: &str, max_steps| {
            let file = Path::new(file);
            Again {
                file,
                max_steps,
                no_check: max_steps.is_some(),
            }
            .with(7)
        };
        assert_eq!(again("a/b.toml", None), "tma emulate a/b.toml --seed 7");
        assert_eq!(
            again("it's mine.toml", Some(9)),
            r"tma emulate 'it'\''s mine.toml' --seed 7 --max-steps 9 --no-check"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list(&[3]), "3");
        let all: Vec<u64> = (0..10).collect();
        assert_eq!(list(&all), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
    }
}
