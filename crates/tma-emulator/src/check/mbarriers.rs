//! mbarriers: releases by arrivals, acquires by waits, and errors of phases.

mod bytes;
mod order;
mod rings;
mod stages;
pub(super) mod state;
pub(super) mod uses;
mod validity;
mod waits;

use super::{
    access::CurrentAccess,
    checker::Checker,
    clock::{Epoch, Lane},
    copy_table::far,
    finding::FindingEnd,
    grid::{LastWait, WARPGROUP},
    kind::DiagnosticKind,
    shadow::{Access, Actor},
};
use crate::machine::observer::{
    AccessKind, CopyId, MbarrierEvent, Origin, Proxy, Range, Scope, Sem,
};
use state::{Issued, Waited, location};
use uses::Use;

impl Checker {
    pub(super) fn mbarrier(
        &mut self,
        origin: Origin,
        range: Range,
        operation: MbarrierEvent,
        (sem, scope): (Sem, Scope),
    ) {
        let Some(at) = location(range) else { return };
        match operation {
            MbarrierEvent::Init { .. } => self.mbarrier_init(origin, range),
            MbarrierEvent::Inval => self.mbarrier_inval(origin, range),
            MbarrierEvent::ExpectTx { bytes, .. } => {
                self.mbarrier_use(origin, range, "expects bytes at", Use::Step);
                self.turn_steps(origin, at, false);
                self.mbarrier_expects(origin, at, bytes);
            }
            MbarrierEvent::CompleteTx { bytes, copy, .. } => {
                if copy.is_none() {
                    self.mbarrier_use(origin, range, "completes bytes at", Use::Step);
                    self.mbarrier_delivers(origin, at);
                    self.mbarrier_counts_bytes(origin, at, bytes);
                }
            }
            MbarrierEvent::Arrive { .. } => {
                self.mbarrier_use(origin, range, "arrives at", Use::Step);
                self.turn_steps(origin, at, true);
                self.mbarrier_arrives(origin, at);
                self.mbarrier_arrive(origin, at, sem, scope);
            }
            MbarrierEvent::TooMany { phase } => {
                let object = self.mbarriers.objects.get(&at);
                let last = object.and_then(|object| object.arrivals.last);
                let last = last.map(|by| {
                    FindingEnd::new(by, format!("arrives last in phase {phase} before that"))
                });
                self.mbarriers.one_too_many = (last, self.passed_at_once(origin, at));
            }
            MbarrierEvent::AsyncArriveIssue { .. } => {
                self.mbarriers.counts_plain_copies = true;
                self.mbarrier_use(origin, range, "arrives at", Use::Counted);
                self.turn_steps(origin, at, true);
            }
            MbarrierEvent::AsyncArrive { copies_before, .. } => {
                self.mbarrier_counts_arrival(origin, at);
                self.mbarrier_async_arrive(origin, at, copies_before);
            }
            MbarrierEvent::PhaseDone { phase } => self.phase_done(origin, at, phase),
            MbarrierEvent::WaitDone { phase, by_parity } => {
                self.mbarrier_use(origin, range, "waits at", Use::Step);
                self.waits_out_of_turn(origin, at, phase, by_parity);
                self.mbarrier_waited(origin, at, phase, sem, scope);
            }
            MbarrierEvent::WaitPending { phase, by_parity } => {
                self.mbarrier_use(origin, range, "waits at", Use::Step);
                self.waits_out_of_turn(origin, at, phase, by_parity);
            }
            MbarrierEvent::WaitUnused => {
                self.mbarrier_use(origin, range, "waits at", Use::Step);
                self.wait_unused(origin, at);
            }
        }
    }

    fn stamp(&mut self, origin: Origin, range: Range, is_mbarrier: bool) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let actor = Actor::Thread(self.grid.extents.thread(block, thread));
        let Some(state) = self.grid.thread(block, thread) else {
            return;
        };
        let epoch = state.own.epoch;
        let mut access = Access::new(actor, epoch, origin.instruction, Proxy::Generic);
        if is_mbarrier {
            access = access.of_mbarrier();
        }
        let current = CurrentAccess {
            origin,
            access,
            kind: AccessKind::Write,
            copy: None,
            changed: u32::MAX,
            frees: false,
        };
        self.touch(&current, range);
    }

    fn mbarrier_arrive(&mut self, origin: Origin, at: (u32, u64), sem: Sem, scope: Scope) {
        let block = origin.block as u32;
        let extents = self.grid.extents;
        let Some(object) = self.mbarriers.objects.get_mut(&at) else {
            return;
        };
        if sem == Sem::Relaxed {
            return self.products_arrive(origin, at, scope);
        }
        let to = if block == at.0 {
            &mut object.near
        } else if extents.reaches(scope, block, at.0) {
            &mut object.distant
        } else {
            &mut object.narrow
        };
        if let Some(state) = self.grid.thread(block, origin.thread) {
            state.release_to(to);
        }
    }

    /// Records a relaxed arrival. It does not release its thread's accesses, but it does pass on completed
    /// products that the thread has waited for, and the copies that these read.
    fn products_arrive(&mut self, origin: Origin, at: (u32, u64), scope: Scope) {
        let block = origin.block as u32;
        let first = origin.thread - origin.thread % WARPGROUP;
        let reaches = self.grid.extents.reaches(scope, block, at.0);
        let state = self.grid.thread(block, origin.thread);
        let (Some(state), Some(object)) = (state, self.mbarriers.objects.get_mut(&at)) else {
            return;
        };
        let has_products = state.known.order.get(Lane::Wgmma, block, first) > 0;
        if !has_products || !reaches {
            return;
        }
        let done = state.known.order.completions();
        let to = match block == at.0 {
            true => &mut object.near.known,
            false => &mut object.distant.known,
        };
        to.order.join(&done);
        if to.has_wide() {
            to.wide_mut().join(&done);
        }
        object.issued.push(Issued {
            bytes: 0,
            wide: state.known.wide().clone(),
            epoch: state.own.epoch,
            origin,
            is_copy: true,
        });
    }

    /// Records that the `cp.async` of a thread are complete; its other steps are not released.
    fn mbarrier_async_arrive(&mut self, origin: Origin, at: (u32, u64), copies: CopyId) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let issuer = self.grid.extents.thread(block, thread);
        let epoch = self.plain_before(issuer, copies);
        let Some(object) = self.mbarriers.objects.get_mut(&at) else {
            return;
        };
        if let Some(uses) = object.users.get_mut(&issuer) {
            uses.counts_in(object.phase);
        }
        let near = &mut object.near.known;
        near.order.raise(Lane::Async, block, thread, epoch);
        if near.has_wide() {
            near.wide_mut().raise(Lane::Async, block, thread, epoch);
        }
        let state = self.grid.thread(block, thread);
        let (wide, epoch) = state.map_or_else(Default::default, |state| {
            (state.known.wide().clone(), state.own.epoch)
        });
        object.issued.push(Issued {
            bytes: 0,
            wide,
            epoch,
            origin,
            is_copy: true,
        });
    }

    fn phase_done(&mut self, origin: Origin, at: (u32, u64), phase: u64) {
        let Some(mut object) = self.mbarriers.objects.remove(&at) else {
            return;
        };
        self.check_bytes(origin, at.0, &object);
        self.check_expectations(at.0, &object, true);
        let extents = self.grid.extents;
        let unknown = |is_stale: bool| {
            let lapped = object.waited.values().filter(|waited| {
                let (of, thread) = (waited.origin.block as u32, waited.origin.thread);
                let is_before = waited.phase < phase || waited.seen == 0;
                waited.is_stale == is_stale
                    && is_before
                    && !object.completer_knows(of, thread, waited.epoch)
            });
            lapped.min_by_key(|waited| waited.origin.thread).copied()
        };
        let (stale, lapped) = (unknown(true), unknown(false));
        if let Some(stale) = stale {
            self.waits_early(stale.origin, at, phase + 1, (object.id, object.offset));
        }
        if let Some(lapped) = lapped {
            self.waits_again(origin);
            let what = format!(
                "completes phase {phase} of the {}",
                self.shared_names.mbarrier(object.offset)
            );
            let there = FindingEnd::new(
                lapped.origin,
                format!("waits for its phase {}", lapped.phase),
            );
            let here = FindingEnd::new(origin, what);
            self.report(DiagnosticKind::LappedWaiter, here, Some(there), |_| {
                vec![
                    "the wait is not ordered before the arrivals and copies of the next phase"
                        .into(),
                ]
            })
            .about(Some((at.0, object.id)));
        }
        object
            .waited
            .retain(|_, waited| waited.phase >= phase && waited.seen > 0);
        object.phase = phase + 1;
        object.completer = Some(origin);
        let epoch = object.phase as Epoch;
        let (block, id) = (at.0, object.id);
        // A completed copy does not release its thread's earlier accesses, but it happens after them.
        for copy in &object.issued {
            let wide = object.near.known.wide_mut();
            wide.join(&copy.wide);
            let (of, thread) = (copy.origin.block as u32, copy.origin.thread);
            wide.raise(Lane::Thread, of, thread, copy.epoch);
        }
        object.near.known.order.raise_mbarrier(block, id, epoch);
        if object.near.known.has_wide() {
            object
                .near
                .known
                .wide_mut()
                .raise_mbarrier(block, id, epoch);
        }
        object.done = if extents.cluster.iter().product::<u32>() == 1 {
            [object.near.known.clone(), object.near.known.clone()]
        } else {
            let mut all = object.near.clone();
            all.join(&object.distant);
            all.known.order.raise_mbarrier(block, far(id), epoch);
            let mut wide = all.known.wide().clone();
            wide.join(object.narrow.known.wide());
            wide.raise_mbarrier(block, far(id), epoch);
            let mut near = object.near.known.clone();
            *near.wide_mut() = wide.clone();
            *all.known.wide_mut() = wide;
            [near, all.known]
        };
        object.end_phase();
        self.mbarriers.objects.insert(at, object);
    }

    fn mbarrier_waited(
        &mut self,
        origin: Origin,
        at: (u32, u64),
        phase: u64,
        sem: Sem,
        scope: Scope,
    ) {
        let Some(object) = self.mbarriers.objects.get_mut(&at) else {
            return;
        };
        let memos = &mut self.grid.memos;
        let block = self.grid.blocks.get_mut(origin.block as u32);
        let state = block.and_then(|block| block.threads.get_mut(origin.thread as usize));
        let Some(state) = state else { return };
        let epoch = state.own.epoch;
        let extents = self.grid.extents;
        let user = extents.thread(origin.block as u32, origin.thread);
        // A wait for the phase before the first is reported as a wait for phase 0.
        let is_first = object.phase == 0;
        object.turns.wait(origin, is_first);
        let waited = Waited {
            origin,
            epoch,
            phase,
            seen: if is_first { 0 } else { phase + 1 },
            is_stale: is_first || object.phases_waited(at.0, state) > phase,
        };
        let before = object.waited.get(&origin.thread);
        let is_stale = is_first || before.is_some_and(|before| before.phase == phase);
        state.last_wait = Some(LastWait {
            at,
            instruction: origin.instruction,
            epoch,
            is_stale,
        });
        if is_stale {
            let next = if is_first { 0 } else { phase as Epoch + 1 };
            object.stale.entry(user).or_insert((origin, next));
        }
        let last = object.waited.entry(origin.thread).or_insert(waited);
        if last.phase <= phase {
            *last = waited;
        }
        if sem == Sem::Relaxed {
            return;
        }
        let done = &object.done[usize::from(scope != Scope::Cta)];
        state.known.acquire(done, true, memos);
    }
}
