use launch::{Launch, Violations};
use tensor_map::{DataType, TensorMap, Tiled};

use crate::conditions::{Conditions, product};

/// Channels, columns and rows of a tile of an image.
pub const HWC_TILE: [u32; 3] = [32, 2, 2];

/// Bytes of a tile of halves.
const TILE_BYTES: u32 = 2 * HWC_TILE[0] * HWC_TILE[1] * HWC_TILE[2];

/// An image of halves in `[H][W][C]` order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// Channels, innermost.
    pub channels: usize,
}

impl Image {
    /// Halves of its buffer.
    pub const fn len_elems(self) -> usize {
        self.height * self.width * self.channels
    }

    /// The map of its tiles: X is C, Y is W, Z is H.
    pub fn map(self) -> Tiled {
        let dims = [self.channels, self.width, self.height].map(|dim| dim as u64);
        TensorMap::tiled(DataType::F16, &dims).box_dims(&HWC_TILE)
    }

    fn check(self, conditions: &mut Conditions) {
        conditions.multiple(
            "channels",
            self.channels as u64,
            8,
            "pixels begin at multiples of 16 bytes: a multiple of",
        );
    }
}

/// Copies one tile of 2 x 2 pixels of 32 channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HwcTile {
    /// The image.
    pub image: Image,
    /// Its buffer.
    pub data: usize,
    /// The buffer of 128 halves that gets the tile.
    pub output: usize,
    /// Channel, column and row of the tile's first element.
    pub place: [i32; 3],
    /// Threads of the block.
    pub threads: u32,
}

impl HwcTile {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.one_of(
            "threads of a block",
            self.threads,
            &[64, 96, 128],
            "a thread for each word of the tile in whole warps, at most 128: one of",
        );
        self.image.check(&mut conditions);
        conditions.multiple(
            "distance of the first channel",
            self.place[0].unsigned_abs().into(),
            8,
            "a box begins at a multiple of 16 bytes: a multiple of",
        );
        let [c, w, h] = self.place;
        conditions.launch(
            Launch::new("hwc_tile", 1, self.threads)
                .tensor_map(self.image.map(), self.data)
                .buffer_of(self.output, TILE_BYTES.into())
                .scalar(c)
                .scalar(w)
                .scalar(h),
        )
    }
}

/// Copies eight tiles for each block, a lane each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HwcTileLanes {
    /// The image.
    pub image: Image,
    /// Its buffer.
    pub data: usize,
    /// The buffer of the tiles' columns and rows.
    pub places: usize,
    /// The buffer of 128 halves for each tile.
    pub output: usize,
    /// Tiles.
    pub tiles: u32,
}

impl HwcTileLanes {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        self.image.check(&mut conditions);
        conditions.multiple(
            "tiles",
            self.tiles.into(),
            8,
            "eight lanes of a block copy: a multiple of",
        );
        conditions.launch(
            Launch::new("hwc_tile_lanes", self.tiles / 8, 32)
                .tensor_map(self.image.map(), self.data)
                .buffer_of(self.places, product(&[self.tiles, 8]))
                .buffer_of(self.output, product(&[self.tiles, TILE_BYTES])),
        )
    }
}
