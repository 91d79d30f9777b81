//! Compares the bytes that a phase expects with those of its copies.

use super::{Object, order::Expectation};
use crate::{
    check::{Checker, Kind, raw::End},
    machine::observer::Origin,
};

impl Object {
    /// The arithmetic of the current phase.
    fn arithmetic(&self, block: u32) -> Option<(u64, u64, Vec<String>)> {
        let issued: u64 = self.issued.iter().map(|copy| u64::from(copy.bytes)).sum();
        if issued == self.expected {
            return None;
        }
        let copies = self.issued.iter().filter(|copy| copy.bytes > 0).count();
        let (phase, offset, expected) = (self.phase, self.offset, self.expected);
        let delivered = match copies {
            0 => "no copy was issued".to_owned(),
            1 => format!("1 copy delivers {issued}"),
            _ => format!("{copies} copies deliver {issued}"),
        };
        let mut notes = vec![format!(
            "phase {phase} of the mbarrier at shared address {offset:#x} of block {block} expects {expected} \
             bytes; {delivered}"
        )];
        for Expectation { origin, bytes, .. } in self.armed.iter().take(4) {
            let (thread, block) = (origin.thread, origin.block);
            notes.push(format!(
                "thread {thread} of block {block} expects {bytes} bytes"
            ));
        }
        if self.armed.is_empty() {
            notes.push("nobody expects bytes in this phase".into());
        }
        Some((self.expected, issued, notes))
    }

    /// Who said last how many bytes come, and who issued the last copy.
    fn blamed(&self) -> (Option<Origin>, Option<Origin>) {
        let armed = self.armed.last().map(|armed| armed.origin);
        (armed, self.issued.last().map(|copy| copy.origin))
    }
}

impl Checker {
    /// Whether a phase that completes got the bytes of its copies, and all of them.
    pub(super) fn check_bytes(&mut self, origin: Origin, block: u32, object: &Object) {
        let Some((expected, _, mut notes)) = object.arithmetic(block) else {
            return;
        };
        let kind = if expected == 0 {
            Kind::UnarmedReceiver
        } else {
            Kind::TransactionBytes
        };
        notes.push(
            "the phase completed all the same, since the bytes that came happened to fit".into(),
        );
        self.wrong_bytes_at(
            Some(origin),
            (block, object.id),
            kind,
            object.blamed(),
            notes,
        );
    }

    /// Reports bytes that do not fit: who expects them, and who issued the last copy.
    fn wrong_bytes_at(
        &mut self,
        completer: Option<Origin>,
        mbarrier: (u32, u32),
        kind: Kind,
        (armed, issued): (Option<Origin>, Option<Origin>),
        notes: Vec<String>,
    ) {
        let issued = issued.map(|issued| End::new(issued, "issues a copy that counts there"));
        let armed = armed.map(|armed| End::new(armed, "expects bytes"));
        let completer = completer.map(|origin| End::new(origin, "completes the phase"));
        let mut ends = armed.into_iter().chain(issued).chain(completer);
        if let Some(here) = ends.next() {
            self.report(kind, here, ends.next(), |_| notes)
                .about(Some(mbarrier));
        }
    }

    /// Barriers whose current phase expects other bytes than its copies deliver. Where no copy was
    /// issued at all, who would issue it may be stuck elsewhere: that is no kind of its own.
    pub(in crate::check) fn wrong_bytes(&self) -> (Option<Kind>, Vec<String>) {
        let objects = self.mbarriers.objects.iter();
        let objects = objects.filter(|(_, object)| object.is_valid());
        let mut wrong: Vec<_> = objects
            .filter_map(|(at, object)| Some((at, object.arithmetic(at.0)?)))
            .collect();
        wrong.sort_unstable_by_key(|(at, _)| **at);
        let kind = wrong.iter().find_map(|(_, (expected, issued, _))| {
            (*issued > 0).then_some(match expected {
                0 => Kind::UnarmedReceiver,
                _ => Kind::TransactionBytes,
            })
        });
        let notes = wrong.into_iter().take(4).flat_map(|(_, (.., notes))| notes);
        (kind, notes.collect())
    }

    /// The same barriers, by block and number.
    pub(in crate::check) fn barriers_with_wrong_bytes(&self) -> Vec<(u32, u32)> {
        let objects = self.mbarriers.objects.iter();
        let wrong = objects.filter(|(at, o)| o.is_valid() && o.arithmetic(at.0).is_some());
        wrong.map(|(at, object)| (at.0, object.id)).collect()
    }

    /// What is wrong with the barriers of a block that ends.
    pub(in crate::check) fn mbarriers_at_end(&mut self, block: u32) {
        self.check_last_expectations(Some(block));
        let objects = self.mbarriers.of_block(block).filter(|o| o.is_valid());
        let mut wrong: Vec<_> = objects
            .filter_map(|object| {
                let (expected, issued, notes) = object.arithmetic(block)?;
                let kind = match expected {
                    0 if issued > 0 => Kind::UnarmedReceiver,
                    _ => Kind::TransactionBytes,
                };
                Some((object.offset, object.id, kind, object.blamed(), notes))
            })
            .collect();
        wrong.sort_by_key(|(offset, ..)| *offset);
        for (_, id, kind, blamed, notes) in wrong {
            self.wrong_bytes_at(None, (block, id), kind, blamed, notes);
        }
        self.mbarriers.forget(block);
    }
}
