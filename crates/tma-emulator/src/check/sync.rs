//! Fences, and strong accesses that synchronise. PTX ISA 8.7.

use super::{
    checker::Checker,
    clock::{Clock, Lane},
    grid::{Fenced, Thread, WARPGROUP},
    locations::{Release, is_far},
    released::Released,
};
use crate::machine::observer::{AccessKind, Memory, Origin, Range, Scope, Sem};

/// Limit of remembered releases per thread that relaxed reads of a narrow scope have read.
const MOST_SEEN: usize = 16;

fn acquires(sem: Sem) -> bool {
    matches!(sem, Sem::Acquire | Sem::AcqRel | Sem::Sc)
}

fn releases(sem: Sem) -> bool {
    matches!(sem, Sem::Release | Sem::AcqRel | Sem::Sc)
}

impl Checker {
    /// Performs a strong access.
    pub(super) fn synchronise(
        &mut self,
        origin: Origin,
        kind: AccessKind,
        sem: Sem,
        scope: Scope,
        range: Range,
    ) {
        let key = (range.memory, range.address);
        let extents = self.grid.extents;
        let block = origin.block as u32;
        let memos = &mut self.grid.memos;
        let state = self.grid.blocks.get_mut(block);
        let Some(state) = state.and_then(|b| b.threads.get_mut(origin.thread as usize)) else {
            return;
        };
        if kind != AccessKind::Write
            && let Some(location) = self.locations.get(&key)
            && state.last_read != Some((location.version, acquires(sem), scope))
        {
            state.last_read = Some((location.version, acquires(sem), scope));
            let reaches = |by: u32, of: Scope| {
                extents.reaches(of, by, block) && extents.reaches(scope, block, by)
            };
            let fences = &mut state.known.fences;
            location.fences.read((block, scope), fences, reaches);
            let is_known = is_far(scope) && acquires(sem);
            if is_known {
                state.known.acquire(&location.all_far.known, true, memos);
            } else if is_far(scope) && !location.far.is_empty() {
                let seen = state.seen_far.get_or_insert_default();
                seen.acquire(&location.all_far.known, true, memos);
            }
            let skipped = match acquires(sem) {
                true if is_known => location.far.len(),
                true => 0,
                false => location.far.len().saturating_sub(MOST_SEEN),
            };
            for release in location.far.iter().skip(skipped).chain(&location.near) {
                let in_scope = reaches(release.block, release.scope);
                let known = &release.released.known;
                if acquires(sem) {
                    state.known.acquire(known, in_scope, memos);
                } else if in_scope {
                    if state.seen.len() >= MOST_SEEN {
                        state.seen.remove(0);
                    }
                    state
                        .seen
                        .push((release.block, release.scope, known.clone()));
                }
            }
        }
        if kind == AccessKind::Read {
            return;
        }
        // Atomics continue the release of others; stores start a new one.
        if kind == AccessKind::Write {
            self.locations.remove(&key);
        }
        let release = if releases(sem) {
            let mut released = Released::default();
            state.release_to(&mut released);
            Some((scope, released))
        } else {
            let fenced = state.fenced.as_deref();
            fenced.map(|fenced| (fenced.scope.min_of(scope), fenced.released.clone()))
        };
        let fences = state.known.fences.before();
        if release.is_none() && fences.is_none() {
            return;
        }
        self.releases += 1;
        let location = self.locations.entry(key).or_default();
        location.version = self.releases;
        if let Some(fences) = fences {
            let is_shared = matches!(range.memory, Memory::Shared { .. });
            location.fences.add((block, scope), is_shared, fences);
        }
        let Some((scope, mut released)) = release else {
            return;
        };
        if is_far(scope) {
            released.known.fences.widen();
        }
        if is_far(scope) {
            location.all_far.join(&released);
        }
        let all = match is_far(scope) {
            true => &mut location.far,
            false => &mut location.near,
        };
        let mut same = all.iter_mut();
        match same.find(|other| (other.block, other.scope) == (block, scope)) {
            Some(other) => other.released.join(&released),
            None => all.push(Release {
                block,
                scope,
                released,
            }),
        }
    }

    pub(super) fn fence(&mut self, origin: Origin, sem: Sem, scope: Scope) {
        let extents = self.grid.extents;
        let block = origin.block as u32;
        let memos = &mut self.grid.memos;
        let state = self.grid.blocks.get_mut(block);
        let Some(state) = state.and_then(|b| b.threads.get_mut(origin.thread as usize)) else {
            return;
        };
        if acquires(sem) {
            state.last_read = None;
            if let Some(seen) = state.seen_far.take_if(|_| is_far(scope)) {
                state.known.acquire(&seen, true, memos);
            }
            for (from, of, known) in std::mem::take(&mut state.seen) {
                let in_scope =
                    extents.reaches(scope, block, from) && extents.reaches(of, from, block);
                state.known.acquire(&known, in_scope, memos);
            }
        }
        if sem == Sem::Sc {
            state.known.acquire_fences(&state.own, scope, memos);
        }
        if releases(sem) {
            let mut released = Released::default();
            state.release_to(&mut released);
            if sem == Sem::Sc {
                state
                    .known
                    .release_fence(&state.own, scope, &released.known);
            }
            state.fenced = Some(Box::new(Fenced { scope, released }));
        }
    }

    /// Ends the earlier steps of a warpgroup's threads, without ordering them for other threads.
    pub(super) fn warpgroup_meet(&mut self, origin: Origin) {
        let block = origin.block as u32;
        let Some(state) = self.grid.blocks.get_mut(block) else {
            return;
        };
        let first = origin.thread as usize;
        if let Some(threads) = state.threads.get_mut(first..first + WARPGROUP as usize) {
            let mut met = Clock::default();
            for Thread { known, own, .. } in &mut *threads {
                met.join(known.wide());
                met.raise(Lane::Thread, own.block, own.thread, own.epoch);
                own.epoch += 1;
            }
            for thread in threads {
                *thread.known.wide_mut() = met.clone();
            }
        }
    }

    pub(super) fn fence_mbarrier_init(&mut self, origin: Origin) {
        if let Some(state) = self.grid.thread(origin.block as u32, origin.thread) {
            state.known.inits = state.known.order.clone();
            state.own.inits = state.own.epoch;
            state.own.epoch += 1;
        }
    }

    /// Orders all earlier steps before later copies (`fence.proxy.async`).
    pub(super) fn fence_proxy_async(&mut self, origin: Origin, sides: [bool; 2]) {
        self.proxy_fences.insert(origin.instruction);
        let Some(state) = self.grid.thread(origin.block as u32, origin.thread) else {
            return;
        };
        for (side, _) in sides.iter().enumerate().filter(|(_, is_meant)| **is_meant) {
            state.known.proxied[side] = state.known.order.clone();
            state.own.proxied[side] = state.own.epoch;
        }
        state.own.epoch += 1;
    }
}

impl Scope {
    /// Returns the narrower of two scopes.
    fn min_of(self, other: Self) -> Self {
        if (self as u8) < other as u8 {
            self
        } else {
            other
        }
    }
}
