//! Barriers of the block, of the cluster, and of a warp.

use std::fmt;

use super::{
    Checker, Kind,
    grid::{Block, Generation},
    knowledge::Released,
    raw::End,
    sites::Sites,
};
use crate::{
    machine::observer::{Origin, Scope, Sem},
    value::{LANES, lanes_of},
};

impl Checker {
    pub(super) fn barrier_arrive(
        &mut self,
        origin: Origin,
        barrier: u32,
        generation: u64,
        aligned: bool,
    ) {
        let Some(block) = self.grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let current = block.barriers.entry(barrier).entry(generation);
        if let Some(state) = block.threads.get_mut(origin.thread as usize) {
            state.release_to(&mut current.released);
        }
        let differs = first_of_warp(current, &self.sites, origin, aligned);
        self.diverges(origin, differs, format_args!("barrier {barrier}"));
    }

    pub(super) fn barrier_pass(&mut self, origin: Origin, barrier: u32, generation: u64) {
        let grid = &mut self.grid;
        let Some(block) = grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let Some(current) = block
            .barriers
            .get(barrier)
            .and_then(|all| all.get(generation))
        else {
            return;
        };
        if let Some(state) = block.threads.get_mut(origin.thread as usize) {
            let released = &current.released.known;
            state.known.acquire(released, true, &mut grid.memos);
        }
    }

    pub(super) fn cluster_arrive(
        &mut self,
        origin: Origin,
        generation: u64,
        sem: Sem,
        aligned: bool,
    ) {
        let grid = &mut self.grid;
        let cluster = grid.extents.cluster(origin.block as u32);
        let barrier = grid.cluster_barriers.entry(cluster).or_default();
        let current = barrier.entry(generation);
        let block = grid.blocks.get_mut(origin.block as u32);
        let state = block.and_then(|block| block.threads.get_mut(origin.thread as usize));
        if let Some(state) = state {
            match sem {
                Sem::Relaxed => {
                    current.released.add_inits(&state.known, &state.own);
                    if let Some(fenced) = &state.fenced
                        && fenced.scope != Scope::Cta
                    {
                        current.released.join(&fenced.released);
                    }
                }
                _ => state.release_to(&mut current.released),
            }
            // That a block has started is known to all who pass the barrier.
            current.blocks.insert(origin.block as u32);
        }
        let differs = first_of_warp(current, &self.sites, origin, aligned);
        self.diverges(origin, differs, format_args!("the barrier of the cluster"));
    }

    pub(super) fn cluster_pass(&mut self, origin: Origin, generation: u64) {
        let grid = &mut self.grid;
        let cluster = grid.extents.cluster(origin.block as u32);
        let barrier = grid.cluster_barriers.get(&cluster);
        let Some(current) = barrier.and_then(|all| all.get(generation)) else {
            return;
        };
        let block = grid.blocks.get_mut(origin.block as u32);
        let Some(block) = block else { return };
        block.started.extend(&current.blocks);
        if let Some(state) = block.threads.get_mut(origin.thread as usize) {
            let released = &current.released.known;
            state.known.acquire(released, true, &mut grid.memos);
        }
    }

    /// A `bar.warp.sync`: each lane learns what all know. Told once for each lane.
    pub(super) fn warp_sync(&mut self, origin: Origin, members: u32) {
        let grid = &mut self.grid;
        let Some(block) = grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        if !block.is_first_told(origin, members) {
            return;
        }
        let mut released = Released::default();
        let first = origin.thread as usize / LANES * LANES;
        for lane in lanes_of(members) {
            if let Some(state) = block.threads.get_mut(first + lane) {
                state.release_to(&mut released);
            }
        }
        for lane in lanes_of(members) {
            if let Some(state) = block.threads.get_mut(first + lane) {
                state.known.acquire(&released.known, true, &mut grid.memos);
            }
        }
    }

    fn diverges(&mut self, origin: Origin, other: Option<Origin>, at: fmt::Arguments<'_>) {
        let Some(other) = other else { return };
        let mut both = [origin, other];
        both.sort_unstable_by_key(|origin| origin.instruction);
        let [here, there] = both.map(|origin| End::new(origin, format!("comes to {at} here")));
        self.report(Kind::DivergentBarrier, here, Some(there), |_| {
            let warp = origin.thread / LANES as u32;
            vec![format!("both are lanes of warp {warp}")]
        });
    }
}

impl Block {
    /// Returns whether this is the first lane of several that is told of a meeting of its warp.
    pub(super) fn is_first_told(&mut self, origin: Origin, members: u32) -> bool {
        let (warp, lane) = (origin.thread / LANES as u32, origin.thread % LANES as u32);
        let (told, remaining) = self.told;
        if told == warp && remaining & 1 << lane != 0 {
            self.told.1 &= !(1 << lane);
            return false;
        }
        self.told = (warp, members & !(1 << lane));
        true
    }
}

/// Another lane of the warp that came by another instruction, if one of the two is aligned.
fn first_of_warp(
    current: &mut Generation,
    sites: &Sites,
    origin: Origin,
    aligned: bool,
) -> Option<Origin> {
    let warp = (origin.thread / LANES as u32) as usize;
    if current.warps.len() <= warp {
        current.warps.resize(warp + 1, None);
    }
    let (other, was_aligned) = *current.warps[warp].get_or_insert((origin, aligned));
    let [one, two] = [other, origin].map(|origin| sites.instruction(origin.instruction));
    (one != two && (aligned || was_aligned)).then_some(other)
}
