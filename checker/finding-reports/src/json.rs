//! Findings as JSON; `docs/emulate.md` lists the fields.

use serde_json::{Value, json};
use tma_emulator::{
    Location, Trap,
    check::{Diagnostic, Severity, Site},
};

/// Converts a finding of the checker to JSON.
pub fn to_json(found: &Diagnostic) -> Value {
    let severity = match found.kind.severity() {
        _ if found.is_note => "note",
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "kind": found.kind.name(),
        "severity": severity,
        "message": found.to_string(),
        "title": found.title(),
        "entry": found.entry,
        "here": found.here.as_ref().map(site_to_json),
        "there": found.there.as_ref().map(site_to_json),
        "notes": found.notes,
        "count": found.count,
        "rule": found.kind.rule(),
        "help": found.help(),
        "error_name": found.trap.map(Trap::name),
    })
}

fn site_to_json(site: &Site) -> Value {
    let Location {
        file,
        line,
        column,
        source,
        inlined,
        calls,
    } = &site.location;
    let in_source = |(file, line): &(String, u32)| json!({ "file": file, "line": line });
    json!({
        "file": file,
        "line": line,
        "column": column,
        "source": source.as_ref().map(in_source),
        "inlined": inlined.iter().map(in_source).collect::<Vec<_>>(),
        "calls": calls.iter().map(in_source).collect::<Vec<_>>(),
        "instruction": site.instruction,
        "block": site.block,
        "thread": site.thread,
        "what": site.what,
    })
}
