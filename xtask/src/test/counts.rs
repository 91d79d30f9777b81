//! Counts tests from the output of the suites.

use std::{
    fmt::{self, Display, Formatter},
    ops::AddAssign,
    process::ExitCode,
};

/// Numbers of tests that passed, failed and were skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// The failed tests that have a name, each after its suite.
    pub(crate) failures: Vec<String>,
}

impl Counts {
    /// Returns success if at least one test passed and none failed.
    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.is_good() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    pub(crate) fn is_good(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
    }
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
            failures,
        } = self;
        for failure in failures {
            writeln!(f, "failed: {failure}")?;
        }
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// The suites that ran, in order.
#[derive(Debug, Default)]
pub(super) struct Suites {
    suites: Vec<(String, Counts)>,
    /// Failures outside of the counts: a suite that did not compile or crashed.
    uncounted: bool,
    /// True if the line before is the header of the names of the failed tests, or one of them.
    in_failures: bool,
}

impl Suites {
    /// Reads a line of the output of `cargo test` and the suites, with or without its newline.
    pub(super) fn read(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(name) = suite_name(line) {
            self.suites.push((name.to_owned(), Counts::default()));
        } else if let Some((name, suite)) = self.suites.last_mut() {
            if let Some(counts) = counts(line) {
                *suite += counts;
            }
            let failure = line.strip_prefix("    ").filter(|_| self.in_failures);
            self.in_failures = failure.is_some() || line == "failures:";
            suite
                .failures
                .extend(failure.map(|it| format!("{name}: {it}")));
        }
    }

    /// Records that cargo ended.
    pub(super) fn ended(&mut self, well: bool) {
        self.uncounted = !well && self.total().failed == 0;
    }

    pub(super) fn total(&self) -> Counts {
        let mut total = Counts::default();
        if self.uncounted {
            total.failed = 1;
            let reason = "a suite that did not compile or crashed: see what it printed";
            total.failures.push(reason.to_owned());
        }
        self.suites
            .iter()
            .for_each(|(_, counts)| total += counts.clone());
        total
    }

    /// Returns whether a suite of this name is missing or has no tests.
    pub(super) fn is_empty(&self, name: &str) -> bool {
        let mut of_name = self.suites.iter().filter(|(suite, _)| suite == name);
        of_name.all(|(_, counts)| *counts == Counts::default())
    }
}

/// Returns `cases` from `Running tests/cases.rs (target/debug/deps/cases-0123456789abcdef)`.
fn suite_name(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(name);
    }
    let program = line
        .strip_prefix("Running ")?
        .strip_suffix(')')?
        .rsplit(['/', '\\'])
        .next()?;
    program.rsplit_once('-').map(|(name, _)| name)
}

/// Parses `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; ...`.
fn counts(line: &str) -> Option<Counts> {
    let (_, parts) = line
        .trim()
        .strip_prefix("test result: ")?
        .split_once(". ")?;
    let number = |word: &str| {
        let part = parts.split("; ").find_map(|part| part.strip_suffix(word));
        part.and_then(|number| number.trim().parse().ok())
    };
    Some(Counts {
        passed: number(" passed")?,
        failed: number(" failed")?,
        skipped: number(" ignored")?,
        ..Counts::default()
    })
}

/// Returns the text without terminal colours.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split("\x1b[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
\x1b[1m\x1b[32m     Running\x1b[0m unittests src/lib.rs (target/debug/deps/ptx-01)
test result: \x1b[32mok\x1b[0m. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
     Running tests/cases.rs (target/debug/deps/cases-02)

failures:

---- two/sm_90a ----
    the first result is 1, not 2

failures:
    two/sm_90a
    three

test result: FAILED. 1 passed; 2 failed; 40 ignored; 0 measured; 0 filtered out; finished in 0.00s
   Doc-tests ptx
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    fn read(text: &str, well: bool) -> Suites {
        let mut suites = Suites::default();
        text.split_inclusive('\n')
            .for_each(|line| suites.read(&plain(line)));
        suites.ended(well);
        suites
    }

    #[test]
    fn suites_are_added_up() {
        let suites = read(TEXT, false);
        assert_eq!(
            suites.total().to_string(),
            "failed: cases: two/sm_90a\nfailed: cases: three\n6 passed, 2 failed, 41 skipped"
        );
        assert!(!suites.is_empty("cases") && suites.is_empty("golden"));
    }

    #[test]
    fn a_suite_without_cases_is_seen() {
        let text = "     Running tests/cases.rs (target/debug/deps/cases-02)\n\
            test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert!(read(text, true).is_empty("cases"));
    }

    #[test]
    fn a_suite_that_dies_counts_as_a_failure() {
        let suites = read(
            "     Running tests/cases.rs (target/debug/deps/cases-02)\n",
            false,
        );
        assert_eq!(suites.total().failed, 1);
        assert!(!suites.total().is_good());
    }

    #[test]
    fn nothing_passed_is_not_good() {
        assert!(
            !Counts {
                skipped: 3,
                ..Counts::default()
            }
            .is_good()
        );
        assert!(
            Counts {
                passed: 1,
                ..Counts::default()
            }
            .is_good()
        );
    }
}
