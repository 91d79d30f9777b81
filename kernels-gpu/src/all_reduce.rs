//! Makes the sums of two buffers in one or both: on two GPUs each makes a half of them, and stores it to its own memory
//! and to the other's.

use tma::{Block, halves::Bf16, kernel, ptx::mbarrier::Mbarrier, shared};

use crate::{
    rows::{Floats, Number},
    vectors::{VECTOR_BYTES, Vector, tile_bytes},
};

/// Writes `x + y` for each number `x` of `own` and the number `y` of the same index of `peer` to `own`, and where
/// `BUFFERS` is 2 to both: `all_reduce_f32_1` to `all_reduce_bf16_2`.
///
/// Each block has one tile, 16 bytes of each of the two for each of its threads. The launch has a block for each tile. Sums
/// are rounded to nearest, ties to even; sums of `bf16` are computed in `f32`, which has more than twice the bits and two
/// more, so that they are rounded as if once.
///
/// `peer` may be memory of another GPU that this one has access to.
///
/// # Safety
/// 1. `own` and `peer` point to `len_bytes` bytes of global memory each that do not overlap and that only this kernel
///    uses while it runs.
/// 2. Both addresses and `len_bytes` are multiples of 16, and no block begins past the end.
/// 3. Grid and blocks are one-dimensional, blocks of a multiple of 32 threads, and the launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `all_reduce_bf16_1`\n```text\n", include_str!("../../tests/golden/ptx/all_reduce_bf16_1.ptx"), "\n```"))]
#[kernel(
    max_threads = 512,
    instances(T = f32, Bf16; BUFFERS = 1, 2),
    shared_bytes = |threads| 2 * threads * u64::from(VECTOR_BYTES)
)]
pub unsafe fn all_reduce<T: Number, const BUFFERS: usize>(
    own: *mut T,
    peer: *mut T,
    len_bytes: u64,
) {
    shared! {
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let data = shared::dynamic::<Vector, 128>();
    let tile_bytes = tile_bytes(block.threads(), 1);
    let start = u64::from(block.index()) * u64::from(tile_bytes);
    // The last tile may be shorter.
    let bytes = (len_bytes - start).min(tile_bytes.into()) as u32;
    let vectors = bytes / VECTOR_BYTES;
    // SAFETY: the tile is within both (1).
    let (own, peer) = unsafe { (own.byte_add(start as usize), peer.byte_add(start as usize)) };

    let both = block.load_buffer(data, 2 * vectors, BAR::ptr(), |loads, tile| {
        // The longer way first.
        // SAFETY: the tile is within both (1), aligned (2).
        unsafe {
            loads.bulk(tile.add(vectors).cast(), peer.cast(), bytes);
            loads.bulk(tile.cast(), own.cast(), bytes);
        }
    });
    let sum = |x, y| T::vector(T::floats(x).map_with([T::floats(y)], |x, [y]| x + y));
    both.combine::<1>(block, sum).store(block, |stores, tile| {
        // SAFETY: the tile is within both (1), aligned (2).
        unsafe {
            if BUFFERS == 2 {
                stores.bulk(peer.cast(), tile.cast(), bytes);
            }
            stores.bulk(own.cast(), tile.cast(), bytes);
        }
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::AllReduce;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, DeviceDescription, Region, Shape};

    use super::{VECTOR_BYTES, all_reduce, tile_bytes};
    use crate::{
        arguments::{chunks, part},
        rows::{Numbers, with_element},
        settings::Setting,
    };

    /// Makes the sums of a part of two buffers in one or both.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AllReduce {
        /// The type of the numbers.
        pub numbers: Numbers,
        /// The buffer of the device that runs the kernel.
        pub own: usize,
        /// The other device's buffer, or a copy of it.
        pub peer: usize,
        /// The offset of the part in both buffers, in bytes.
        pub offset_bytes: u64,
        /// The number of bytes of the part.
        pub len_bytes: u64,
        /// True if both buffers get the sums, false if only `own` does.
        pub is_for_both: bool,
        /// The number of threads of a block: up to 512.
        pub threads: u32,
        /// The least shared memory of a block in bytes. More than its tiles need makes fewer blocks run at once.
        pub shared_bytes: u32,
    }

    /// No numbers of `f32`, for both of buffers 0 and 1.
    impl Default for AllReduce {
        fn default() -> Self {
            Self {
                numbers: Numbers::F32,
                own: 0,
                peer: 1,
                offset_bytes: 0,
                len_bytes: 0,
                is_for_both: true,
                threads: 128,
                shared_bytes: 0,
            }
        }
    }

    impl AllReduce {
        /// Returns the same numbers with a setting of one stage: a block has one chunk, and a thread 16 bytes of it.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                threads: setting.chunk_bytes / VECTOR_BYTES,
                shared_bytes: setting.shared_bytes(device),
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let reasons = ["each thread has one vector", "elections need full warps"];
            conditions.warps(self.threads, 32..=512, reasons);
            part(conditions, self.offset_bytes, self.len_bytes);
            let reason = "the grid must not be empty";
            conditions.at_least("len_bytes", self.len_bytes, 16, reason);
            let tile_bytes = tile_bytes(self.threads, 1);
            let tiles = chunks(conditions, self.len_bytes, tile_bytes);
            let region = |buffer| Region::bytes(buffer, self.len_bytes).skip(self.offset_bytes);
            conditions.updates(region(self.own));
            if self.is_for_both {
                conditions.updates(region(self.peer));
            } else {
                conditions.reads(region(self.peer));
            }
            let buffers = 1 + usize::from(self.is_for_both);
            let call = with_element!(self.numbers, T => {
                let offset_elems = self.offset_bytes / size_of::<T>() as u64;
                let of = |buffer| BufferRef::new(buffer).skip(offset_elems);
                let (own, peer) = (of(self.own), of(self.peer));
                all_reduce::<T>(buffers, own, peer, self.len_bytes)
            });
            (
                call,
                Shape::new(tiles, self.threads).shared_bytes(self.shared_bytes),
            )
        }
    }
}
