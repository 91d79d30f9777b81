//! One load for all blocks of a cluster: each block fetches a slice of a tile and multicasts it, so
//! that every block has the whole tile and global memory is read once.

use tma::{Block, GlobalMut, PerBlock, Tile, TileMap, kernel, ptx::mbarrier::Mbarrier, shared};

/// Blocks of a cluster.
pub const BLOCKS: u32 = 4;
/// Columns and rows of the tile.
pub const TILE: [usize; 2] = [64, 32];
/// Rows that a block fetches.
pub const SLICE_ROWS: usize = TILE[1] / BLOCKS as usize;

const TILE_ELEMS: usize = TILE[0] * TILE[1];
const TILE_BYTES: u32 = 4 * TILE_ELEMS as u32;

/// The box of the map: what a block fetches.
pub type Slice = [[i32; TILE[0]]; SLICE_ROWS];

/// Each cluster loads the tile at column `x + 64 * cluster` and row `y`, and each of its four blocks
/// writes it to its index of `output`, plus the block's number in the cluster.
///
/// # Safety
/// 1. `map` is over a matrix that nobody writes while the kernel runs; `x` is a multiple of 4.
/// 2. `output` is as its type says.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/multicast_tile.ptx"), "\n```"))]
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
    // barriers of all blocks are there.
    let tile = cluster.load_tiles(block, SMEM_TILE::ptr(), BAR::ptr(), map, |rank| {
        [column, y + (rank * SLICE_ROWS as u32) as i32]
    });
    let (tile, rank) = (tile.wait(), cluster.rank());
    output.write(block, |i| tile.get(i) + rank as i32);
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::MulticastTile;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Conditions, Launch, MapRef, Region, Shape, Violations};

    use super::{BLOCKS, SLICE_ROWS, TILE, TILE_BYTES, multicast_tile};
    use crate::arguments::{Matrix, check_last, check_load, product};

    /// Loads a tile for all blocks of a cluster at once.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MulticastTile {
        /// The matrix of `i32`.
        pub matrix: Matrix,
        /// Its buffer.
        pub data: usize,
        /// The buffer that gets a tile for each block.
        pub output: usize,
        /// Column and row of the first cluster's tile.
        pub origin: [i32; 2],
        /// Clusters of four blocks, side by side along the columns.
        pub clusters: u32,
        /// Threads of a block.
        pub threads: u32,
    }

    impl MulticastTile {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            conditions.whole_warps(self.threads);
            self.matrix.check("the matrix", &mut conditions);
            check_load(self.origin[0], &mut conditions);
            let tile = TILE.map(|side| side as u32);
            check_last(self.origin, tile, [self.clusters, 1], &mut conditions);
            let blocks = self.clusters.saturating_mul(BLOCKS);
            let slice = [tile[0], SLICE_ROWS as u32];
            conditions.reads(Region::tensor(self.matrix.map(slice), self.data));
            let output_bytes = product(&[blocks, TILE_BYTES]);
            conditions.writes(Region::bytes(self.output, output_bytes));
            let [x, y] = self.origin;
            let map = MapRef::new(self.matrix.map(slice), self.data);
            let call = multicast_tile(map, BufferRef::new(self.output), x, y);
            conditions.launch(call, Shape::new(blocks, self.threads))
        }
    }
}
