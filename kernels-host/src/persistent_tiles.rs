use launch::{Launch, Violations};
use tensor_map::{DataType, TensorMap, Tiled};

use crate::{
    Matrix,
    conditions::{Conditions, product},
};

/// Writes `2 * x + 1` for each element of a matrix of `f32`, by blocks that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersistentTiles {
    /// Stages of the ring: 2 to 4.
    pub stages: u32,
    /// Both matrices.
    pub matrix: Matrix,
    /// The buffer that is read.
    pub source: usize,
    /// The buffer that is written.
    pub target: usize,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block: one warp loads, the others compute.
    pub threads: u32,
}

impl PersistentTiles {
    /// Columns and rows of a tile.
    pub const TILE: [u32; 2] = [64, 32];

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.within("stages", self.stages, 2..=4, "there are kernels for");
        let reasons = [
            "a warp that loads and one to eight that compute:",
            "warps have a role each: a multiple of",
        ];
        conditions.warps(self.threads, 64..=288, reasons);
        self.matrix.check("the matrix", &mut conditions);
        let tile_bytes = 4 * Self::TILE[0] * Self::TILE[1];
        let stages = self.stages.min(4);
        let shared_bytes = (stages + 2) * tile_bytes + 16 * stages;
        let tiles = |length: usize, side: u32| length.div_ceil(side as usize) as u32;
        let [tiles_x, tiles_y] = [
            tiles(self.matrix.width, Self::TILE[0]),
            tiles(self.matrix.height, Self::TILE[1]),
        ];
        let most = u64::from(u32::MAX - self.blocks);
        let reason = "tiles that are counted in 32 bits, and those of the next round:";
        conditions.within("tiles", product(&[tiles_x, tiles_y]), 0..=most, reason);
        conditions.launch(
            Launch::new(
                &format!("persistent_tiles_{}", self.stages),
                self.blocks,
                self.threads,
            )
            .shared_bytes(shared_bytes)
            .tensor_map(map(self.matrix), self.source)
            .tensor_map(map(self.matrix), self.target)
            .scalar(tiles_x)
            .scalar(tiles_y),
        )
    }
}

fn map(matrix: Matrix) -> Tiled {
    let dims = [matrix.width as u64, matrix.height as u64];
    TensorMap::tiled(DataType::F32, &dims)
        .strides_bytes(&[matrix.pitch_bytes()])
        .box_dims(&PersistentTiles::TILE)
}
