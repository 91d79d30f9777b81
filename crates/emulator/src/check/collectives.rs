//! Collectives of a warp that order no memory by the letter, and what nothing but these orders.

use super::{
    Checker,
    clock::{Clock, Lane},
    grid::Thread,
};
use crate::{
    machine::observer::Origin,
    value::{LANES, lanes_of},
};

impl Checker {
    /// Lanes learn what the others have acquired, and by a `match.sync` the steps of the others, too.
    pub(super) fn warp_collective(&mut self, origin: Origin, lanes: u32, matches: bool) {
        let Some(block) = self.grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let first = origin.thread as usize / LANES * LANES;
        let Some(threads) = block.threads.get_mut(first..) else {
            return;
        };
        if matches {
            self.has_matched = true;
            converge(threads, lanes);
        }
        if matches || has_news(threads, lanes) {
            pass_on(threads, lanes, matches);
        }
    }
}

/// Lanes know of each other that they have come so far.
fn converge(threads: &mut [Thread], lanes: u32) {
    let mut met = Clock::default();
    for Thread { known, own, .. } in lanes_of(lanes).filter_map(|lane| threads.get(lane)) {
        met.join(known.wide());
        met.raise(Lane::Thread, own.block, own.thread, own.epoch);
    }
    for lane in lanes_of(lanes) {
        if let Some(thread) = threads.get_mut(lane) {
            *thread.known.wide_mut() = met.clone();
        }
    }
}

/// Returns whether lanes know what others do not, and what no collective has passed on yet.
#[inline]
fn has_news(threads: &[Thread], lanes: u32) -> bool {
    let mut of_lanes = lanes_of(lanes).filter_map(|lane| threads.get(lane));
    let Some(first) = of_lanes.next() else {
        return false;
    };
    let (mut differs, mut is_new) = (false, !first.known.order.same(&first.passed_on));
    for thread in of_lanes {
        if !thread.known.collective.same(&first.known.collective) {
            return true;
        }
        differs |= !thread.known.order.same(&first.known.order);
        is_new |= !thread.known.order.same(&thread.passed_on);
    }
    differs && is_new
}

fn pass_on(threads: &mut [Thread], lanes: u32, with_steps: bool) {
    let mut all = Clock::default();
    for lane in lanes_of(lanes) {
        let Some(Thread { known, own, .. }) = threads.get_mut(lane) else {
            return;
        };
        all.join(&known.order);
        all.join(&known.collective);
        if with_steps {
            all.raise(Lane::Thread, own.block, own.thread, own.epoch);
            own.epoch += 1;
        }
    }
    for lane in lanes_of(lanes) {
        let thread = &mut threads[lane];
        thread.passed_on = thread.known.order.clone();
        thread.known.collective = all.clone();
    }
}
