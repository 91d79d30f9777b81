//! Finds expectations, arrivals and copies that may count in another phase, because they are not ordered
//! against the completion of a phase.

use super::state::{Arrival, Arrivals, Expectation, Issued, MbarrierState, Mbarriers};
use crate::{
    check::{
        checker::Checker,
        clock::{Clock, Epoch, Lane},
        finding::{FindingEnd, RelatedInstruction},
        grid::{Extents, Thread},
        kind::DiagnosticKind,
    },
    machine::observer::Origin,
};

/// Returns whether a thread of the grid knows a step of another, if scopes were wide enough.
fn knows(state: &Thread, extents: &Extents, (user, epoch): (u32, Epoch)) -> bool {
    let (block, thread) = extents.split(user);
    (block, thread) == (state.own.block, state.own.thread)
        || state.known.wide().get(Lane::Thread, block, thread) >= epoch
}

impl MbarrierState {
    /// Returns whether a thread knows that the phase before the current one is complete: it saw it by a wait of
    /// any semantics, or learned of one; or it knows all steps that completed it.
    fn is_begun_for(&self, of: u32, state: &Thread, extents: &Extents) -> bool {
        self.phase == 0 || self.phases_known(of, state, extents) >= self.phase
    }

    /// Returns the number of phases that a thread saw complete by a wait of any semantics, or learned of.
    pub(super) fn phases_waited(&self, of: u32, state: &Thread) -> u64 {
        let waited = self.waited.get(&state.own.thread);
        let waited = waited.filter(|_| state.own.block == of);
        let waited = waited.map_or(0, |waited| waited.seen);
        let known = &state.known;
        let learned = known.wide().mbarrier(of, self.id);
        waited.max(learned.max(known.collective.mbarrier(of, self.id)).into())
    }

    /// Returns the number of phases that a thread knows to be complete: by waits, or because it knows all their
    /// completing steps.
    pub(super) fn phases_known(&self, of: u32, state: &Thread, extents: &Extents) -> u64 {
        let waited = self.phases_waited(of, state);
        let is_known = |arrivals: &Arrivals| {
            let mut all = arrivals.all.iter();
            !arrivals.has_copies && all.all(|by| knows(state, extents, (by.user, by.epoch)))
        };
        let phases = [
            (self.phase, &self.arrivals_before),
            (self.phase.saturating_sub(1), &self.arrivals_earlier),
        ];
        let known = phases.into_iter().find(|(phases, arrivals)| {
            *phases <= waited || !arrivals.all.is_empty() && is_known(arrivals)
        });
        known.map_or(waited, |(phases, _)| phases.max(waited))
    }

    /// Returns whether this phase or the one before waits for copies.
    pub(super) fn has_copies(&self) -> bool {
        let expects = !self.issued.is_empty() || !self.armed.is_empty();
        expects || self.arrivals_before.has_copies
    }

    /// Starts the next phase.
    pub(super) fn end_phase(&mut self) {
        let mut copies = self.issued.iter().filter(|issued| issued.is_copy);
        self.arrivals.has_copies = copies.clone().next().is_some();
        self.arrivals.has_bytes = copies.any(|copy| copy.bytes > 0);
        std::mem::swap(&mut self.arrivals_before, &mut self.arrivals_earlier);
        std::mem::swap(&mut self.arrivals, &mut self.arrivals_before);
        self.arrivals.all.clear();
        self.arrivals.last = None;
        self.expected = 0;
        self.armed.clear();
        self.issued.clear();
    }
}

impl Mbarriers {
    /// Returns the last arrival, at a barrier without copies, by a thread with known progress up to an epoch;
    /// prefers arrivals of `first`.
    pub(in crate::check) fn last_arrival(
        &self,
        first: u32,
        known: impl Fn(u32) -> Option<Epoch>,
    ) -> Option<(&MbarrierState, &Arrival)> {
        let objects = self.objects.values().filter(|object| !object.has_copies());
        let all = objects.flat_map(|object| {
            let phases = [&object.arrivals_before, &object.arrivals];
            let all = phases.into_iter().flat_map(|phase| &phase.all);
            all.map(move |arrival| (object, arrival))
        });
        let all = all
            .filter(|(_, arrival)| known(arrival.user).is_some_and(|epoch| arrival.epoch <= epoch));
        all.max_by_key(|(object, Arrival { user, epoch, .. })| {
            (*user == first, *epoch, *user, object.id)
        })
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

    /// Records bytes that a thread completes itself: threads ordered after it need no wait for them.
    pub(super) fn mbarrier_counts_bytes(&mut self, origin: Origin, at: (u32, u64), bytes: u32) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let user = self.grid.extents.thread(block, thread);
        let (Some(object), Some(state)) = (
            self.mbarriers.objects.get_mut(&at),
            self.grid.thread(block, thread),
        ) else {
            return;
        };
        object.arrivals.all.push(Arrival {
            user,
            epoch: state.own.epoch,
            instruction: origin.instruction,
        });
        object.issued.push(Issued {
            bytes,
            wide: Clock::default(),
            epoch: 0,
            origin,
            is_copy: false,
        });
    }

    /// Checks an arrival, which counts in the current phase. If its thread does not know that the previous
    /// phase is complete, it can come before its end. If that phase waits for bytes, or the thread expects
    /// bytes with the arrival, the previous phase may already have all its arrivals, and this or another one
    /// exceeds the count.
    pub(super) fn mbarrier_arrives(&mut self, origin: Origin, at: (u32, u64)) {
        let is_ahead = self.mbarrier_counts_arrival(origin, at);
        let object = self.mbarriers.objects.get(&at);
        let Some(object) = object.filter(|_| is_ahead) else {
            return;
        };
        let (id, phase, offset) = (object.id, object.phase, object.offset);
        let before = phase - 1;
        let there = object.arrivals_before.last;
        let there =
            there.map(|by| FindingEnd::new(by, format!("arrives last in its phase {before}")));
        let here = FindingEnd::new(
            origin,
            format!(
                "arrives in phase {phase} of the {}",
                self.shared_names.mbarrier(offset)
            ),
        );
        let wait = self.passed_at_once(origin, at);
        let finding = self.report(DiagnosticKind::MbarrierOverflow, here, there, |_| {
            vec![format!(
                "the arrival is not ordered after the end of phase {before}: if it comes before that, \
                 phase {before} has one arrival too many"
            )]
        });
        finding.about(Some((at.0, id)));
        finding.because(wait);
    }

    /// Returns the last wait of a thread that arrives too early, if the thread has waited since its previous
    /// arrival there and the wait passed at once.
    pub(super) fn passed_at_once(
        &self,
        origin: Origin,
        at: (u32, u64),
    ) -> Option<RelatedInstruction> {
        let (block, thread) = (origin.block as u32, origin.thread);
        let state = self.grid.blocks.get(block)?.threads.get(thread as usize)?;
        let wait = state.last_wait.filter(|wait| wait.is_stale)?;
        let user = self.grid.extents.thread(block, thread);
        let object = self.mbarriers.objects.get(&at)?;
        let phases = [&object.arrivals_before, &object.arrivals];
        let arrivals = phases.into_iter().flat_map(|phase| &phase.all);
        // The arrival itself may be among them, but has released nothing so far.
        let mut before = arrivals.filter(|by| by.user == user && by.epoch < state.own.epoch);
        before
            .all(|arrival| arrival.epoch < wait.epoch)
            .then(|| RelatedInstruction {
                instruction: wait.instruction,
                what: format!("thread {thread} passes its wait for an older phase at once"),
            })
    }

    /// Returns whether the arrival may count in the previous phase and exceed its count.
    pub(super) fn mbarrier_counts_arrival(&mut self, origin: Origin, at: (u32, u64)) -> bool {
        let (block, thread) = (origin.block as u32, origin.thread);
        let extents = self.grid.extents;
        let (Some(object), Some(state)) = (
            self.mbarriers.objects.get_mut(&at),
            self.grid.thread(block, thread),
        ) else {
            return false;
        };
        let user = extents.thread(block, thread);
        let is_begun = object.is_begun_for(at.0, state, &extents);
        let mut is_ahead = !is_begun && object.arrivals_before.has_bytes;
        for armed in &mut object.armed {
            let by = extents.thread(armed.origin.block as u32, armed.origin.thread);
            armed.is_held = armed.is_held || knows(state, &extents, (by, armed.epoch));
            if by == user && !is_begun {
                is_ahead |= armed.is_late;
                armed.is_late = false;
            }
        }
        object.arrivals.all.push(Arrival {
            user,
            epoch: state.own.epoch,
            instruction: origin.instruction,
        });
        object.arrivals.last = Some(origin);
        is_ahead
    }

    /// Checks the expectations of a phase that is complete, or never will be.
    pub(super) fn check_expectations(
        &mut self,
        block: u32,
        object: &MbarrierState,
        is_complete: bool,
    ) {
        let phase = object.phase;
        let mut report = |armed: &Expectation, arrived: Option<Origin>, of: u64, note: String| {
            let what = format!(
                "expects {} bytes in phase {phase} of the {}",
                armed.bytes,
                self.shared_names.mbarrier(object.offset)
            );
            let here = FindingEnd::new(armed.origin, what);
            let there =
                arrived.map(|by| FindingEnd::new(by, format!("arrives last in its phase {of}")));
            let kind = DiagnosticKind::ExpectTxNotOrdered;
            self.report(kind, here, there, |_| vec![note])
                .about(Some((block, object.id)));
        };
        for armed in &object.armed {
            if armed.is_late {
                let of = phase - 1;
                let note = format!("the two are not ordered: the bytes can count in phase {of}");
                report(armed, object.arrivals_before.last, of, note);
            } else if is_complete && !armed.is_held {
                let note = format!(
                    "the two are not ordered: phase {phase} can complete without these bytes, which \
                     then count in the next"
                );
                report(armed, object.arrivals.last, phase, note);
            }
        }
    }

    /// Checks the expectations of barriers that are still in use: of one block, or of all.
    pub(in crate::check) fn check_last_expectations(&mut self, of: Option<u32>) {
        let objects = std::mem::take(&mut self.mbarriers.objects);
        let mut last: Vec<_> = objects.iter().collect();
        last.retain(|((block, _), _)| of.is_none_or(|of| of == *block));
        last.sort_by_key(|(at, _)| **at);
        for ((block, _), object) in last {
            self.check_expectations(*block, object, false);
        }
        self.mbarriers.objects = objects;
    }

    /// Checks that the issuer of a copy knows that the previous phase is complete; otherwise the copy can count
    /// in that phase.
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
            "issues a copy that counts at the {}",
            self.shared_names.mbarrier(object.offset)
        );
        let there = object.arrivals_before.last;
        let there =
            there.map(|by| FindingEnd::new(by, format!("arrives last in its phase {before}")));
        if !self.mbarriers.wrong.contains(&mbarrier) {
            self.mbarriers.early_copies.insert(mbarrier);
        }
        self.report(
            DiagnosticKind::TransactionBytes,
            FindingEnd::new(origin, what),
            there,
            |_| {
                vec![format!(
                    "the two are not ordered: the bytes can count in phase {before}"
                )]
            },
        )
        .about(Some(mbarrier));
    }
}
