//! Adds one to a matrix in a pipeline of tensor copies: one warp loads, the others work.

use core::num::NonZero;

use tma::{
    Block, Counter, TensorMap, kernel,
    pipeline::{self, Items},
    shared,
};

use crate::{
    patch::Patch,
    vectors::{Vector, one_more},
};

/// Vectors of four numbers that a thread has of a patch.
const VECTORS: usize = 4;

/// Writes `x + 1` for each number `x` of the matrix of `src` to the same index of the matrix of `dst`;
/// blocks draw patches of tiles from a counter.
///
/// The matrix is `patches_x` by `patches / patches_x` patches of 4-byte numbers, those at its ends cut off by the maps.
/// The first warp of a block loads, the others work. A patch has 64 bytes for each working thread, and each block keeps
/// `STAGES` patches in shared memory: `add_one_tile_ring_2` to `add_one_tile_ring_4`. The launch has the number of
/// blocks that run at once.
///
/// # Safety
/// 1. `src` and `dst` are two-dimensional maps of 4-byte numbers with the boxes of `patch`, that swizzle
///    alike or not at all, over matrices that only this kernel uses while it runs; they are the
///    same or do not overlap.
/// 2. A patch has 64 bytes for each working thread, each box a multiple of 128 bytes, or of 1024 where the maps swizzle;
///    its width is a multiple of 16 bytes. Rows of `dst` end at multiples of 16 bytes, or the bytes up to the next one
///    are padding.
/// 3. There are fewer than 2^31 patches, and coordinates are less than 2^31.
/// 4. `counter` is as its type requires.
/// 5. Grid and blocks are one-dimensional, blocks of a multiple of 32 threads and of 64 at least,
///    and the launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `add_one_tile_ring_4`\n```text\n", include_str!("../../tests/golden/ptx/add_one_tile_ring_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 544,
    instances(STAGES = 2, 3, 4),
    shared_bytes = |threads| {
        let patch_bytes = threads.saturating_sub(32) * u64::from(host::THREAD_BYTES);
        pipeline::bytes::<u8>(STAGES, patch_bytes)
    }
)]
pub unsafe fn add_one_tile_ring<const STAGES: u32>(
    #[grid_constant] dst: &TensorMap,
    #[grid_constant] src: &TensorMap,
    patches_x: NonZero<u32>,
    patches: u32,
    patch: Patch,
    counter: Counter,
) {
    // SAFETY: every thread gets here (5).
    let block = unsafe { Block::converged() };
    let vectors = (block.threads() - 32) * VECTORS as u32;
    let position = |number: u32| [number % patches_x, number / patches_x];
    let memory = shared::dynamic::<Vector, 1024>();
    let pipeline = block.storing_pipeline::<_, STAGES>(memory, vectors);
    pipeline.split(
        |mut fill| {
            for number in Items::drawn(block, 1, patches, counter) {
                // SAFETY: the maps are as required (1); the stage takes the patch (2).
                fill.next()
                    .with_item(number)
                    .load_with(|loads, stage| unsafe {
                        patch.load(loads, src, position(number), stage.cast());
                    });
            }
            fill.finish();
        },
        |workers, mut drain| {
            while let Some((number, stage)) = drain.next_item() {
                // Where a number is in the patch makes no difference.
                stage
                    .own(workers, vectors)
                    .update_at_once::<VECTORS>(one_more);
                // SAFETY: the maps are as required (1), rows end so (2), and no coordinate is negative (3).
                drain.store(stage, |stores, stage| unsafe {
                    patch.store(stores, dst, position(number), stage.cast());
                });
            }
            drain.finish();
        },
    );
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::AddOneTileRing;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::Tiled;
    use tma_launch::{BufferRef, Call, Conditions, DeviceDescription, MapRef, Region, Shape};

    use super::{VECTORS, add_one_tile_ring};
    use crate::{
        arguments::{Tiles, divisor, drawn, in_place_or_apart, tile_of, tiled_bytes},
        settings::{Setting, Streaming},
        vectors::VECTOR_BYTES,
    };

    /// The number of bytes of a patch that a working thread has.
    pub(super) const THREAD_BYTES: u32 = VECTORS as u32 * VECTOR_BYTES;

    /// Adds one to a matrix of 4-byte numbers in a pipeline: one warp loads, the others work, and blocks
    /// draw patches of tiles from a counter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AddOneTileRing {
        /// Patches that a block keeps in shared memory: 2, 3 or 4.
        pub stages: u32,
        /// The number of tiles side by side in a patch, which a block has at once.
        pub tiles: u32,
        /// Both matrices, with a tile as the box.
        pub map: Tiled,
        /// The buffer that is written.
        pub dst: usize,
        /// The buffer that is read; it may be the same.
        pub src: usize,
        /// The buffer of the counter, a `u32` that is zero.
        pub counter: usize,
        /// The number of blocks.
        pub blocks: u32,
    }

    impl AddOneTileRing {
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
            }
        }

        /// Returns the same matrix with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            let setting = Streaming::AddOneTileRing(tile_of(&self.map)).setting(device);
            self.set(setting, device)
        }

        /// Returns the same matrix with a setting; its chunks are the tiles.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                stages: setting.stages,
                tiles: setting.tiles,
                blocks: setting.grid(device, tiled_bytes(&self.map)),
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let tiles = Tiles::of(&self.map, self.tiles, conditions);
            tiles.of_numbers(&self.map, conditions);
            let reason = "64 bytes for each thread of 1 to 16 warps";
            let (least, most) = (32 * THREAD_BYTES, 512 * THREAD_BYTES);
            conditions.within("bytes per patch", tiles.bytes, least..=most, reason);
            let reason = "64 bytes for each thread of a warp";
            conditions.multiple("bytes per patch", tiles.bytes.into(), least.into(), reason);
            let region = |buffer| Region::tensor(tiles.map, buffer);
            in_place_or_apart(conditions, region(self.dst), region(self.src));
            drawn(conditions, self.blocks, 1, tiles.count(), self.counter);
            let call = add_one_tile_ring(
                self.stages,
                MapRef::new(tiles.map, self.dst),
                MapRef::new(tiles.map, self.src),
                divisor(tiles.columns),
                tiles.count(),
                tiles.patch,
                BufferRef::new(self.counter),
            );
            (
                call,
                Shape::new(self.blocks, 32 + tiles.bytes / THREAD_BYTES),
            )
        }
    }
}
