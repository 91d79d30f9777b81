//! Barriers of the block, of the cluster, and of a warp.

use std::fmt;

use super::{
    checker::Checker,
    clock::{Clock, Lane},
    finding::FindingEnd,
    grid::{Block, Generation, Thread},
    kind::DiagnosticKind,
    released::Released,
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
        (barrier, generation, threads): (u32, u64, u32),
        aligned: bool,
    ) {
        let Some(block) = self.grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let generations = block.barriers.entry(barrier);
        let warp = origin.thread as usize / LANES;
        let is_known = |before: &Generation| {
            let has_passed = before
                .warps()
                .get(warp)
                .is_some_and(|warp| warp.passed != 0);
            let lanes = block.threads.iter().skip(warp * LANES).take(LANES);
            has_passed || { lanes }.any(|state| knows_arrivals(state, before))
        };
        let before = generation.checked_sub(1);
        let before = before.and_then(|before| generations.get(before));
        // The lanes of a warp arrive together, so the first one's arrival counts for all.
        let first = generations.get(generation);
        let first = first.and_then(|current| current.warps().get(warp));
        let first = first.filter(|warp| warp.arrived != 0);
        let is_early = |before: &&Generation| match first {
            Some(first) => first.is_early,
            None => !is_known(before),
        };
        let unknown = before.filter(is_early);
        let unknown = unknown.map(|before| (before.arrival(warp), before.threads));
        let current = generations.entry(generation);
        current.threads = threads;
        current.warp_mut(warp).is_early = unknown.is_some();
        if let Some(state) = block.threads.get_mut(origin.thread as usize) {
            state.release_to(&mut current.released);
        }
        let came = current.arrive(&self.sites, warp, origin, aligned);
        let at = format_args!("barrier {barrier}");
        match unknown {
            Some((Some(other), count)) if count != threads => {
                self.counts_differ(origin, other, [threads, count], at);
            }
            _ => {
                let unknown = unknown.map(|(other, _)| other);
                self.comes_early(origin, generation, (unknown, came.again), at);
            }
        }
        self.diverges(origin, came.otherwise, at);
    }

    pub(super) fn barrier_pass(&mut self, origin: Origin, barrier: u32, generation: u64) {
        let grid = &mut self.grid;
        let Some(block) = grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let barrier = block.barriers.get_mut(barrier);
        let Some(current) = barrier.and_then(|all| all.get_mut(generation)) else {
            return;
        };
        current.pass(origin.thread as usize / LANES, origin);
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
        let warp = grid.extents.warp_of_cluster(origin);
        let barrier = grid.cluster_barriers.entry(cluster).or_default();
        // Each thread waits between two arrivals (PTX ISA 9.7.13.3).
        let before = generation.checked_sub(1);
        let before = before.and_then(|before| barrier.get(before));
        let unwaited = before.filter(|before| {
            let warp = before.warps().get(warp);
            let lanes = warp.map_or(0, |warp| warp.arrived & !warp.passed);
            lanes & 1 << (origin.thread % LANES as u32) != 0
        });
        let unwaited = unwaited.map(|before| before.arrival(warp));
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
            // Every thread that passes the barrier knows that this block has started.
            current.blocks.insert(origin.block as u32);
        }
        let came = current.arrive(&self.sites, warp, origin, aligned);
        let at = format_args!("the barrier of the cluster");
        self.comes_early(origin, generation, (unwaited, came.again), at);
        self.diverges(origin, came.otherwise, at);
    }

    pub(super) fn cluster_pass(&mut self, origin: Origin, generation: u64) {
        let grid = &mut self.grid;
        let cluster = grid.extents.cluster(origin.block as u32);
        let warp = grid.extents.warp_of_cluster(origin);
        let barrier = grid.cluster_barriers.get_mut(&cluster);
        let Some(current) = barrier.and_then(|all| all.get_mut(generation)) else {
            return;
        };
        current.pass(warp, origin);
        let block = grid.blocks.get_mut(origin.block as u32);
        let Some(block) = block else { return };
        block.started.extend(&current.blocks);
        if let Some(state) = block.threads.get_mut(origin.thread as usize) {
            let released = &current.released.known;
            state.known.acquire(released, true, &mut grid.memos);
        }
    }

    /// Joins the knowledge of the lanes at a `bar.warp.sync`. Called once for each lane.
    pub(super) fn warp_sync(&mut self, origin: Origin, members: u32) {
        let grid = &mut self.grid;
        let Some(block) = grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        if !block.is_first_recorded(origin, members) {
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

    /// Reports an arrival that may count in the previous phase: it is not ordered after that phase, and either
    /// that phase has its own arrival of the thread, or the thread has already arrived in the current one.
    fn comes_early(
        &mut self,
        origin: Origin,
        phase: u64,
        (unknown, again): (Option<Option<Origin>>, Option<Origin>),
        at: fmt::Arguments<'_>,
    ) {
        let (there, note) = match (again, unknown) {
            (Some(first), _) => {
                let there = FindingEnd::new(first, format!("arrives in phase {phase} already"));
                let note = format!(
                    "the second arrival is not ordered after the end of phase {phase}: both may count in one phase"
                );
                (Some(there), note)
            }
            (None, Some(there)) => {
                let before = phase - 1;
                let there =
                    there.map(|by| FindingEnd::new(by, format!("arrives in its phase {before}")));
                let note = format!(
                    "the arrival is not ordered after the end of phase {before}: if it comes before that, it counts in \
                     phase {before}"
                );
                (there, note)
            }
            (None, None) => return,
        };
        let here = FindingEnd::new(origin, format!("arrives in phase {phase} of {at}"));
        self.report(DiagnosticKind::EarlyBarrierArrival, here, there, |_| {
            vec![note]
        });
    }

    /// Reports arrivals at a barrier that name different thread counts. They are not ordered, so another
    /// schedule can count them in one phase.
    fn counts_differ(
        &mut self,
        origin: Origin,
        other: Origin,
        counts: [u32; 2],
        at: fmt::Arguments<'_>,
    ) {
        let [here, there] = counts.map(|threads| match threads {
            0 => format!("arrives at {at} with all threads of the block"),
            _ => format!("arrives at {at} with {threads} threads"),
        });
        let (here, there) = (FindingEnd::new(origin, here), FindingEnd::new(other, there));
        self.report(DiagnosticKind::InvalidCollective, here, Some(there), |_| {
            vec!["the two are not ordered: they can count in one phase of the barrier".into()]
        });
    }

    fn diverges(&mut self, origin: Origin, other: Option<Origin>, at: fmt::Arguments<'_>) {
        let Some(other) = other else { return };
        let mut both = [origin, other];
        both.sort_by_key(|origin| origin.instruction);
        let [here, there] =
            both.map(|origin| FindingEnd::new(origin, format!("comes to {at} here")));
        self.report(DiagnosticKind::DivergentBarrier, here, Some(there), |_| {
            let warp = origin.thread / LANES as u32;
            vec![format!("both are lanes of warp {warp}")]
        });
    }
}

impl Block {
    /// Returns whether this lane is the first to report a meeting of its warp; the others repeat it.
    pub(super) fn is_first_recorded(&mut self, origin: Origin, members: u32) -> bool {
        let (warp, lane) = (origin.thread / LANES as u32, origin.thread % LANES as u32);
        let (recorded, remaining) = self.recorded;
        if recorded == warp && remaining & 1 << lane != 0 {
            self.recorded.1 &= !(1 << lane);
            return false;
        }
        self.recorded = (warp, members & !(1 << lane));
        true
    }
}

/// Returns whether a thread knows all arrivals of a phase of its block's barrier.
fn knows_arrivals(state: &Thread, phase: &Generation) -> bool {
    let block = state.own.block;
    let arrivals = &phase.released.known.order;
    let known = |clock: &Clock, thread: u32| {
        clock.get(Lane::Thread, block, thread) >= arrivals.get(Lane::Thread, block, thread)
    };
    let mut warps = (0..).zip(phase.warps());
    warps.all(|(warp, at)| {
        lanes_of(at.arrived).all(|lane| {
            let thread = warp * LANES as u32 + lane as u32;
            thread == state.own.thread
                || known(state.known.wide(), thread)
                || known(&state.known.collective, thread)
        })
    })
}

/// An arrival, and the others of its warp in the same phase.
struct Came {
    /// An earlier arrival of the thread.
    again: Option<Origin>,
    /// A lane that came by another instruction, if one of the two is aligned.
    otherwise: Option<Origin>,
}

impl Generation {
    /// Returns the warp's own arrival, or else the last one.
    fn arrival(&self, warp: usize) -> Option<Origin> {
        let own = self.warps().get(warp).and_then(|warp| warp.first);
        own.map(|(origin, _)| origin).or(self.last)
    }

    fn arrive(&mut self, sites: &Sites, warp: usize, origin: Origin, aligned: bool) -> Came {
        self.last = Some(origin);
        let warp = self.warp_mut(warp);
        let lane = 1 << (origin.thread % LANES as u32);
        let (other, was_aligned) = *warp.first.get_or_insert((origin, aligned));
        let again = (warp.arrived & lane != 0).then_some(other);
        warp.arrived |= lane;
        let [one, two] = [other, origin].map(|origin| sites.instruction(origin.instruction));
        let differs = one != two && (aligned || was_aligned) && again.is_none();
        Came {
            again,
            otherwise: differs.then_some(other),
        }
    }

    fn pass(&mut self, warp: usize, origin: Origin) {
        self.warp_mut(warp).passed |= 1 << (origin.thread % LANES as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lane_of_a_meeting_records_it() {
        let mut block = Block::default();
        let mut is_first = |thread: u32| {
            let origin = Origin {
                thread,
                ..Origin::default()
            };
            block.is_first_recorded(origin, 0x8000_0007)
        };
        for _ in 0..2 {
            assert_eq!(
                [33, 34, 63, 32].map(&mut is_first),
                [true, false, false, false]
            );
            assert_eq!([33, 34, 34].map(&mut is_first), [true, false, true]);
            assert_eq!([64, 66].map(&mut is_first), [true, false]);
        }
    }
}
