//! The tiles of a matrix that a block moves at once.

use tma::{KernelArg, SharedPtr, Stores, TensorMap, Transaction};

/// The number of bytes of a box where a block has several tiles side by side.
#[cfg(not(target_arch = "nvptx64"))]
const STRIP_BYTES: u32 = 2048;

/// Tiles side by side, each one made of boxes of a map below each other.
///
/// A tile with rows of 128 bytes takes part of each access of memory. Boxes of a few rows, of all tiles in turn,
/// ask for longer rows, and each tile is in shared memory as one box of all its rows would: an atom of a swizzle has
/// at most eight rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, KernelArg)]
#[repr(C)]
pub struct Patch {
    /// The number of columns of a box, and of a tile, in elements.
    pub width: u32,
    /// The number of rows of a box.
    pub height: u32,
    /// The number of bytes of a box in shared memory.
    pub box_bytes: u32,
    /// Boxes of a tile.
    pub boxes: u32,
    /// The number of tiles.
    pub tiles: u32,
}

impl Patch {
    /// Makes a patch of `tiles` tiles of these columns and rows, in elements, with rows of `row_bytes` bytes.
    #[cfg(not(target_arch = "nvptx64"))]
    pub fn new([width, tile_height]: [u32; 2], row_bytes: u32, tiles: u32) -> Self {
        let strip = STRIP_BYTES / row_bytes.max(1);
        let are_whole = strip * row_bytes == STRIP_BYTES && tile_height.is_multiple_of(strip);
        let height = if tiles > 1 && are_whole {
            strip
        } else {
            tile_height
        };
        Self {
            width,
            height,
            box_bytes: height.saturating_mul(row_bytes),
            boxes: tile_height / height.max(1),
            tiles,
        }
    }

    /// Returns the bytes of all tiles.
    #[inline(always)]
    pub const fn bytes(self) -> u32 {
        // No launch has enough of them to wrap.
        self.box_bytes
            .wrapping_mul(self.boxes)
            .wrapping_mul(self.tiles)
    }

    /// Loads the patch in this column and row of patches.
    ///
    /// # Safety
    /// 1. The map is two-dimensional and has the boxes of the patch, with their bytes; its matrix may be read.
    /// 2. The buffer is free and takes the patch, each box at a multiple of 128 bytes, or of 1024 where the map swizzles.
    #[inline(always)]
    pub(crate) unsafe fn load(
        self,
        loads: &mut Transaction<'_>,
        map: &TensorMap,
        position: [u32; 2],
        buffer: SharedPtr<u8>,
    ) {
        self.each(position, |offset_bytes, coords| {
            // SAFETY: the map has the box (1), and it is in the buffer (2).
            unsafe { loads.tensor(buffer.add(offset_bytes), map, coords, self.box_bytes) };
        });
    }

    /// Stores the patch to this column and row of patches.
    ///
    /// # Safety
    /// 1. The map is two-dimensional and has the boxes of the patch, with their bytes; its matrix may be written. Rows end
    ///    at multiples of 16 bytes, or the bytes up to the next one are padding.
    /// 2. The patch is in the buffer, as [`load`](Self::load) leaves it, until it has been read.
    #[inline(always)]
    pub(crate) unsafe fn store(
        self,
        stores: &mut Stores,
        map: &TensorMap,
        position: [u32; 2],
        buffer: SharedPtr<u8>,
    ) {
        self.each(position, |offset_bytes, coords| {
            // SAFETY: the map has the box, and rows end as required (1); the box has been loaded (2).
            unsafe { stores.tensor(map, coords, buffer.add(offset_bytes)) };
        });
    }

    /// Calls this for each box of a patch, with the bytes before it in shared memory and its coordinates.
    #[inline(always)]
    fn each(self, [column, row]: [u32; 2], mut of_box: impl FnMut(u32, [i32; 2])) {
        let first_column = column * self.tiles * self.width;
        let first_row = row * self.boxes * self.height;
        let [tile_bytes, mut x, mut y] = [self.boxes * self.box_bytes, first_column, first_row];
        let (mut beside, mut below, mut offset) = (0, 0, 0);
        // One loop for both directions, which LLVM leaves as it is: of two it would unroll the inner one.
        while below < self.boxes {
            of_box(offset, [x as i32, y as i32]);
            [beside, x, offset] = [beside + 1, x + self.width, offset + tile_bytes];
            if beside >= self.tiles {
                [below, y] = [below + 1, y + self.height];
                [beside, x, offset] = [0, first_column, below * self.box_bytes];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_side_by_side_are_loaded_in_strips() {
        let patch = Patch::new([64, 32], 128, 2);
        let mut boxes = Vec::new();
        patch.each([3, 5], |offset, coords| boxes.push((offset, coords)));
        let expected = [
            (0, [384, 160]),
            (4096, [448, 160]),
            (2048, [384, 176]),
            (6144, [448, 176]),
        ];
        assert_eq!(boxes, expected);
        assert_eq!(patch.bytes(), 2 * 64 * 32 * 2);
    }

    #[test]
    fn a_tile_alone_or_of_other_rows_is_one_box() {
        for (tile, row_bytes, tiles) in [([64, 64], 128, 1), ([24, 16], 96, 2), ([64, 24], 128, 3)]
        {
            let patch = Patch::new(tile, row_bytes, tiles);
            assert_eq!(
                [patch.height, patch.boxes, patch.tiles],
                [tile[1], 1, tiles]
            );
            assert_eq!(patch.box_bytes, tile[1] * row_bytes);
        }
    }
}
