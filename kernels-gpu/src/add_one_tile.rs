//! Adds one to a matrix with a tensor copy in and out for each block, as fast as memory goes.

use tma::{Block, TensorMap, kernel, ptx::mbarrier::Mbarrier, shared, thread::block_idx};

use crate::{
    patch::Patch,
    vectors::{VECTOR_BYTES, Vector, one_more},
};

/// Writes `x + 1` for each number `x` of the matrix of `src` to the same index of the matrix of `dst`.
///
/// Each block has one patch of tiles of 4-byte numbers, at its position in the grid; each thread has `VECTORS` times
/// four numbers of it: `add_one_tile_1` to `add_one_tile_4`.
///
/// # Safety
/// 1. `src` and `dst` are two-dimensional maps of 4-byte numbers with the boxes of `patch`, that swizzle
///    alike or not at all, over matrices that only this kernel uses while it runs; they are the
///    same or do not overlap.
/// 2. A patch has `16 * VECTORS` bytes for each thread of a block, each box a multiple of 128 bytes, or of 1024 where
///    the maps swizzle; its width is a multiple of 16 bytes. Rows of `dst` end at multiples of 16 bytes, or the bytes up
///    to the next one are padding. Coordinates are less than 2^31.
/// 3. Blocks are one-dimensional, of a multiple of 32 threads, and the launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `add_one_tile_4`\n```text\n", include_str!("../../tests/golden/ptx/add_one_tile_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 1024,
    instances(VECTORS = 1, 2, 4),
    shared_bytes = |threads| threads * VECTORS as u64 * u64::from(VECTOR_BYTES)
)]
pub unsafe fn add_one_tile<const VECTORS: usize>(
    #[grid_constant] dst: &TensorMap,
    #[grid_constant] src: &TensorMap,
    patch: Patch,
) {
    shared! {
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let data = shared::dynamic::<Vector, 1024>();
    let vectors = VECTORS as u32 * block.threads();
    let position = [block_idx().x, block_idx().y];

    // SAFETY: the maps are as required (1), and the buffer takes the patch (2).
    let tile = block.load_buffer(data, vectors, BAR::ptr(), |loads, tile| unsafe {
        patch.load(loads, src, position, tile.cast());
    });
    // Where a number is in the tile makes no difference.
    let tile = tile.update::<VECTORS>(block, one_more);
    // SAFETY: the maps are as required (1), rows end so, and no coordinate is negative (2).
    tile.store(block, |stores, tile| unsafe {
        patch.store(stores, dst, position, tile.cast());
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::AddOneTile;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::Tiled;
    use tma_launch::{Call, Conditions, DeviceDescription, MapRef, Region, Shape};

    use super::{VECTOR_BYTES, add_one_tile};
    use crate::{
        arguments::{Tiles, in_place_or_apart, tile_of},
        settings::{Setting, Streaming},
    };

    /// Adds one to a matrix of 4-byte numbers, a patch of tiles for each block.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AddOneTile {
        /// Vectors of four numbers that a thread has of a patch: 1, 2 or 4.
        pub vectors: usize,
        /// The number of tiles side by side in a patch, which a block has at once.
        pub tiles: u32,
        /// Both matrices, with a tile as the box.
        pub map: Tiled,
        /// The buffer that is written.
        pub dst: usize,
        /// The buffer that is read; it may be the same.
        pub src: usize,
        /// The least shared memory of a block in bytes. More than a patch needs makes fewer blocks run at once.
        pub shared_bytes: u32,
    }

    impl AddOneTile {
        /// Makes the arguments from the matrix in buffer 1 to the one in buffer 0.
        pub fn of(map: Tiled) -> Self {
            Self {
                map,
                dst: 0,
                src: 1,
                vectors: 1,
                tiles: 1,
                shared_bytes: 0,
            }
        }

        /// Returns the same matrix with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            let setting = Streaming::AddOneTile(tile_of(&self.map)).setting(device);
            self.set(setting, device)
        }

        /// Returns the same matrix with a setting; its chunks are the tiles.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                vectors: setting.vectors(VECTOR_BYTES) as usize,
                tiles: setting.tiles,
                shared_bytes: setting.shared_bytes(device),
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let tiles = Tiles::of(&self.map, self.tiles, conditions);
            tiles.of_numbers(&self.map, conditions);
            let threads = tiles.bytes / VECTOR_BYTES / self.vectors.clamp(1, 4) as u32;
            conditions.whole_warps(threads);
            let region = |buffer| Region::tensor(tiles.map, buffer);
            in_place_or_apart(conditions, region(self.dst), region(self.src));
            let call = add_one_tile(
                self.vectors,
                MapRef::new(tiles.map, self.dst),
                MapRef::new(tiles.map, self.src),
                tiles.patch,
            );
            let shape = Shape::new((tiles.columns, tiles.rows), threads);
            (call, shape.shared_bytes(self.shared_bytes))
        }
    }
}
