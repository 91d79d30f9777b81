//! Compares the bytes that a phase expects with the bytes that its copies deliver.

use super::state::{Expectation, MbarrierState, Mbarriers};
use crate::{
    check::{
        checker::Checker,
        finding::{FindingEnd, RelatedInstruction},
        grid::Extents,
        kind::DiagnosticKind,
    },
    machine::{Names, Program, observer::Origin},
};

/// Limit for listed instructions of each sort, and for listed barriers in a deadlock.
const LISTED: usize = 4;

impl MbarrierState {
    /// Returns the byte counts of the current phase, if they differ.
    fn arithmetic(&self, block: [u32; 3], names: &Names) -> Option<Wrong> {
        let issued: u64 = self.issued.iter().map(|copy| u64::from(copy.bytes)).sum();
        if issued == self.expected {
            return None;
        }
        let copies = self.issued.iter().filter(|copy| copy.bytes > 0);
        let (phase, expected) = (self.phase, self.expected);
        let delivered = match copies.clone().count() {
            0 => "no copy was issued".to_owned(),
            1 => format!("1 copy delivers {issued}"),
            copies => format!("{copies} copies deliver {issued}"),
        };
        let mut notes = vec![format!(
            "phase {phase} of the {} of block {block:?} expects {expected} bytes; {delivered}",
            names.mbarrier(self.offset)
        )];
        if self.armed.is_empty() {
            notes.push("no thread expects bytes in this phase".into());
        }
        let armed = self.armed.iter().map(|armed| {
            let Expectation { origin, bytes, .. } = armed;
            (*origin, format!("expects {bytes} bytes"))
        });
        let copies = copies.map(|copy| {
            let what = format!("issues a copy of {} bytes that counts there", copy.bytes);
            (copy.origin, what)
        });
        Some(Wrong {
            expected,
            issued,
            armed: armed.collect(),
            copies: copies.collect(),
            notes,
        })
    }

    /// Returns whether the first copies deliver the expected bytes, or none are expected, so that the other
    /// copies come too early.
    fn is_right_in_part(&self) -> bool {
        let sums = self.issued.iter().scan(0, |sum, copy| {
            *sum += u64::from(copy.bytes);
            Some(*sum)
        });
        std::iter::once(0)
            .chain(sums)
            .any(|sum| sum == self.expected)
    }
}

/// A phase with a byte count that differs from the bytes of its copies.
struct Wrong {
    expected: u64,
    issued: u64,
    /// The instructions that expect bytes and those that issue copies, each with a description.
    armed: Vec<(Origin, String)>,
    copies: Vec<(Origin, String)>,
    notes: Vec<String>,
}

impl Wrong {
    /// Returns some of the instructions involved, without the last `of_last` of each sort, which are reported
    /// already.
    fn others(&self, of_last: usize, extents: &Extents) -> Vec<RelatedInstruction> {
        let some = |all: &'_ [(Origin, String)]| {
            let all = &all[..all.len().saturating_sub(of_last)];
            let some = all
                .iter()
                .take(LISTED)
                .map(|(origin, what)| RelatedInstruction {
                    instruction: origin.instruction,
                    what: format!(
                        "thread {} of block {:?} {what}",
                        origin.thread,
                        extents.index(origin.block as u32)
                    ),
                });
            some.collect::<Vec<_>>()
        };
        [some(&self.armed), some(&self.copies)].concat()
    }
}

impl Checker {
    /// Checks that a phase that completes got the bytes of its copies, and all of them.
    pub(super) fn check_bytes(&mut self, origin: Origin, block: u32, object: &MbarrierState) {
        let Some(mut wrong) = object.arithmetic(self.grid.extents.index(block), &self.shared_names)
        else {
            return;
        };
        let kind = if wrong.expected == 0 {
            DiagnosticKind::UnarmedReceiver
        } else {
            DiagnosticKind::TransactionBytes
        };
        wrong
            .notes
            .push("the phase completed anyway, since the delivered bytes happened to match".into());
        self.wrong_bytes_at(Some(origin), (block, object), kind, wrong);
    }

    /// Reports mismatched bytes, with the expecting instruction and the last copy.
    fn wrong_bytes_at(
        &mut self,
        completer: Option<Origin>,
        (block, object): (u32, &MbarrierState),
        kind: DiagnosticKind,
        bytes: Wrong,
    ) {
        let mbarrier = (block, object.id);
        let Mbarriers {
            early_copies,
            wrong,
            ..
        } = &mut self.mbarriers;
        if !early_copies.contains(&mbarrier) && !wrong.contains(&mbarrier) {
            match object.is_right_in_part() {
                true => early_copies.insert(mbarrier),
                false => wrong.insert(mbarrier),
            };
        }
        let last = |all: &[(Origin, String)]| {
            let last = all.last();
            last.map(|(origin, what)| FindingEnd::new(*origin, what.clone()))
        };
        let (armed, issued) = (last(&bytes.armed), last(&bytes.copies));
        let completer = completer.map(|origin| FindingEnd::new(origin, "completes the phase"));
        let mut ends = armed.into_iter().chain(issued).chain(completer);
        if let Some(here) = ends.next() {
            let extents = self.grid.extents;
            let finding = self.report(kind, here, ends.next(), |_| bytes.notes.clone());
            finding.about(Some(mbarrier));
            if finding.count == 1 {
                finding.others = bytes.others(1, &extents);
            }
        }
    }

    /// Reports the barriers that expect other bytes than copies deliver, in a deadlock. If no copy was issued
    /// at all, its issuer may be stuck elsewhere; that mismatch is returned as a note.
    pub(in crate::check) fn bytes_at_deadlock(&mut self, program: &Program) -> Vec<String> {
        let unissued = self.wrong_bytes(None, |issued| issued > 0);
        let notes = unissued.into_iter().take(LISTED).flat_map(|bytes| {
            let others = bytes.others(0, &self.grid.extents);
            let others = others
                .into_iter()
                .map(|other| other.note(program, &self.sites));
            bytes.notes.into_iter().chain(others).collect::<Vec<_>>()
        });
        notes.collect()
    }

    /// Checks the barriers of a block that ends.
    pub(in crate::check) fn mbarriers_at_end(&mut self, block: u32) {
        self.check_last_expectations(Some(block));
        self.wrong_bytes(Some(block), |_| true);
        self.mbarriers.forget(block);
    }

    /// Reports barriers of a block, or of all blocks, with a current phase that expects other bytes than its
    /// copies deliver, if `is_reported` accepts the delivered count. Returns the other mismatches.
    fn wrong_bytes(&mut self, of: Option<u32>, is_reported: fn(u64) -> bool) -> Vec<Wrong> {
        let objects = std::mem::take(&mut self.mbarriers.objects);
        let mut all: Vec<_> = objects.iter().filter(|(_, o)| o.is_valid()).collect();
        all.retain(|((block, _), _)| of.is_none_or(|of| of == *block));
        all.sort_by_key(|(at, _)| **at);
        let mut others = Vec::new();
        for ((block, _), object) in all {
            match object.arithmetic(self.grid.extents.index(*block), &self.shared_names) {
                Some(bytes) if is_reported(bytes.issued) => {
                    let kind = match bytes.expected {
                        0 if bytes.issued > 0 => DiagnosticKind::UnarmedReceiver,
                        _ => DiagnosticKind::TransactionBytes,
                    };
                    self.wrong_bytes_at(None, (*block, object), kind, bytes);
                }
                Some(bytes) => others.push(bytes),
                None => {}
            }
        }
        self.mbarriers.objects = objects;
        others
    }
}
