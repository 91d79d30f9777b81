use super::{Mode, Rank, Tile, TileArray, TileMap, stores::Stores};
use crate::{
    group::{Threads, Warpgroup, publish},
    number::{Element, halves::Half},
    ptx::{cp_async_bulk, operand::SharedPtr, stmatrix},
};

/// `TILES` tiles in shared memory in which a group of threads leaves its results: each is stored while the
/// next is written, and written again when the copy has read it.
///
/// ```
/// # use tma::{Block, Outputs, SharedPtr, Tile, TileMap, Unswizzled};
/// # type Rows = [[f32; 64]; 32];
/// /// Writes the number of each tile to its elements.
/// fn number(block: Block, memory: SharedPtr<Tile<Rows>>, map: &TileMap<Rows>, tiles: u32) {
///     let mut outputs = Outputs::<Rows, Unswizzled, _, 2>::new(block, memory);
///     for tile in block.items(tiles) {
///         let mut output = outputs.next();
///         output.write(|_| tile as f32);
///         output.store(map, [0, tile as i32 * 32]);
///     }
///     outputs.finish();
/// }
/// ```
///
/// `persistent_tiles` uses it after a [`Pipeline`](crate::Pipeline).
#[doc(alias("store pipeline", "PipelineTmaStore"))]
pub struct Outputs<S, M: Mode, G, const TILES: u32> {
    tiles: SharedPtr<Tile<S, M>>,
    group: G,
    number: u32,
}

/// A tile that no thread uses, to be written by all threads of the group.
#[must_use = "the written elements are not stored before `store`"]
pub struct OutputTile<S, M: Mode, G> {
    tile: SharedPtr<Tile<S, M>>,
    pub(crate) group: G,
}

impl<S: TileArray, M: Mode, G: Threads, const TILES: u32> Outputs<S, M, G, TILES> {
    /// Makes output tiles of the group, one after the other in this memory, which has no other use until the
    /// kernel ends (3 of [`Block::converged`](crate::Block::converged)).
    #[inline(always)]
    pub fn new(group: G, tiles: SharedPtr<Tile<S, M>>) -> Self {
        const {
            assert!(
                TILES >= 1 && TILES <= 8,
                "there are one to eight output tiles"
            )
        };
        Self {
            tiles,
            group,
            number: 0,
        }
    }

    /// Waits until the next tile may be written. Collective of the group.
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "tiles never end")]
    pub fn next(&mut self) -> OutputTile<S, M, G> {
        // The store before the last few has read this tile: its thread announces it to the others.
        if self.group.elect() {
            match TILES {
                1 => cp_async_bulk::wait_group_read::<0>(),
                2 => cp_async_bulk::wait_group_read::<1>(),
                3 => cp_async_bulk::wait_group_read::<2>(),
                4 => cp_async_bulk::wait_group_read::<3>(),
                5 => cp_async_bulk::wait_group_read::<4>(),
                6 => cp_async_bulk::wait_group_read::<5>(),
                7 => cp_async_bulk::wait_group_read::<6>(),
                _ => cp_async_bulk::wait_group_read::<7>(),
            }
        }
        self.group.sync();
        let tile = self.tiles.add(self.number);
        self.number = (self.number + 1) % TILES;
        OutputTile {
            tile,
            group: self.group,
        }
    }

    /// Returns the threads that own the results.
    #[inline(always)]
    pub(crate) fn group(&self) -> G {
        self.group
    }

    /// Waits until all tiles have been read: they end with the block. Collective of the group.
    #[inline(always)]
    pub fn finish(self) {
        if self.group.elect() {
            cp_async_bulk::wait_group_read::<0>();
        }
    }
}

impl<S: TileArray, M: Mode, G: Threads> OutputTile<S, M, G> {
    /// Writes this thread's elements, numbered row by row: element `index` as `element(index)` returns
    /// it.
    #[inline(always)]
    pub fn write(&mut self, element: impl Fn(u32) -> S::Element) {
        let mut index = self.group.thread();
        while index < S::ELEMS {
            // SAFETY: the element exists, and no other thread has it before the group synchronises.
            unsafe { self.tile.element(index).write(element(index)) };
            index += self.group.threads();
        }
    }

    /// Writes this thread's vectors of 16 bytes, numbered row by row: vector `index` as `vector(index)`
    /// returns it.
    ///
    /// PTX: `st.shared.v4.b32`
    #[inline(always)]
    pub fn write_vectors(&mut self, vector: impl Fn(u32) -> <S::Element as Element>::Vector) {
        const {
            let row_bytes = S::BOX[0] as usize * size_of::<S::Element>();
            assert!(
                row_bytes.is_multiple_of(16),
                "rows of a tile that is used by vectors are multiples of 16 bytes"
            );
        }
        let elements = 16 / size_of::<S::Element>() as u32;
        let mut index = self.group.thread();
        while index < S::ELEMS / elements {
            let to = self.tile.element(index * elements).cast();
            // SAFETY: the vector exists, which a swizzle moves as a whole, and no other thread has it before
            // the group synchronises.
            unsafe { to.write(vector(index)) };
            index += self.group.threads();
        }
    }

    /// Starts the store of the tile from one thread, once all have written it. Collective of the group.
    #[doc(alias = "cp_async_bulk_tensor_2d_shared_to_global")]
    #[inline(always)]
    pub fn store<const RANK: usize>(self, map: &TileMap<S, M>, coords: [i32; RANK])
    where
        S: Rank<RANK>,
    {
        publish(self.group);
        // The elected lane never changes, and groups belong to it.
        if self.group.elect() {
            let mut stores = Stores::new();
            // SAFETY: fences and `sync` order the writes before, no thread writes the tile before the group of
            // this store has been read, and the tensor may be written there (5 of `Block::converged`).
            unsafe { stores.tile(map, coords, self.tile) };
            // Later calls wait for it.
            let _ = stores.commit();
        }
    }
}

impl<S: TileArray, M: Mode> OutputTile<S, M, Warpgroup>
where
    S::Element: Half,
{
    /// Writes 16 columns of results; a register has two neighbours.
    #[inline(always)]
    pub(crate) fn write_pairs<const NUMBER: u32>(&self, pairs: [u32; 4]) {
        let lane = self.group.warp().lane();
        let first_row = 16 * self.group.warp_index();
        let [column, row] = [16 * NUMBER + lane / 16 * 8, first_row + lane % 16];
        let to = self.tile.element(64 * row + column).as_ptr().cast::<u8>();
        // SAFETY: the lane has 16 bytes of the tile, at a multiple of 16, that no other has.
        unsafe { stmatrix::sync_aligned_m8n8_x4(to, pairs) };
    }
}
