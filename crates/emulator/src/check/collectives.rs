//! Collectives of a warp that order no memory by the letter, and what nothing but these orders.

use super::{
    Checker,
    clock::{Clock, Lane},
    grid::{Block, Thread},
};
use crate::{
    machine::observer::Origin,
    value::{LANES, lanes_of},
};

impl Checker {
    /// A thread does something else than a collective: the next one of its warp has news.
    #[inline]
    pub(super) fn acts(&mut self, origin: Origin) {
        let block = self.grid.blocks.get_mut(origin.block as u32);
        let met = block.and_then(|block| block.met.get_mut(origin.thread as usize / LANES));
        if let Some(met) = met {
            met.clear();
        }
    }

    /// Lanes learn what the others know and the steps of the others, as far as collectives go.
    pub(super) fn warp_collective(&mut self, origin: Origin, lanes: u32) {
        let Some(Block { threads, met, .. }) = self.grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let warp = origin.thread as usize / LANES;
        let Some(of_warp) = threads.get_mut(warp * LANES..) else {
            return;
        };
        if met.len() <= warp {
            met.resize(warp + 1, Vec::new());
        }
        let met = &mut met[warp];
        if !met.contains(&lanes) {
            met.retain(|others| others & lanes == 0);
            met.push(lanes);
            pass_on(of_warp, lanes);
        }
    }
}

fn pass_on(threads: &mut [Thread], lanes: u32) {
    let mut all = Clock::default();
    // Most lanes know the same.
    let mut last: Option<[Clock; 2]> = None;
    for Thread { known, .. } in lanes_of(lanes).filter_map(|lane| threads.get(lane)) {
        let [order, collective] = [&known.order, &known.collective];
        if !last.is_some_and(|last| last[0].same(order) && last[1].same(collective)) {
            all.join(order);
            all.join(collective);
        }
        last = Some([order.clone(), collective.clone()]);
    }
    for lane in lanes_of(lanes) {
        if let Some(Thread { own, .. }) = threads.get_mut(lane) {
            all.raise(Lane::Thread, own.block, own.thread, own.epoch);
            own.epoch += 1;
        }
    }
    for lane in lanes_of(lanes) {
        if let Some(thread) = threads.get_mut(lane) {
            thread.known.collective = all.clone();
        }
    }
}
