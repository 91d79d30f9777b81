//! Drops diagnostics that follow from others.

use std::collections::{HashMap, HashSet};

use super::{Checker, Kind, lifetime::ENDS, raw::Raw};
use crate::machine::{Fault, Program, Trap};

/// Which diagnostics are told.
pub(super) struct Causes {
    /// For each that is not: the one that it follows from.
    follows: HashMap<usize, usize>,
}

impl Causes {
    pub(super) fn is_told(&self, index: usize) -> bool {
        !self.follows.contains_key(&index)
    }
}

impl Checker {
    /// Finds causes among what was found.
    pub(super) fn causes(&self) -> Causes {
        let mut follows = HashMap::new();
        let found = || self.found.iter().enumerate();
        // Who loads into a stage too early may have its bytes counted too early, too.
        let early = &self.mbarriers.early_copies;
        for (cause, raw) in found().filter(|(_, raw)| is_of_refills(raw.kind)) {
            let is_early = |other: &Raw| {
                let mut at = other.mbarriers.iter();
                at.any(|at| early.contains(at) && raw.mbarriers.contains(at))
            };
            let bytes = found().filter(|(_, raw)| is_of_bytes(raw.kind));
            for (index, _) in bytes.filter(|(_, other)| is_early(other)) {
                follows.entry(index).or_insert(cause);
            }
        }
        // Where the bytes of a barrier are wrong, nothing that waits for them can be right.
        let mut wrong_bytes = HashMap::new();
        let bytes = found().filter(|(_, raw)| is_of_bytes(raw.kind));
        for (index, raw) in bytes.filter(|(index, _)| !follows.contains_key(index)) {
            for mbarrier in &raw.mbarriers {
                wrong_bytes.entry(*mbarrier).or_insert(index);
            }
        }
        for (index, raw) in found().filter(|(_, raw)| !is_of_bytes(raw.kind)) {
            let causes = raw.mbarriers.iter().map(|at| wrong_bytes.get(at));
            if let Some(Some(cause)) = causes.reduce(|all, next| all.and(next)) {
                follows.insert(index, *cause);
            }
        }
        // Bytes that may count in another phase are not right in any, and those of one phase that are
        // not right arrive where none are expected.
        let of_bytes = [
            Kind::ExpectTxNotOrdered,
            Kind::TransactionBytes,
            Kind::UnarmedReceiver,
        ];
        for (cause, raw) in found() {
            let rank = of_bytes.iter().position(|kind| *kind == raw.kind);
            let Some(rank) = rank.filter(|_| !follows.contains_key(&cause)) else {
                continue;
            };
            for (index, other) in found() {
                if of_bytes[rank + 1..].contains(&other.kind)
                    && other.mbarriers.iter().any(|at| raw.mbarriers.contains(at))
                {
                    follows.insert(index, cause);
                }
            }
        }
        // What a block that has not started is sent goes wrong in many ways.
        let unstarted = found().find(|(_, raw)| raw.kind == Kind::PeerNotStarted);
        if let Some((cause, _)) = unstarted {
            for (index, raw) in found() {
                if is_of_bytes(raw.kind) || is_of_stages(raw.kind) {
                    follows.insert(index, cause);
                }
            }
        }
        // Who uses a barrier of a block that has not started cannot know that it was made.
        let unknown: HashSet<usize> = found()
            .filter(|(_, raw)| raw.kind == Kind::PeerNotStarted)
            .flat_map(|(_, raw)| raw.ends().map(|end| end.instruction))
            .collect();
        for (index, raw) in found().filter(|(_, raw)| raw.kind == Kind::MbarrierInitNotPublished) {
            let here = raw.here.as_ref();
            if here.is_some_and(|end| unknown.contains(&end.instruction)) {
                follows.entry(index).or_insert(index);
            }
        }
        // A load into a stage that is still read is not ordered after the waits for the stage, either.
        let refills: HashSet<_> = found()
            .filter(|(_, raw)| raw.kind == Kind::StageStillRead)
            .flat_map(|(_, raw)| &raw.mbarriers)
            .collect();
        for (index, raw) in found().filter(|(_, raw)| raw.kind == Kind::LappedWaiter) {
            if raw.mbarriers.iter().all(|at| refills.contains(at)) {
                follows.entry(index).or_insert(index);
            }
        }
        // Who went on too early is out of step from then on.
        if let Some((early, _)) = found().find(|(_, raw)| is_early(raw.kind)) {
            let others = found().filter(|(_, raw)| {
                !is_early(raw.kind)
                    && (is_of_stages(raw.kind) || raw.kind == Kind::UninitialisedRead)
            });
            for (index, _) in others {
                follows.entry(index).or_insert(early);
            }
        }
        // What is read without a wait for it is not waited for at the end, either.
        let unwaited: HashSet<_> = found()
            .filter(|(_, raw)| matches!(raw.kind, Kind::WrongPhase | Kind::ReadBeforeCompletion))
            .flat_map(|(_, raw)| &raw.mbarriers)
            .collect();
        for (index, raw) in found().filter(|(_, raw)| raw.kind == Kind::ExitWithCopyInFlight) {
            if raw.mbarriers.iter().all(|at| unwaited.contains(at)) {
                follows.entry(index).or_insert(index);
            }
        }
        // Where a scope is too narrow for an access, it is so for the end of the block.
        let is_narrow = |raw: &Raw| raw.kind == Kind::ScopeTooNarrow;
        let is_of_end = |raw: &Raw| raw.here.as_ref().is_some_and(|end| end.what == ENDS);
        if let Some((access, _)) = found().find(|(_, raw)| is_narrow(raw) && !is_of_end(raw)) {
            for (index, _) in found().filter(|(_, raw)| is_narrow(raw) && is_of_end(raw)) {
                follows.entry(index).or_insert(access);
            }
        }
        // Whether somebody reads before or after a write that is not ordered was the schedule's
        // choice; if before, the bytes may not have been written at all.
        let racing: HashSet<usize> = found()
            .filter(|(_, raw)| is_race(raw.kind))
            .flat_map(|(_, raw)| raw.ends().map(|end| end.instruction))
            .collect();
        for (index, raw) in found().filter(|(_, raw)| raw.kind == Kind::UninitialisedRead) {
            let mut ends = raw.ends();
            if ends.any(|end| racing.contains(&end.instruction)) {
                follows.insert(index, index);
            }
        }
        Causes { follows }
    }

    /// The diagnostic that explains what ended the kernel.
    pub(super) fn explains(
        &self,
        fault: &Fault,
        program: &Program,
        causes: &Causes,
    ) -> Option<usize> {
        let told = |index: usize| Some(causes.follows.get(&index).copied().unwrap_or(index));
        let first = |is: fn(Kind) -> bool| self.found.iter().position(|raw| is(raw.kind));
        let location = fault.at.as_ref().map(|at| &at.location);
        let is_at = |raw: &Raw| {
            let mut ends = raw.ends();
            ends.any(|end| Some(&program.location(end.instruction)) == location)
        };
        let at = |is: fn(Kind) -> bool| {
            let mut found = self.found.iter();
            found.position(|raw| is(raw.kind) && is_at(raw))
        };
        match fault.trap {
            Trap::PeerEnded => told(at(is_of_ends).or_else(|| first(is_of_bytes))?),
            Trap::MbarrierUninitialised => told(at(is_of_starts)?),
            Trap::Deadlock if self.wrong_bytes().0.is_some() => {
                let barriers = self.barriers_with_wrong_bytes();
                let explains = |raw: &Raw| {
                    let mut at = raw.mbarriers.iter();
                    raw.kind == Kind::ExpectTxNotOrdered
                        || is_of_refills(raw.kind) && at.any(|at| barriers.contains(at))
                };
                told(self.found.iter().position(explains)?)
            }
            Trap::Deadlock | Trap::MbarrierOverflow => {
                let is_cause = |kind| {
                    is_of_stages(kind) || is_of_bytes(kind) || kind == Kind::DivergentBarrier
                };
                told(first(is_cause)?)
            }
            _ => None,
        }
    }
}

/// Of who goes on too early.
fn is_early(kind: Kind) -> bool {
    matches!(kind, Kind::WrongPhase | Kind::ExpectTxNotOrdered)
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

fn is_of_bytes(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::TransactionBytes | Kind::UnarmedReceiver | Kind::ExpectTxNotOrdered
    )
}

fn is_race(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::DataRace
            | Kind::ReadBeforeCompletion
            | Kind::WrongPhase
            | Kind::StageStillRead
            | Kind::ScopeTooNarrow
    )
}
