//! Barriers that a block or a cluster makes.

use super::{Barrier, Ring};
use crate::{
    group::{
        Block, Cluster,
        cluster::RemoteBarrier,
        thread::{thread_idx, trap},
    },
    ptx::{self, mbarrier::Mbarrier, operand::SharedPtr},
};

impl Block {
    /// Makes a barrier for phases of `count` arrivals, for all threads. Collective.
    #[doc(alias = "cuda::barrier")]
    #[inline(always)]
    pub fn barrier(self, memory: SharedPtr<Mbarrier>, count: u32) -> Barrier {
        let [barrier] = self.barriers(memory.cast(), [count]);
        barrier
    }

    /// Makes barriers for phases of `counts` arrivals, for all threads. Collective.
    #[inline(always)]
    pub fn barriers<const N: usize>(
        self,
        memory: SharedPtr<[Mbarrier; N]>,
        counts: [u32; N],
    ) -> [Barrier; N] {
        init_barriers(memory, counts);
        self.sync();
        core::array::from_fn(|index| {
            // SAFETY: `sync` orders the initialisation before; the rest is (4) of `converged`.
            unsafe { Barrier::assume_init(memory.at(index as u32)) }
        })
    }

    /// Makes the barriers of a ring of stages: "full" takes `fillers` arrivals, and "empty" takes
    /// `emptiers`. Collective.
    ///
    /// Each thread goes through the stages in order with one [`Cursor`](crate::ring::Cursor) for each role
    /// that it has, and at each stage runs its role, once.
    ///
    /// ```compile_fail,E0080
    /// # use tma::{Block, SharedPtr};
    /// # let memory = SharedPtr::from_address(0);
    /// # let block = unsafe { Block::converged() };
    /// // A ring has at least one stage.
    /// let ring = block.ring::<0>(memory, 1, 32);
    /// ```
    #[inline(always)]
    pub fn ring<const STAGES: u32>(
        self,
        memory: SharedPtr<Mbarrier>,
        fillers: u32,
        emptiers: u32,
    ) -> Ring<STAGES> {
        if self.thread() == 0 {
            // SAFETY: one thread initialises the barriers, before any other uses them, in memory that is for them
            // alone (converged 3).
            unsafe { Ring::<STAGES>::init(memory, fillers, emptiers) };
        }
        self.sync();
        // SAFETY: `sync` orders the initialisation before; the rest is (4) of `converged`.
        unsafe { Ring::assume_init(memory) }
    }
}

impl Cluster {
    /// Makes barriers for phases of `counts` arrivals, in every block of the cluster, for all threads
    /// of the cluster. Collective.
    ///
    /// Needs the memory of [`Block::barriers`](crate::Block::barriers).
    #[inline(always)]
    pub fn barriers<const N: usize>(
        self,
        memory: SharedPtr<[Mbarrier; N]>,
        counts: [u32; N],
    ) -> [Barrier; N] {
        init_barriers(memory, counts);
        self.sync();
        // SAFETY: `sync` releases and acquires, and so orders the initialisations of all blocks before; the rest
        // is (4) of `Block::converged`.
        core::array::from_fn(|index| unsafe { Barrier::assume_init(memory.at(index as u32)) })
    }

    /// Returns the barrier at the place of `barrier` in the block of this rank; a rank without a block
    /// stops the kernel.
    ///
    /// (4) of [`Block::converged`](crate::Block::converged) includes arrivals from other blocks: the block
    /// stays until they are complete.
    #[doc(alias = "map_shared_rank")]
    #[inline(always)]
    pub fn barrier_of(self, barrier: &Barrier, rank: u32) -> RemoteBarrier {
        if rank >= self.blocks().get() {
            trap();
        }
        // SAFETY: the cluster has a block of this rank (`mapa` 1): another rank has stopped the kernel.
        let address = unsafe { ptx::mapa::shared_cluster_u32(barrier.address(), rank) };
        RemoteBarrier { address }
    }
}

/// One thread of the block initialises barriers, in memory that is for them alone (3 of `converged`).
#[inline(always)]
pub(crate) fn init_barriers<const N: usize>(memory: SharedPtr<[Mbarrier; N]>, counts: [u32; N]) {
    if thread_idx().x == 0 {
        for (index, count) in counts.into_iter().enumerate() {
            // SAFETY: one thread initialises the barrier, before any other uses it.
            unsafe { Barrier::init(memory.at(index as u32), count) };
        }
    }
}
