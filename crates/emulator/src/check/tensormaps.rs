//! Tensor maps in global memory: changed, released, acquired, used. PTX ISA 8.9.4.

use super::{
    Checker, Kind,
    access::{Judge, Made},
    clock::{Clock, Lane},
    raw::{End, words},
    shadow::{Access, Actor},
};
use crate::{
    machine::of_generic,
    observer::{AccessKind, Memory, Origin, Proxy, Range, Sem},
};

impl Checker {
    pub(super) fn fence_tensormap(&mut self, origin: Origin, sem: Sem, address: u64) {
        let block = origin.block as u32;
        let Some(state) = self.grid.thread(block, origin.thread) else {
            return;
        };
        if matches!(sem, Sem::Release | Sem::AcqRel) {
            state.known.released = state.known.order.clone();
            state.own.released = state.own.epoch;
            state.own.epoch += 1;
        }
        if matches!(sem, Sem::Acquire | Sem::AcqRel) {
            let (_, at) = of_generic(address);
            let mut released = state.known.released.clone();
            let (own, lane) = (state.own, Lane::Thread);
            released.raise(lane, own.block, own.thread, own.released);
            state.known.maps.acquire((block, at), &released);
        }
    }

    /// A copy reads its map.
    pub(super) fn map_use(&mut self, origin: Origin, copy: u32, range: Range) {
        if range.memory != Memory::Global {
            return;
        }
        let block = origin.block as u32;
        let what = format!("uses the tensor map at {:#x}", range.address);
        let here = End::new(origin, what);
        let state = self.grid.blocks.get(block);
        let Some(state) = state.and_then(|b| b.threads.get(origin.thread as usize)) else {
            return;
        };
        let Some(released) = state.known.maps.get(block, range.address).cloned() else {
            self.report(Kind::TensorMapNotAcquired, here, None, |_| {
                vec![format!("{} are the map", words(range))]
            });
            return;
        };
        let judge = Judge {
            extents: &self.grid.extents,
            copies: &self.copies,
            known: &state.known,
            own: &state.own,
            copy: None,
        };
        let covers = |clock: &Clock, own_epoch, write: Access| match write.actor() {
            Actor::Thread(thread)
                if thread == judge.extents.thread(judge.own.block, judge.own.thread) =>
            {
                own_epoch >= write.epoch
            }
            _ => judge.knows(clock, write),
        };
        // What the thread knows of itself is in the clock that it acquired with.
        let acquired = released.get(Lane::Thread, judge.own.block, judge.own.thread);
        let mut stale: Option<(Access, Kind)> = None;
        self.shadow
            .visit(None, range.address, range.bytes.into(), |cell, _, _| {
                let write = cell.write;
                if write.is_none() || covers(&released, acquired, write) {
                    return;
                }
                let kind = match covers(&judge.known.released, judge.own.released, write) {
                    true => Kind::TensorMapNotAcquired,
                    false => Kind::TensorMapNotReleased,
                };
                stale = Some((write, kind));
            });
        if let Some((write, kind)) = stale {
            let there = self.end_of(write, AccessKind::Write, range);
            let notes = match kind {
                Kind::TensorMapNotAcquired => {
                    vec![
                        "the change was released, and the map was last acquired before that".into(),
                    ]
                }
                _ => Vec::new(),
            };
            self.report(kind, here, Some(there), |_| notes);
        }
        // The map is read until the copy is complete.
        let epoch = self.copies.get(copy as usize).map_or(0, |copy| copy.epoch);
        let actor = Actor::Copy {
            id: copy,
            writes: false,
        };
        let access = Access::new(actor, epoch, origin.instruction, Proxy::TensorMap);
        let made = Made {
            origin,
            access,
            kind: AccessKind::Read,
            copy: Some(copy),
        };
        if stale.is_none() {
            self.touch(&made, range);
        }
    }
}
