//! Findings and runs as JSON, the form of `tma emulate --json`.

use serde_json::{Value, json};

use super::{Diagnostic, Run, Violation};

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

/// Converts a violation of the launch file format.
pub fn violation_to_json(violation: &Violation) -> Value {
    json!({
        "line": violation.line,
        "column": violation.column,
        "message": violation.says,
    })
}
