//! The rules of a SARIF log: every kind of finding.

use serde_json::{Value, json};
use tma_emulator::check::{DiagnosticKind, Severity};

/// Kinds of findings that the checker does not report itself: name, description, usual fix.
const OTHERS: [[&str; 3]; 4] = [
    [
        "fault",
        "a fault ended a kernel that ran without the checker",
        "run the kernel with the checker, which reports the cause",
    ],
    [
        "mismatch",
        "memory does not have its expected contents",
        "compare the kernel with its reference, from the first element that the message names",
    ],
    [
        "invalid-call",
        "a call of CUDA breaks a rule",
        "follow the fix that the message names",
    ],
    [
        "unsupported",
        "the emulator does not support something that the program needs",
        "docs/exec.md lists what is missing",
    ],
];

/// Returns all rules.
pub(crate) fn rules() -> Vec<Value> {
    let kinds = DiagnosticKind::ALL.iter().map(|kind| {
        let level = match kind.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let help = format!("{}\n\nRule: PTX ISA 9.1, {}.", kind.help(), kind.rule());
        rule(kind.name(), kind.title(), &help, level)
    });
    let others = OTHERS.map(|[name, title, help]| rule(name, title, help, "error"));
    kinds.chain(others).collect()
}

/// Returns the index of a kind in [`rules`].
pub(crate) fn index(kind: &str) -> Option<usize> {
    let kinds = DiagnosticKind::ALL.iter().map(|kind| kind.name());
    let mut all = kinds.chain(OTHERS.iter().map(|[name, ..]| *name));
    all.position(|known| known == kind)
}

fn rule(id: &str, title: &str, help: &str, level: &str) -> Value {
    json!({
        "id": id,
        "shortDescription": { "text": title },
        "help": { "text": help },
        "defaultConfiguration": { "level": level },
    })
}
