//! Copies a matrix through tensor maps, tile by tile, as fast as it goes.

use core::num::NonZero;

use tma::{
    Barrier, Block, Counter, Stores, TensorMap, Transaction, kernel,
    pipeline::{self, Items},
    ptx::mbarrier::Mbarrier,
    shared,
    thread::block_idx,
};

/// Copies a matrix to another one of the same shape, in tiles of which each block keeps `STAGES` in
/// shared memory: `copy_tile_2` to `copy_tile_4`.
///
/// The matrix is `tiles_x` by `tiles / tiles_x` tiles of `tile_width_elems` by `tile_height_elems`
/// elements, those at its ends cut off by the maps. Both maps swizzle alike or not at all.
///
/// A block is one warp. The launch has as many blocks as run at once.
///
/// # Safety
/// 1. `src` and `dst` are two-dimensional maps with boxes of a tile, which has `tile_bytes` bytes
///    in shared memory, over matrices that do not overlap and that nobody else uses while the kernel
///    runs.
/// 2. `tile_bytes` is a multiple of 128, or of 1024 where the maps swizzle, and less than 2^20; the
///    width of a tile is a multiple of 16 bytes. Rows of `dst` end at multiples of 16 bytes, or the
///    bytes up to the next one are padding.
/// 3. There are fewer than 2^31 tiles, and coordinates are less than 2^31.
/// 4. `counter` is as its type says.
/// 5. Grid and blocks are one-dimensional, blocks of 32 threads, and the launch has the shared
///    memory.
#[cfg_attr(doc, doc = concat!("\n# PTX of `copy_tile_4`\n```text\n", include_str!("../../tests/golden/ptx/copy_tile_4.ptx"), "\n```"))]
#[allow(
    clippy::too_many_arguments,
    reason = "a kernel takes its numbers one by one"
)]
#[kernel(
    max_threads = 32,
    instances(STAGES = 2, 3, 4, 6),
    shared_bytes = pipeline::bytes::<u8>(STAGES, tile_bytes.into())
)]
pub unsafe fn copy_tile<const STAGES: u32>(
    #[grid_constant] dst: &TensorMap,
    #[grid_constant] src: &TensorMap,
    tiles_x: NonZero<u32>,
    tiles: u32,
    tile_width_elems: u32,
    tile_height_elems: u32,
    tile_bytes: u32,
    counter: Counter,
) {
    let coords = |tile: u32| {
        [
            (tile % tiles_x * tile_width_elems) as i32,
            (tile / tiles_x * tile_height_elems) as i32,
        ]
    };
    // SAFETY: the map has this box (1), which begins at a multiple of 16 bytes (2); the buffer is free, aligned
    // and takes it.
    let load = |tile: u32, loads: &mut Transaction<'_>, buffer| unsafe {
        loads.tensor(buffer, src, coords(tile), tile_bytes);
    };
    // SAFETY: the map has this box (1), rows end as wanted (2), and no coordinate is negative (3); the tile has
    // been loaded, and its buffer is left alone until the group has been read.
    let store = |tile: u32, stores: &mut Stores, buffer| unsafe {
        stores.tensor(dst, coords(tile), buffer);
    };
    // SAFETY: every thread gets here (5).
    let block = unsafe { Block::converged() };
    let items = Items::drawn(block, STAGES - 1, tiles, counter);
    let memory = shared::dynamic::<u8, 1024>();
    block.stream::<_, STAGES>(memory, tile_bytes, items, load, store);
}

/// As [`copy_tile`], but each block copies one tile, at its position in the grid, and leaves.
///
/// # Safety
/// As for [`copy_tile`], without (4); the grid has a block for each tile, `tiles_x` by their rows.
#[kernel(max_threads = 32, shared_bytes = tile_bytes)]
pub unsafe fn copy_tile_once(
    #[grid_constant] dst: &TensorMap,
    #[grid_constant] src: &TensorMap,
    tile_width_elems: u32,
    tile_height_elems: u32,
    tile_bytes: u32,
) {
    shared! {
        static BAR: Mbarrier;
    }
    let at = block_idx();
    let coords = [
        (at.x * tile_width_elems) as i32,
        (at.y * tile_height_elems) as i32,
    ];
    // SAFETY: every thread gets here (5).
    let block = unsafe { Block::converged() };
    if !block.elect() {
        return;
    }
    let buffer = shared::dynamic::<u8, 1024>();
    // SAFETY: this thread alone uses the barrier, in memory that is for it alone.
    unsafe { Barrier::init(BAR::ptr(), 1) };
    // SAFETY: this thread has made the barrier; its one phase has this arrival and the bytes of the load.
    let full = unsafe { Barrier::assume_init(BAR::ptr()) };
    let mut loads = full.transaction();
    // SAFETY: the map has this box (1), which begins at a multiple of 16 bytes (2); the buffer takes it.
    unsafe { loads.tensor(buffer, src, coords, tile_bytes) };
    full.wait(loads.arrive());
    let mut stores = Stores::new();
    // SAFETY: the map has this box (1), rows end as wanted (2), and no coordinate is negative (3); the tile has been
    // loaded, and the block stays until it has been read.
    unsafe { stores.tensor(dst, coords, buffer) };
    stores.commit().wait_read();
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::CopyTile;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::Tiled;
    use tma_launch::{
        BufferRef, Conditions, DeviceDescription, Launch, MapRef, Region, Shape, Violations,
    };

    use super::{copy_tile, copy_tile_once};
    use crate::{
        arguments::{Tiles, at_least, divisor, drawn, tile_of, tiled_bytes},
        settings::{Setting, Streaming},
    };

    /// Copies a matrix tile by tile through tensor maps, in blocks of one warp that draw their tiles from
    /// a counter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CopyTile {
        /// Tiles that a block keeps in shared memory: 2, 3, 4 or 6. With 1 there is a block for each tile, and neither
        /// `blocks` nor the counter is used.
        pub stages: u32,
        /// Both matrices, each in a buffer of its own, with a tile as the box.
        pub map: Tiled,
        /// The buffer that is written.
        pub dst: usize,
        /// The buffer that is read.
        pub src: usize,
        /// The buffer of the counter, a `u32` that is zero.
        pub counter: usize,
        /// Blocks.
        pub blocks: u32,
        /// Shared memory of a block at least, in bytes, where there is a block for each tile: with more than a tile takes fewer blocks run at once.
        pub shared_bytes: u32,
    }

    impl CopyTile {
        /// The matrix of buffer 1 to that of buffer 0, with the counter in buffer 2.
        pub fn of(map: Tiled) -> Self {
            Self {
                map,
                dst: 0,
                src: 1,
                stages: 2,
                counter: 2,
                blocks: 1,
                shared_bytes: 0,
            }
        }

        /// The same matrix with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            let setting = Streaming::CopyTile(tile_of(&self.map)).setting(device);
            self.set(setting, device)
        }

        /// The same matrix with a setting, whose chunks are the tiles.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                stages: setting.stages,
                blocks: setting.grid(device, tiled_bytes(&self.map)),
                shared_bytes: setting.shared_bytes(device),
                ..self
            }
        }

        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            let tiles = Tiles::of(&self.map, &mut conditions);
            conditions.reads(Region::tensor(self.map, self.src));
            conditions.writes(Region::tensor(self.map, self.dst));
            let (dst, src) = (
                MapRef::new(self.map, self.dst),
                MapRef::new(self.map, self.src),
            );
            if self.stages == 1 {
                let [width, height] = tiles.tile;
                let call = copy_tile_once(dst, src, width, height, tiles.bytes);
                let shape = Shape::new((tiles.columns, tiles.rows), 32);
                return Ok(at_least(conditions.launch(call, shape)?, self.shared_bytes));
            }
            let own = self.stages.saturating_sub(1);
            drawn(
                &mut conditions,
                self.blocks,
                own,
                tiles.count(),
                self.counter,
            );
            let call = copy_tile(
                self.stages,
                dst,
                src,
                divisor(tiles.columns),
                tiles.count(),
                tiles.tile[0],
                tiles.tile[1],
                tiles.bytes,
                BufferRef::new(self.counter),
            );
            conditions.launch(call, Shape::new(self.blocks, 32))
        }
    }
}
