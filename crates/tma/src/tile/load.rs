//! Loads of tiles.

use super::{Mode, Rank, Tile, TileMap, shared_buffer::LoadingBuffer};
use crate::{
    barrier::{Barrier, Transaction},
    group::{Block, Cluster, cluster::every_block, thread::trap},
    ptx::{cp_async_bulk_tensor, mbarrier::Mbarrier, operand::SharedPtr},
};

impl Transaction<'_> {
    /// Starts a load of a tile, through a map of its type.
    ///
    /// # Safety
    /// 1. `dst` is in this block's shared memory. No thread uses it before the phase completes, and earlier
    ///    writes to it went before through a `fence.proxy.async`.
    /// 2. No thread writes the tensor there until then, and earlier writes in this kernel went before through a
    ///    `fence.proxy.async`, too. The first coordinate is a multiple of 16 bytes.
    /// 3. An arrival of the phase is pending until the transaction ends, which it does, with fewer than 2^20
    ///    bytes.
    #[doc(alias = "cp_async_bulk_tensor")]
    #[inline(always)]
    pub unsafe fn tile<S, M: Mode, const RANK: usize>(
        &mut self,
        dst: SharedPtr<Tile<S, M>>,
        map: &TileMap<S, M>,
        coords: [i32; RANK],
    ) where
        S: Rank<RANK>,
    {
        // SAFETY: the destination and the tensor are free for the load (1, 2), the phase is pending (3), and the box
        // has the bytes of the tile by their types.
        unsafe { self.tensor(dst.cast(), map.as_ptr(), coords, S::BYTES) };
    }
}

impl Barrier {
    /// Starts a load of a tile for all blocks in `blocks`, a bit for each: it is at the same place in each, and
    /// is counted at the barrier that is at this one's place.
    ///
    /// # Safety
    /// 1. The conditions of [`Transaction::tile`](crate::Transaction::tile) hold in each block, and its phase expects
    ///    the bytes.
    /// 2. The blocks are in the cluster, and stay until their phase has completed.
    #[inline(always)]
    pub unsafe fn multicast<S: Rank<RANK>, M: Mode, const RANK: usize>(
        &self,
        dst: SharedPtr<Tile<S, M>>,
        map: &TileMap<S, M>,
        coords: [i32; RANK],
        blocks: u16,
    ) {
        // SAFETY: destination, tensor and phase are as a load requires in each block (1), and the blocks stay (2).
        unsafe {
            cp_async_bulk_tensor::shared_cluster_global_tile_multicast(
                dst.cast::<u8>(),
                map.as_ptr(),
                coords,
                self.address(),
                blocks,
            );
        }
    }
}

impl Cluster {
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
                "tiles stored row by row, one after the other, must be multiples of 128 bytes without swizzle"
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
            // in the one phase of its barrier and stays until they have arrived; the tensor may be read (5).
            unsafe { bar.multicast(tiles.at(rank), map, coords(rank), mask) };
        }
        LoadingBuffer::new(tiles.cast(), BLOCKS as u32 * S::ELEMS, bar)
    }
}
