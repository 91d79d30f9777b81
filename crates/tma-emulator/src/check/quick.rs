//! Fast path for accesses of a warp without a finding, which is most of them.
//!
//! It groups lanes that have the same clock and compares all their words at once; the rest goes the slow way.

use super::{
    access::Judge,
    checker::Checker,
    clock::{Clock, Epoch, Epochs, Lane},
    grid::{Extents, Thread},
    readers::{HappensBefore, LaneRun, ReaderRow, Readers},
    shadow::{Access, Actor, Cell},
};
use crate::{
    machine::observer::{AccessKind, Accesses, Memory, Origin},
    value::{LANES, lanes_of},
};

/// Bytes of a word.
const WORD: u32 = 4;
/// Least number of consecutive lanes with one location that are handled as a group.
const RUN: u32 = 4;

/// The knowledge shared by all threads with equal clocks.
#[derive(Clone, Copy)]
struct Common<'a> {
    order: &'a Clock,
    /// Number of the block's first thread in the grid.
    first: u32,
    threads: u32,
    /// Known progress of the threads of the block.
    epochs: Option<&'a Epochs>,
    least: Epoch,
    knows_others: bool,
}

impl<'a> Common<'a> {
    /// Returns whether the lanes of a warp have exactly this clock, are in the same epoch, and do not know each
    /// other's current step.
    fn is_of_all(&self, threads: &[Thread]) -> bool {
        let epoch = threads.first().map_or(0, |first| first.own.epoch);
        threads.get(..LANES).is_some_and(|threads| {
            threads.iter().all(|state| {
                let known = self.epochs.map_or(0, |all| all.get(state.own.thread));
                state.own.epoch == epoch && known < epoch && state.known.order.same(self.order)
            })
        })
    }

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

    /// Returns whether an access by a thread of this block happened before; `None` if the clock of one thread
    /// must decide.
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

/// The knowledge of one thread.
struct ThreadKnowledge<'a> {
    common: Common<'a>,
    /// Number of the thread in the grid; `None` if only its knowledge of others counts.
    own: Option<u32>,
    judge: Judge<'a>,
}

impl HappensBefore for ThreadKnowledge<'_> {
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

    #[inline]
    fn knows_nothing_of(&self, first: u32) -> bool {
        first != self.common.first && !self.common.knows_others
    }
}

impl Checker {
    /// Checks ordinary accesses of a warp, in lane order.
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

    /// Records the accesses of lanes up to the first that may have something to report. Returns the mask of
    /// that lane and all following ones.
    fn quick(&mut self, origin: Origin, all: &Accesses, lanes: u32) -> u32 {
        let number = origin.block as u32;
        let shared = match all.memory {
            // Memory of `malloc` and what earlier launches still do need a closer look.
            Memory::Global if !self.fresh.is_empty() || !self.in_flight.is_empty() => return lanes,
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
        if is_read && lanes == u32::MAX && all.bytes == WORD && is_row(&all.addresses) {
            let now =
                |state: &Thread| like.by(extents.thread(number, state.own.thread), state.own.epoch);
            if let (Some(first), Some(_)) = (threads.first(), shared) {
                let common = *last.insert(Common::new(&first.known.order, number, extents));
                let (cells, readers) = shadow.words(shared, all.addresses[0], WORD * LANES as u32);
                if common.is_of_all(threads) && read_row(cells, now(first), &common, readers) {
                    return 0;
                }
            }
        }
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
            let mut known = ThreadKnowledge {
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
                let run = LaneRun {
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

/// Returns whether lanes access consecutive words.
#[inline]
fn is_row(addresses: &[u64; LANES]) -> bool {
    let mut next = addresses[0];
    // Most others fail at the first comparison.
    addresses.iter().all(|address| {
        let is_next = *address == next;
        next = next.wrapping_add(WORD.into());
        is_next
    })
}

/// Records a read of shared memory by a whole warp, one word for each lane, if other warps have read the same
/// words so. These reads either all happened before or are all unknown. `now` is the access of the first lane.
fn read_row(cells: &mut [Cell], now: Access, common: &Common<'_>, readers: &mut Readers) -> bool {
    let Some(of_first) = cells.first().map(|cell| cell.read) else {
        return false;
    };
    let warp = now.index.wrapping_sub(common.first) / LANES as u32;
    let is_usual = |(lane, cell): (u32, &Cell)| {
        let own = now.index.wrapping_add(lane);
        cell.can_be_read(now, true, |write| {
            common
                .has(write)
                .is_some_and(|has| has || write.index == own)
        })
    };
    let is_known = |reader: Access| common.has(reader) != Some(false);
    let mut lanes = (0..).zip(&*cells);
    if let Some((index, 0)) = of_first.row() {
        let is_of_row = |(lane, cell): (usize, &Cell)| {
            cell.read == Access::many_of_row(index, lane) && is_usual((lane as u32, cell))
        };
        let row = readers.row_mut(index);
        let lowest = row.warps.trailing_zeros();
        // Either all of its reads happened before, or none.
        let is_over = row.like.epoch <= common.least;
        let is_new = row.like.is_alike(now)
            && row.warps & 1 << warp == 0
            && (0..LANES as u32).all(|lane| !is_known(row.reader(lowest, lane)));
        let is_usual = row.first == common.first
            && row.cells == LANES as u32
            && (is_over || is_new)
            && cells.iter().enumerate().all(is_of_row);
        if is_usual && is_over {
            (row.like, row.warps) = (now, 0);
        }
        if is_usual {
            row.warps |= 1 << warp;
        }
        return is_usual;
    }
    let other = of_first.index.wrapping_sub(common.first);
    let is_other_warp = other < common.threads
        && other.is_multiple_of(LANES as u32)
        && other / LANES as u32 != warp;
    let is_read_alike = |(lane, cell): (u32, &Cell)| {
        let read = cell.read;
        read.is_of_thread()
            && read.is_alike(now)
            && read.index == of_first.index.wrapping_add(lane)
            && !is_known(read)
            && is_usual((lane, cell))
    };
    if !is_other_warp || !lanes.all(is_read_alike) {
        return false;
    }
    let row = readers.add_row(ReaderRow {
        first: common.first,
        like: now,
        warps: 1 << warp | 1 << (other / LANES as u32),
        cells: LANES as u32,
    });
    for (lane, cell) in cells.iter_mut().enumerate() {
        cell.read = Access::many_of_row(row, lane);
    }
    true
}

/// Returns the lanes from this one on with the same access, epoch and clock that do not know each other's
/// current step.
#[inline]
fn run(threads: &[Thread], all: &Accesses, rest: u32, lane: usize, common: &Common<'_>) -> u32 {
    let address = all.addresses[lane];
    let last = lane + RUN as usize - 1;
    // Most runs end at the next lane.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        check::shadow::EMPTY,
        machine::{Rng, observer::Proxy},
    };

    /// The words at which rows begin, and more.
    const WORDS: usize = LANES + 2;
    const WARPS: u32 = 4;
    const BLOCK: u32 = 3;

    #[test]
    fn rows_have_the_readers_of_each_lane() {
        let extents = Extents {
            threads: WARPS * LANES as u32,
            grid: [8, 1, 1],
            cluster: [1; 3],
        };
        let first = extents.thread(BLOCK, 0);
        let mut rng = Rng::new(7);
        let mut rows = 0;
        for _ in 0..200 {
            let mut readers = [(); 2].map(|()| Readers::of_blocks(extents.threads));
            let mut memory = [[EMPTY; WORDS]; 2];
            let write = Access::new(Actor::Thread(first), 1, 9, Proxy::Generic);
            for (cells, readers) in memory.iter_mut().zip(&mut readers) {
                cells
                    .iter_mut()
                    .for_each(|cell| cell.set_write(write, readers));
            }
            let mut clock = Clock::default();
            for thread in 0..extents.threads {
                clock.raise(Lane::Thread, BLOCK, thread, 1);
            }
            let mut epoch = 2;
            for _ in 0..60 {
                if rng.one_in(12) {
                    // The progress of some or all threads is known.
                    let some = if rng.one_in(2) { 1 } else { 2 };
                    (0..extents.threads)
                        .filter(|thread| thread % some == 0)
                        .for_each(|thread| clock.raise(Lane::Thread, BLOCK, thread, epoch));
                    epoch += 1;
                }
                let common = Common::new(&clock, BLOCK, &extents);
                let warp = rng.below(WARPS as usize) as u32;
                let instruction = usize::from(rng.one_in(9));
                let like = Access::new(Actor::Thread(0), epoch, instruction, Proxy::Generic);
                let start = if rng.one_in(8) { 1 + rng.below(2) } else { 0 };
                let lanes = if rng.one_in(10) {
                    rng.next() as u32
                } else {
                    u32::MAX
                };
                let now = |lane: u32| like.by(first + warp * LANES as u32 + lane, epoch);
                let known = |own: u32| {
                    move |access: Access| access.index == own || common.has(access) == Some(true)
                };
                let [(row, of_row), (plain, of_plain)] = {
                    let [a, b] = &mut memory;
                    let [x, y] = &mut readers;
                    [(a, x), (b, y)]
                };
                let cells = &mut row[start..start + LANES];
                let is_row = lanes == u32::MAX && read_row(cells, now(0), &common, of_row);
                rows += u32::from(is_row);
                for lane in lanes_of(lanes) {
                    let now = now(lane as u32);
                    let known = known(now.index);
                    if !is_row {
                        cells[lane].add_reader(now, true, &known, of_row);
                    }
                    plain[start + lane].add_reader(now, true, &known, of_plain);
                }
                if rng.one_in(8) {
                    // Access all words, or one alone.
                    let one = rng.below(WORDS);
                    let words = if rng.one_in(4) {
                        one..one + 1
                    } else {
                        0..WORDS
                    };
                    for word in words {
                        row[word].set_write(write, of_row);
                        plain[word].set_write(write, of_plain);
                    }
                }
                for (row, plain) in row.iter().zip(&*plain) {
                    assert_eq!(row.readers(of_row), plain.readers(of_plain));
                }
            }
        }
        assert!(rows > 300, "{rows}");
    }
}
