//! Drops diagnostics that follow from others.

use std::collections::{HashMap, HashSet};

use super::{checker::Checker, finding::Finding, kind::DiagnosticKind, lifetime::ENDS};
use crate::machine::{Fault, Program, Trap};

/// The diagnostics that are dropped because they follow from others.
#[derive(Default)]
pub(super) struct Causes {
    /// Each dropped diagnostic, with the reported one that it follows from.
    follows: HashMap<usize, usize>,
    /// The diagnostics from which others follow.
    roots: HashSet<usize>,
}

impl Causes {
    pub(super) fn is_reported(&self, index: usize) -> bool {
        !self.follows.contains_key(&index)
    }

    /// Returns the dropped diagnostics that follow from `cause`.
    pub(super) fn of(&self, cause: usize) -> impl Iterator<Item = usize> {
        let all = self.follows.iter();
        all.filter_map(move |(index, by)| (*by == cause).then_some(*index))
    }

    /// Returns the diagnostic itself, or the reported one that it follows from.
    pub(super) fn reported(&self, index: usize) -> usize {
        self.follows.get(&index).copied().unwrap_or(index)
    }

    /// Drops `index` as a consequence of `cause`, unless others follow from `index` itself.
    pub(super) fn add(&mut self, index: usize, cause: usize) {
        let cause = self.reported(cause);
        if index != cause && !self.roots.contains(&index) && self.is_reported(index) {
            self.follows.insert(index, cause);
            self.roots.insert(cause);
        }
    }
}

impl Checker {
    /// Finds the consequences among the diagnostics. Starts and barriers come first, since they explain most
    /// others.
    pub(super) fn causes(&self) -> Causes {
        let mut causes = Causes::default();
        self.causes_of_barriers(&mut causes);
        self.causes_of_unused_waits(&mut causes);
        self.causes_of_starts(&mut causes);
        self.causes_of_arrivals(&mut causes);
        self.causes_of_bytes(&mut causes);
        self.causes_of_stages(&mut causes);
        self.causes_of_races(&mut causes);
        self.causes_of_uses(&mut causes);
        causes
    }

    /// Returns the diagnostics of a kind, with their indices.
    fn of(&self, is: impl Fn(DiagnosticKind) -> bool) -> impl Iterator<Item = (usize, &Finding)> {
        let found = self.found.iter().enumerate();
        found.filter(move |(_, finding)| is(finding.kind))
    }

    /// Finds consequences of barriers with arrivals that may count in either of two phases: such a barrier
    /// orders no memory.
    fn causes_of_barriers(&self, causes: &mut Causes) {
        let mut early = self.of(|kind| kind == DiagnosticKind::EarlyBarrierArrival);
        let Some((cause, _)) = early.next() else {
            return;
        };
        let follows = |kind| {
            is_race(kind)
                || is_uninitialised(kind)
                || is_of_stages(kind)
                || is_of_ends(kind)
                || is_of_starts(kind)
                || matches!(
                    kind,
                    DiagnosticKind::SameValueRace
                        | DiagnosticKind::OrderByCollective
                        | DiagnosticKind::DivergentBarrier
                )
        };
        for (index, _) in self.of(follows) {
            causes.add(index, cause);
        }
    }

    /// Finds consequences of unused wait results: the thread knows of no completed phase of that mbarrier.
    fn causes_of_unused_waits(&self, causes: &mut Causes) {
        for (cause, wait) in self.of(|kind| kind == DiagnosticKind::UnusedWaitResult) {
            for (index, finding) in self.of(|kind| kind != DiagnosticKind::UnusedWaitResult) {
                if finding.shares_mbarrier(wait) {
                    causes.add(index, cause);
                }
            }
        }
    }

    fn causes_of_starts(&self, causes: &mut Causes) {
        let mut unstarted = self
            .of(|kind| kind == DiagnosticKind::PeerNotStarted)
            .peekable();
        // An access to a block that has not started fails in many ways.
        if let Some((cause, _)) = unstarted.peek() {
            for (index, _) in self.of(|kind| is_of_bytes(kind) || is_of_stages(kind)) {
                causes.add(index, *cause);
            }
        }
        // Threads that use a barrier of such a block cannot know of its initialisation.
        for (cause, peer) in unstarted {
            for (index, finding) in self.of(|kind| kind == DiagnosticKind::MbarrierInitNotPublished)
            {
                let here = finding.here.as_ref();
                let mut ends = peer.ends();
                if here.is_some_and(|end| ends.any(|other| other.instruction == end.instruction)) {
                    causes.add(index, cause);
                }
            }
        }
    }

    /// Finds consequences of arrivals that may come before a phase is complete: they put all waiters out of
    /// step. An arrival comes too early if its thread did not wait for the right phase.
    fn causes_of_arrivals(&self, causes: &mut Causes) {
        let wrong = self.of(|kind| kind == DiagnosticKind::WrongPhase).next();
        for (index, _) in self.of(is_of_arrivals) {
            match wrong {
                Some((cause, _)) => causes.add(index, cause),
                None => self.unsettles(causes, index),
            }
        }
    }

    /// Drops all findings about bytes and waits at this barrier.
    fn unsettles(&self, causes: &mut Causes, cause: usize) {
        for (index, finding) in self.of(|kind| kind != self.found[cause].kind) {
            if is_of_bytes(finding.kind)
                || is_of_stages(finding.kind)
                || matches!(
                    finding.kind,
                    DiagnosticKind::UninitialisedRead
                        | DiagnosticKind::UninitialisedUse
                        | DiagnosticKind::ExitWithCopyInFlight
                )
            {
                causes.add(index, cause);
            }
        }
    }

    fn causes_of_bytes(&self, causes: &mut Causes) {
        // Bytes that may count in another phase match in neither, and waits for them may pass at any time.
        let unordered = |kind| kind == DiagnosticKind::ExpectTxNotOrdered;
        if let Some((cause, _)) = self.of(unordered).next() {
            self.unsettles(causes, cause);
        }
        // A thread that passes its wait too early, or refills a stage too early, may have its bytes counted too
        // early.
        let early = &self.mbarriers.early_copies;
        for (index, finding) in self.of(is_of_bytes) {
            let mut at = finding.mbarriers.iter();
            if at.any(|at| early.contains(at)) {
                let wrong = self.of(|kind| kind == DiagnosticKind::WrongPhase).next();
                let mut refills = self.of(is_of_refills);
                let cause =
                    wrong.or_else(|| refills.find(|(_, other)| finding.shares_mbarrier(other)));
                cause
                    .into_iter()
                    .for_each(|(cause, _)| causes.add(index, cause));
            }
        }
        // Bytes missing in one phase arrive in another that expects none.
        for (cause, finding) in self.of(|kind| kind == DiagnosticKind::TransactionBytes) {
            for (index, other) in self.of(|kind| kind == DiagnosticKind::UnarmedReceiver) {
                if finding.shares_mbarrier(other) {
                    causes.add(index, cause);
                }
            }
        }
        // If the byte count of a barrier is wrong, every wait for these bytes is wrong too.
        let mut wrong_bytes = HashMap::new();
        for (index, finding) in self
            .of(is_of_bytes)
            .filter(|(index, _)| causes.is_reported(*index))
        {
            for mbarrier in &finding.mbarriers {
                wrong_bytes.entry(*mbarrier).or_insert(index);
            }
        }
        for (index, finding) in self.of(|kind| !is_of_bytes(kind)) {
            let all = finding.mbarriers.iter().map(|at| wrong_bytes.get(at));
            if let Some(Some(cause)) = all.reduce(|all, next| all.and(next)) {
                causes.add(index, *cause);
            }
        }
    }

    fn causes_of_stages(&self, causes: &mut Causes) {
        let all_at = |finding: &Finding, other: &Finding| {
            let mut at = finding.mbarriers.iter();
            at.all(|at| other.mbarriers.contains(at))
        };
        // A thread that passed its wait too early is out of step from then on.
        let is_early = |kind| kind == DiagnosticKind::WrongPhase;
        // A wait that can pass for an earlier phase explains a read for which it did.
        for (index, read) in self
            .of(is_early)
            .filter(|(_, finding)| finding.there.is_some())
        {
            let mut waits = self
                .of(is_early)
                .filter(|(_, finding)| finding.there.is_none());
            if let Some((wait, _)) = waits.find(|(_, wait)| wait.shares_mbarrier(read)) {
                causes.add(index, wait);
            }
        }
        if let Some((early, _)) = self.of(is_early).next() {
            for (index, finding) in self.of(|kind| !is_early(kind)) {
                if is_of_stages(finding.kind) || is_uninitialised(finding.kind) {
                    causes.add(index, early);
                }
            }
        }
        // A load into a stage that is still read is not ordered after the waits for the stage, either.
        for (cause, stage) in self.of(|kind| kind == DiagnosticKind::StageStillRead) {
            for (index, finding) in self.of(|kind| kind == DiagnosticKind::LappedWaiter) {
                if all_at(finding, stage) {
                    causes.add(index, cause);
                }
            }
        }
        // If a copy's bytes are read without a wait, the copy is not waited for at the end either.
        let unwaited = |kind| {
            matches!(
                kind,
                DiagnosticKind::WrongPhase | DiagnosticKind::ReadBeforeCompletion
            )
        };
        for (index, finding) in self.of(|kind| kind == DiagnosticKind::ExitWithCopyInFlight) {
            let read = |at| {
                self.of(unwaited)
                    .find(|(_, read)| read.mbarriers.contains(at))
            };
            let all = finding.mbarriers.iter().map(read);
            if let Some(Some((cause, _))) = all.reduce(|all, next| all.and(next)) {
                causes.add(index, cause);
            }
        }
    }

    fn causes_of_races(&self, causes: &mut Causes) {
        // If unordered stores write different values, the schedule chooses the value that a later store finds.
        let at = |finding: &Finding| {
            finding
                .ends()
                .map(|end| end.instruction)
                .collect::<Vec<_>>()
        };
        for (index, finding) in self.of(|kind| kind == DiagnosticKind::SameValueRace) {
            let mut races = self.of(|kind| kind == DiagnosticKind::DataRace);
            if let Some((cause, _)) = races.find(|(_, race)| at(race) == at(finding)) {
                causes.add(index, cause);
            }
        }
        // A scope that is too narrow for an access is also too narrow for the end of the block.
        let narrow = || self.of(|kind| kind == DiagnosticKind::ScopeTooNarrow);
        let is_of_end =
            |finding: &Finding| finding.here.as_ref().is_some_and(|end| end.what == ENDS);
        if let Some((access, _)) = narrow().find(|(_, finding)| !is_of_end(finding)) {
            for (index, _) in narrow().filter(|(_, finding)| is_of_end(finding)) {
                causes.add(index, access);
            }
        }
        // The schedule chooses whether a read comes before an unordered write; if it does, the bytes may be
        // uninitialised.
        let mut racing = HashMap::new();
        for (index, finding) in self.of(is_race) {
            for end in finding.ends() {
                racing.entry(end.instruction).or_insert(index);
            }
        }
        for (index, finding) in self.of(is_uninitialised) {
            let mut race = finding
                .ends()
                .filter_map(|end| racing.get(&end.instruction));
            let later = self.unwritten.raced.get(&index);
            if let Some(race) = race.next().or(later) {
                causes.add(index, *race);
            }
        }
    }

    /// Returns the diagnostic that explains why the kernel ended.
    pub(super) fn explains(
        &self,
        fault: &Fault,
        program: &Program,
        causes: &Causes,
    ) -> Option<usize> {
        let reported = |index: usize| Some(causes.reported(index));
        let first =
            |is: fn(DiagnosticKind) -> bool| self.found.iter().position(|finding| is(finding.kind));
        let location = fault.at.as_ref().map(|at| &at.location);
        let is_at = |finding: &Finding| {
            let mut ends = finding.ends();
            ends.any(|end| {
                Some(&program.location(self.sites.instruction(end.instruction))) == location
            })
        };
        let at = |is: fn(DiagnosticKind) -> bool| {
            let mut found = self.found.iter();
            found.position(|finding| is(finding.kind) && is_at(finding))
        };
        match fault.trap {
            Trap::PeerEnded => {
                let cause = at(is_of_ends).or_else(|| first(is_of_bytes));
                reported(
                    cause.or_else(|| first(|kind| kind == DiagnosticKind::EarlyBarrierArrival))?,
                )
            }
            Trap::MbarrierUninitialised => reported(at(is_of_starts)?),
            Trap::MbarrierOverflow if first(is_of_arrivals).is_some() => {
                reported(first(is_of_arrivals)?)
            }
            Trap::Deadlock | Trap::MbarrierOverflow => {
                let is_cause = |kind| {
                    is_of_stages(kind)
                        || is_of_bytes(kind)
                        || matches!(
                            kind,
                            DiagnosticKind::DivergentBarrier
                                | DiagnosticKind::EarlyBarrierArrival
                                | DiagnosticKind::InvalidCollective
                        )
                };
                reported(first(is_cause)?)
            }
            _ => None,
        }
    }
}

/// Returns whether the kind concerns copies or accesses that outlive a block or thread.
fn is_of_ends(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::ExitWithCopyInFlight | DiagnosticKind::ExitWhilePeerAccesses
    )
}

/// Returns whether the kind concerns the use of an object before it exists.
fn is_of_starts(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::PeerNotStarted | DiagnosticKind::MbarrierInitNotPublished
    )
}

/// Returns whether the kind concerns threads that work on the wrong stage.
fn is_of_stages(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::WrongPhase
            | DiagnosticKind::LappedWaiter
            | DiagnosticKind::ReadBeforeCompletion
            | DiagnosticKind::StageStillRead
            | DiagnosticKind::DestinationOverwritten
    )
}

/// Returns whether the kind concerns loads into a stage in use.
fn is_of_refills(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::StageStillRead
            | DiagnosticKind::DestinationOverwritten
            | DiagnosticKind::LappedWaiter
    )
}

/// Returns whether the kind concerns threads that arrive ahead of a phase.
fn is_of_arrivals(kind: DiagnosticKind) -> bool {
    kind == DiagnosticKind::MbarrierOverflow
}

fn is_of_bytes(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::TransactionBytes
            | DiagnosticKind::UnarmedReceiver
            | DiagnosticKind::ExpectTxNotOrdered
    )
}

fn is_uninitialised(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::UninitialisedRead | DiagnosticKind::UninitialisedUse
    )
}

pub(super) fn is_race(kind: DiagnosticKind) -> bool {
    matches!(
        kind,
        DiagnosticKind::DataRace
            | DiagnosticKind::ReadBeforeCompletion
            | DiagnosticKind::WrongPhase
            | DiagnosticKind::StageStillRead
            | DiagnosticKind::ScopeTooNarrow
    )
}
