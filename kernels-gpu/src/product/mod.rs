//! The tiles of matrix products, and their loads: the shared part of `gemm` and `gemm_mma`.

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
/// `ROW_BOXES` boxes of rows of A, and `BOXES` of columns of B.
pub(crate) type Stage<T, const BOXES: usize, const ROW_BOXES: usize = 2> =
    Pair<Boxes64<T, ROW_BOXES>, Boxes64<T, BOXES>>;

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
    /// The rows of tiles that are processed together, so that their blocks share reads in L2.
    pub group: Divisor,
    /// The rows of tiles in the last group.
    pub last_group: Divisor,
    /// The tiles of a group.
    pub in_group: Divisor,
}

/// A number to divide by. The division is a multiplication: its result is needed before a tile is begun.
#[doc(alias = "FastDivmod")]
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Divisor {
    divisor: u32,
    /// The quotient of 2^`shift` by the divisor, rounded up.
    factor: u32,
    shift: u32,
}

impl Divisor {
    /// Makes a divisor of numbers below 2^31; 0 counts as 1.
    pub const fn new(divisor: u32) -> Self {
        let divisor = if divisor == 0 { 1 } else { divisor };
        let shift = 63 - (divisor - 1).leading_zeros();
        Self {
            divisor,
            factor: (1_u64 << shift).div_ceil(divisor as u64) as u32,
            shift,
        }
    }

    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) const fn divisor(self) -> u32 {
        self.divisor
    }

    /// Returns the quotient and the remainder of a number below 2^31.
    #[inline(always)]
    pub const fn divide(self, number: u32) -> [u32; 2] {
        let product = number as u64 * self.factor as u64;
        let quotient = product.wrapping_shr(self.shift) as u32;
        [
            quotient,
            number.wrapping_sub(quotient.wrapping_mul(self.divisor)),
        ]
    }
}

impl Tiling {
    /// Returns the tiles in groups of `group` rows, at least one.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) const fn new(
        tiles: [u32; 2],
        last_boxes: [u32; 2],
        stages: u32,
        group: u32,
    ) -> Self {
        let [rows, columns] = tiles;
        let last = rows % group;
        Self {
            tiles,
            last_boxes,
            stages,
            group: Divisor::new(group),
            last_group: Divisor::new(if last == 0 { group } else { last }),
            in_group: Divisor::new(group.saturating_mul(columns)),
        }
    }

    /// Returns row and column of the first element of a tile of this size.
    #[inline(always)]
    pub(crate) const fn origin(&self, tile: u32, [rows, columns]: [u32; 2]) -> [u32; 2] {
        let [group, within] = self.in_group.divide(tile);
        let first_row = group * self.group.divisor;
        let height = if self.tiles[0] - first_row < self.group.divisor {
            self.last_group
        } else {
            self.group
        };
        let [column, row] = height.divide(within);
        [(first_row + row) * rows, column * columns]
    }

    /// Loads stages of 64 along K, from `first` on, of the tile that begins at this row and column.
    #[inline(always)]
    pub(crate) fn load<
        T: Element,
        const BOXES: usize,
        const ROW_BOXES: usize,
        const STAGES: u32,
    >(
        &self,
        fill: &mut Fill<Stage<T, BOXES, ROW_BOXES>, STAGES>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_are_exact() {
        let most: u32 = (1 << 31) - 1;
        for divisor in (1_u32..=70).chain([255, 256, 257, 65535, 1 << 20, most]) {
            let multiples = (0..70)
                .chain([most])
                .map(|times| times.min(most / divisor) * divisor);
            for number in
                multiples.flat_map(|of| [of, of.saturating_sub(1), of.saturating_add(divisor / 2)])
            {
                let number = number.min(most);
                let expected = [number / divisor, number % divisor];
                assert_eq!(
                    Divisor::new(divisor).divide(number),
                    expected,
                    "{number} by {divisor}"
                );
            }
        }
    }

    #[test]
    fn groups_of_rows_go_column_by_column_and_cover_all_tiles() {
        let origins = |rows, columns, group| {
            let tiling = Tiling::new([rows, columns], [0; 2], 0, group);
            (0..rows * columns)
                .map(|tile| tiling.origin(tile, [1, 1]))
                .collect::<Vec<_>>()
        };
        let expected = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [2, 1]];
        assert_eq!(origins(3, 2, 2), expected);
        for (rows, columns, group) in [
            (1, 1, 16),
            (1, 64, 16),
            (16, 3, 16),
            (35, 7, 16),
            (25, 5, 12),
        ] {
            let mut all = origins(rows, columns, group);
            all.sort_unstable();
            let each = (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column]));
            assert!(all.into_iter().eq(each), "{rows} by {columns} by {group}");
        }
    }
}
