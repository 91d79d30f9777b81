use crate::{
    barrier::Loading,
    group::{Block, Threads, publish},
    number::Element,
    ptx::{mbarrier::Mbarrier, operand::SharedPtr},
    tile::{
        Mode, Rank, Tile, TileArray, TileMap, Unswizzled, shared_buffer::SharedBuffer,
        stores::Stores,
    },
};

/// A tile that all threads of the block may read, and copies too.
///
/// ```
/// # use tma::{Block, Tile, TileMap, kernel, ptx::mbarrier::Mbarrier, shared};
/// shared! {
///     static TILE: Tile<[[i32; 64]; 16]>;
///     static BAR: Mbarrier;
/// }
///
/// /// Adds one to a tile of 64 columns and 16 rows.
/// ///
/// /// # Safety
/// /// 1. No other code uses the tensor of `map`; `x` is a multiple of 4, and neither it nor `y` negative.
/// /// 2. There is one block, one-dimensional, of whole warps.
/// #[kernel]
/// pub unsafe fn add_one(#[grid_constant] map: &TileMap<[[i32; 64]; 16]>, x: i32, y: i32) {
///     // SAFETY: every thread gets here (2); the tensor is this kernel's (1).
///     let block = unsafe { Block::converged() };
///     let tile = block.load_tile(TILE::ptr(), BAR::ptr(), map, [x, y]);
///     tile.update(block, |_, number| number + 1).store(block, map, [x, y]);
/// }
/// # fn main() {}
/// ```
#[must_use = "a tile that was updated is still to be stored"]
pub struct SharedTile<S, M: Mode = Unswizzled> {
    tile: SharedPtr<Tile<S, M>>,
}

/// A tile that [`Block::load_tile`] has begun to load: the example of [`SharedTile`] waits for one.
///
/// The map has the shape of the tile, or it does not compile:
///
/// ```compile_fail,E0308
/// # use tma::{Block, Tile, TileMap, ptx::mbarrier::Mbarrier, SharedPtr};
/// # fn load(block: Block, tile: SharedPtr<Tile<[[i32; 64]; 16]>>, bar: SharedPtr<Mbarrier>) {
/// # let map: &TileMap<[[i32; 64]; 8]> = todo!();
/// // The box of the map has 8 rows, the tile has 16.
/// block.load_tile(tile, bar, map, [0, 0]).wait();
/// # }
/// ```
#[must_use = "the tile is loaded after `wait`"]
pub struct LoadingTile<S, M: Mode = Unswizzled> {
    tile: SharedPtr<Tile<S, M>>,
    loading: Loading,
}

impl Block {
    /// Loads the tile that begins at these coordinates, innermost first. Collective.
    #[doc(alias = "cp_async_bulk_tensor_2d_global_to_shared")]
    #[inline(always)]
    pub fn load_tile<S, M: Mode, const RANK: usize>(
        self,
        tile: SharedPtr<Tile<S, M>>,
        barrier: SharedPtr<Mbarrier>,
        map: &TileMap<S, M>,
        coords: [i32; RANK],
    ) -> LoadingTile<S, M>
    where
        S: Rank<RANK>,
    {
        let loading = self.load(barrier, |loads| {
            // SAFETY: the memory is for this tile alone, and the tensor may be read there (3 and 5 of
            // `converged`).
            unsafe { loads.tile(tile, map, coords) };
        });
        LoadingTile { tile, loading }
    }

    /// Writes a tile: element `index`, counted row by row, as `element(index)` returns it.
    /// Collective.
    #[inline(always)]
    pub fn write_tile<S: TileArray, M: Mode>(
        self,
        tile: SharedPtr<Tile<S, M>>,
        element: impl Fn(u32) -> S::Element,
    ) -> SharedTile<S, M> {
        let tile = SharedTile { tile };
        tile.write(self, element);
        tile
    }

    /// Hands a tile, which the threads of the block have written, to all of these threads and to copies. Collective.
    ///
    /// # Safety
    /// 1. Every element was written, and no thread writes the tile any more.
    #[inline(always)]
    pub unsafe fn written_tile<S, M: Mode>(self, tile: SharedPtr<Tile<S, M>>) -> SharedTile<S, M> {
        publish(self);
        SharedTile { tile }
    }
}

/// # Panics
/// The vector is out of bounds.
#[inline(always)]
pub(crate) fn assert_vector<S: Rank<RANK>, const RANK: usize>(coords: [u32; RANK]) {
    let elements = 16 / size_of::<S::Element>() as u32;
    assert!((0..RANK).all(|dim| {
        let vectors = if dim == 0 {
            S::BOX[0] / elements
        } else {
            S::BOX[dim]
        };
        coords[dim] < vectors
    }));
}

impl<S: TileArray, M: Mode> LoadingTile<S, M> {
    /// Waits until the tile has been loaded.
    #[inline(always)]
    pub fn wait(self) -> SharedTile<S, M> {
        self.loading.wait();
        SharedTile { tile: self.tile }
    }

    /// Waits until the tile is loaded, and replaces each element by `change(index, element)`, with its number
    /// counted row by row. Collective of the group.
    ///
    /// No thread has read the tile yet, so that no thread is waited for before it changes.
    #[inline(always)]
    pub fn update(
        self,
        group: impl Threads,
        change: impl Fn(u32, S::Element) -> S::Element,
    ) -> SharedTile<S, M> {
        let tile = self.wait();
        tile.write(group, |index| change(index, tile.get(index)));
        tile
    }
}

impl<S: TileArray, M: Mode> SharedTile<S, M> {
    /// Returns the address of the tile.
    #[inline(always)]
    pub fn as_ptr(&self) -> SharedPtr<Tile<S, M>> {
        self.tile
    }

    /// Returns the tile's bytes as they are in memory, as other elements.
    ///
    /// The tile is gone, so that no thread changes it while another one reads the elements:
    ///
    /// ```compile_fail,E0382
    /// # use tma::{Block, SharedTile};
    /// fn changed(block: Block, tile: SharedTile<[[u32; 32]; 8]>) -> u32 {
    ///     let elements = tile.into_buffer::<u32>();
    ///     let _ = tile.update(block, |index, _| elements.get(255 - index));
    ///     elements.get(0)
    /// }
    /// ```
    #[inline(always)]
    pub fn into_buffer<T>(self) -> SharedBuffer<T> {
        SharedBuffer {
            elements: self.tile.cast(),
            len: S::BYTES / size_of::<T>() as u32,
        }
    }

    /// Returns the element with this number, counted row by row.
    ///
    /// # Panics
    /// The element is out of bounds.
    #[inline(always)]
    pub fn get(&self, index: u32) -> S::Element {
        assert!(index < S::ELEMS);
        // SAFETY: the element exists, and the writer of the tile has handed it to all threads.
        unsafe { self.tile.element(index).read() }
    }

    /// Returns the 16 bytes at these coordinates, innermost first; the first counts vectors of 16 bytes. One
    /// load, at any place of the swizzle.
    ///
    /// PTX: `ld.shared.v4.b32`
    ///
    /// # Panics
    /// The vector is out of bounds.
    #[doc(alias = "float4")]
    #[inline(always)]
    pub fn vector<const RANK: usize>(&self, coords: [u32; RANK]) -> <S::Element as Element>::Vector
    where
        S: Rank<RANK>,
    {
        assert_vector::<S, RANK>(coords);
        // SAFETY: the vector exists, and the writer of the tile has handed it to all threads.
        unsafe { self.tile.vector(coords).read() }
    }

    /// Replaces each element by `change(index, element)`, with its number counted row by row, when all threads
    /// have read the elements that they need. Collective of the group.
    #[inline(always)]
    pub fn update(
        self,
        group: impl Threads,
        change: impl Fn(u32, S::Element) -> S::Element,
    ) -> Self {
        group.sync();
        self.write(group, |index| change(index, self.get(index)));
        self
    }

    /// Each element is written by the one thread that may read it meanwhile.
    #[inline(always)]
    fn write(&self, group: impl Threads, element: impl Fn(u32) -> S::Element) {
        let mut index = group.thread();
        while index < S::ELEMS {
            // SAFETY: the element exists, and is this thread's alone until the group synchronises.
            unsafe { self.tile.element(index).write(element(index)) };
            index += group.threads();
        }
        publish(group);
    }

    /// Stores the tile; its memory ends with the block, or may be loaded again by the thread that the group
    /// elects. Collective of the group.
    #[doc(alias = "cp_async_bulk_tensor_2d_shared_to_global")]
    #[inline(always)]
    pub fn store<const RANK: usize>(
        self,
        group: impl Threads,
        map: &TileMap<S, M>,
        coords: [i32; RANK],
    ) where
        S: Rank<RANK>,
    {
        if group.elect() {
            let mut stores = Stores::new();
            // SAFETY: writes to the tile went before through a fence, no thread writes it any more,
            // and the tensor may be written there (5 of `converged`).
            unsafe { stores.tile(map, coords, self.tile) };
            stores.commit().wait_read();
        }
    }
}
