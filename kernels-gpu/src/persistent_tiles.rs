//! A persistent loop over tiles: one warp loads into a ring of stages, the others compute and store
//! through two output tiles, so that loads, work and stores overlap.

use core::num::NonZero;

use tma::{Block, Outputs, Tile, TileMap, Unswizzled, kernel, pipeline, shared};

/// Columns and rows of a tile.
pub const TILE: [usize; 2] = [64, 32];

/// The box of the maps.
pub type Rows = [[f32; TILE[0]]; TILE[1]];

/// Output tiles: one is stored while the next is written.
const OUTPUTS: u32 = 2;

/// Writes `2 * x + 1` for each element `x` of a matrix of `f32`, in tiles; each block takes
/// every `gridDim.x`-th tile.
///
/// Entries `persistent_tiles_2` to `persistent_tiles_4` have 2 to 4 stages.
///
/// # Safety
/// 1. `source` and `target` are over matrices of the same size that only this kernel uses while it
///    runs; `tiles_x` and `tiles_y` are the numbers of tiles along the columns and along the rows.
/// 2. Grid and blocks are one-dimensional; blocks have at least 64 threads, in whole warps.
/// 3. The launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `persistent_tiles_4`\n```text\n", include_str!("../../tests/golden/ptx/persistent_tiles_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 288,
    instances(STAGES = 2, 3, 4),
    shared_bytes = pipeline::bytes::<Tile<Rows>>(STAGES, 1)
        + u64::from(OUTPUTS) * size_of::<Tile<Rows>>() as u64
)]
pub unsafe fn persistent_tiles<const STAGES: u32>(
    #[grid_constant] source: &TileMap<Rows>,
    #[grid_constant] target: &TileMap<Rows>,
    tiles_x: NonZero<u32>,
    tiles_y: u32,
) {
    // SAFETY: every thread gets here (2), and the tensors are this kernel's (1).
    let block = unsafe { Block::converged() };
    let tiles = tiles_x.get() * tiles_y;
    let coords = |tile: u32| {
        [
            (tile % tiles_x * TILE[0] as u32) as i32,
            (tile / tiles_x * TILE[1] as u32) as i32,
        ]
    };
    // Output tiles, then stages.
    let outputs = shared::dynamic::<Tile<Rows>, 128>();
    let stages = outputs.add(OUTPUTS);
    block.pipeline::<_, STAGES>(stages, 1).split(
        |mut fill| {
            for tile in block.items(tiles) {
                fill.next().load(source, coords(tile));
            }
        },
        |workers, mut drain| {
            let mut outputs = Outputs::<Rows, Unswizzled, _, OUTPUTS>::new(workers, outputs);
            for tile in block.items(tiles) {
                let mut output = outputs.next();
                let stage = drain.next();
                output.write(|i| 2.0 * stage.get(i) + 1.0);
                stage.release();
                output.store(target, coords(tile));
            }
            outputs.finish();
        },
    );
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::PersistentTiles;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::DataType;
    use tma_launch::{Call, Conditions, DeviceDescription, MapRef, Region, Shape};

    use super::{TILE, persistent_tiles};
    use crate::{
        arguments::{Matrix, divisor, product},
        settings::{Setting, Streaming},
    };

    /// Writes `2 * x + 1` for each element of a matrix of `f32`, by blocks that stay.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PersistentTiles {
        /// The number of stages of the ring: 2 to 4.
        pub stages: u32,
        /// Both matrices.
        pub matrix: Matrix,
        /// The buffer that is read.
        pub source: usize,
        /// The buffer that is written.
        pub target: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block: one warp loads, the others compute.
        pub threads: u32,
    }

    impl PersistentTiles {
        /// Makes the arguments from the matrix in buffer 0 to the one in buffer 1.
        pub fn of(matrix: Matrix) -> Self {
            Self {
                stages: 2,
                matrix,
                source: 0,
                target: 1,
                blocks: 1,
                threads: 288,
            }
        }

        /// Returns the same matrix with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            self.set(Streaming::PersistentTiles.setting(device), device)
        }

        /// Returns the same matrix with a setting.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            let Matrix { width, height, .. } = self.matrix;
            let along = |length: usize, side: usize| length.div_ceil(side) as u64;
            let tiles = along(width, TILE[0]).saturating_mul(along(height, TILE[1]));
            let bytes = tiles.saturating_mul(setting.chunk_bytes.into());
            Self {
                stages: setting.stages,
                blocks: setting.grid(device, bytes),
                threads: setting.threads,
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let reasons = [
                "one loading warp and 1 to 8 computing warps",
                "each warp has one role",
            ];
            conditions.warps(self.threads, 64..=288, reasons);
            self.matrix.check("the matrix", conditions);
            let along = |length: usize, side: usize| length.div_ceil(side) as u32;
            let tiles_x = along(self.matrix.width, TILE[0]);
            let tiles_y = along(self.matrix.height, TILE[1]);
            let most = u64::from(u32::MAX - self.blocks);
            let reason = "tiles, with those of the next round, are counted in 32 bits";
            conditions.within("tiles", product(&[tiles_x, tiles_y]), 0..=most, reason);
            let map = self
                .matrix
                .map_of(DataType::F32, TILE.map(|side| side as u32));
            conditions.reads(Region::tensor(map, self.source));
            conditions.writes(Region::tensor(map, self.target));
            let (source, target) = (MapRef::new(map, self.source), MapRef::new(map, self.target));
            let call = persistent_tiles(self.stages, source, target, divisor(tiles_x), tiles_y);
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}
