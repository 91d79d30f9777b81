//! Ports the guide's "Usage of a Modified Tensor Map": a kernel acquires maps in global
//! memory, made by another kernel ([`encode_map`](mod@crate::encode_map)) or by the host, and uses
//! them.

use tma::{
    Block, GlobalMut, GlobalRef, PerBlock, TensorMap, kernel,
    ptx::{Sys, mbarrier::Mbarrier},
    shared,
};

/// Columns and rows of the box of [`consume_map`].
pub const BOX: [usize; 2] = [128, 4];
/// The box of [`consume_map_5d`].
pub const BOX_5D: [usize; 5] = [16, 2, 2, 2, 2];

/// The most bytes of a box in both kernels.
const BOX_BYTES: usize = BOX[0] * BOX[1];
const BOX_5D_BYTES: usize = 16 * BOX_5D[0];

/// Copies a box of bytes through each of several maps to `output`, one after the other: block `i`
/// uses `maps[i]`, at column `x` and row `y`.
///
/// # Safety
/// 1. `maps` are at multiples of 64: two-dimensional maps of bytes with boxes of 128 by 4 bytes,
///    without swizzle, over tensors that no thread writes. The writer of the maps released them to this kernel.
/// 2. `maps` and `output` are as their types require.
/// 3. `x` is a multiple of 16.
/// 4. Grid and blocks are one-dimensional; blocks are whole warps.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/consume_map.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn consume_map(
    maps: GlobalRef<TensorMap, PerBlock>,
    output: GlobalMut<[u32; BOX_BYTES / 4], PerBlock>,
    x: i32,
    y: i32,
) {
    // SAFETY: the maps have two dimensions, and boxes of `BOX_BYTES` bytes (1 to 4).
    unsafe { consume::<2, _>(maps, output, [x, y]) }
}

/// Works like [`consume_map`], for maps of five dimensions with boxes of [`BOX_5D`] bytes, at `x` and, in
/// all other dimensions, `y`.
///
/// # Safety
/// The conditions of [`consume_map`], with these maps and the same bytes of output.
#[kernel(max_threads = 1024)]
pub unsafe fn consume_map_5d(
    maps: GlobalRef<TensorMap, PerBlock>,
    output: GlobalMut<[u32; BOX_5D_BYTES / 4], PerBlock>,
    x: i32,
    y: i32,
) {
    // SAFETY: the maps have five dimensions, and boxes of `BOX_5D_BYTES` bytes; (1) to (4) of `consume_map` hold.
    unsafe { consume::<5, _>(maps, output, [x, y, y, y, y]) }
}

/// # Safety
/// 1. The conditions of [`consume_map`], for maps of `RANK` dimensions with boxes of `WORDS` words.
#[inline(always)]
unsafe fn consume<const RANK: usize, const WORDS: usize>(
    maps: GlobalRef<TensorMap, PerBlock>,
    output: GlobalMut<[u32; WORDS], PerBlock>,
    coords: [i32; RANK],
) {
    shared! {
        static SMEM_BOX: [u32; BOX_BYTES / 4] align 128;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let load = block.load_buffer(
        SMEM_BOX::ptr().at(0),
        WORDS as u32,
        BAR::ptr(),
        |loads, to| {
            // Acquire the map, in each block, in the thread that uses it. Maps of another kernel on this
            // GPU could be acquired at `Gpu`, maps of the host not.
            let map = maps.acquire::<Sys>(block);
            // SAFETY: the map has this box, its first column is aligned (1), and no thread uses the buffer before it
            // is loaded.
            unsafe { loads.tensor(to.cast(), map, coords, 4 * WORDS as u32) };
        },
    );
    let bytes = load.wait();
    output.write(block, |i| bytes.get(i));
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::ConsumeMap;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Swizzle};
    use tma::TensorMap;
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape, TileShape};

    use super::{BOX_5D_BYTES, BOX_BYTES, consume_map, consume_map_5d};
    use crate::arguments::product;

    /// Bytes in boxes that are [`BOX`](super::BOX) and [`BOX_5D`](super::BOX_5D).
    const TILE: TileShape = TileShape {
        data_type: DataType::U8,
        box_dims: &[128, 4],
        swizzle: Swizzle::None,
    };
    const TILE_5D: TileShape = TileShape {
        box_dims: &[16, 2, 2, 2, 2],
        ..TILE
    };

    /// Copies a box of bytes through each of several maps in global memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ConsumeMap {
        /// Dimensions of the maps: 2, with boxes of 128 by 4 bytes, or 5, with boxes of 16 by 2 by 2 by 2
        /// by 2.
        pub rank: u32,
        /// The buffer of maps.
        pub maps: usize,
        /// The buffer that gets the boxes.
        pub output: usize,
        /// The first coordinates of the boxes: in dimension 0, and in all others.
        pub coords: [i32; 2],
        /// The number of maps.
        pub count: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    impl ConsumeMap {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            conditions.one_of("rank", self.rank, &[2, 5], "compiled instances");
            conditions.multiple(
                "distance of the first byte",
                self.coords[0].unsigned_abs().into(),
                16,
                "boxes start at multiples of 16 bytes",
            );
            let maps = BufferRef::new(self.maps);
            let [x, y] = self.coords;
            let (call, bytes, tile) = match self.rank {
                2 => (
                    consume_map(maps, BufferRef::new(self.output), x, y),
                    BOX_BYTES,
                    TILE,
                ),
                _ => (
                    consume_map_5d(maps, BufferRef::new(self.output), x, y),
                    BOX_5D_BYTES,
                    TILE_5D,
                ),
            };
            let map_bytes = TensorMap::BYTES as u32;
            conditions.maps(
                Region::bytes(self.maps, product(&[self.count, map_bytes])),
                tile,
            );
            let output_bytes = product(&[self.count, bytes as u32]);
            conditions.writes(Region::bytes(self.output, output_bytes));
            (call, Shape::new(self.count, self.threads))
        }
    }
}
