//! Adds one to an array with a bulk copy in and out for each block, as fast as memory goes.

use tma::{Block, kernel, ptx::mbarrier::Mbarrier, shared};

use crate::vectors::{VECTOR_BYTES, Vector, one_more, tile_bytes};

/// Writes `x + 1` for each number `x` of `src` to the same index of `dst`.
///
/// Each block has one tile, `VECTORS` times four numbers for each of its threads: `add_one_bulk_1` to
/// `add_one_bulk_4`. The launch has a block for each tile; [`settings`](crate::settings) has the best tile of a
/// device.
///
/// # Safety
/// 1. `src` and `dst` point to `len_bytes` bytes of global memory that only this kernel uses while
///    it runs. They are the same or do not overlap.
/// 2. Both addresses and `len_bytes` are multiples of 16, and no block begins past the end.
/// 3. Grid and blocks are one-dimensional, blocks of a multiple of 32 threads, and the launch has
///    the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `add_one_bulk_1`\n```text\n", include_str!("../../tests/golden/ptx/add_one_bulk_1.ptx"), "\n```"))]
#[kernel(
    max_threads = 1024,
    instances(VECTORS = 1, 2, 4),
    shared_bytes = |threads| threads * VECTORS as u64 * u64::from(VECTOR_BYTES)
)]
pub unsafe fn add_one_bulk<const VECTORS: usize>(dst: *mut u8, src: *const u8, len_bytes: u64) {
    shared! {
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let data = shared::dynamic::<Vector, 128>();
    let tile_bytes = tile_bytes(block.threads(), VECTORS as u32);
    let start = u64::from(block.index()) * u64::from(tile_bytes);
    // The last tile may be shorter.
    let bytes = (len_bytes - start).min(tile_bytes.into()) as u32;

    // SAFETY: the tile is within the source (1), aligned (2).
    let tile = block.load_buffer(
        data,
        bytes / VECTOR_BYTES,
        BAR::ptr(),
        |loads, tile| unsafe { loads.bulk(tile.cast(), src.add(start as usize), bytes) },
    );
    // SAFETY: the tile is within the destination (1), aligned (2).
    tile.update::<VECTORS>(block, one_more)
        .store(block, |stores, tile| unsafe {
            stores.bulk(dst.add(start as usize), tile.cast(), bytes);
        });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::AddOneBulk;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, DeviceDescription, Region, Shape};

    use super::{VECTOR_BYTES, add_one_bulk, tile_bytes};
    use crate::{
        arguments::{chunks, ends, in_place_or_apart},
        settings::{Setting, Streaming},
    };

    /// Adds one to numbers of 4 bytes, four or more of them for each thread; blocks follow from the length.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AddOneBulk {
        /// Vectors of four numbers that a thread has: 1, 2 or 4.
        pub vectors: usize,
        /// The number of bytes of the numbers.
        pub len_bytes: u64,
        /// The buffer that is written.
        pub dst: usize,
        /// The index of the first number in it.
        pub dst_offset_bytes: u64,
        /// The buffer that is read, from its start.
        pub src: usize,
        /// The number of threads of a block.
        pub threads: u32,
        /// The least shared memory of a block in bytes. More than a tile needs makes fewer blocks run at once.
        pub shared_bytes: u32,
    }

    /// No numbers from buffer 1 to buffer 0.
    impl Default for AddOneBulk {
        fn default() -> Self {
            Self {
                vectors: 1,
                len_bytes: 0,
                dst: 0,
                dst_offset_bytes: 0,
                src: 1,
                threads: 128,
                shared_bytes: 0,
            }
        }
    }

    impl AddOneBulk {
        /// Returns the same numbers with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            self.set(Streaming::AddOneBulk.setting(device), device)
        }

        /// Returns the same numbers with a setting.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                vectors: setting.vectors(VECTOR_BYTES) as usize,
                threads: setting.threads,
                shared_bytes: setting.shared_bytes(device),
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            ends(conditions, self.dst_offset_bytes, self.len_bytes);
            let reason = "the grid must not be empty";
            conditions.at_least("len_bytes", self.len_bytes, 16, reason);
            let vectors = self.vectors.clamp(1, 4) as u32;
            let tile_bytes = tile_bytes(self.threads, vectors);
            let tiles = chunks(conditions, self.len_bytes, tile_bytes);
            let dst = Region::bytes(self.dst, self.len_bytes).skip(self.dst_offset_bytes);
            let src = Region::bytes(self.src, self.len_bytes);
            in_place_or_apart(conditions, dst, src);
            let call = add_one_bulk(
                self.vectors,
                BufferRef::new(self.dst).skip(self.dst_offset_bytes),
                BufferRef::new(self.src),
                self.len_bytes,
            );
            (
                call,
                Shape::new(tiles, self.threads).shared_bytes(self.shared_bytes),
            )
        }
    }
}
