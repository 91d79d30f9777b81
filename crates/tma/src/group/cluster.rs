//! Blocks of a cluster, and their barrier.
//!
//! Source: PTX ISA 9.7.13.3, "barrier.cluster"; 10, "Special Registers".

use core::{marker::PhantomData, num::NonZero};

use crate::{
    Barrier, Block, ClusterPtr, LoadingBuffer, Rank, SharedPtr, Tile, TileMap,
    group::block::init_barriers,
    pipeline::every_block,
    ptx::{self, mbarrier::Mbarrier},
    thread::trap,
    tile::Mode,
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

/// Waits until every thread of the cluster is here; earlier writes of each thread are visible
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
    // SAFETY: (1) is the caller's.
    unsafe { ptx::barrier_cluster::arrive_aligned() };
    // SAFETY: (1) is the caller's; the arrival went before.
    unsafe { ptx::barrier_cluster::wait_aligned() };
}

/// A barrier of another block of the cluster, from [`Cluster::barrier_of`]. The block waits for its phases by
/// [`Barrier::wait_parity_cluster`].
pub struct RemoteBarrier {
    address: ClusterPtr<Mbarrier>,
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
        // SAFETY: the cluster has this block.
        let address = unsafe { ptx::mapa::shared_cluster_u32(barrier.address(), rank) };
        RemoteBarrier { address }
    }

    /// Loads `BLOCKS` tiles, one for each block of the cluster, into all blocks: each block loads the tile at
    /// `coords(rank)`, and gets all tiles. Collective; the cluster has `BLOCKS` blocks, else the kernel stops.
    ///
    /// No block leaves before it has waited for the tiles.
    #[doc(alias = "multicast")]
    #[inline(always)]
    pub fn load_tiles<S, M: Mode, const BLOCKS: usize, const RANK: usize>(
        self,
        block: Block,
        tiles: SharedPtr<[Tile<S, M>; BLOCKS]>,
        barrier: SharedPtr<Mbarrier>,
        map: &TileMap<S, M>,
        coords: impl FnOnce(u32) -> [i32; RANK],
    ) -> LoadingBuffer<S::Element>
    where
        S: Rank<RANK>,
    {
        const {
            assert!(
                size_of::<Tile<S, M>>() == S::BYTES as usize && M::SWIZZLE.span_bytes().is_none(),
                "tiles that lie row by row, one behind the other, are multiples of 128 bytes without swizzle"
            )
        };
        if self.blocks().get() != BLOCKS as u32 {
            trap();
        }
        let [bar] = self.barriers(barrier.cast(), [1]);
        if block.elect() {
            let _ = bar.arrive_expect_tx(BLOCKS as u32 * S::BYTES);
            let rank = self.rank();
            let mask = every_block(BLOCKS as u32);
            // SAFETY: the memory is for these tiles alone in each block (3 of `converged`), which expects them
            // in the one phase of its barrier and stays until they are there; the tensor may be read (5).
            unsafe { bar.multicast(tiles.at(rank), map, coords(rank), mask) };
        }
        LoadingBuffer::new(tiles.cast(), BLOCKS as u32 * S::ELEMS, bar)
    }

    /// Waits until every thread of the cluster is here; earlier writes of each thread are visible to all.
    /// Collective.
    #[doc(alias = "cluster.sync")]
    #[inline(always)]
    pub fn sync(self) {
        // SAFETY: every thread of the cluster is here (2 of `Block::converged`).
        unsafe { sync() }
    }
}
