//! Reports on standard error, and lines that `tma exec` counts.

use std::{
    collections::HashSet,
    fs::OpenOptions,
    io::{self, Write},
    path::PathBuf,
};

use tma_emulator::check::{Diagnostic, Severity};
use tma_launch::{escape_name, escape_text};

/// The flags with which nvcc builds programs that can be run.
pub(crate) const FLAGS: &str =
    "NVCC_APPEND_FLAGS='-cudart shared -gencode arch=compute_90a,code=compute_90a'";

/// Writes a report, whose names are those of PTX and of the program. It is in the record where nobody reads standard
/// error, as after `2>&1 | head`: the program goes on.
fn say(report: &str) {
    let _ = writeln!(io::stderr(), "{}\n", escape_text(report));
}

/// The reports of a process: each finding once.
#[derive(Debug, Default)]
pub(crate) struct Report {
    record: Option<PathBuf>,
    known: HashSet<String>,
    /// The findings of each suppression when they were counted last.
    suppressed: Vec<u64>,
}

impl Report {
    pub(crate) fn new(record: Option<PathBuf>) -> Self {
        Self {
            record,
            ..Self::default()
        }
    }

    /// Adds a line to the record. What is lost here is missing in the closing line alone.
    pub(crate) fn count(&self, line: &str) {
        let Some(path) = &self.record else { return };
        if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
            let _ = writeln!(file, "{}", escape_name(line));
        }
    }

    /// A finding of the checker in a launch, which is told in words.
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

    /// Counts the findings that each suppression has left out.
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

    /// Says what is wrong with a call, or with a kernel that nobody checks.
    pub(crate) fn error(&mut self, what: &str) {
        if self.known.insert(what.to_owned()) {
            self.count("error call");
            say(&format!("error: {what}"));
        } else {
            self.count("again");
        }
    }

    #[cfg(test)]
    pub(crate) fn is_told(&self, what: &str) -> bool {
        self.known.iter().any(|known| known.contains(what))
    }

    /// A function that was called and is not there.
    pub(crate) fn unsupported(&mut self, name: &str) {
        self.count(&format!("unsupported {name}"));
        if self.known.insert(format!("unsupported {name}")) {
            say(&format!(
                "error[unsupported]: {name} is not there: it returns cudaErrorNotSupported"
            ));
        }
    }

    /// A kernel or a program that the emulator cannot run.
    pub(crate) fn cannot_run(&mut self, name: &str, why: &str) {
        self.count(&format!("unsupported {name}"));
        if self.known.insert(why.to_owned()) {
            say(&format!("error[unsupported]: {name}: {why}"));
        }
    }
}
