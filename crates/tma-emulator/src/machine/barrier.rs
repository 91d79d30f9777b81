//! The barriers of blocks and clusters.

use super::{Cluster, Cta, Here, World};
use crate::value::LANES;

/// One of the 16 barriers of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BarrierState {
    /// Number of completions.
    pub(crate) generation: u64,
    /// The lanes of each warp that have arrived.
    pub(crate) arrived: Vec<u32>,
    /// Arrivals of lanes that had arrived already, which count again.
    pub(crate) again: u32,
    /// Number of expected threads; 0 for all of the block.
    pub(crate) expected: u32,
    /// Numbers of true and of false predicates.
    pub(crate) votes: (u64, u64),
    pub(crate) results: (u64, u64),
}

impl BarrierState {
    /// Returns the number of threads that have arrived. A complete warp counts as 32, however many threads it
    /// has (PTX ISA, section 9.7.13.1: barriers count in multiples of the warp size).
    fn count(&self, alive: impl Fn(usize) -> u32, by_warps: bool) -> u32 {
        let warps = self.arrived.iter().enumerate();
        let first: u32 = warps
            .map(|(warp, mask)| match alive(warp) & !mask {
                0 if by_warps && *mask != 0 => LANES as u32,
                _ => mask.count_ones(),
            })
            .sum();
        first + self.again
    }

    /// Completes the barrier.
    pub(crate) fn pass(&mut self) {
        self.generation += 1;
        self.arrived.iter_mut().for_each(|mask| *mask = 0);
        self.again = 0;
        self.results = std::mem::take(&mut self.votes);
    }

    /// Returns the number of threads that have arrived, and the number that the barrier waits for.
    pub(crate) fn counts(&self, cta: &Cta) -> (u32, u32) {
        let arrived = self.count(|warp| cta.warps[warp].alive, self.expected != 0);
        match self.expected {
            0 => (arrived, cta.alive),
            expected => (arrived, expected),
        }
    }

    /// Describes the threads that have arrived and those that are missing.
    pub(crate) fn describe(&self, cta: &Cta, barrier: usize) -> String {
        let (arrived, expected) = self.counts(cta);
        let what = match self.expected {
            0 => "all threads of the block that have not ended",
            _ => "the count in the instruction",
        };
        format!("at barrier {barrier}: {arrived} of {expected} threads have arrived ({what})")
    }
}

/// The barrier of a cluster.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterState {
    /// Number of completions.
    pub(crate) generation: u64,
    /// Number of threads that have arrived.
    pub(crate) arrived: u32,
}

impl ClusterState {
    /// Completes the barrier.
    pub(crate) fn pass(&mut self) {
        self.generation += 1;
        self.arrived = 0;
    }

    pub(crate) fn describe(&self, cluster: &Cluster) -> String {
        let alive: u32 = cluster.ctas.iter().map(|cta| cta.alive).sum();
        format!(
            "at the barrier of its cluster: {} of {alive} threads have arrived",
            self.arrived
        )
    }
}

impl World {
    /// Completes the barrier if all threads have arrived. The warp `here` is currently taken out of its block;
    /// `alive` are its lanes.
    pub(crate) fn complete_barrier(&mut self, here: Here, barrier: usize, alive: u32) -> bool {
        let cta = &mut self.clusters[here.cluster].ctas[here.rank];
        let warps = &cta.warps;
        let alive_of = |warp: usize| {
            if warp == here.warp {
                alive
            } else {
                warps[warp].alive
            }
        };
        let state = &mut cta.barriers[barrier];
        let arrived = state.count(alive_of, state.expected != 0);
        let expected = if state.expected == 0 {
            cta.alive
        } else {
            state.expected
        };
        if arrived == 0 || arrived < expected {
            return false;
        }
        state.pass();
        true
    }

    /// Completes barriers that waited only for threads that have ended, or for the rest of their warp.
    pub(crate) fn threads_ended(&mut self, here: Here, alive: u32) {
        for barrier in 0..16 {
            self.complete_barrier(here, barrier, alive);
        }
        self.complete_cluster_barrier(here.cluster);
    }

    /// Completes the cluster's barrier if all live threads have arrived.
    pub(crate) fn complete_cluster_barrier(&mut self, cluster: usize) {
        let cluster = &mut self.clusters[cluster];
        let alive: u32 = cluster.ctas.iter().map(|cta| cta.alive).sum();
        if cluster.barrier.arrived > 0 && cluster.barrier.arrived >= alive {
            cluster.barrier.pass();
        }
    }
}
