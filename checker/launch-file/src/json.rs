//! Findings and runs as JSON, the form of `tma emulate --json`.

use std::fmt::Write;

use serde_json::{Value, json};
use tma_emulator::{Exploration, ScheduleName, Verdict};

use super::{Diagnostic, Run, Violation};

/// Limit of the bytes that [`hex`] shows.
const SHOWN_BYTES: usize = 1 << 16;

/// Converts a finding.
pub fn finding_to_json(diagnostic: &Diagnostic) -> Value {
    let mut value = match diagnostic {
        Diagnostic::Kernel(found) => return finding_reports::to_json(found),
        _ => json!({
            "kind": diagnostic.kind(),
            "severity": diagnostic.severity(),
            "message": diagnostic.to_string(),
        }),
    };
    if let Diagnostic::Fault { error_name, .. } = diagnostic {
        value["error_name"] = json!(error_name);
    }
    value
}

/// Converts the results of a seed.
pub fn run_to_json(run: &Run) -> Value {
    json!({
        "seed": run.seed,
        "verdict": run.verdict().as_str(),
        "steps": run.steps,
        "printed": run.printed,
        "findings": run.diagnostics.iter().map(finding_to_json).collect::<Vec<_>>(),
        "notes": run.notes.iter().map(finding_to_json).collect::<Vec<_>>(),
    })
}

/// Converts the result of a search through the schedules of a launch of `entry`; `run` has its findings.
pub fn exploration_to_json(entry: &str, exploration: &Exploration, run: &Run) -> Value {
    let (verdict, why, open) = match &exploration.verdict {
        Verdict::Proved => ("proved", None, 0),
        Verdict::Unfinished { why, open } => ("not finished", Some(why), *open),
        _ => ("findings", None, 0),
    };
    json!({
        "entry": entry,
        "verdict": verdict,
        "schedules": exploration.schedules,
        "covered": exploration.covered,
        "results": exploration.results,
        "why": why,
        "open": open,
        "frontier": exploration.frontier.iter().collect::<Vec<_>>(),
        "schedule": exploration.schedule().map(ScheduleName::to_string),
        "findings": run.diagnostics.iter().map(finding_to_json).collect::<Vec<_>>(),
        "notes": run.notes.iter().map(finding_to_json).collect::<Vec<_>>(),
    })
}

/// Converts a violation of the launch file format.
pub fn violation_to_json(violation: &Violation) -> Value {
    json!({
        "line": violation.line,
        "column": violation.column,
        "message": violation.says,
    })
}

/// Returns the first bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    shown.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
