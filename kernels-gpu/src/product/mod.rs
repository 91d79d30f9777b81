//! The tiles of matrix products, and their loads: the shared part of `gemm` and `gemm_mma`.

use core::hint::assert_unchecked;

use tma::{
    KernelArg, Swizzle128, Tile, TileMap,
    matrix::Boxes,
    pipeline::Fill,
    tile::{Element, Pair},
};

use crate::config::Constant;

/// The number of rows of the product that a block computes at a time.
pub const ROWS: u32 = 128;
/// The number of elements along K of a stage, and rows and columns of the boxes of all maps.
pub const BOX: u32 = 64;
/// The number of threads of a block: one producer warpgroup, two consumer warpgroups.
pub const THREADS: u32 = 384;
/// The number of registers of a thread of the producer.
pub(crate) const PRODUCER_REGISTERS: u32 = 40;
/// The number of registers of a thread of a consumer.
pub(crate) const CONSUMER_REGISTERS: u32 = 232;

pub(crate) type Box64<T> = [[T; BOX as usize]; BOX as usize];
pub(crate) type Map<T> = TileMap<Box64<T>, Swizzle128>;
pub(crate) type Boxes64<T, const BOXES: usize> = [Tile<Box64<T>, Swizzle128>; BOXES];
/// Rows of A, and `BOXES` boxes of columns of B.
pub(crate) type Stage<T, const BOXES: usize> = Pair<Boxes64<T, 2>, Boxes64<T, BOXES>>;

/// 64 rows times `BOXES` in shared memory, as a factor of products.
pub(crate) type MatrixOf<T, const BOXES: usize, const K_MAJOR: bool> =
    Boxes<Box64<T>, Swizzle128, BOXES, K_MAJOR>;

/// The configuration of a kernel for products.
///
/// Numbers that are arguments of types are bound as types, such as [`Const`](crate::config::Const).
pub(crate) trait Config {
    /// Rows and columns of a tile of C.
    const TILE: [u32; 2];
    /// The number of blocks of a cluster, which share a tile.
    const CLUSTER: u32 = 1;
    /// The boxes of A and of B in a stage.
    type Stage<T>;
    /// The stages in shared memory.
    type Stages: Constant;
    /// A thread's sums of 64 rows of a tile.
    type Accumulator;
}

/// The tiles of a product.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Tiling {
    /// Tiles of the product down its rows, and along its columns.
    pub tiles: [u32; 2],
    /// The first row of the last box that has rows of A, and the first column of the last one that has columns of B.
    /// Boxes after it are loaded from there: the hardware is slow to fill boxes that are out of bounds.
    pub last_boxes: [u32; 2],
    /// The number of stages along K.
    pub stages: u32,
    /// The number of rows of tiles that are processed together, so that their blocks share reads in L2: at least one.
    pub group: u32,
}

impl Tiling {
    /// Returns row and column of the first element of a tile with `tile_columns` columns.
    ///
    /// # Safety
    /// 1. There are tiles, and rows in a group; the columns of tiles, times those rows, are below 2^32.
    #[inline(always)]
    pub(crate) unsafe fn origin(&self, tile: u32, tile_columns: u32) -> [u32; 2] {
        let [rows, columns] = self.tiles;
        let in_group = self.group * columns;
        // SAFETY: there are tiles and rows in a group, whose product does not wrap (1).
        unsafe { assert_unchecked(columns != 0 && in_group != 0) };
        let first_row = tile / in_group * self.group;
        let height = (rows - first_row).min(self.group);
        // SAFETY: the group has the tile's row.
        unsafe { assert_unchecked(height != 0) };
        let within = tile % in_group;
        [
            (first_row + within % height) * ROWS,
            within / height * tile_columns,
        ]
    }

    /// Loads stages of 64 along K, from `first` on, of the tile that begins at this row and column.
    #[inline(always)]
    pub(crate) fn load<T: Element, const BOXES: usize, const STAGES: u32>(
        &self,
        fill: &mut Fill<Stage<T, BOXES>, STAGES>,
        (a, a_k_major): (&Map<T>, bool),
        (b, b_k_major): (&Map<T>, bool),
        [row, column]: [u32; 2],
        [first, end]: [u32; 2],
    ) {
        let [last_row, last_column] = self.last_boxes;
        let at = |k_major, mn, last, k| move |number| place(k_major, mn + number * BOX, last, k);
        let mut stage = first;
        while stage < end {
            let k = stage * BOX;
            fill.next().load_pair(
                (a, at(a_k_major, row, last_row, k)),
                (b, at(b_k_major, column, last_column, k)),
            );
            stage += 1;
        }
    }
}

/// Returns the number of blocks for `items` items: all have the same number of items, or one less.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn dealt(items: u32, multiprocessors: u32) -> u32 {
    let rounds = items.div_ceil(multiprocessors.max(1));
    items.div_ceil(rounds.max(1))
}

/// Returns the coordinates of a box, innermost first; no box is loaded after the last one. Boxes follow each other
/// along M or N: in memory these are the rows where K is contiguous.
#[inline(always)]
pub(crate) fn place(k_major: bool, mn: u32, last: u32, k: u32) -> [i32; 2] {
    let mn = mn.min(last) as i32;
    if k_major {
        [k as i32, mn]
    } else {
        [mn, k as i32]
    }
}
