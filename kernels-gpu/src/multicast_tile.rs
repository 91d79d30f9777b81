//! One load for all blocks of a cluster: each block fetches a slice of a tile and multicasts it, so
//! that every block has the whole tile and global memory is read once.

use tma::{
    Block, GlobalMut, PerBlock, SharedPtr, Tile, TileMap, kernel, memory,
    ptx::{Wb, mbarrier::Mbarrier},
    ring::Cursor,
    shared,
};

use crate::vectors::{VECTOR_BYTES, Vector};

/// The number of blocks of a cluster.
pub const BLOCKS: u32 = 4;
/// Columns and rows of the tile.
pub const TILE: [usize; 2] = [64, 32];
/// The number of rows that a block fetches.
pub const SLICE_ROWS: usize = TILE[1] / BLOCKS as usize;

const TILE_ELEMS: usize = TILE[0] * TILE[1];
const TILE_BYTES: u32 = 4 * TILE_ELEMS as u32;

/// The box of the map: the part that a block fetches.
pub type Slice = [[i32; TILE[0]]; SLICE_ROWS];

/// Each cluster loads the tile at column `x + 64 * cluster` and row `y`, and each of its four blocks
/// writes it to its index of `output`, plus the block's number in the cluster.
///
/// # Safety
/// 1. `map` is over a matrix that no thread writes while the kernel runs; `x` is a multiple of 4.
/// 2. `output` is as its type requires.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/multicast_tile.ptx"), "\n```"))]
#[kernel(max_threads = 1024, cluster = 4)]
pub unsafe fn multicast_tile(
    #[grid_constant] map: &TileMap<Slice>,
    output: GlobalMut<[i32; TILE_ELEMS], PerBlock>,
    x: i32,
    y: i32,
) {
    shared! {
        static SMEM_TILE: [Tile<Slice>; BLOCKS as usize];
        static BAR: Mbarrier;
    }
    // SAFETY: every thread of the cluster gets here (3), and the matrix may be read (1).
    let block = unsafe { Block::converged() };
    let cluster = block.cluster();
    // Grid and clusters are one-dimensional; `%clusterid` would be worked out by a division.
    let column = x + (block.index() / BLOCKS * TILE[0] as u32) as i32;
    // Every block has a barrier of its own, which counts all slices that arrive in it. None is sent before the
    // barriers of all blocks are initialised.
    let tile = cluster.load_tiles(block, SMEM_TILE::ptr(), BAR::ptr(), map, |rank| {
        [column, y + (rank * SLICE_ROWS as u32) as i32]
    });
    let (tile, rank) = (tile.wait(), cluster.rank());
    output.write(block, |i| tile.get(i) + rank as i32);
}

/// The number of tiles of a cluster of [`multicast_tiles`].
pub const TILES: u32 = 4;

/// Works like [`multicast_tile`], with [`TILES`] neighbouring tiles for each cluster, all in flight at once.
///
/// # Safety
/// 1. `map` is over a matrix that no thread writes while the kernel runs; `x` is a multiple of 4.
/// 2. `output` has room for four tiles for each of `count` at a multiple of 16 bytes, and no other code uses it.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps; no cluster begins after the last tile, and the
///    launch has the shared memory.
#[kernel(
    max_threads = 1024,
    cluster = 4,
    shared_bytes = u64::from(TILES * TILE_BYTES)
)]
pub unsafe fn multicast_tiles(
    #[grid_constant] map: &TileMap<Slice>,
    output: *mut u32,
    x: i32,
    y: i32,
    count: u32,
) {
    shared! {
        static LOADED: [Mbarrier; TILES as usize];
    }
    const VECTORS: u32 = TILE_BYTES / VECTOR_BYTES;
    let buffer = shared::dynamic::<Tile<Slice>, 128>();
    // SAFETY: every thread of the cluster gets here (3), and the matrix may be read (1).
    let block = unsafe { Block::converged() };
    let (cluster, loaded) = (
        block.cluster(),
        block.barrier_array::<TILES>(LOADED::ptr().cast(), 1),
    );
    let rank = cluster.rank();
    let first = block.index() / BLOCKS * TILES;
    let own = (count - first).min(TILES);
    // No thread sends to a block without its barriers.
    cluster.sync();
    if block.elect() {
        let mut at = Cursor::new();
        for number in 0..own {
            let bar = loaded.at(at);
            let _ = bar.arrive_expect_tx(TILE_BYTES);
            let column = x + ((first + number) * TILE[0] as u32) as i32;
            let coords = [column, y + (rank * SLICE_ROWS as u32) as i32];
            let to = buffer.add(number * BLOCKS + rank);
            // SAFETY: the memory is for this slice alone in each block, which expects it in the one phase of its
            // barrier and stays until the tile has arrived; the matrix may be read (1).
            unsafe { bar.multicast(to, map, coords, (1 << BLOCKS) - 1) };
            at.advance();
        }
    }
    let mut at = Cursor::new();
    for number in 0..own {
        loaded.at(at).wait_parity(0);
        at.advance();
        let from: SharedPtr<Vector> = buffer.add(number * BLOCKS).cast();
        let tile = ((first + number) * BLOCKS + rank) as usize;
        // SAFETY: there is room for the tile (2).
        let to = unsafe { output.cast::<Vector>().add(tile * VECTORS as usize) };
        let mut index = block.thread();
        while index < VECTORS {
            // SAFETY: the vector has been loaded, and there is room for it (2); no other thread has it.
            unsafe {
                let vector = from
                    .add(index)
                    .read()
                    .map(|number| number.wrapping_add(rank));
                memory::store::<Wb, _>(to.add(index as usize), vector);
            }
            index += block.threads();
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{MulticastTile, MulticastTileForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

    use super::{BLOCKS, SLICE_ROWS, TILE, TILE_BYTES, TILES, multicast_tile, multicast_tiles};
    use crate::arguments::{Matrix, check_last, check_load, product};

    /// Loads a tile for all blocks of a cluster at once.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MulticastTile {
        /// Tiles of a cluster.
        pub form: MulticastTileForm,
        /// The matrix of `i32`.
        pub matrix: Matrix,
        /// The buffer.
        pub data: usize,
        /// The buffer that gets a tile for each block.
        pub output: usize,
        /// Column and row of the first cluster's tile.
        pub origin: [i32; 2],
        /// The number of tiles side by side along the columns, each for four blocks.
        pub clusters: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    /// Tiles of a cluster.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MulticastTileForm {
        /// One.
        Tile,
        /// Four, all in flight at once.
        Tiles,
    }

    impl MulticastTile {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            self.matrix.check("the matrix", conditions);
            check_load(self.origin[0], conditions);
            let tile = TILE.map(|side| side as u32);
            check_last(self.origin, tile, [self.clusters, 1], conditions);
            let blocks = self.clusters.saturating_mul(BLOCKS);
            let slice = [tile[0], SLICE_ROWS as u32];
            conditions.reads(Region::tensor(self.matrix.map(slice), self.data));
            let output_bytes = product(&[blocks, TILE_BYTES]);
            conditions.writes(Region::bytes(self.output, output_bytes));
            let [x, y] = self.origin;
            let map = MapRef::new(self.matrix.map(slice), self.data);
            match self.form {
                MulticastTileForm::Tile => {
                    let call = multicast_tile(map, BufferRef::new(self.output), x, y);
                    (call, Shape::new(blocks, self.threads))
                }
                MulticastTileForm::Tiles => {
                    let call =
                        multicast_tiles(map, BufferRef::new(self.output), x, y, self.clusters);
                    let blocks = self.clusters.div_ceil(TILES).saturating_mul(BLOCKS);
                    (call, Shape::new(blocks, self.threads))
                }
            }
        }
    }
}
