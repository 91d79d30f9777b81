//! Tiles of an image in `[H][W][C]` order, eight copies of a warp in flight at once. The innermost
//! dimension of the map is C, then W, then H, and so are boxes and coordinates.

use tma::{
    Block, GlobalMut, GlobalRef, PerBlock, Tile, TileMap,
    halves::{F16, F16x2},
    kernel,
    ptx::mbarrier::Mbarrier,
    shared, warp,
};

/// The number of channels of a tile.
pub const CHANNELS: usize = 32;
/// The number of columns of a tile, and rows.
pub const SIDE: usize = 2;
/// Lanes of a warp that issue a copy each.
pub const LANES: usize = 8;

/// The box of the maps.
pub type Pixels = [[[F16; CHANNELS]; SIDE]; SIDE];

/// Pairs of a tile's halves.
const PAIRS: usize = size_of::<Tile<Pixels>>() / size_of::<F16x2>();

/// Copies the tile of 2 x 2 pixels of 32 channels with its first element at channel `c`, column `w`
/// and row `h` to `output`, in the order of shared memory: channels, then columns, then rows.
/// Elements outside the image are zero.
///
/// # Safety
/// 1. `map` is over an image with dimensions C, W, H that no thread writes while the kernel runs.
/// 2. `output` is as its type requires: it has room for 128 halves.
/// 3. `c` is a multiple of 8.
/// 4. The block is one-dimensional, of a multiple of 32 threads; there is one.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/hwc_tile.ptx"), "\n```"))]
#[kernel(max_threads = 128)]
pub unsafe fn hwc_tile(
    #[grid_constant] map: &TileMap<Pixels>,
    output: GlobalMut<[F16x2; PAIRS], PerBlock>,
    c: i32,
    w: i32,
    h: i32,
) {
    shared! {
        static SMEM_TILE: Tile<Pixels>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (4); the image and the channel are as required (1, 3).
    let block = unsafe { Block::converged() };
    // X is C, Y is W, Z is H.
    let tile = block
        .load_tile(SMEM_TILE::ptr(), BAR::ptr(), map, [c, w, h])
        .wait();
    let pairs = tile.into_buffer::<F16x2>();
    output.write_own(block, || pairs.get(block.thread()));
}

/// Copies eight tiles of 2 x 2 pixels of 32 channels for each block, one after the other: eight
/// lanes of a warp issue a copy each, into a slot of their own.
///
/// Tile `i` begins at channel 0, column `coords[2 * i]` and row `coords[2 * i + 1]`.
///
/// # Safety
/// 1. `map` is as for [`hwc_tile`].
/// 2. `coords` and `output` are as their types require: two numbers and 128 halves for each tile.
/// 3. Blocks are one warp.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/hwc_tile_lanes.ptx"), "\n```"))]
#[kernel(max_threads = 32)]
pub unsafe fn hwc_tile_lanes(
    #[grid_constant] map: &TileMap<Pixels>,
    coords: GlobalRef<[[i32; 2]; LANES], PerBlock>,
    output: GlobalMut<[F16x2; LANES * PAIRS], PerBlock>,
) {
    shared! {
        static SMEM_TILES: [Tile<Pixels>; LANES];
        static LANES_BAR: Mbarrier;
    }
    // SAFETY: the whole warp gets here, which is the block (3).
    let block = unsafe { Block::converged() };
    let lane = warp::lane();
    // Eight lanes arrive, each with the bytes of its own copy.
    let bar = block.warp().barrier(LANES_BAR::ptr(), LANES as u32);

    if lane < LANES as u32 {
        let [w, h] = coords.of(block)[lane as usize];
        let mut load = bar.transaction();
        // SAFETY: channel 0 is aligned, and no thread uses the slot before the phase completes.
        unsafe { load.tile(SMEM_TILES::ptr().at(lane), map, [0, w, h]) };
        let _ = load.arrive();
    }
    // All lanes wait for all eight copies.
    bar.wait_parity(0);

    let pairs = SMEM_TILES::ptr().cast::<F16x2>();
    // SAFETY: the index is in bounds, and the copies wrote the pair.
    output.write(block, |i| unsafe { pairs.add(i).read() });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{HwcTile, HwcTileLanes, Image};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, TensorMap, Tiled};
    use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

    use super::{CHANNELS, LANES, Pixels, SIDE, hwc_tile, hwc_tile_lanes};
    use crate::arguments::product;
    use tma::TileArray;

    /// An image of halves in `[H][W][C]` order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Image {
        /// The number of rows.
        pub height: usize,
        /// The number of columns.
        pub width: usize,
        /// The number of channels, innermost.
        pub channels: usize,
    }

    impl Image {
        /// Halves of its buffer.
        pub const fn len_elems(self) -> usize {
            self.height * self.width * self.channels
        }

        /// Returns the map of its tiles: X is C, Y is W, Z is H.
        pub fn map(self) -> Tiled {
            let dims = [self.channels, self.width, self.height].map(|dim| dim as u64);
            TensorMap::tiled(DataType::F16, &dims)
                .box_dims(&[CHANNELS, SIDE, SIDE].map(|side| side as u32))
        }

        fn check(self, conditions: &mut Conditions) {
            conditions.multiple(
                "channels",
                self.channels as u64,
                8,
                "pixels start at multiples of 16 bytes",
            );
        }
    }

    /// Copies one tile of 2 x 2 pixels of 32 channels.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct HwcTile {
        /// The image.
        pub image: Image,
        /// The buffer.
        pub data: usize,
        /// The buffer of 128 halves that gets the tile.
        pub output: usize,
        /// Channel, column and row of the tile's first element.
        pub coords: [i32; 3],
        /// The number of threads of the block.
        pub threads: u32,
    }

    impl HwcTile {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.one_of(
                "block size",
                self.threads,
                &[64, 96, 128],
                "one thread for each word of the tile, in full warps",
            );
            self.image.check(conditions);
            conditions.multiple(
                "distance of the first channel",
                self.coords[0].unsigned_abs().into(),
                8,
                "boxes start at multiples of 16 bytes",
            );
            let [c, w, h] = self.coords;
            conditions.reads(Region::tensor(self.image.map(), self.data));
            let output_bytes = <Pixels as TileArray>::BYTES.into();
            conditions.writes(Region::bytes(self.output, output_bytes));
            let map = MapRef::new(self.image.map(), self.data);
            let call = hwc_tile(map, BufferRef::new(self.output), c, w, h);
            (call, Shape::new(1, self.threads))
        }
    }

    /// Copies eight tiles for each block, a lane each.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct HwcTileLanes {
        /// The image.
        pub image: Image,
        /// The buffer.
        pub data: usize,
        /// The buffer of the tiles' columns and rows.
        pub coords: usize,
        /// The buffer of 128 halves for each tile.
        pub output: usize,
        /// The number of tiles.
        pub tiles: u32,
    }

    impl HwcTileLanes {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            self.image.check(conditions);
            conditions.multiple(
                "tiles",
                self.tiles.into(),
                LANES as u64,
                "eight lanes of a block copy a tile each",
            );
            // A column and a row each.
            let coords_bytes = size_of::<[i32; 2]>() as u32;
            let bytes = |buffer, of| Region::bytes(buffer, product(&[self.tiles, of]));
            conditions.reads(Region::tensor(self.image.map(), self.data));
            conditions.reads(bytes(self.coords, coords_bytes));
            conditions.writes(bytes(self.output, <Pixels as TileArray>::BYTES));
            let map = MapRef::new(self.image.map(), self.data);
            let (coords, output) = (BufferRef::new(self.coords), BufferRef::new(self.output));
            let call = hwc_tile_lanes(map, coords, output);
            (call, Shape::new(self.tiles / LANES as u32, 32))
        }
    }
}
