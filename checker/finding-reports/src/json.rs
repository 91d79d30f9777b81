//! Converts findings to values of `serde_json`.

use serde_json::Value;
use tma_emulator::check::Diagnostic;

/// Converts a finding of the checker to JSON.
///
/// # Panics
/// [`Diagnostic::to_json`] returns invalid JSON, which is a bug.
pub fn to_json(found: &Diagnostic) -> Value {
    let value = found.to_json().parse();
    value.expect("diagnostics are written as valid JSON")
}
