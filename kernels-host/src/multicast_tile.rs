use launch::{Launch, Violations};

use crate::{
    Matrix,
    conditions::{Conditions, product},
    tile_2d::{check_last, check_load},
};

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
    /// Blocks of a cluster.
    pub const BLOCKS: u32 = 4;
    /// Columns and rows of the tile.
    pub const TILE: [u32; 2] = [64, 32];

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        self.matrix.check("the matrix", &mut conditions);
        check_load(self.origin[0], &mut conditions);
        check_last(self.origin, Self::TILE, [self.clusters, 1], &mut conditions);
        let blocks = self.clusters.saturating_mul(Self::BLOCKS);
        let tiles_bytes = product(&[blocks, 4, Self::TILE[0], Self::TILE[1]]);
        let slice = [Self::TILE[0], Self::TILE[1] / Self::BLOCKS];
        conditions.launch(
            Launch::new("multicast_tile", blocks, self.threads)
                .tensor_map(self.matrix.map(slice), self.data)
                .buffer_of(self.output, tiles_bytes)
                .scalar(self.origin[0])
                .scalar(self.origin[1]),
        )
    }
}
