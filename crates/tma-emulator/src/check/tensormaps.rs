//! Tensor maps in global memory: changed, released, acquired, used. PTX ISA 8.9.4.

use super::{
    access::{CurrentAccess, Judge},
    checker::Checker,
    clock::{Clock, Lane},
    finding::FindingEnd,
    kind::DiagnosticKind,
    knowledge::{AcquiredMap, Distance},
    shadow::{Access, Actor},
    unreleased::Unreleased,
};
use crate::machine::{
    observer::{AccessKind, Memory, Origin, Proxy, Range, Scope, Sem},
    of_generic,
};

impl Checker {
    pub(super) fn fence_tensormap(&mut self, origin: Origin, sem: Sem, scope: Scope, address: u64) {
        let block = origin.block as u32;
        let Some(state) = self.grid.thread(block, origin.thread) else {
            return;
        };
        let reach = Distance::covered_by(scope);
        let covered = Distance::ALL.into_iter().filter(|near| *near <= reach);
        if matches!(sem, Sem::Release | Sem::AcqRel) {
            for near in covered.clone() {
                state.known.released[near as usize] = state.known.order.clone();
                state.own.released[near as usize] = state.own.epoch;
            }
            state.own.epoch += 1;
        }
        if matches!(sem, Sem::Acquire | Sem::AcqRel) {
            let (_, at) = of_generic(address);
            let own = state.own;
            let mut map = AcquiredMap {
                reach,
                ..AcquiredMap::default()
            };
            for near in covered {
                let near = near as usize;
                map.released[near] = state.known.released[near].clone();
                map.released[near].raise(Lane::Thread, own.block, own.thread, own.released[near]);
            }
            state.known.maps.acquire((block, at), &map);
        }
    }

    /// Checks that a copy may read its map.
    pub(super) fn map_use(&mut self, origin: Origin, copy: u32, range: Range) {
        if range.memory != Memory::Global {
            return;
        }
        let block = origin.block as u32;
        let what = format!("uses the tensor map at {:#x}", range.address);
        let here = FindingEnd::new(origin, what);
        let state = self.grid.blocks.get(block);
        let Some(state) = state.and_then(|b| b.threads.get(origin.thread as usize)) else {
            return;
        };
        let Some(map) = state.known.maps.get(block, range.address).cloned() else {
            self.report(
                DiagnosticKind::TensorMapNotAcquired,
                here,
                None,
                |checker| vec![format!("{} are the map", checker.words(range))],
            );
            return;
        };
        let judge = Judge {
            extents: &self.grid.extents,
            copies: &self.copies,
            known: &state.known,
            own: &state.own,
            copy: None,
        };
        let mut stale: Option<(DiagnosticKind, Access)> = None;
        let mut is_of_earlier = false;
        // A release of this launch covers earlier ones.
        let is_released_since = !map.released[Distance::SameBlock as usize].is_empty();
        let unreleased = &self.unreleased;
        self.shadow
            .visit(None, range.address, range.bytes.into(), |cell, _, at| {
                stale = judge.stale(&map, cell.write).or(stale);
                if stale.is_none() && cell.write.is_none() && !is_released_since {
                    let kind = unreleased.is_narrow(at).map(|is_narrow| match is_narrow {
                        true => DiagnosticKind::ScopeTooNarrow,
                        false => DiagnosticKind::TensorMapNotReleased,
                    });
                    is_of_earlier = kind.is_some();
                    stale = kind.map(|kind| (kind, cell.write));
                }
            });
        if let Some((kind, write)) = stale {
            let by_host = write.is_none();
            let there = (!by_host).then(|| self.end_of(write, AccessKind::Write, range));
            let note = match by_host {
                true if is_of_earlier => {
                    "an earlier launch wrote the map: its release needs `.gpu`"
                }
                true => "the map was written before the kernel began: its acquire needs `.gpu`",
                false => "the scopes of release and acquire must include both threads",
            };
            let notes = match kind {
                DiagnosticKind::ScopeTooNarrow => vec![note.to_owned()],
                DiagnosticKind::TensorMapNotAcquired => {
                    vec![
                        "the change was released, and the map was last acquired before that".into(),
                    ]
                }
                _ if is_of_earlier => vec!["an earlier launch wrote the map".to_owned()],
                _ => Vec::new(),
            };
            self.report(kind, here, there, |_| notes);
        }
        // The map is read until the copy is complete.
        let epoch = self.copies.get(copy as usize).map_or(0, |copy| copy.epoch);
        let actor = Actor::Copy {
            id: copy,
            writes: false,
        };
        let access = Access::new(actor, epoch, origin.instruction, Proxy::TensorMap);
        let current = CurrentAccess {
            origin,
            access,
            kind: AccessKind::Read,
            copy: Some(copy),
            changed: u32::MAX,
            frees: false,
        };
        if stale.is_none() {
            self.touch(&current, range);
        }
    }
}

impl Judge<'_> {
    /// Returns why a copy that uses a map does not see a write to it, if so.
    fn stale(&self, map: &AcquiredMap, write: Access) -> Option<(DiagnosticKind, Access)> {
        let narrow = Some((DiagnosticKind::ScopeTooNarrow, write));
        // The host, or an earlier launch, wrote it and released it.
        if write.is_none() {
            return narrow.filter(|_| map.reach < Distance::Far);
        }
        let writer = match write.actor() {
            Actor::Thread(thread) | Actor::Async(thread) => thread,
            Actor::Copy { id, .. } => self.copies.get(id as usize).map_or(0, |copy| copy.issuer),
        };
        let (block, thread) = self.extents.split(writer);
        let is_in = |released: &Clock| match write.actor() {
            // A thread's knowledge of itself is in the clock that it acquired with.
            Actor::Thread(_) => released.get(Lane::Thread, block, thread) >= write.epoch,
            _ => self.knows(released, write),
        };
        let is_released = |near: Distance| is_in(&map.released[near as usize]);
        let is_released_since = || {
            let near = Distance::SameBlock as usize;
            let is_own = (block, thread) == (self.own.block, self.own.thread);
            is_in(&self.known.released[near]) || is_own && self.own.released[near] >= write.epoch
        };
        let needed = self.extents.distance(block, self.own.block);
        if is_released(needed) {
            None
        } else if is_released(Distance::SameBlock) {
            narrow
        } else if is_released_since() {
            Some((DiagnosticKind::TensorMapNotAcquired, write))
        } else {
            Some((DiagnosticKind::TensorMapNotReleased, write))
        }
    }
}

impl Checker {
    /// Returns the unreleased writes of all launches up to this one, which has ended.
    pub(crate) fn unreleased(&self) -> Unreleased {
        // A release covers all that came before, earlier launches among it.
        let mut left = match self.released_maps.far.is_empty() {
            true => self.unreleased.clone(),
            false => Unreleased::default(),
        };
        let mut last: Option<(u64, u64, bool)> = None;
        self.shadow.global_writes(|start, bytes, write| {
            if self.covers(&self.released_maps.far, write) {
                return;
            }
            let is_narrow = self.covers(&self.released_maps.near, write);
            match &mut last {
                Some((_, end, narrow)) if *end == start && *narrow == is_narrow => *end += bytes,
                _ => {
                    let before = last.replace((start, start + bytes, is_narrow));
                    before
                        .into_iter()
                        .for_each(|(start, end, narrow)| left.add(start, end, narrow));
                }
            }
        });
        last.into_iter()
            .for_each(|(start, end, narrow)| left.add(start, end, narrow));
        left
    }

    fn covers(&self, released: &Clock, write: Access) -> bool {
        let extents = &self.grid.extents;
        match write.actor() {
            Actor::Thread(thread) => {
                let (block, thread) = extents.split(thread);
                released.get(Lane::Thread, block, thread) >= write.epoch
            }
            Actor::Async(thread) => {
                let (block, thread) = extents.split(thread);
                released.get(Lane::Async, block, thread) >= write.epoch
            }
            Actor::Copy { id, writes } => self
                .copies
                .get(id as usize)
                .is_none_or(|copy| copy.is_known(released, writes, extents)),
        }
    }
}
