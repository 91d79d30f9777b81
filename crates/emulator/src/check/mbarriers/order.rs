//! Finds expectations, arrivals and copies that may count in another phase, because nothing orders
//! them against the completion of a phase.

use super::Object;
use crate::{
    check::{
        Checker, Kind,
        clock::{Epoch, Lane},
        grid::{Extents, Thread},
        raw::End,
    },
    machine::observer::Origin,
};

/// Bytes that a thread expects in the current phase.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    pub(super) origin: Origin,
    pub(super) bytes: u32,
    epoch: Epoch,
    /// True if an arrival of this phase comes after it, without which the phase cannot complete.
    is_held: bool,
    /// True if its thread did not know that the phase before was complete. If the thread then arrives
    /// without knowing it either, the violation is that of the arrival and not one of bytes.
    is_late: bool,
}

/// The arrivals of a phase.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    /// By number of the thread in the grid.
    all: Vec<(u32, Epoch)>,
    last: Option<Origin>,
    /// True if the phase waited for bytes, too.
    has_bytes: bool,
}

/// Returns whether a thread of the grid knows a step of another, if scopes were wide enough.
fn knows(state: &Thread, extents: &Extents, (user, epoch): (u32, Epoch)) -> bool {
    let (block, thread) = extents.split(user);
    (block, thread) == (state.own.block, state.own.thread)
        || state.known.wide().get(Lane::Thread, block, thread) >= epoch
}

impl Object {
    /// Returns whether a thread knows that the phase before the current one is complete: it saw it
    /// by a wait, whatever its semantics, or learned of one; or it knows all that completed it.
    fn is_begun_for(&self, of: u32, state: &Thread, extents: &Extents) -> bool {
        let (block, thread) = (state.own.block, state.own.thread);
        let before = &self.arrivals_before;
        let has_waited = || {
            let waited = self.waited.get(&thread).filter(|_| block == of);
            waited.is_some_and(|waited| waited.seen >= self.phase)
        };
        self.phase == 0
            || u64::from(state.known.wide().mbarrier(of, self.id)) >= self.phase
            || has_waited()
            || !before.has_bytes && before.all.iter().all(|step| knows(state, extents, *step))
    }

    /// The next phase begins.
    pub(super) fn end_phase(&mut self) {
        self.arrivals.has_bytes = self.expected > 0 || !self.issued.is_empty();
        std::mem::swap(&mut self.arrivals, &mut self.arrivals_before);
        self.arrivals.all.clear();
        self.arrivals.last = None;
        self.expected = 0;
        self.armed.clear();
        self.issued.clear();
    }
}

impl Checker {
    pub(super) fn mbarrier_expects(&mut self, origin: Origin, at: (u32, u64), bytes: u32) {
        let extents = self.grid.extents;
        let (Some(object), Some(state)) = (
            self.mbarriers.objects.get_mut(&at),
            self.grid.thread(origin.block as u32, origin.thread),
        ) else {
            return;
        };
        object.expected += u64::from(bytes);
        let is_late = !object.is_begun_for(at.0, state, &extents);
        object.armed.push(Expectation {
            origin,
            bytes,
            epoch: state.own.epoch,
            is_held: false,
            is_late,
        });
    }

    pub(super) fn mbarrier_counts_arrival(&mut self, origin: Origin, at: (u32, u64)) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let extents = self.grid.extents;
        let (Some(object), Some(state)) = (
            self.mbarriers.objects.get_mut(&at),
            self.grid.thread(block, thread),
        ) else {
            return;
        };
        let user = extents.thread(block, thread);
        let is_begun = object.armed.iter().any(|armed| armed.is_late)
            && object.is_begun_for(at.0, state, &extents);
        for armed in &mut object.armed {
            let by = extents.thread(armed.origin.block as u32, armed.origin.thread);
            armed.is_held = armed.is_held || knows(state, &extents, (by, armed.epoch));
            armed.is_late &= by != user || is_begun;
        }
        object.arrivals.all.push((user, state.own.epoch));
        object.arrivals.last = Some(origin);
    }

    /// Expectations of a phase that is complete, or never will be.
    pub(super) fn check_expectations(&mut self, block: u32, object: &Object, is_complete: bool) {
        let phase = object.phase;
        let mut report = |armed: &Expectation, arrived: Option<Origin>, of: u64, note: String| {
            let what = format!(
                "expects {} bytes in phase {phase} of the mbarrier at shared address {:#x}",
                armed.bytes, object.offset
            );
            let here = End::new(armed.origin, what);
            let there = arrived.map(|by| End::new(by, format!("arrives last in its phase {of}")));
            let kind = Kind::ExpectTxNotOrdered;
            self.report(kind, here, there, |_| vec![note])
                .about(Some((block, object.id)));
        };
        for armed in &object.armed {
            if armed.is_late {
                let of = phase - 1;
                let note = format!("nothing orders the two: the bytes can count in phase {of}");
                report(armed, object.arrivals_before.last, of, note);
            } else if is_complete && !armed.is_held {
                let note = format!(
                    "nothing orders the two: phase {phase} can complete without these bytes, which \
                     then count in the next"
                );
                report(armed, object.arrivals.last, phase, note);
            }
        }
    }

    /// Expectations of barriers that are in use yet: of one block, or of all.
    pub(in crate::check) fn check_last_expectations(&mut self, of: Option<u32>) {
        let objects = std::mem::take(&mut self.mbarriers.objects);
        let mut last: Vec<_> = objects.iter().collect();
        last.retain(|((block, _), _)| of.is_none_or(|of| of == *block));
        last.sort_unstable_by_key(|(at, _)| **at);
        for ((block, _), object) in last {
            self.check_expectations(*block, object, false);
        }
        self.mbarriers.objects = objects;
    }

    /// A copy that is issued now counts in the current phase; it can count in the one before, unless
    /// who issues it knows that that one is complete.
    pub(in crate::check) fn mbarrier_delivers(&mut self, origin: Origin, at: (u32, u64)) {
        let extents = self.grid.extents;
        let (Some(object), Some(state)) = (
            self.mbarriers.objects.get(&at),
            self.grid.thread(origin.block as u32, origin.thread),
        ) else {
            return;
        };
        if object.is_begun_for(at.0, state, &extents) {
            return;
        }
        let (mbarrier, before) = ((at.0, object.id), object.phase - 1);
        let what = format!(
            "issues a copy that counts at the mbarrier at shared address {:#x}",
            object.offset
        );
        let there = object.arrivals_before.last;
        let there = there.map(|by| End::new(by, format!("arrives last in its phase {before}")));
        if !self.mbarriers.wrong.contains(&mbarrier) {
            self.mbarriers.early_copies.insert(mbarrier);
        }
        self.report(
            Kind::TransactionBytes,
            End::new(origin, what),
            there,
            |_| {
                vec![format!(
                    "nothing orders the two: the bytes can count in phase {before}"
                )]
            },
        )
        .about(Some(mbarrier));
    }
}
