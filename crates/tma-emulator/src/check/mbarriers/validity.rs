//! Checks that a barrier is valid: initialised, not invalidated, and its memory not used for
//! something else.

use super::{
    state::{Arrivals, MbarrierState, Turns, location},
    uses::Use,
};
use crate::{
    check::{
        checker::Checker,
        clock::{Clock, Epoch, Lane},
        finding::FindingEnd,
        hash::Map,
        kind::DiagnosticKind,
        released::Released,
        shadow::{Access, Actor},
    },
    machine::observer::{Origin, Proxy, Range},
};

impl Checker {
    pub(super) fn mbarrier_init(&mut self, origin: Origin, range: Range) {
        let Some((block, offset)) = location(range) else {
            return;
        };
        let old = self.mbarriers.objects.get(&(block, offset));
        let is_again = old.is_some();
        if let Some(old) = old.filter(|old| old.is_valid()) {
            let there = FindingEnd::new(old.init.0, "initialised it");
            let what = format!(
                "initialises the {} again",
                self.shared_names.mbarrier(offset)
            );
            self.report(
                DiagnosticKind::MbarrierOverwritten,
                FindingEnd::new(origin, what),
                Some(there),
                |_| Vec::new(),
            );
        }
        self.stamp(origin, range, true);
        let thread = self.grid.thread(origin.block as u32, origin.thread);
        let epoch = thread.map_or(0, |thread| thread.own.epoch);
        let id = self.mbarriers.next;
        self.mbarriers.next += 1;
        let object = MbarrierState {
            id,
            offset,
            init: (origin, epoch),
            phase: 0,
            expected: 0,
            armed: Vec::new(),
            issued: Vec::new(),
            arrivals: Arrivals::default(),
            arrivals_before: Arrivals::default(),
            arrivals_earlier: Arrivals::default(),
            near: Released::default(),
            distant: Released::default(),
            narrow: Released::default(),
            done: Default::default(),
            stale: Map::default(),
            completer: None,
            waited: Map::default(),
            users: Map::default(),
            ended: None,
            turns: Turns::again(is_again),
        };
        self.mbarriers.objects.insert((block, offset), object);
    }

    pub(super) fn mbarrier_inval(&mut self, origin: Origin, range: Range) {
        self.mbarrier_use(origin, range, "invalidates", Use::Step);
        let (block, thread) = (origin.block as u32, origin.thread);
        let mut in_use = None;
        let extents = self.grid.extents;
        let state = self.grid.thread(block, thread);
        let known = state.map(|t| {
            let clocks = [t.known.order.clone(), t.known.collective.clone()];
            (clocks, t.own.epoch)
        });
        let (Some(([known, collective], epoch)), Some(at)) = (known, location(range)) else {
            return;
        };
        if let Some(object) = self.mbarriers.objects.get_mut(&at) {
            object.ended = Some((origin, epoch));
            let mine = extents.thread(block, thread);
            let waited = object.waited.get(&thread).map_or(0, |waited| waited.seen);
            let mut users: Vec<_> = object.users.iter().collect();
            users.sort_by_key(|(user, _)| **user);
            let pending = users.into_iter().filter_map(|(user, uses)| {
                let (of, lane) = extents.split(*user);
                let pending = |clock: &Clock| {
                    let (steps, seen) = match *user == mine {
                        true => (Epoch::MAX, waited),
                        false => (clock.get(Lane::Thread, of, lane), 0),
                    };
                    let phases = u64::from(clock.mbarrier(at.0, object.id));
                    uses.pending(steps, phases.max(seen))
                };
                let used = pending(&known)?;
                let kind = match pending(&collective) {
                    None => DiagnosticKind::OrderByCollective,
                    Some(_) => DiagnosticKind::MbarrierInvalidatedInUse,
                };
                Some((of, lane, used, kind))
            });
            // The first of the most severe ones.
            in_use = pending.rev().max_by_key(|(.., kind)| kind.severity());
        }
        if let Some((of, lane, used, kind)) = in_use {
            let (what, notes) = match used.counted_in {
                None => ("uses it".into(), Vec::new()),
                Some(phase) => (
                    format!("issues an operation that counts in its phase {phase}"),
                    vec![format!(
                        "only a wait for phase {phase} proves that it has completed"
                    )],
                ),
            };
            let there = FindingEnd {
                block: of,
                thread: lane,
                instruction: used.instruction,
                what,
            };
            let here = FindingEnd::new(origin, "invalidates the mbarrier");
            self.report(kind, here, Some(there), |_| notes);
        }
        self.stamp(origin, range, true);
        self.shadow_as_data(origin, range);
    }

    /// Records a write of the bytes, which are ordinary memory from now on.
    pub(super) fn shadow_as_data(&mut self, origin: Origin, range: Range) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let actor = Actor::Thread(self.grid.extents.thread(block, thread));
        let epoch = self.grid.thread(block, thread).map_or(0, |t| t.own.epoch);
        let access = Access::new(actor, epoch, origin.instruction, Proxy::Generic);
        if let Some((of, offset)) = location(range) {
            self.shadow
                .visit(Some(of), offset, range.bytes.into(), |cell, readers, _| {
                    cell.set_write(access, readers);
                });
        }
    }

    /// Checks a thread's use of a barrier.
    pub(super) fn mbarrier_use(&mut self, origin: Origin, range: Range, what: &str, used: Use) {
        if let Some((of, _)) = location(range).filter(|(of, _)| *of != origin.block as u32) {
            self.remote_access(origin, of, range, what);
        }
        self.mbarrier_known(origin, range, what, used);
    }

    /// Checks that a thread that uses a barrier knows of its initialisation.
    pub(in crate::check) fn mbarrier_known(
        &mut self,
        origin: Origin,
        range: Range,
        what: &str,
        used: Use,
    ) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let Some(at) = location(range) else { return };
        let Some(state) = self.grid.blocks.get(block) else {
            return;
        };
        let Some(state) = state.threads.get(thread as usize) else {
            return;
        };
        let Some(object) = self.mbarriers.objects.get_mut(&at) else {
            return;
        };
        let user = self.grid.extents.thread(block, thread);
        let (epoch, phase) = (state.own.epoch, object.phase);
        let uses = object.users.entry(user).or_default();
        uses.add(used, epoch, phase, origin.instruction);
        let knows = |(by, epoch): (Origin, Epoch), clock: &Clock| {
            let by = (by.block as u32, by.thread);
            by == (block, thread) || clock.get(Lane::Thread, by.0, by.1) >= epoch
        };
        let here = |what: &str| {
            let mbarrier = self.shared_names.mbarrier(at.1);
            FindingEnd::new(origin, format!("{what} the {mbarrier}"))
        };
        let (kind, here, there) = match object.ended {
            Some(end) if knows(end, &state.known.order) => {
                let there = FindingEnd::new(end.0, "invalidates it");
                (DiagnosticKind::MbarrierInvalidated, here(what), there)
            }
            Some((by, _)) => {
                let there = FindingEnd::new(origin, "uses it");
                let here = FindingEnd::new(by, "invalidates the mbarrier");
                (DiagnosticKind::MbarrierInvalidatedInUse, here, there)
            }
            None if knows(object.init, &state.known.order)
                || knows(object.init, &state.known.inits) =>
            {
                return;
            }
            None => {
                let there = FindingEnd::new(object.init.0, "initialises it");
                (DiagnosticKind::MbarrierInitNotPublished, here(what), there)
            }
        };
        self.report(kind, here, Some(there), |_| Vec::new());
    }
}
