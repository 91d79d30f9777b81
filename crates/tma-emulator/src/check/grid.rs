//! The checker's state of the grid: the knowledge and the pending operations of each thread and block.

use std::collections::BTreeSet;

use super::{
    clock::{Clock, Epoch, Lane},
    groups::Groups,
    hash::Map,
    knowledge::{Distance, Knowledge, Memos, Own},
    linear_map::LinearMap,
    released::Released,
};
use crate::{
    machine::observer::{Origin, Scope},
    value::LANES,
};

/// Numbers of blocks and threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extents {
    pub(super) threads: u32,
    pub(super) grid: [u32; 3],
    pub(super) cluster: [u32; 3],
}

impl Extents {
    /// Returns the number of a thread in the grid.
    pub(super) fn thread(&self, block: u32, thread: u32) -> u32 {
        block.wrapping_mul(self.threads).wrapping_add(thread)
    }

    /// Returns the block, and the thread in the block.
    pub(super) fn split(&self, thread: u32) -> (u32, u32) {
        (thread / self.threads, thread % self.threads)
    }

    /// Returns the index of a block in the grid.
    pub(super) fn index(&self, block: u32) -> [u32; 3] {
        crate::machine::unflatten(block.into(), self.grid)
    }

    /// Returns the number of a block's cluster.
    pub(super) fn cluster(&self, block: u32) -> u64 {
        let at = self.index(block);
        let within = [0, 1, 2].map(|axis| at[axis] / self.cluster[axis].max(1));
        let extent = [0, 1, 2].map(|axis| self.grid[axis] / self.cluster[axis].max(1));
        crate::machine::flatten(within, extent)
    }

    /// Returns the number of a block in its cluster.
    pub(super) fn rank(&self, block: u32) -> u64 {
        let at = crate::machine::unflatten(block.into(), self.grid);
        let extent = self.cluster.map(|extent| extent.max(1));
        crate::machine::flatten([0, 1, 2].map(|axis| at[axis] % extent[axis]), extent)
    }

    /// Returns the number of a thread's warp in its cluster.
    pub(super) fn warp_of_cluster(&self, origin: Origin) -> usize {
        let warps = self.threads.div_ceil(LANES as u32) as usize;
        self.rank(origin.block as u32) as usize * warps + origin.thread as usize / LANES
    }

    /// Returns the smallest scope that contains both blocks.
    pub(super) fn distance(&self, from: u32, to: u32) -> Distance {
        if from == to {
            Distance::SameBlock
        } else if self.cluster(from) == self.cluster(to) {
            Distance::SameCluster
        } else {
            Distance::Far
        }
    }

    /// Returns whether a scope around block `from` includes block `to`.
    pub(super) fn reaches(&self, scope: Scope, from: u32, to: u32) -> bool {
        from == to
            || match scope {
                Scope::Cta => false,
                Scope::Cluster => self.cluster(from) == self.cluster(to),
                Scope::Gpu | Scope::Sys => true,
            }
    }
}

/// The knowledge that a release fence passes on by a later store.
#[derive(Clone, Debug)]
pub(super) struct Fenced {
    pub(super) scope: Scope,
    pub(super) released: Released,
}

/// The last wait of a thread at an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastWait {
    /// The block and offset of the barrier.
    pub(super) at: (u32, u64),
    pub(super) instruction: usize,
    pub(super) epoch: Epoch,
    /// True if the thread learned no new phase: it had already waited for that phase, or there was none yet.
    pub(super) is_stale: bool,
}

/// State of a thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    pub(super) known: Knowledge,
    pub(super) own: Own,
    pub(super) fenced: Option<Box<Fenced>>,
    /// The knowledge that relaxed loads have read, for a later fence, with block and scope of the release.
    pub(super) seen: Vec<(u32, Scope, Knowledge)>,
    /// Like `seen`, for reads and releases with scopes that reach every block.
    pub(super) seen_far: Option<Box<Knowledge>>,
    /// The last releases that it read, whether it acquired them, and in which scope: a loop reads them again
    /// and again.
    pub(super) last_read: Option<(u64, bool, Scope)>,
    /// The thread's last wait at an mbarrier.
    pub(super) last_wait: Option<LastWait>,
    pub(super) bulk: Groups,
    pub(super) plain: Groups,
    /// The products of its warpgroup, if it is the first thread of one.
    pub(super) products: Groups,
}

/// Number of threads in a warpgroup.
pub(super) const WARPGROUP: u32 = 128;

impl Thread {
    /// Releases the thread's knowledge and its own steps so far; later steps belong to a new epoch.
    pub(super) fn release_to(&mut self, to: &mut Released) {
        to.add(&self.known, &self.own);
        self.own.epoch += 1;
    }

    /// Raises the completed copies of this thread.
    pub(super) fn raise(&mut self, lane: Lane, epoch: Epoch) {
        self.raise_of(lane, self.own.thread, epoch);
    }

    /// Raises the completed copies of another thread of the same block.
    pub(super) fn raise_of(&mut self, lane: Lane, thread: u32, epoch: Epoch) {
        let block = self.own.block;
        self.known.order.raise(lane, block, thread, epoch);
        if self.known.has_wide() {
            self.known.wide_mut().raise(lane, block, thread, epoch);
        }
    }
}

/// A warp at one phase of a barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct WarpAtBarrier {
    /// The first lane that arrived, and whether its instruction is aligned.
    pub(super) first: Option<(Origin, bool)>,
    /// The lanes that have arrived, and those that have passed.
    pub(super) arrived: u32,
    pub(super) passed: u32,
    /// True if no lane knew the phase before to be complete when the first one arrived.
    pub(super) is_early: bool,
}

/// One phase of a barrier of a block or cluster.
#[derive(Debug, Default)]
pub(super) struct Generation {
    pub(super) released: Released,
    /// Arrivals by number of the warp in its block or cluster.
    warps: Vec<WarpAtBarrier>,
    /// The last arrival.
    pub(super) last: Option<Origin>,
    /// The number of threads that the arrivals name.
    pub(super) threads: u32,
    /// Blocks that have arrived.
    pub(super) blocks: BTreeSet<u32>,
}

impl Generation {
    pub(super) fn warps(&self) -> &[WarpAtBarrier] {
        &self.warps
    }

    pub(super) fn warp_mut(&mut self, warp: usize) -> &mut WarpAtBarrier {
        if self.warps.len() <= warp {
            self.warps.resize(warp + 1, WarpAtBarrier::default());
        }
        &mut self.warps[warp]
    }
}

/// The last phases of a barrier, including the current one.
#[derive(Debug, Default)]
pub(super) struct Generations(Vec<(u64, Generation)>);

impl Generations {
    pub(super) fn get(&self, generation: u64) -> Option<&Generation> {
        let mut all = self.0.iter().rev();
        all.find(|(of, _)| *of == generation)
            .map(|(_, state)| state)
    }

    pub(super) fn get_mut(&mut self, generation: u64) -> Option<&mut Generation> {
        let mut all = self.0.iter_mut().rev();
        all.find(|(of, _)| *of == generation)
            .map(|(_, state)| state)
    }

    /// Returns this generation, or adds it. Some threads may not have passed the previous one yet; all have
    /// passed older ones.
    pub(super) fn entry(&mut self, generation: u64) -> &mut Generation {
        let found = self.0.iter().rposition(|(of, _)| *of == generation);
        let index = found.unwrap_or_else(|| {
            self.0.retain(|(of, _)| of + 2 > generation);
            self.0.push((generation, Generation::default()));
            self.0.len() - 1
        });
        &mut self.0[index].1
    }
}

/// A wait for bulk groups.
#[derive(Clone, Debug)]
pub(super) struct GroupWait {
    pub(super) epoch: Epoch,
    /// The thread's clock at the wait.
    pub(super) knew: Clock,
    /// True if the thread had ever issued a copy.
    pub(super) has_groups: bool,
    pub(super) instruction: usize,
}

/// Lanes of a warp that have met at collectives.
#[derive(Clone, Debug, Default)]
pub(super) struct Met {
    /// Masks of lanes that met and have not acted since.
    pub(super) lanes: Vec<u32>,
    /// The knowledge of the lanes after the last one: the order of memory, and what collectives add to it.
    pub(super) last: [Clock; 2],
}

/// State of a running block.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) threads: Vec<Thread>,
    pub(super) alive: u32,
    /// Barriers by number.
    pub(super) barriers: LinearMap<Generations>,
    /// Blocks that are known to have started.
    pub(super) started: BTreeSet<u32>,
    /// The last completion of barrier 0, and the first instruction that reached it.
    pub(super) syncs: Option<(u64, usize)>,
    /// A warp, and its lanes that still have to see the meeting already recorded.
    pub(super) recorded: (u32, u32),
    /// Meetings by warp.
    pub(super) met: Vec<Met>,
    /// The knowledge of the threads that ended.
    pub(super) ended: Released,
    /// Last accesses by threads of other blocks: thread of the grid, epoch, instruction.
    pub(super) remote: Map<u32, (Epoch, usize)>,
    /// Copies that use its shared memory and complete at an mbarrier.
    pub(super) copies: Vec<u32>,
    /// The `setmaxnreg` of each warp, with their counts.
    pub(super) registers: Vec<Vec<(Origin, u32)>>,
    /// The last wait for bulk groups of each thread.
    pub(super) group_waits: Map<u32, GroupWait>,
}

/// All running blocks.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) extents: Extents,
    pub(super) blocks: LinearMap<Block>,
    /// Barriers by number of the cluster.
    pub(super) cluster_barriers: Map<u64, Generations>,
    pub(super) memos: Memos,
}

impl Grid {
    pub(super) fn thread(&mut self, block: u32, thread: u32) -> Option<&mut Thread> {
        self.blocks.get_mut(block)?.threads.get_mut(thread as usize)
    }
}
