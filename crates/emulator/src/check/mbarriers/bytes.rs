//! Compares the bytes that a phase expects with those of its copies.

use super::{Mbarriers, Object, order::Expectation};
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

    /// Returns whether the first copies deliver what is expected, or none would, and the others
    /// come too early.
    fn is_right_in_part(&self) -> bool {
        let sums = self.issued.iter().scan(0, |sum, copy| {
            *sum += u64::from(copy.bytes);
            Some(*sum)
        });
        std::iter::once(0)
            .chain(sums)
            .any(|sum| sum == self.expected)
    }

    /// The origins of the last expectation and of the last copy.
    fn blamed(&self) -> (Option<Origin>, Option<Origin>) {
        let armed = self.armed.last().map(|armed| armed.origin);
        (armed, self.issued.last().map(|copy| copy.origin))
    }
}

impl Checker {
    /// Checks that a phase that completes got the bytes of its copies, and all of them.
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
        self.wrong_bytes_at(Some(origin), (block, object), kind, notes);
    }

    /// Reports bytes that do not fit: who expects them, and who issued the last copy.
    fn wrong_bytes_at(
        &mut self,
        completer: Option<Origin>,
        (block, object): (u32, &Object),
        kind: Kind,
        notes: Vec<String>,
    ) {
        let mbarrier = (block, object.id);
        let (armed, issued) = object.blamed();
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
        let issued = issued.map(|issued| End::new(issued, "issues a copy that counts there"));
        let armed = armed.map(|armed| End::new(armed, "expects bytes"));
        let completer = completer.map(|origin| End::new(origin, "completes the phase"));
        let mut ends = armed.into_iter().chain(issued).chain(completer);
        if let Some(here) = ends.next() {
            self.report(kind, here, ends.next(), |_| notes)
                .about(Some(mbarrier));
        }
    }

    /// Reports the barriers that expect other bytes than copies deliver, in a deadlock. Where no copy was
    /// issued at all, its issuer may be stuck elsewhere: that is no kind of its own.
    pub(in crate::check) fn bytes_at_deadlock(&mut self) -> Vec<String> {
        let unissued = self.wrong_bytes(None, |issued| issued > 0);
        unissued.into_iter().take(4).flatten().collect()
    }

    /// Checks the barriers of a block that ends.
    pub(in crate::check) fn mbarriers_at_end(&mut self, block: u32) {
        self.check_last_expectations(Some(block));
        self.wrong_bytes(Some(block), |_| true);
        self.mbarriers.forget(block);
    }

    /// Reports the barriers of a block, or of all, whose current phase expects other bytes than its copies
    /// deliver, if so many as those are worth it; gives the notes of the others.
    fn wrong_bytes(&mut self, of: Option<u32>, is_told: fn(u64) -> bool) -> Vec<Vec<String>> {
        let objects = std::mem::take(&mut self.mbarriers.objects);
        let mut all: Vec<_> = objects.iter().filter(|(_, o)| o.is_valid()).collect();
        all.retain(|((block, _), _)| of.is_none_or(|of| of == *block));
        all.sort_unstable_by_key(|(at, _)| **at);
        let mut others = Vec::new();
        for ((block, _), object) in all {
            match object.arithmetic(*block) {
                Some((expected, issued, notes)) if is_told(issued) => {
                    let kind = match expected {
                        0 if issued > 0 => Kind::UnarmedReceiver,
                        _ => Kind::TransactionBytes,
                    };
                    self.wrong_bytes_at(None, (*block, object), kind, notes);
                }
                Some((_, _, notes)) => others.push(notes),
                None => {}
            }
        }
        self.mbarriers.objects = objects;
        others
    }
}
