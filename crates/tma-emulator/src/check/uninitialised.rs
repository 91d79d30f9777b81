//! Uses of values read from uninitialised memory.

use super::{
    causes::Causes,
    checker::Checker,
    finding::{Finding, FindingEnd},
    kind::DiagnosticKind,
};
use crate::machine::observer::{Origin, Used};

impl Checker {
    /// Reports the use of a value that an instruction read from uninitialised memory.
    pub(super) fn unwritten_use(&mut self, origin: Origin, read: usize, used: Used) {
        let what = match used {
            Used::Unknown => {
                self.unwritten.lost.insert(read);
                return;
            }
            Used::Branch => "uses the value as a condition",
            Used::Address => "uses the value as an address",
            Used::Store => "stores the value, or a result computed from it",
        };
        let here = FindingEnd::new(origin, what);
        let found = self
            .found
            .iter()
            .find(|finding| self.is_read(finding, read));
        let there = found.and_then(|finding| finding.here.clone());
        let notes = found.map_or_else(Vec::new, |finding| finding.notes.clone());
        let other = found.and_then(|finding| finding.others.first().cloned());
        self.report(DiagnosticKind::UninitialisedUse, here, there, |_| notes)
            .because(other);
    }

    /// Returns whether this is an uninitialised read with no result that depends on it.
    pub(super) fn is_harmless(&self, finding: &Finding) -> bool {
        let here = finding.here.as_ref();
        let here = here.map(|end| self.sites.instruction(end.instruction));
        let lost = &self.unwritten.lost;
        finding.kind == DiagnosticKind::UninitialisedRead
            && !here.is_some_and(|here| lost.contains(&here))
    }

    /// Merges each uninitialised read into the first use of its value.
    pub(super) fn causes_of_uses(&self, causes: &mut Causes) {
        for (index, finding) in self.found.iter().enumerate() {
            let Some(there) = &finding.there else {
                continue;
            };
            if finding.kind != DiagnosticKind::UninitialisedUse {
                continue;
            }
            let mut found = self.found.iter();
            let read = found.position(|finding| {
                self.is_read(finding, self.sites.instruction(there.instruction))
            });
            match read {
                Some(read) if causes.is_reported(read) => causes.add(read, index),
                Some(read) => causes.add(index, causes.reported(read)),
                None => {}
            }
        }
    }

    /// Returns whether the finding concerns the values that this instruction reads.
    fn is_read(&self, finding: &Finding, read: usize) -> bool {
        let here = finding.here.as_ref();
        finding.kind == DiagnosticKind::UninitialisedRead
            && here.is_some_and(|end| self.sites.instruction(end.instruction) == read)
    }
}
