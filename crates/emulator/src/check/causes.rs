//! Drops diagnostics that follow from others.

use std::collections::{HashMap, HashSet};

use super::{Checker, Kind, lifetime::ENDS, raw::Raw};
use crate::machine::{Fault, Program, Trap};

/// The diagnostics that are dropped because they follow from others.
#[derive(Default)]
pub(super) struct Causes {
    /// For each that is not told: the one that it follows from, which is told.
    follows: HashMap<usize, usize>,
    /// The diagnostics from which others follow.
    roots: HashSet<usize>,
}

impl Causes {
    pub(super) fn is_told(&self, index: usize) -> bool {
        !self.follows.contains_key(&index)
    }

    /// Those that are not told, as they follow from this one.
    pub(super) fn of(&self, cause: usize) -> impl Iterator<Item = usize> {
        let all = self.follows.iter();
        all.filter_map(move |(index, by)| (*by == cause).then_some(*index))
    }

    /// The diagnostic itself, or the one that it follows from.
    pub(super) fn told(&self, index: usize) -> usize {
        self.follows.get(&index).copied().unwrap_or(index)
    }

    /// One follows from another, unless others are known to follow from it.
    pub(super) fn add(&mut self, index: usize, cause: usize) {
        let cause = self.told(cause);
        if index != cause && !self.roots.contains(&index) && self.is_told(index) {
            self.follows.insert(index, cause);
            self.roots.insert(cause);
        }
    }
}

impl Checker {
    /// Finds causes among what was found: what is wrong from the start first.
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

    /// The diagnostics of a kind, with their numbers.
    fn of(&self, is: impl Fn(Kind) -> bool) -> impl Iterator<Item = (usize, &Raw)> {
        let found = self.found.iter().enumerate();
        found.filter(move |(_, raw)| is(raw.kind))
    }

    /// Where an arrival may count in either of two phases of a barrier, the barrier orders nothing.
    fn causes_of_barriers(&self, causes: &mut Causes) {
        let mut early = self.of(|kind| kind == Kind::EarlyBarrierArrival);
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
                    Kind::SameValueRace | Kind::OrderByCollective | Kind::DivergentBarrier
                )
        };
        for (index, _) in self.of(follows) {
            causes.add(index, cause);
        }
    }

    /// A thread that does not look at what a wait returns knows of no phase of that mbarrier.
    fn causes_of_unused_waits(&self, causes: &mut Causes) {
        for (cause, wait) in self.of(|kind| kind == Kind::UnusedWaitResult) {
            for (index, raw) in self.of(|kind| kind != Kind::UnusedWaitResult) {
                if raw.shares_mbarrier(wait) {
                    causes.add(index, cause);
                }
            }
        }
    }

    fn causes_of_starts(&self, causes: &mut Causes) {
        let mut unstarted = self.of(|kind| kind == Kind::PeerNotStarted).peekable();
        // Anything sent to a block that has not started goes wrong in many ways.
        if let Some((cause, _)) = unstarted.peek() {
            for (index, _) in self.of(|kind| is_of_bytes(kind) || is_of_stages(kind)) {
                causes.add(index, *cause);
            }
        }
        // Who uses a barrier of such a block cannot know that it was made.
        for (cause, peer) in unstarted {
            for (index, raw) in self.of(|kind| kind == Kind::MbarrierInitNotPublished) {
                let here = raw.here.as_ref();
                let mut ends = peer.ends();
                if here.is_some_and(|end| ends.any(|other| other.instruction == end.instruction)) {
                    causes.add(index, cause);
                }
            }
        }
    }

    /// An arrival that may come before a phase is complete puts all who wait out of step; it comes too
    /// early where its thread did not wait for the right phase.
    fn causes_of_arrivals(&self, causes: &mut Causes) {
        let wrong = self.of(|kind| kind == Kind::WrongPhase).next();
        for (index, _) in self.of(is_of_arrivals) {
            match wrong {
                Some((cause, _)) => causes.add(index, cause),
                None => self.unsettles(causes, index),
            }
        }
    }

    /// No byte of this barrier, and no wait for it, can be right.
    fn unsettles(&self, causes: &mut Causes, cause: usize) {
        for (index, raw) in self.of(|kind| kind != self.found[cause].kind) {
            if is_of_bytes(raw.kind)
                || is_of_stages(raw.kind)
                || matches!(
                    raw.kind,
                    Kind::UninitialisedRead | Kind::UninitialisedUse | Kind::ExitWithCopyInFlight
                )
            {
                causes.add(index, cause);
            }
        }
    }

    fn causes_of_bytes(&self, causes: &mut Causes) {
        // Bytes that may count in another phase are right in none, and who waits for them goes on at
        // any time.
        let unordered = |kind| kind == Kind::ExpectTxNotOrdered;
        if let Some((cause, _)) = self.of(unordered).next() {
            self.unsettles(causes, cause);
        }
        // Who goes on too early, or loads into a stage too early, may have bytes counted too early.
        let early = &self.mbarriers.early_copies;
        for (index, raw) in self.of(is_of_bytes) {
            let mut at = raw.mbarriers.iter();
            if at.any(|at| early.contains(at)) {
                let wrong = self.of(|kind| kind == Kind::WrongPhase).next();
                let mut refills = self.of(is_of_refills);
                let cause = wrong.or_else(|| refills.find(|(_, other)| raw.shares_mbarrier(other)));
                cause
                    .into_iter()
                    .for_each(|(cause, _)| causes.add(index, cause));
            }
        }
        // Bytes that are not right in one phase come where none are expected.
        for (cause, raw) in self.of(|kind| kind == Kind::TransactionBytes) {
            for (index, other) in self.of(|kind| kind == Kind::UnarmedReceiver) {
                if raw.shares_mbarrier(other) {
                    causes.add(index, cause);
                }
            }
        }
        // Where the bytes of a barrier are wrong, nothing that waits for them can be right.
        let mut wrong_bytes = HashMap::new();
        for (index, raw) in self
            .of(is_of_bytes)
            .filter(|(index, _)| causes.is_told(*index))
        {
            for mbarrier in &raw.mbarriers {
                wrong_bytes.entry(*mbarrier).or_insert(index);
            }
        }
        for (index, raw) in self.of(|kind| !is_of_bytes(kind)) {
            let all = raw.mbarriers.iter().map(|at| wrong_bytes.get(at));
            if let Some(Some(cause)) = all.reduce(|all, next| all.and(next)) {
                causes.add(index, *cause);
            }
        }
    }

    fn causes_of_stages(&self, causes: &mut Causes) {
        let all_at = |raw: &Raw, other: &Raw| {
            let mut at = raw.mbarriers.iter();
            at.all(|at| other.mbarriers.contains(at))
        };
        // Who went on too early is out of step from then on.
        let is_early = |kind| kind == Kind::WrongPhase;
        // A wait that can pass for an earlier phase explains a read for which it did.
        for (index, read) in self.of(is_early).filter(|(_, raw)| raw.there.is_some()) {
            let mut waits = self.of(is_early).filter(|(_, raw)| raw.there.is_none());
            if let Some((wait, _)) = waits.find(|(_, wait)| wait.shares_mbarrier(read)) {
                causes.add(index, wait);
            }
        }
        if let Some((early, _)) = self.of(is_early).next() {
            for (index, raw) in self.of(|kind| !is_early(kind)) {
                if is_of_stages(raw.kind) || is_uninitialised(raw.kind) {
                    causes.add(index, early);
                }
            }
        }
        // A load into a stage that is still read is not ordered after the waits for the stage, either.
        for (cause, stage) in self.of(|kind| kind == Kind::StageStillRead) {
            for (index, raw) in self.of(|kind| kind == Kind::LappedWaiter) {
                if all_at(raw, stage) {
                    causes.add(index, cause);
                }
            }
        }
        // A copy whose bytes are read without a wait is not waited for at the end, either.
        let unwaited = |kind| matches!(kind, Kind::WrongPhase | Kind::ReadBeforeCompletion);
        for (index, raw) in self.of(|kind| kind == Kind::ExitWithCopyInFlight) {
            let read = |at| {
                self.of(unwaited)
                    .find(|(_, read)| read.mbarriers.contains(at))
            };
            let all = raw.mbarriers.iter().map(read);
            if let Some(Some((cause, _))) = all.reduce(|all, next| all.and(next)) {
                causes.add(index, cause);
            }
        }
    }

    fn causes_of_races(&self, causes: &mut Causes) {
        // Which values are there when a thread stores is the schedule's choice, where they differ.
        let at = |raw: &Raw| raw.ends().map(|end| end.instruction).collect::<Vec<_>>();
        for (index, raw) in self.of(|kind| kind == Kind::SameValueRace) {
            let mut races = self.of(|kind| kind == Kind::DataRace);
            if let Some((cause, _)) = races.find(|(_, race)| at(race) == at(raw)) {
                causes.add(index, cause);
            }
        }
        // Where a scope is too narrow for an access, it is so for the end of the block.
        let narrow = || self.of(|kind| kind == Kind::ScopeTooNarrow);
        let is_of_end = |raw: &Raw| raw.here.as_ref().is_some_and(|end| end.what == ENDS);
        if let Some((access, _)) = narrow().find(|(_, raw)| !is_of_end(raw)) {
            for (index, _) in narrow().filter(|(_, raw)| is_of_end(raw)) {
                causes.add(index, access);
            }
        }
        // The schedule decides whether a read comes before or after a write that is not ordered; if before,
        // the bytes may not have been written at all.
        let mut racing = HashMap::new();
        for (index, raw) in self.of(is_race) {
            for end in raw.ends() {
                racing.entry(end.instruction).or_insert(index);
            }
        }
        for (index, raw) in self.of(is_uninitialised) {
            let mut race = raw.ends().filter_map(|end| racing.get(&end.instruction));
            let later = self.unwritten.raced.get(&index);
            if let Some(race) = race.next().or(later) {
                causes.add(index, *race);
            }
        }
    }

    /// The diagnostic that explains what ended the kernel.
    pub(super) fn explains(
        &self,
        fault: &Fault,
        program: &Program,
        causes: &Causes,
    ) -> Option<usize> {
        let told = |index: usize| Some(causes.told(index));
        let first = |is: fn(Kind) -> bool| self.found.iter().position(|raw| is(raw.kind));
        let location = fault.at.as_ref().map(|at| &at.location);
        let is_at = |raw: &Raw| {
            let mut ends = raw.ends();
            ends.any(|end| {
                Some(&program.location(self.sites.instruction(end.instruction))) == location
            })
        };
        let at = |is: fn(Kind) -> bool| {
            let mut found = self.found.iter();
            found.position(|raw| is(raw.kind) && is_at(raw))
        };
        match fault.trap {
            Trap::PeerEnded => {
                let cause = at(is_of_ends).or_else(|| first(is_of_bytes));
                told(cause.or_else(|| first(|kind| kind == Kind::EarlyBarrierArrival))?)
            }
            Trap::MbarrierUninitialised => told(at(is_of_starts)?),
            Trap::MbarrierOverflow if first(is_of_arrivals).is_some() => {
                told(first(is_of_arrivals)?)
            }
            Trap::Deadlock | Trap::MbarrierOverflow => {
                let is_cause = |kind| {
                    is_of_stages(kind)
                        || is_of_bytes(kind)
                        || matches!(
                            kind,
                            Kind::DivergentBarrier
                                | Kind::EarlyBarrierArrival
                                | Kind::InvalidCollective
                        )
                };
                told(first(is_cause)?)
            }
            _ => None,
        }
    }
}

/// Of what a block or thread leaves behind.
fn is_of_ends(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ExitWithCopyInFlight | Kind::ExitWhilePeerAccesses
    )
}

/// Of what is used before it is there.
fn is_of_starts(kind: Kind) -> bool {
    matches!(kind, Kind::PeerNotStarted | Kind::MbarrierInitNotPublished)
}

/// Of who works on which stage.
fn is_of_stages(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::WrongPhase
            | Kind::LappedWaiter
            | Kind::ReadBeforeCompletion
            | Kind::StageStillRead
            | Kind::DestinationOverwritten
    )
}

/// Of who loads into a stage that is in use.
fn is_of_refills(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::StageStillRead | Kind::DestinationOverwritten | Kind::LappedWaiter
    )
}

/// Of who arrives ahead of a phase.
fn is_of_arrivals(kind: Kind) -> bool {
    kind == Kind::MbarrierOverflow
}

fn is_of_bytes(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::TransactionBytes | Kind::UnarmedReceiver | Kind::ExpectTxNotOrdered
    )
}

fn is_uninitialised(kind: Kind) -> bool {
    matches!(kind, Kind::UninitialisedRead | Kind::UninitialisedUse)
}

pub(super) fn is_race(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::DataRace
            | Kind::ReadBeforeCompletion
            | Kind::WrongPhase
            | Kind::StageStillRead
            | Kind::ScopeTooNarrow
    )
}
