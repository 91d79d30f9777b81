//! Warp collectives, which PTX does not specify as ordering memory, and accesses that only such a collective orders.

use super::{
    checker::Checker,
    clock::Clock,
    grid::{Block, Met, Thread},
    knowledge::Knowledge,
};
use crate::{
    machine::observer::Origin,
    value::{LANES, lanes_of},
};

impl Checker {
    /// Records that a thread acted outside of collectives, so the next collective of its warp passes on new
    /// steps.
    #[inline]
    pub(super) fn acts(&mut self, origin: Origin) {
        let block = self.grid.blocks.get_mut(origin.block as u32);
        let met = block.and_then(|block| block.met.get_mut(origin.thread as usize / LANES));
        if let Some(met) = met {
            met.lanes.clear();
        }
    }

    /// Joins the lanes' knowledge, and their own steps if they exchange values, in the clock of collectives.
    pub(super) fn warp_collective(&mut self, origin: Origin, lanes: u32, exchanges: bool) {
        let Some(Block { threads, met, .. }) = self.grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let warp = origin.thread as usize / LANES;
        let Some(of_warp) = threads.get_mut(warp * LANES..) else {
            return;
        };
        if met.len() <= warp {
            met.resize_with(warp + 1, Met::default);
        }
        let met = &mut met[warp];
        if met.lanes.contains(&lanes) {
            return;
        }
        if exchanges {
            met.lanes.retain(|others| others & lanes == 0);
            met.lanes.push(lanes);
        }
        pass_on(of_warp, lanes, exchanges, &mut met.last);
    }
}

fn pass_on(threads: &mut [Thread], mask: u32, with_steps: bool, last: &mut [Clock; 2]) {
    let lanes = || lanes_of(mask).take_while(|lane| *lane < threads.len());
    let Some(Thread { known, own, .. }) = lanes().next().map(|lane| &threads[lane]) else {
        return;
    };
    let same = |known: &Knowledge, [order, collective]: &[Clock; 2]| {
        known.order.same(order) && known.collective.same(collective)
    };
    let (block, first) = (own.block, [known.order.clone(), known.collective.clone()]);
    // Most lanes know the same, and the same as before.
    let mut all = last[1].clone();
    if !lanes().all(|lane| same(&threads[lane].known, last)) {
        all = first[1].clone();
        all.join(&first[0]);
        for Thread { known, .. } in lanes().map(|lane| &threads[lane]) {
            if !same(known, &first) {
                all.join(&known.collective);
                all.join(&known.order);
            }
        }
    }
    if with_steps {
        let steps = lanes().map(|lane| &threads[lane].own);
        all.raise_threads(block, steps.map(|own| (own.thread, own.epoch)));
    }
    *last = [first[0].clone(), all.clone()];
    for lane in lanes_of(mask) {
        if let Some(thread) = threads.get_mut(lane) {
            thread.own.epoch += u32::from(with_steps);
            thread.known.collective = all.clone();
        }
    }
}
