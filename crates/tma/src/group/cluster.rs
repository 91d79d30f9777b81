//! Blocks of a cluster, and their barrier.
//!
//! Source: PTX ISA 9.7.13.3, "barrier.cluster"; 10, "Special Registers".

use core::{marker::PhantomData, num::NonZero};

use crate::ptx::{self, mbarrier::Mbarrier, operand::ClusterPtr};

positions! {
    /// This cluster's position in the grid.
    #[doc(alias = "clusterIdx")]
    cluster_idx = clusterid;
    /// The number of clusters of the grid in each dimension.
    grid_dim = nclusterid;
    /// This block's position in its cluster.
    block_idx = cluster_ctaid;
    /// The number of blocks of the cluster in each dimension.
    #[doc(alias = "clusterDim")]
    cluster_dim = cluster_nctaid;
}

/// Returns this block's number in its cluster.
#[doc(alias = "cluster_ctarank")]
#[inline(always)]
pub fn block_rank() -> u32 {
    ptx::sreg::cluster_ctarank()
}

/// Returns the number of blocks in the cluster.
#[doc(alias = "cluster_nctarank")]
#[inline(always)]
pub fn blocks() -> u32 {
    ptx::sreg::cluster_nctarank()
}

/// Waits until every thread of the cluster is here. Earlier writes of each thread are visible
/// to all.
///
/// PTX: `barrier.cluster.arrive.aligned;` `barrier.cluster.wait.aligned;`
///
/// # Safety
/// 1. Every thread of every block of the cluster reaches a call of this function, the threads of
///    a warp together.
#[doc(alias = "cluster.sync")]
#[inline(always)]
pub unsafe fn sync() {
    // SAFETY: every thread of the cluster arrives, those of a warp together (1).
    unsafe { ptx::barrier_cluster::arrive_aligned() };
    // SAFETY: every thread of the cluster waits (1), after its arrival.
    unsafe { ptx::barrier_cluster::wait_aligned() };
}

/// Returns the mask of all blocks of a cluster.
pub(crate) const fn every_block(blocks: u32) -> u16 {
    ((1_u32 << blocks) - 1) as u16
}

/// A barrier of another block of the cluster, from [`Cluster::barrier_of`]. The block waits for its phases by
/// [`Barrier::wait_parity_cluster`](crate::Barrier::wait_parity_cluster).
pub struct RemoteBarrier {
    pub(crate) address: ClusterPtr<Mbarrier>,
}

impl RemoteBarrier {
    /// Arrives once. Earlier accesses of this thread are visible to threads of the cluster that wait for the phase.
    ///
    /// PTX: `mbarrier.arrive.release.cluster.shared::cluster.b64`
    #[inline(always)]
    pub fn arrive(&self) {
        // SAFETY: the barrier is initialised and takes this arrival (4 of `Block::converged`).
        unsafe {
            ptx::mbarrier::arrive_sink::<ptx::Release, ptx::Cluster>(self.address);
        }
    }
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
///         // SAFETY: the block stays until the next `sync`, which orders its write before this read.
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
    /// Binds the value to its thread.
    thread: PhantomData<*mut ()>,
}

impl Cluster {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            thread: PhantomData,
        }
    }

    /// Returns this block's number in the cluster.
    #[doc(alias = "cluster_ctarank")]
    #[inline(always)]
    pub fn rank(self) -> u32 {
        block_rank()
    }

    /// Returns the number of blocks of the cluster.
    #[doc(alias = "cluster_nctarank")]
    #[inline(always)]
    pub fn blocks(self) -> NonZero<u32> {
        // SAFETY: a cluster has this block.
        unsafe { NonZero::new_unchecked(blocks()) }
    }

    /// Waits until every thread of the cluster is here. Earlier writes of each thread are visible to all.
    /// Collective.
    #[doc(alias = "cluster.sync")]
    #[inline(always)]
    pub fn sync(self) {
        // SAFETY: every thread of the cluster is here (2 of `Block::converged`).
        unsafe { sync() }
    }
}
