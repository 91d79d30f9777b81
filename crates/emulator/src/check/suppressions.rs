//! Findings that somebody has accepted.

use super::{CheckReport, Diagnostic, Kind};

/// Findings of one kind in one function that are not to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The kind.
    pub kind: Kind,
    /// The name in PTX of the kernel, or of the function with one of the instructions; with a `*` at its end, all names
    /// that begin so.
    pub function: String,
    /// Why it is accepted.
    pub reason: Option<String>,
}

impl Suppression {
    /// Returns whether a finding is of this kind and in this function. What ends a kernel is never suppressed, since
    /// nothing is known of what would come then.
    pub fn covers(&self, found: &Diagnostic) -> bool {
        let is_meant = |name: &str| match self.function.strip_suffix('*') {
            Some(first) => name.starts_with(first),
            None => name == self.function,
        };
        let mut sites = found.here.iter().chain(&found.there);
        found.kind == self.kind
            && !found.ends_kernel()
            && (is_meant(&found.entry) || sites.any(|site| is_meant(&site.function)))
    }
}

/// A list of suppressions, which counts what it was used for.
#[derive(Clone, Debug, Default)]
pub struct Suppressions {
    all: Vec<(Suppression, u64)>,
}

impl Suppressions {
    /// Of these.
    pub fn new(all: impl IntoIterator<Item = Suppression>) -> Self {
        let all = all
            .into_iter()
            .map(|suppression| (suppression, 0))
            .collect();
        Self { all }
    }

    /// Returns whether one of them covers a finding, and counts it there.
    pub fn suppress(&mut self, found: &Diagnostic) -> bool {
        let covers = |(suppression, _): &&mut (Suppression, u64)| suppression.covers(found);
        match self.all.iter_mut().find(covers) {
            Some((_, count)) => {
                *count += 1;
                true
            }
            None => false,
        }
    }

    /// All of them, each with the number of findings that it has suppressed.
    pub fn counts(&self) -> impl Iterator<Item = (&Suppression, u64)> {
        self.all
            .iter()
            .map(|(suppression, count)| (suppression, *count))
    }
}

impl CheckReport {
    /// Leaves out what is suppressed.
    pub fn suppress(&mut self, suppressions: &mut Suppressions) {
        self.diagnostics
            .retain(|found| !suppressions.suppress(found));
    }
}
