//! Results of parts of the keys, which the last warp of a group of parts merges.

use tma::{
    Accumulator, GlobalPtr, Warpgroup, math,
    ptx::{AcqRel, Gpu},
};

use super::{ELEMENTS, Results, schedule::Segment};
use crate::attention::softmax::{Scale, Softmax};

/// The number of pairs of `f32` of a place, of each lane: sums of two rows, and the states of both.
const PAIRS: u32 = ELEMENTS / 8 * 2 + 2;
/// The number of `f32` of a place.
pub(super) const PARTIAL: u32 = 2 * 32 * PAIRS;
/// The column of the state.
const STATE: u32 = ELEMENTS;
/// The number of parts that a warp merges one after the other.
const GROUP: u32 = 6;

/// The parts of 16 rows of a warp.
///
/// A block has at most two segments that are not a whole item: one that begins before it, and one that ends after it.
/// Each has a place for the rows of each warp. A thread reads the numbers that the same thread of another block wrote;
/// one whose row does not exist reads numbers of the warp's first row.
#[derive(Clone, Copy)]
pub(super) struct Partials {
    warpgroup: Warpgroup,
    /// The first place of this warp's rows.
    places: *mut f32,
    counters: *mut u32,
    /// The number of warps of a block that have rows.
    warps: u32,
    /// True if these rows of the thread exist; the first row of the warp does.
    exist: [bool; 2],
}

impl Partials {
    /// # Safety
    /// 1. Each block has two places of [`PARTIAL`] numbers for each of `warps` warps, at a multiple of 8 bytes, and a counter
    ///    for each of these that is zero before the kernel. No other code uses them. The first row of the warp exists.
    #[inline(always)]
    pub(super) unsafe fn new(
        warpgroup: Warpgroup,
        partials: *mut f32,
        counters: *mut u32,
        warps: u32,
        exist: [bool; 2],
    ) -> Self {
        let warp = warpgroup.index() * Warpgroup::WARPS + warpgroup.warp_index();
        Self {
            warpgroup,
            places: partials.wrapping_add((warp * PARTIAL) as usize),
            counters: counters.wrapping_add(warp as usize),
            warps,
            exist,
        }
    }

    /// Returns the first pair of a row in a block's place. A row that does not exist has the pairs of the warp's first one,
    /// so that no load depends on a branch.
    #[inline(always)]
    fn row(&self, segment: &Segment, block: u32, row: usize) -> *mut u64 {
        let place = 2 * block + u32::from(block == segment.blocks[0]);
        let lane = self.warpgroup.warp().lane();
        let number = if self.exist[row] {
            row as u32 * 32 + lane
        } else {
            lane % 4
        };
        let place = place as usize * (self.warps * PARTIAL) as usize;
        let pairs: *mut u64 = self.places.wrapping_add(place).cast();
        pairs.wrapping_add(number as usize)
    }

    /// Merges the parts of an item, [`GROUP`] at a time, then their sums in the same way: the last warp that gets here
    /// has the state and the sums over all keys, and true. Collective of the warp.
    ///
    /// # Safety
    /// 1. The segment is this block's, and not the whole item; each of the item's segments gets here once.
    #[inline(always)]
    pub(super) unsafe fn merge<C: Scale>(
        &self,
        block: u32,
        segment: &Segment,
        mut softmax: Softmax<C>,
        mut sums: Accumulator<Results>,
    ) -> (bool, Softmax<C>, Accumulator<Results>) {
        let [first, last] = segment.blocks;
        let (mut part, mut parts) = (block - first, last - first + 1);
        // The blocks from one part to the next, and the block whose counter the first group has: groups of all rounds are fewer
        // than the blocks of the item, and the last of these may be the first one of the next item.
        let (mut stride, mut counter) = (1, first);
        softmax.sums = self.warpgroup.reduce_rows(softmax.sums, |a, b| a + b);
        loop {
            // SAFETY: this warp has the part's place, since it alone has read the parts that it merged (1).
            unsafe { self.write(self.rows(segment, first + part * stride), &softmax, &sums) };
            let group = part / GROUP;
            let members = (parts - group * GROUP).min(GROUP);
            // SAFETY: one warp for each member of the group gets here (1).
            if !unsafe { self.arrive(counter + group, members) } {
                // Registers without a value would count as used from the beginning of the kernel on.
                return (false, softmax, sums);
            }
            let at = first + group * GROUP * stride;
            // SAFETY: all members have been written before the arrivals.
            (softmax, sums) = unsafe { self.sum_up(segment, [at, stride], members, softmax) };
            parts = parts.div_ceil(GROUP);
            if parts == 1 {
                break;
            }
            counter += parts;
            part = group;
            stride *= GROUP;
            // Lanes without a row of their own have read pairs of the first one.
            self.warpgroup.warp().sync();
        }
        // All four lanes that share a row have the sum of all of them.
        softmax.sums = softmax.sums.map(|sum| sum * 0.25);
        (true, softmax, sums)
    }

    /// Returns the first pairs of both rows in a block's place.
    #[inline(always)]
    fn rows(&self, segment: &Segment, block: u32) -> [*mut u64; 2] {
        [0, 1].map(|row| self.row(segment, block, row))
    }

    /// Writes a part.
    ///
    /// # Safety
    /// 1. The rows are in a place, which no other thread uses before it sees an arrival of this warp.
    #[inline(always)]
    unsafe fn write<C: Scale>(
        &self,
        rows: [*mut u64; 2],
        softmax: &Softmax<C>,
        sums: &Accumulator<Results>,
    ) {
        let write = |number: usize| {
            if !self.exist[number] {
                return;
            }
            let to = |column, pair| {
                // SAFETY: the place has this pair, which is this thread's (1).
                unsafe { *at(rows[number], column) = bits(pair) };
            };
            sums.each_pair(self.warpgroup, |row, column, pair| {
                if row == number {
                    to(column, pair);
                }
            });
            to(STATE, [softmax.greatest[number], softmax.sums[number]]);
        };
        write(0);
        write(1);
    }

    /// Returns true to the last warp of a group, which sees what the others wrote before. Collective of the warp.
    ///
    /// # Safety
    /// 1. One warp for each member of the group gets here with this counter.
    #[inline(always)]
    unsafe fn arrive(&self, counter: u32, members: u32) -> bool {
        let warp = self.warpgroup.warp();
        let counter = self.counters.wrapping_add((counter * self.warps) as usize);
        warp.sync();
        let mut arrived = 0;
        if warp.lane() == 0 {
            // SAFETY: the counter is there, and all warps of the group add to it atomically (1 of `new`).
            arrived = unsafe { GlobalPtr::from_ptr(counter).fetch_add::<AcqRel, Gpu>(1) };
        }
        if warp.shuffle(arrived, 0) != members - 1 {
            return false;
        }
        warp.sync();
        if warp.lane() == 0 {
            // SAFETY: all have arrived (1), so that no other thread uses the counter before the next launch.
            unsafe { *counter = 0 };
        }
        true
    }

    /// Returns the state and the sums of consecutive parts: the first one is in a block's place, the next one in the place
    /// `stride` blocks later.
    ///
    /// # Safety
    /// 1. The parts have been written before arrivals that this warp has seen.
    #[inline(always)]
    unsafe fn sum_up<C: Scale>(
        &self,
        segment: &Segment,
        [first, stride]: [u32; 2],
        parts: u32,
        softmax: Softmax<C>,
    ) -> (Softmax<C>, Accumulator<Results>) {
        let read = |row: *mut u64, column| {
            // SAFETY: the part has this pair (1).
            pair(unsafe { *at(row, column) })
        };
        let mut merged = Softmax::new(self.warpgroup, softmax.scale);
        let mut all = Accumulator::<Results>::zero();
        let load = |number: u32| {
            let rows = self.rows(segment, first + number * stride);
            let part = Accumulator::<Results>::zero()
                .map_pairs(self.warpgroup, |row, column, _| read(rows[row], column));
            (rows.map(|row| read(row, STATE)), part)
        };
        let mut next = load(0);
        let mut number = 0;
        while number < parts {
            number += 1;
            let (states, part) = next;
            // Loads are in flight while the part before is added.
            next = load(number.min(parts - 1));
            let greatest = [0, 1].map(|row| merged.greatest[row].max(states[row][0]));
            let factor =
                |row: usize, of: f32| merged.factor(row, of, merged.shift(row, greatest[row]));
            let before = [0, 1].map(|row| factor(row, merged.greatest[row]));
            let factors = [0, 1].map(|row| factor(row, states[row][0]));
            all = all
                .map_rows(self.warpgroup, |row, _, sum| sum * before[row])
                .add_scaled(&part, factors);
            merged.sums = [0, 1]
                .map(|row| math::fma(states[row][1], factors[row], merged.sums[row] * before[row]));
            merged.greatest = greatest;
        }
        (merged, all)
    }
}

/// Returns the pair of a row that has the sums from this even column on.
#[inline(always)]
fn at(row: *mut u64, column: u32) -> *mut u64 {
    row.wrapping_add((column / 8 * 2 * 32) as usize)
}

#[inline(always)]
fn bits([low, high]: [f32; 2]) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}

#[inline(always)]
fn pair(bits: u64) -> [f32; 2] {
    [
        f32::from_bits(bits as u32),
        f32::from_bits((bits >> 32) as u32),
    ]
}
