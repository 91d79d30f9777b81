//! Copies a matrix through tensor maps, tile by tile, as fast as it goes.

use core::num::NonZero;

use tma::{
    Barrier, Block, Counter, Stores, TensorMap, Transaction, kernel,
    pipeline::{self, Items},
    ptx::mbarrier::Mbarrier,
    shared,
    thread::block_idx,
};

use crate::patch::Patch;

/// Copies a matrix to another one of the same shape, in patches of tiles; each block keeps `STAGES` patches in
/// shared memory: `copy_tile_2` to `copy_tile_6`.
///
/// The matrix is `patches_x` by `patches / patches_x` patches, those at its ends cut off by the maps. Both
/// maps swizzle alike or not at all.
///
/// A block is one warp. The launch has the number of blocks that run at once.
///
/// # Safety
/// 1. `src` and `dst` are two-dimensional maps with the boxes of `patch`, which have its `box_bytes` bytes
///    in shared memory, over matrices that do not overlap and that only this kernel uses while it
///    runs.
/// 2. `box_bytes` is a multiple of 128, or of 1024 where the maps swizzle, and a patch has less than 2^20 bytes; the
///    width of a box is a multiple of 16 bytes. Rows of `dst` end at multiples of 16 bytes, or the
///    bytes up to the next one are padding.
/// 3. There are fewer than 2^31 patches, and coordinates are less than 2^31.
/// 4. `counter` is as its type requires.
/// 5. Grid and blocks are one-dimensional, blocks of 32 threads, and the launch has the shared
///    memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `copy_tile_4`\n```text\n", include_str!("../../tests/golden/ptx/copy_tile_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 32,
    instances(STAGES = 2, 3, 4, 6),
    shared_bytes = pipeline::bytes::<u8>(STAGES, patch.bytes().into())
)]
pub unsafe fn copy_tile<const STAGES: u32>(
    #[grid_constant] dst: &TensorMap,
    #[grid_constant] src: &TensorMap,
    patches_x: NonZero<u32>,
    patches: u32,
    patch: Patch,
    counter: Counter,
) {
    let position = |number: u32| [number % patches_x, number / patches_x];
    let load = |number: u32, loads: &mut Transaction<'_>, buffer| {
        // SAFETY: the buffer is free, aligned and takes the patch (2); the maps are as required (1).
        unsafe { patch.load(loads, src, position(number), buffer) };
    };
    let store = |number: u32, stores: &mut Stores, buffer| {
        // SAFETY: the patch has been loaded, and its buffer is left alone until the group has been read; the maps are
        // as required (1, 2).
        unsafe { patch.store(stores, dst, position(number), buffer) };
    };
    // SAFETY: every thread gets here (5).
    let block = unsafe { Block::converged() };
    let items = Items::drawn(block, STAGES - 1, patches, counter);
    let memory = shared::dynamic::<u8, 1024>();
    block.stream::<_, STAGES>(memory, patch.bytes(), items, load, store);
}

/// Works like [`copy_tile`], but each block copies one patch, at its position in the grid, and leaves.
///
/// # Safety
/// The conditions of [`copy_tile`], without (4); the grid has a block for each patch, with neighbours along `x`.
#[kernel(max_threads = 32, shared_bytes = patch.bytes())]
pub unsafe fn copy_tile_once(
    #[grid_constant] dst: &TensorMap,
    #[grid_constant] src: &TensorMap,
    patch: Patch,
) {
    shared! {
        static BAR: Mbarrier;
    }
    let position = [block_idx().x, block_idx().y];
    // SAFETY: every thread gets here (5).
    let block = unsafe { Block::converged() };
    if !block.elect() {
        return;
    }
    let buffer = shared::dynamic::<u8, 1024>();
    // SAFETY: this thread alone uses the barrier, in memory that is for it alone.
    unsafe { Barrier::init(BAR::ptr(), 1) };
    // SAFETY: this thread has made the barrier; its one phase has this arrival and the bytes of the loads.
    let full = unsafe { Barrier::assume_init(BAR::ptr()) };
    let mut loads = full.transaction();
    // SAFETY: the buffer takes the patch (2), and the maps are as required (1).
    unsafe { patch.load(&mut loads, src, position, buffer) };
    full.wait(loads.arrive());
    let mut stores = Stores::new();
    // SAFETY: the patch has been loaded, and the block stays until it has been read; the maps are as required (1, 2).
    unsafe { patch.store(&mut stores, dst, position, buffer) };
    stores.commit().wait_read();
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::CopyTile;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::Tiled;
    use tma_launch::{BufferRef, Call, Conditions, DeviceDescription, MapRef, Region, Shape};

    use super::{copy_tile, copy_tile_once};
    use crate::{
        arguments::{Tiles, divisor, drawn, tile_of, tiled_bytes},
        settings::{Setting, Streaming},
    };

    /// Copies a matrix tile by tile through tensor maps, in blocks of one warp that draw their tiles from
    /// a counter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct CopyTile {
        /// Patches that a block keeps in shared memory: 2, 3, 4 or 6. With 1 there is a block for each patch, and neither
        /// `blocks` nor the counter is used.
        pub stages: u32,
        /// The number of tiles side by side in a patch, which a block moves at once.
        pub tiles: u32,
        /// Both matrices, each in a buffer of its own, with a tile as the box.
        pub map: Tiled,
        /// The buffer that is written.
        pub dst: usize,
        /// The buffer that is read.
        pub src: usize,
        /// The buffer of the counter, a `u32` that is zero.
        pub counter: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The least shared memory of a block in bytes, where there is a block for each patch. More than a patch needs makes fewer blocks run at once.
        pub shared_bytes: u32,
    }

    impl CopyTile {
        /// Makes the arguments from the matrix in buffer 1 to the one in buffer 0, with the counter in buffer 2.
        pub fn of(map: Tiled) -> Self {
            Self {
                map,
                dst: 0,
                src: 1,
                stages: 2,
                tiles: 1,
                counter: 2,
                blocks: 1,
                shared_bytes: 0,
            }
        }

        /// Returns the same matrix with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            let setting = Streaming::CopyTile(tile_of(&self.map)).setting(device);
            self.set(setting, device)
        }

        /// Returns the same matrix with a setting; its chunks are the tiles.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                stages: setting.stages,
                tiles: setting.tiles,
                blocks: setting.grid(device, tiled_bytes(&self.map)),
                shared_bytes: setting.shared_bytes(device),
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let tiles = Tiles::of(&self.map, self.tiles, conditions);
            conditions.reads(Region::tensor(tiles.map, self.src));
            conditions.writes(Region::tensor(tiles.map, self.dst));
            let (dst, src) = (
                MapRef::new(tiles.map, self.dst),
                MapRef::new(tiles.map, self.src),
            );
            if self.stages == 1 {
                let call = copy_tile_once(dst, src, tiles.patch);
                let shape = Shape::new((tiles.columns, tiles.rows), 32);
                return (call, shape.shared_bytes(self.shared_bytes));
            }
            let own = self.stages.saturating_sub(1);
            drawn(conditions, self.blocks, own, tiles.count(), self.counter);
            let call = copy_tile(
                self.stages,
                dst,
                src,
                divisor(tiles.columns),
                tiles.count(),
                tiles.patch,
                BufferRef::new(self.counter),
            );
            (call, Shape::new(self.blocks, 32))
        }
    }
}
