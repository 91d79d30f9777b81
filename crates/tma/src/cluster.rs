//! Blocks of a cluster, and their barrier.
//!
//! Source: PTX ISA 9.7.13.3, "barrier.cluster"; 10, "Special Registers".

use core::{marker::PhantomData, num::NonZero};

use crate::{
    Barrier, SharedPtr,
    block::init_barriers,
    ptx::{self, mbarrier::Mbarrier},
};

positions! {
    /// This cluster's position in the grid.
    #[doc(alias = "clusterIdx")]
    cluster_idx = clusterid;
    /// Clusters of the grid.
    grid_dim = nclusterid;
    /// This block's position in its cluster.
    block_idx = cluster_ctaid;
    /// Blocks of the cluster.
    #[doc(alias = "clusterDim")]
    cluster_dim = cluster_nctaid;
}

/// This block's number in its cluster.
#[doc(alias = "cluster_ctarank")]
#[inline(always)]
pub fn block_rank() -> u32 {
    ptx::sreg::cluster_ctarank()
}

/// Number of blocks in the cluster.
#[doc(alias = "cluster_nctarank")]
#[inline(always)]
pub fn blocks() -> u32 {
    ptx::sreg::cluster_nctarank()
}

/// Waits until every thread of the cluster is here; what each wrote before is visible to all
/// after.
///
/// PTX: `barrier.cluster.arrive.aligned;` `barrier.cluster.wait.aligned;`
///
/// # Safety
/// 1. Every thread of every block of the cluster reaches a call of this function, the threads of
///    a warp together.
#[doc(alias = "cluster.sync")]
#[inline(always)]
pub unsafe fn sync() {
    // SAFETY: (1) is the caller's.
    unsafe { ptx::barrier_cluster::arrive_aligned() };
    // SAFETY: (1) is the caller's; the arrival went before.
    unsafe { ptx::barrier_cluster::wait_aligned() };
}

/// The cluster of this block, from [`Block::cluster`](crate::Block::cluster).
///
/// ```
/// # use tma::{Block, kernel, ptx::mapa, shared};
/// /// Each block writes the number of the next one of its cluster, out of that one's shared memory.
/// ///
/// /// # Safety
/// /// 1. Blocks are one-dimensional, of whole warps. `numbers` has a number for each block.
/// #[kernel(cluster = 2)]
/// pub unsafe fn neighbours(numbers: *mut u32) {
///     shared! { static NUMBER: u32; }
///     // SAFETY: every thread gets here (1).
///     let block = unsafe { Block::converged() };
///     let cluster = block.cluster();
///     if block.elect() {
///         // SAFETY: this thread alone writes it.
///         unsafe { NUMBER::ptr().write(block.index()) };
///     }
///     cluster.sync();
///     if block.elect() {
///         let next = (cluster.rank() + 1) % cluster.blocks();
///         // SAFETY: the block is there until the next `sync`, which orders its write before this read.
///         unsafe {
///             let there = mapa::generic_u64(NUMBER::ptr().as_ptr().cast(), next);
///             *numbers.add(block.index() as usize) = *there.cast();
///         }
///     }
///     cluster.sync();
/// }
/// # fn main() {}
/// ```
#[doc(alias = "cluster_group")]
#[derive(Clone, Copy)]
pub struct Cluster {
    /// A thread's own.
    thread: PhantomData<*mut ()>,
}

impl Cluster {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            thread: PhantomData,
        }
    }

    /// This block's number in the cluster.
    #[doc(alias = "cluster_ctarank")]
    #[inline(always)]
    pub fn rank(self) -> u32 {
        block_rank()
    }

    /// Blocks of the cluster.
    #[doc(alias = "cluster_nctarank")]
    #[inline(always)]
    pub fn blocks(self) -> NonZero<u32> {
        // SAFETY: a cluster has this block.
        unsafe { NonZero::new_unchecked(blocks()) }
    }

    /// Makes barriers whose phases take so many arrivals each, in every block of the cluster, for all threads
    /// of the cluster. Collective.
    ///
    /// The memory is that of [`Block::barriers`](crate::Block::barriers).
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

    /// Waits until every thread of the cluster is here; what each wrote before is visible to all after.
    /// Collective.
    #[doc(alias = "cluster.sync")]
    #[inline(always)]
    pub fn sync(self) {
        // SAFETY: every thread of the cluster is here (2 of `Block::converged`).
        unsafe { sync() }
    }
}
