//! Reports on standard error, and counts for `tma exec`.

use std::{
    collections::HashSet,
    fs::OpenOptions,
    io::{self, Write},
    path::PathBuf,
};

use tma_emulator::check::{Diagnostic, Severity};
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
    known: HashSet<String>,
    /// The previous count of findings for each suppression.
    suppressed: Vec<u64>,
}

impl FindingReport {
    pub(crate) fn new(record: Option<PathBuf>) -> Self {
        Self {
            record,
            ..Self::default()
        }
    }

    /// Appends a line to the record. A lost line is only missing from the final summary.
    pub(crate) fn count(&self, line: &str) {
        let Some(path) = &self.record else { return };
        if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
            let _ = writeln!(file, "{}", escape_name(line));
        }
    }

    /// Reports a finding of the checker in a launch, described in words.
    pub(crate) fn finding(&mut self, found: &Diagnostic, launch: &str) {
        let place = |site: &Option<tma_emulator::check::Site>| {
            site.as_ref().map(|site| site.location.to_string())
        };
        let key = format!(
            "{} {:?} {:?}",
            found.kind,
            place(&found.here),
            place(&found.there)
        );
        if !self.known.insert(key) {
            return self.count("again");
        }
        let severity = match found.kind.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        self.count(&format!("{severity} {}", found.kind));
        say(&format!("{found}\n  = launch: {launch}"));
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

    /// Reports an invalid call, or a fault of an unchecked kernel.
    pub(crate) fn error(&mut self, what: &str) {
        if self.known.insert(what.to_owned()) {
            self.count("error call");
            say(&format!("error: {what}"));
        } else {
            self.count("again");
        }
    }

    #[cfg(test)]
    pub(crate) fn is_reported(&self, what: &str) -> bool {
        self.known.iter().any(|known| known.contains(what))
    }

    /// Reports a call of an unsupported function.
    pub(crate) fn unsupported(&mut self, name: &str) {
        self.count(&format!("unsupported {name}"));
        if self.known.insert(format!("unsupported {name}")) {
            say(&format!(
                "error[unsupported]: {name} is not supported; it returns cudaErrorNotSupported"
            ));
        }
    }

    /// Reports a kernel or program that the emulator cannot run.
    pub(crate) fn cannot_run(&mut self, name: &str, why: &str) {
        self.count(&format!("unsupported {name}"));
        if self.known.insert(why.to_owned()) {
            say(&format!("error[unsupported]: {name}: {why}"));
        }
    }
}
