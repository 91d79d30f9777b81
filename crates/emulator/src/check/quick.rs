//! Accesses of a warp that have nothing to report, which most are.

use super::{
    Checker,
    access::Judge,
    clock::{Clock, Epoch, Epochs, Lane},
    readers::Known,
    shadow::{Access, Actor, Cell},
};
use crate::{
    machine::observer::{AccessKind, Accesses, Memory, Origin},
    value::{LANES, lanes_of},
};

/// What a thread knows, with what it knows of its own block at hand.
pub(super) struct Near<'a> {
    judge: Judge<'a>,
    /// Numbers of the thread and of its block's first thread in the grid.
    own: u32,
    first: u32,
    threads: u32,
    epochs: Option<&'a Epochs>,
    least: Epoch,
}

impl Known for Near<'_> {
    #[inline]
    fn has(&self, access: Access) -> bool {
        let thread = access.index.wrapping_sub(self.first);
        match access.actor() {
            Actor::Thread(_) if thread < self.threads => {
                access.epoch <= self.least
                    || access.index == self.own
                    || self
                        .epochs
                        .is_some_and(|all| all.get(thread) >= access.epoch)
            }
            _ => self.judge.happened_before(access),
        }
    }

    #[inline]
    fn has_block(&self, first: u32, epoch: Epoch) -> bool {
        first == self.first && epoch <= self.least
    }
}

impl Checker {
    /// Ordinary accesses of a warp, in the order of its lanes.
    pub(super) fn warp_access(&mut self, origin: Origin, all: &Accesses) -> [u32; LANES] {
        let mut valueless = [0; LANES];
        let mut rest = all.lanes;
        loop {
            rest = self.quick(origin, all, rest);
            let Some(lane) = lanes_of(rest).next() else {
                return valueless;
            };
            let (origin, access) = all.of(origin, lane);
            valueless[lane] = self.access(origin, access, all.proxy);
            rest &= rest - 1;
        }
    }

    /// Takes note of the accesses of lanes up to the first that may have something to report; gives that and the lanes
    /// behind it.
    fn quick(&mut self, origin: Origin, all: &Accesses, lanes: u32) -> u32 {
        let shared = match all.memory {
            Memory::Global => None,
            Memory::Shared { block } if block == origin.block => Some(block as u32),
            _ => return lanes,
        };
        let is_read = match all.kind {
            AccessKind::Read => true,
            AccessKind::Write => false,
            AccessKind::Atomic => return lanes,
        };
        if !all.bytes.is_multiple_of(4) {
            return lanes;
        }
        let Self {
            grid,
            shadow,
            copies,
            ..
        } = self;
        let Some(block) = grid.blocks.get(origin.block as u32) else {
            return lanes;
        };
        let first = grid.extents.thread(origin.block as u32, 0);
        let like = Access::new(Actor::Thread(first), 0, origin.instruction, all.proxy);
        let mut last: Option<(&Clock, Option<&Epochs>, Epoch)> = None;
        let mut rest = lanes;
        for lane in lanes_of(lanes) {
            let thread = origin.thread + lane as u32;
            let Some(state) = block.threads.get(thread as usize) else {
                return rest;
            };
            let order = &state.known.order;
            let (epochs, least) = match last {
                Some((known, epochs, least)) if known.same(order) => (epochs, least),
                _ => {
                    let epochs = order.epochs(Lane::Thread, origin.block as u32);
                    let least = epochs.map_or(0, |epochs| epochs.least(grid.extents.threads));
                    last = Some((order, epochs, least));
                    (epochs, least)
                }
            };
            let known = Near {
                judge: Judge {
                    extents: &grid.extents,
                    copies,
                    known: &state.known,
                    own: &state.own,
                    copy: None,
                },
                own: first.wrapping_add(thread),
                first,
                threads: grid.extents.threads,
                epochs,
                least,
            };
            let now = like.by(known.own, state.own.epoch);
            let (cells, readers) = shadow.words(shared, all.addresses[lane], all.bytes);
            let is_done = match is_read {
                true => Cell::read_quickly(cells, now, shared.is_some(), &known, readers),
                false => Cell::write_quickly(cells, now, &known, readers),
            };
            if !is_done {
                return rest;
            }
            rest &= rest - 1;
        }
        0
    }
}
