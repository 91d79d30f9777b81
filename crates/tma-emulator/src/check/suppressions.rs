//! Suppressions: findings that the user has accepted.

use super::{
    diagnostic::{CheckReport, Diagnostic},
    kind::DiagnosticKind,
};

/// Findings of one kind in one function that are not to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// Kind of the findings to suppress.
    pub kind: DiagnosticKind,
    /// PTX name of the kernel, or of a function that contains one of the instructions. A `*` at the end matches
    /// any continuation.
    pub function: String,
    /// Reason for accepting such findings.
    pub reason: Option<String>,
}

impl Suppression {
    /// Returns whether a finding has this kind and is in this function. A finding that ends the kernel is never
    /// suppressed, since the rest of the kernel was not checked.
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

/// A list of suppressions that counts their uses.
#[derive(Clone, Debug, Default)]
pub struct Suppressions {
    all: Vec<(Suppression, u64)>,
}

impl Suppressions {
    /// Creates the list of these suppressions.
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

    /// Returns the same suppressions, none of them used.
    pub(crate) fn unused(&self) -> Self {
        Self::new(self.all.iter().map(|(suppression, _)| suppression.clone()))
    }

    /// Adds the uses of the same suppressions.
    pub(crate) fn add(&mut self, other: &Self) {
        for ((_, count), (_, more)) in self.all.iter_mut().zip(&other.all) {
            *count += more;
        }
    }

    /// Returns all suppressions, each with the number of findings that it has suppressed.
    pub fn counts(&self) -> impl Iterator<Item = (&Suppression, u64)> {
        self.all
            .iter()
            .map(|(suppression, count)| (suppression, *count))
    }
}

impl CheckReport {
    /// Removes suppressed findings.
    pub fn suppress(&mut self, suppressions: &mut Suppressions) {
        self.diagnostics
            .retain(|found| !suppressions.suppress(found));
    }
}
