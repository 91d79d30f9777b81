//! Reports on standard error, and counts for `tma exec`.

use std::{
    collections::HashMap,
    fs::OpenOptions,
    io::{self, Write},
    path::PathBuf,
};

use serde_json::{Value, json};
use tma_emulator::{
    Exploration, Verdict,
    check::{Diagnostic, Severity},
};
use tma_launch::{escape_name, escape_text};

/// The nvcc flags for programs that can run here.
pub(crate) const FLAGS: &str =
    "NVCC_APPEND_FLAGS='-cudart shared -gencode arch=compute_90a,code=compute_90a'";

/// Writes a report with names from PTX and the program, escaped. If standard error is closed, as after `2>&1 |
/// head`, the program continues, and the finding is only in the record.
fn say(report: &str) {
    let _ = writeln!(io::stderr(), "{}\n", escape_text(report));
}

/// The reports of a process, each finding once.
#[derive(Debug, Default)]
pub(crate) struct FindingReport {
    record: Option<PathBuf>,
    /// The file of findings as JSON, one in a line; only if `tma exec` writes report files.
    findings: Option<PathBuf>,
    /// The number of each finding, in the order of discovery.
    known: HashMap<String, usize>,
    /// The previous count of findings for each suppression.
    suppressed: Vec<u64>,
}

impl FindingReport {
    pub(crate) fn new(record: Option<PathBuf>, findings: Option<PathBuf>) -> Self {
        Self {
            record,
            findings,
            ..Self::default()
        }
    }

    /// Appends a line to the record.
    pub(crate) fn count(&self, line: &str) {
        append(self.record.as_ref(), &escape_name(line));
    }

    /// Counts a launch, described in words.
    pub(crate) fn launch(&self, number: u64, launch: &str) {
        self.count("launch");
        self.write(Some(number), &json!({ "what": launch }));
    }

    /// Writes a line of the findings. Children of the program write to the same file.
    fn write(&self, launch: Option<u64>, fields: &Value) {
        if self.findings.is_some() {
            let mut line = fields.clone();
            line["process"] = json!(std::process::id());
            line["launch"] = json!(launch);
            append(self.findings.as_ref(), &line.to_string());
        }
    }

    /// Numbers a finding. Writes it in full the first time, and its number later.
    fn is_new(
        &mut self,
        key: String,
        launch: Option<(u64, u64)>,
        finding: impl FnOnce() -> Value,
    ) -> bool {
        let (launch, seed) = launch.unzip();
        let next = self.known.len();
        let number = *self.known.entry(key).or_insert(next);
        let is_new = number == next;
        let mut fields = json!({ "number": number, "seed": seed });
        if is_new {
            fields["finding"] = finding();
        }
        self.write(launch, &fields);
        is_new
    }

    /// Reports a finding of the checker in a launch, with the launch's number and seed, and described in words.
    pub(crate) fn finding(&mut self, found: &Diagnostic, at: (u64, u64), launch: &str) {
        let place = |site: &Option<tma_emulator::check::Site>| {
            site.as_ref().map(|site| site.location.to_string())
        };
        let key = format!(
            "{} {:?} {:?}",
            found.kind,
            place(&found.here),
            place(&found.there)
        );
        let seed = match found.schedule {
            None => format!(", seed {}", at.1),
            Some(_) => String::new(),
        };
        let report = format!("{found}\n  = launch: {launch}{seed}");
        let json = || {
            let mut json = finding_reports::to_json(found);
            json["message"] = json!(report);
            json
        };
        if !self.is_new(key, Some(at), json) {
            return self.count("again");
        }
        let severity = match found.kind.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        self.count(&format!("{severity} {}", found.kind));
        say(&report);
    }

    /// Reports the answer of a search through the schedules of a launch, and counts it.
    pub(crate) fn answer(&mut self, launch: &str, explored: &Exploration) {
        let schedules = match explored.schedules {
            1 => "1 schedule".to_owned(),
            count => format!("{count} schedules"),
        };
        let (key, answer) = match &explored.verdict {
            Verdict::Proved => (
                "proved",
                format!(
                    "proved: launch {launch}: {schedules} explored, {} more covered",
                    explored.covered
                ),
            ),
            Verdict::Unfinished { why, open } => (
                "unfinished",
                format!(
                    "not finished: launch {launch}: {why}; {schedules} explored, {open} choices left to try"
                ),
            ),
            _ => (
                "found",
                format!("findings: launch {launch}: {schedules} explored up to this one"),
            ),
        };
        self.count(key);
        say(&answer);
    }

    /// Counts the findings removed by each suppression.
    pub(crate) fn suppressed(&mut self, counts: impl Iterator<Item = u64>) {
        let counts: Vec<u64> = counts.collect();
        for (index, count) in counts.iter().enumerate() {
            let before = self.suppressed.get(index).copied().unwrap_or_default();
            if *count > before {
                self.count(&format!("suppressed {index} {}", count - before));
            }
        }
        self.suppressed = counts;
    }

    /// Reports an invalid call.
    pub(crate) fn error(&mut self, what: &str) {
        self.other("invalid-call", None, what);
    }

    /// Reports the fault of an unchecked kernel, with the launch's number and seed.
    pub(crate) fn fault(&mut self, at: (u64, u64), what: &str) {
        self.other("fault", Some(at), what);
    }

    fn other(&mut self, kind: &str, at: Option<(u64, u64)>, what: &str) {
        let report = format!("error: {what}");
        if self.is_new(what.to_owned(), at, || other(kind, &report)) {
            self.count("error call");
            say(&report);
        } else {
            self.count("again");
        }
    }

    #[cfg(test)]
    pub(crate) fn is_reported(&self, what: &str) -> bool {
        self.known.keys().any(|known| known.contains(what))
    }

    /// Reports a call of an unsupported function.
    pub(crate) fn unsupported(&mut self, name: &str) {
        let what = format!("{name} is not supported; it returns cudaErrorNotSupported");
        self.lacking(name, format!("unsupported {name}"), &what);
    }

    /// Reports a kernel or program that the emulator cannot run.
    pub(crate) fn cannot_run(&mut self, name: &str, why: &str) {
        self.lacking(name, why.to_owned(), &format!("{name}: {why}"));
    }

    fn lacking(&mut self, name: &str, key: String, what: &str) {
        self.count(&format!("unsupported {name}"));
        let report = format!("error[unsupported]: {what}");
        if self.is_new(key, None, || other("unsupported", &report)) {
            say(&report);
        }
    }
}

/// Returns an error without locations as JSON.
fn other(kind: &str, report: &str) -> Value {
    json!({ "kind": kind, "severity": "error", "message": report })
}

/// Appends a line to a file. A lost line is only missing from the final summary.
fn append(path: Option<&PathBuf>, line: &str) {
    let Some(path) = path else { return };
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        // One write, since other processes append to the same file.
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}
