//! A SARIF 2.1.0 log (OASIS, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>).

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    artifact::{Folders, ROOT},
    rules,
};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The run that found something.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The file that is the location of findings without an instruction: a launch file, an archive, a test.
    pub file: &'a str,
    /// The line in this file, from 1.
    pub line: u64,
    /// The command that repeats the run.
    pub again: &'a str,
}

/// A finding with its first run.
#[derive(Debug)]
struct Found {
    finding: Value,
    file: String,
    line: u64,
    again: String,
    runs: u64,
    count: u64,
}

/// The findings of a command, each once.
#[derive(Debug)]
pub struct Sarif {
    folders: Folders,
    found: Vec<Found>,
    /// Indices of `found` by [`key`].
    known: HashMap<String, usize>,
    notifications: Vec<Value>,
}

impl Sarif {
    /// Creates an empty log. URIs are relative to the git checkout that contains the folder `working`, or without one
    /// to `working`. Relative paths of findings are looked up in `working`, then in `others`.
    pub fn new(working: &Path, others: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            folders: Folders::new(working, others),
            found: Vec::new(),
            known: HashMap::new(),
            notifications: Vec::new(),
        }
    }

    /// Adds a finding in the form of [`to_json`](crate::to_json). Only `kind`, `severity` and `message` are required.
    pub fn add(&mut self, finding: &Value, origin: Origin<'_>) {
        let count = finding["count"].as_u64().unwrap_or(1);
        let next = self.found.len();
        let index = *self.known.entry(key(finding)).or_insert(next);
        match self.found.get_mut(index) {
            Some(known) => {
                known.runs += 1;
                known.count += count;
            }
            None => self.found.push(Found {
                finding: finding.clone(),
                file: origin.file.to_owned(),
                line: origin.line,
                again: origin.again.to_owned(),
                runs: 1,
                count,
            }),
        }
    }

    /// Adds the reason why the command did not run to its end, with file, line and column if it is an error in a
    /// file.
    pub fn fail(&mut self, message: &str, at: Option<(&str, u64, u64)>) {
        let locations: Vec<Value> = at
            .map(|(file, line, column)| {
                json!({ "physicalLocation": {
                    "artifactLocation": self.folders.artifact(file),
                    "region": { "startLine": line, "startColumn": column },
                }})
            })
            .into_iter()
            .collect();
        self.notifications.push(json!({
            "level": "error",
            "message": { "text": message },
            "locations": locations,
        }));
    }

    /// Returns the text of the log.
    pub fn finish(self) -> String {
        let mut seen = HashMap::new();
        let results: Vec<Value> = self
            .found
            .iter()
            .map(|found| self.result(found, &mut seen))
            .collect();
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "tma",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": "https://crates.io/crates/tma-cli",
                    "rules": rules::rules(),
                }},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": { ROOT: { "uri": self.folders.root_uri() } },
                "invocations": [{
                    "executionSuccessful": self.notifications.is_empty(),
                    "toolExecutionNotifications": self.notifications,
                }],
                "results": results,
            }],
        });
        format!("{log:#}\n")
    }

    /// `seen` counts the results of each hash, so that no two fingerprints are equal.
    fn result(&self, found: &Found, seen: &mut HashMap<u64, u64>) -> Value {
        let Found { finding, again, .. } = found;
        let kind = finding["kind"].as_str().unwrap_or_default();
        let here = self.location(&finding["here"]);
        let there = self.location(&finding["there"]);
        let mut hash = Hash::default();
        hash.add(kind);
        hash.add(finding["entry"].as_str().unwrap_or(&found.file));
        for (location, site) in [(&here, &finding["here"]), (&there, &finding["there"])] {
            let uri = &location["physicalLocation"]["artifactLocation"]["uri"];
            hash.add(uri.as_str().unwrap_or_default());
            hash.add(site["instruction"].as_str().unwrap_or_default());
        }
        let number = seen.entry(hash.0).or_default();
        *number += 1;
        let mut here = match here {
            Value::Null => json!({ "physicalLocation": {
                "artifactLocation": self.folders.artifact(&found.file),
                "region": { "startLine": found.line },
            }}),
            here => here,
        };
        if let Some(entry) = finding["entry"].as_str() {
            here["logicalLocations"] = json!([{ "name": entry, "kind": "function" }]);
        }
        let message = finding["message"].as_str().unwrap_or_default();
        let mut result = json!({
            "ruleId": kind,
            "level": finding["severity"],
            "message": { "text": format!("{message}\n  = again: {again}") },
            "locations": [here],
            "partialFingerprints": { "site/v1": format!("{:016x}:{number}", hash.0) },
            "occurrenceCount": found.count,
            "properties": { "again": again, "runs": found.runs },
        });
        if let Some(schedule) = finding["schedule"].as_str() {
            result["properties"]["schedule"] = json!(schedule);
        }
        if let Some(index) = rules::index(kind) {
            result["ruleIndex"] = json!(index);
        }
        if !there.is_null() {
            result["relatedLocations"] = json!([there]);
        }
        result
    }

    /// Returns the location of a site: its line in the source, else in the PTX; `null` without a site.
    fn location(&self, site: &Value) -> Value {
        let Some(file) = site["file"].as_str() else {
            return Value::Null;
        };
        let source = &site["source"];
        // Compilers give line 0 to instructions of no line.
        let in_source = source["file"].as_str().zip(source["line"].as_u64());
        let (file, region) = match in_source.filter(|(_, line)| *line > 0) {
            Some((file, line)) => (file, json!({ "startLine": line })),
            None => (
                file,
                json!({ "startLine": site["line"], "startColumn": site["column"] }),
            ),
        };
        let what = format!(
            "thread {} of block {} {}",
            listed(&site["thread"]),
            listed(&site["block"]),
            site["what"].as_str().unwrap_or_default()
        );
        json!({
            "physicalLocation": {
                "artifactLocation": self.folders.artifact(file),
                "region": region,
            },
            "message": { "text": what },
        })
    }
}

/// Returns a text that two findings share if they are the same defect: for the checker, the same kind at the same
/// instructions of a kernel.
fn key(finding: &Value) -> String {
    let place = |site: &Value| {
        ["file", "line", "column", "source", "inlined", "calls"].map(|field| site[field].clone())
    };
    let [kind, entry] = ["kind", "entry"].map(|field| &finding[field]);
    match entry {
        Value::Null => json!([kind, finding["message"]]),
        _ => json!([
            kind,
            entry,
            place(&finding["here"]),
            place(&finding["there"])
        ]),
    }
    .to_string()
}

/// Formats an index as reports do.
fn listed(index: &Value) -> String {
    index.to_string().replace(',', ", ")
}

/// FNV-1a: fingerprints must not change with the version of the standard library.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
