//! Accesses of a warp that have nothing to report, which most are.

use super::{
    Checker,
    access::Judge,
    clock::{Clock, Epoch, Epochs, Lane},
    grid::{Extents, Thread},
    readers::{Known, Run},
    shadow::{Access, Actor, Cell},
};
use crate::{
    machine::observer::{AccessKind, Accesses, Memory, Origin},
    value::{LANES, lanes_of},
};

/// So many lanes that follow one another and access one location are worth a look at all of them.
const RUN: u32 = 4;

/// What is known to all threads whose clocks are the same.
#[derive(Clone, Copy)]
struct Common<'a> {
    order: &'a Clock,
    /// Number of the block's first thread in the grid.
    first: u32,
    threads: u32,
    /// How far the threads of the block have come.
    epochs: Option<&'a Epochs>,
    least: Epoch,
    knows_others: bool,
}

impl<'a> Common<'a> {
    fn new(order: &'a Clock, block: u32, extents: &Extents) -> Self {
        let epochs = order.epochs(Lane::Thread, block);
        Self {
            order,
            first: extents.thread(block, 0),
            threads: extents.threads,
            epochs,
            least: epochs.map_or(0, |epochs| epochs.least(extents.threads)),
            knows_others: order.knows_others(block),
        }
    }

    /// Says it of an access by a thread of the block.
    #[inline]
    fn has(&self, access: Access) -> Option<bool> {
        let Actor::Thread(index) = access.actor() else {
            return None;
        };
        let thread = index.wrapping_sub(self.first);
        match thread < self.threads {
            true => Some(
                access.epoch <= self.least
                    || self
                        .epochs
                        .is_some_and(|all| all.get(thread) >= access.epoch),
            ),
            false if !self.knows_others && access.epoch > 0 => Some(false),
            false => None,
        }
    }
}

/// What one thread knows.
struct Near<'a> {
    common: Common<'a>,
    /// Its number in the grid; `None` where only what it knows of others counts.
    own: Option<u32>,
    judge: Judge<'a>,
}

impl Known for Near<'_> {
    #[inline]
    fn has(&self, access: Access) -> bool {
        match self.common.has(access) {
            Some(has) => has || self.own == Some(access.index),
            None => self.judge.happened_before(access),
        }
    }

    #[inline]
    fn has_block(&self, first: u32, epoch: Epoch) -> bool {
        first == self.common.first && epoch <= self.common.least
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
        let number = origin.block as u32;
        let shared = match all.memory {
            Memory::Global => None,
            Memory::Shared { block } if block == origin.block => Some(number),
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
        let extents = &grid.extents;
        let Some(block) = grid.blocks.get(number) else {
            return lanes;
        };
        let Some(threads) = block.threads.get(origin.thread as usize..) else {
            return lanes;
        };
        let like = Access::new(Actor::Thread(0), 0, origin.instruction, all.proxy);
        let mut last: Option<Common<'_>> = None;
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let Some(state) = threads.get(lane) else {
                return rest;
            };
            let order = &state.known.order;
            let common = match last {
                Some(common) if common.order.same(order) => common,
                _ => *last.insert(Common::new(order, number, extents)),
            };
            let mut known = Near {
                common,
                own: None,
                judge: Judge {
                    extents,
                    copies,
                    known: &state.known,
                    own: &state.own,
                    copy: None,
                },
            };
            let own = common.first.wrapping_add(origin.thread + lane as u32);
            let now = like.by(own, state.own.epoch);
            let (cells, readers) = shadow.words(shared, all.addresses[lane], all.bytes);
            if is_read {
                let run = Run {
                    first: now,
                    lanes: run(threads, all, rest, lane, &common),
                };
                if run.lanes.count_ones() >= RUN
                    && Cell::read_together(cells, run, shared.is_some(), &known, readers)
                {
                    rest &= !run.lanes;
                    continue;
                }
            }
            known.own = Some(own);
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

/// The lanes from this one on that access the same, in the same epoch, know the same, and nothing of what each does now.
#[inline]
fn run(threads: &[Thread], all: &Accesses, rest: u32, lane: usize, common: &Common<'_>) -> u32 {
    let address = all.addresses[lane];
    let last = lane + RUN as usize - 1;
    // Most runs end at once.
    if all.addresses.get(last) != Some(&address) {
        return 1 << lane;
    }
    let epoch = threads[lane].own.epoch;
    let is_like = |other: usize| {
        let is_there = rest >> other & 1 != 0 && all.addresses[other] == address;
        is_there
            && threads.get(other).is_some_and(|state| {
                let known = common.epochs.map_or(0, |all| all.get(state.own.thread));
                state.own.epoch == epoch && known < epoch && state.known.order.same(common.order)
            })
    };
    let count = (lane..LANES).take_while(|lane| is_like(*lane)).count();
    (u32::MAX >> (LANES - count)) << lane
}
