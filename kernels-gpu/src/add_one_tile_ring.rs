//! Adds one to a matrix in a pipeline of tensor copies: one warp loads, the others work.

use core::num::NonZero;

use tma::{
    Block, Counter, TensorMap, kernel,
    pipeline::{self, Items},
    shared,
};

use crate::vectors::{VECTOR_BYTES, Vector, one_more};

/// Vectors of four numbers that a thread has of a tile.
const VECTORS: usize = 4;

/// Writes `x + 1` for each number `x` of the matrix of `src` to the same index of that of `dst`;
/// blocks draw their tiles from a counter.
///
/// The matrix is `tiles_x` by `tiles / tiles_x` tiles of `tile_width_elems` by `tile_height_elems`
/// numbers of 4 bytes, those at its ends cut off by the maps. The first warp of a block loads, the
/// others work. A tile has 64 bytes for each working thread, and each block keeps `STAGES` of them
/// in shared memory: `add_one_tile_ring_2` to `add_one_tile_ring_4`. The launch has as many blocks
/// as run at once.
///
/// # Safety
/// 1. `src` and `dst` are two-dimensional maps of 4-byte numbers with boxes of a tile, that swizzle
///    alike or not at all, over matrices that nobody else uses while the kernel runs; they are the
///    same or do not overlap.
/// 2. A tile has 64 bytes for each working thread, and its width is a multiple of 16 bytes. Rows of
///    `dst` end at multiples of 16 bytes, or the bytes up to the next one are padding.
/// 3. There are fewer than 2^31 tiles, and coordinates are less than 2^31.
/// 4. `counter` is as its type says.
/// 5. Grid and blocks are one-dimensional, blocks of a multiple of 32 threads and of 64 at least,
///    and the launch has the shared memory.
#[cfg_attr(doc, doc = concat!("\n# PTX of `add_one_tile_ring_4`\n```text\n", include_str!("../../tests/golden/ptx/add_one_tile_ring_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 544,
    instances(STAGES = 2, 3, 4),
    shared_bytes = |threads| {
        let tile_bytes = threads.saturating_sub(32) * u64::from(host::THREAD_BYTES);
        pipeline::bytes::<u8>(STAGES, tile_bytes)
    }
)]
pub unsafe fn add_one_tile_ring<const STAGES: u32>(
    #[grid_constant] dst: &TensorMap,
    #[grid_constant] src: &TensorMap,
    tiles_x: NonZero<u32>,
    tiles: u32,
    tile_width_elems: u32,
    tile_height_elems: u32,
    counter: Counter,
) {
    // SAFETY: every thread gets here (5).
    let block = unsafe { Block::converged() };
    let tile_bytes = (block.threads() - 32) * VECTORS as u32 * VECTOR_BYTES;
    let coords = |tile: u32| {
        [
            (tile % tiles_x * tile_width_elems) as i32,
            (tile / tiles_x * tile_height_elems) as i32,
        ]
    };
    let vectors = tile_bytes / VECTOR_BYTES;
    let memory = shared::dynamic::<Vector, 1024>();
    let pipeline = block.storing_pipeline::<_, STAGES>(memory, vectors);
    pipeline.split(
        |mut fill| {
            for tile in Items::drawn(block, 1, tiles, counter) {
                // SAFETY: the map has this box (1), which has these bytes and begins at a multiple of 16
                // (2); the stage is aligned and takes it.
                fill.next()
                    .with_item(tile)
                    .load_with(|loads, stage| unsafe {
                        loads.tensor(stage.cast(), src, coords(tile), tile_bytes);
                    });
            }
            fill.finish();
        },
        |workers, mut drain| {
            while let Some((tile, stage)) = drain.next_item() {
                // Where a number lies in the tile makes no difference.
                stage
                    .own(workers, vectors)
                    .update_at_once::<VECTORS>(one_more);
                // SAFETY: the map has this box (1), rows end as wanted (2), and no coordinate is
                // negative (3).
                drain.store(stage, |stores, stage| unsafe {
                    stores.tensor(dst, coords(tile), stage.cast());
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
    use tma_launch::{
        BufferRef, Conditions, DeviceDescription, Launch, MapRef, Region, Shape, Violations,
    };

    use super::{VECTORS, add_one_tile_ring};
    use crate::{
        arguments::{Tiles, divisor, drawn, in_place_or_apart, tile_of, tiled_bytes},
        settings::{Setting, Streaming},
        vectors::VECTOR_BYTES,
    };

    /// Bytes of a tile that a working thread has.
    pub(super) const THREAD_BYTES: u32 = VECTORS as u32 * VECTOR_BYTES;

    /// Adds one to a matrix of 4-byte numbers in a pipeline: one warp loads, the others work, and blocks
    /// draw their tiles from a counter.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AddOneTileRing {
        /// Tiles that a block keeps in shared memory: 2, 3 or 4.
        pub stages: u32,
        /// Both matrices, with a tile as the box.
        pub map: Tiled,
        /// The buffer that is written.
        pub dst: usize,
        /// The buffer that is read; it may be the same.
        pub src: usize,
        /// The buffer of the counter, a `u32` that is zero.
        pub counter: usize,
        /// Blocks.
        pub blocks: u32,
    }

    impl AddOneTileRing {
        /// The matrix of buffer 1 to that of buffer 0, with the counter in buffer 2.
        pub fn of(map: Tiled) -> Self {
            Self {
                map,
                dst: 0,
                src: 1,
                stages: 2,
                counter: 2,
                blocks: 1,
            }
        }

        /// The same matrix with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            let setting = Streaming::AddOneTileRing(tile_of(&self.map)).setting(device);
            self.set(setting, device)
        }

        /// The same matrix with a setting, whose chunks are the tiles.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                stages: setting.stages,
                blocks: setting.grid(device, tiled_bytes(&self.map)),
                ..self
            }
        }

        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernels cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            let tiles = Tiles::of(&self.map, &mut conditions);
            tiles.of_numbers(&self.map, &mut conditions);
            let reason = "64 bytes for each thread of one to sixteen warps:";
            let (least, most) = (32 * THREAD_BYTES, 512 * THREAD_BYTES);
            conditions.within("bytes of a tile", tiles.bytes, least..=most, reason);
            let reason = "64 bytes for each thread of a warp: a multiple of";
            conditions.multiple("bytes of a tile", tiles.bytes.into(), least.into(), reason);
            let region = |buffer| Region::tensor(self.map, buffer);
            in_place_or_apart(&mut conditions, region(self.dst), region(self.src));
            drawn(&mut conditions, self.blocks, 1, tiles.count(), self.counter);
            let call = add_one_tile_ring(
                self.stages,
                MapRef::new(self.map, self.dst),
                MapRef::new(self.map, self.src),
                divisor(tiles.columns),
                tiles.count(),
                tiles.tile[0],
                tiles.tile[1],
                BufferRef::new(self.counter),
            );
            conditions.launch(
                call,
                Shape::new(self.blocks, 32 + tiles.bytes / THREAD_BYTES),
            )
        }
    }
}
