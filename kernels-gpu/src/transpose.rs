//! A transpose through tiles with a 128-byte swizzle, without bank conflicts.

use tma::{
    Block, Swizzle128, Tile, TileMap, kernel, ptx::mbarrier::Mbarrier, shared, thread::block_idx,
    warp,
};

/// The number of rows and columns of a tile: a row is the 128 bytes of the swizzle's span.
pub const TILE: usize = 32;
/// The number of threads of a block.
pub const THREADS: u32 = 256;

/// The box of the maps.
pub type Rows = [[u32; TILE]; TILE];

/// The number of elements that a warp moves at once.
const STEPS: u32 = (TILE * TILE) as u32 / THREADS;

/// Writes the transpose of a matrix of 4-byte elements.
///
/// Block (`x`, `y`) loads the tile in column `x` and row `y` of tiles, and stores it, transposed, in
/// column `y` and row `x`. Elements outside the source are zero, elements outside the target are
/// left out.
///
/// # Safety
/// 1. `source` and `target` are over matrices that only this kernel uses while it runs.
/// 2. Blocks are one-dimensional, of [`THREADS`] threads.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/transpose.ptx"), "\n```"))]
#[kernel(max_threads = 256)]
pub unsafe fn transpose(
    #[grid_constant] source: &TileMap<Rows, Swizzle128>,
    #[grid_constant] target: &TileMap<Rows, Swizzle128>,
) {
    shared! {
        static TILE_IN: Tile<Rows, Swizzle128>;
        static TILE_OUT: Tile<Rows, Swizzle128>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (2), and the matrices are this kernel's (1).
    let block = unsafe { Block::converged() };
    let [column, row] = [block_idx().x, block_idx().y].map(|tile| (tile * TILE as u32) as i32);
    let tile_in = block.load_tile(TILE_IN::ptr(), BAR::ptr(), source, [column, row]);
    let tile_in = tile_in.wait();
    let (first, lane) = (block.thread() / 32 * STEPS, warp::lane());
    for step in first..first + STEPS {
        let [row, column] = element(lane, step);
        let (from, to) = (
            tile_in.as_ptr().at([column, row]),
            TILE_OUT::ptr().at([row, column]),
        );
        // SAFETY: both elements are in their tiles; no other code has the one that is written.
        unsafe { to.write(from.read()) };
    }
    // SAFETY: the threads have written the whole tile.
    let tile_out = unsafe { block.written_tile(TILE_OUT::ptr()) };
    tile_out.store(block, target, [row, column]);
}

/// The number of rows and columns of a tile of [`transpose_wide`]: a row is 256 bytes.
pub const WIDE_TILE: usize = 64;
/// The number of rows and columns of the square that a thread transposes in registers.
const SQUARE: usize = 4;
/// The number of neighbouring squares in a wide tile.
const SQUARES: u32 = (WIDE_TILE / SQUARE) as u32;

/// The box of the maps of [`transpose_wide`].
pub type WideRows = [[u32; WIDE_TILE]; WIDE_TILE];

/// Works like [`transpose`], through tiles with rows of twice the length, without a swizzle: memory takes rows of 256 bytes faster.
///
/// Block (`x`, `y`) has the tile in column `y` and row `x` of the source, so that blocks which run at once write tiles
/// beside each other.
///
/// Each thread transposes 4 by 4 elements in registers. Of these squares eight lanes have those on a diagonal, so that
/// the 16 bytes that each of them reads, and those that each writes, are in different banks.
///
/// # Safety
/// 1. As for [`transpose`].
/// 2. Blocks are one-dimensional, of [`THREADS`] threads.
#[kernel(max_threads = 256)]
pub unsafe fn transpose_wide(
    #[grid_constant] source: &TileMap<WideRows>,
    #[grid_constant] target: &TileMap<WideRows>,
) {
    shared! {
        static TILE_IN: Tile<WideRows>;
        static TILE_OUT: Tile<WideRows>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (2), and the matrices are this kernel's (1).
    let block = unsafe { Block::converged() };
    let [row, column] = [block_idx().x, block_idx().y].map(|tile| (tile * WIDE_TILE as u32) as i32);
    let tile_in = block.load_tile(TILE_IN::ptr(), BAR::ptr(), source, [column, row]);
    let tile_in = tile_in.wait();
    let [from, to] = square(block.thread());
    let (from, to) = (
        tile_in.as_ptr().cast::<[u32; SQUARE]>().add(from),
        TILE_OUT::ptr().cast::<[u32; SQUARE]>().add(to),
    );
    // SAFETY: the square has been loaded.
    let [a, b, c, d] = [0, 1, 2, 3].map(|row| unsafe { from.add(row * SQUARES).read() });
    let write = |row: u32, elements| {
        // SAFETY: the square is in its tile, and no other code has it.
        unsafe { to.add(row * SQUARES).write(elements) };
    };
    write(0, [a[0], b[0], c[0], d[0]]);
    write(1, [a[1], b[1], c[1], d[1]]);
    write(2, [a[2], b[2], c[2], d[2]]);
    write(3, [a[3], b[3], c[3], d[3]]);
    // SAFETY: the threads have written the whole tile.
    let tile_out = unsafe { block.written_tile(TILE_OUT::ptr()) };
    tile_out.store(block, target, [row, column]);
}

/// Returns the squares that a thread reads and writes, by the first row of four elements in each, counted over the tile.
#[inline(always)]
const fn square(thread: u32) -> [u32; 2] {
    let own = thread % SQUARES;
    let beside = (own + thread / SQUARES) % SQUARES;
    let first_row = SQUARE as u32 * SQUARES;
    [beside * first_row + own, own * first_row + beside]
}

/// Row and column of the element that a lane moves in a step.
///
/// In each step the lanes have two 4 x 4 blocks on a diagonal of an 8 x 8 block, or the two beside
/// it. Both the elements that a warp reads and those that it writes then are in 32 different
/// banks.
#[inline(always)]
const fn element(lane: u32, step: u32) -> [u32; 2] {
    let diagonal = lane >> 4;
    let beside = step & 1;
    let (block_row, block_column) = (step >> 1 & 3, step >> 3);
    [
        block_row * 8 + diagonal * 4 + (lane & 3),
        block_column * 8 + (diagonal ^ beside) * 4 + (lane >> 2 & 3),
    ]
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Transpose, TransposeForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Swizzle};
    use tma_launch::{Call, Conditions, MapRef, Region, Shape};

    use super::{THREADS, TILE, WIDE_TILE, transpose, transpose_wide};
    use crate::arguments::Matrix;

    /// Transposes a matrix of numbers of 4 bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Transpose {
        /// The tile that a block moves.
        pub form: TransposeForm,
        /// The matrix that is read.
        pub source: Matrix,
        /// The buffer.
        pub source_data: usize,
        /// The distance of the rows that are written, in elements.
        pub target_pitch: usize,
        /// The buffer that is written.
        pub target_data: usize,
    }

    /// The tile that a block of [`Transpose`] moves.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TransposeForm {
        /// 32 by 32 elements, with a swizzle.
        Tile,
        /// 64 by 64 elements, without one.
        Wide,
    }

    impl Transpose {
        /// Returns the matrix that is written.
        pub const fn target(&self) -> Matrix {
            Matrix {
                width: self.source.height,
                height: self.source.width,
                pitch: self.target_pitch,
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            self.source.check("the source", conditions);
            self.target().check("the target", conditions);
            let (side, swizzle) = match self.form {
                TransposeForm::Tile => (TILE, Swizzle::B128),
                TransposeForm::Wide => (WIDE_TILE, Swizzle::None),
            };
            let tiles = |length: usize| length.div_ceil(side) as u32;
            let (columns, rows) = (tiles(self.source.width), tiles(self.source.height));
            let grid = match self.form {
                TransposeForm::Tile => (columns, rows),
                TransposeForm::Wide => (rows, columns),
            };
            let map = |matrix: Matrix| {
                matrix
                    .map_of(DataType::U32, [side as u32; 2])
                    .swizzle(swizzle)
            };
            let (source, target) = (map(self.source), map(self.target()));
            conditions.reads(Region::tensor(source, self.source_data));
            conditions.writes(Region::tensor(target, self.target_data));
            let (source, target) = (
                MapRef::new(source, self.source_data),
                MapRef::new(target, self.target_data),
            );
            let call = match self.form {
                TransposeForm::Tile => transpose(source, target),
                TransposeForm::Wide => transpose_wide(source, target),
            };
            (call, Shape::new(grid, THREADS))
        }
    }
}

#[cfg(test)]
mod tests {
    use tma::SharedPtr;

    use super::*;

    const ALL_STEPS: u32 = (TILE * TILE) as u32 / 32;

    #[test]
    fn every_element_is_moved_once() {
        let mut moved = [[false; TILE]; TILE];
        for step in 0..ALL_STEPS {
            for lane in 0..32 {
                let [row, column] = element(lane, step).map(|index| index as usize);
                assert!(!moved[row][column]);
                moved[row][column] = true;
            }
        }
        assert!(moved.iter().flatten().all(|moved| *moved));
    }

    #[test]
    fn every_square_is_moved_once() {
        let mut moved = [[false; (SQUARES * SQUARES) as usize * SQUARE]; 2];
        for thread in 0..THREADS {
            for (moved, square) in moved.iter_mut().zip(square(thread)) {
                for row in 0..SQUARE as u32 {
                    let vector = &mut moved[(square + row * SQUARES) as usize];
                    assert!(!*vector);
                    *vector = true;
                }
            }
        }
        assert!(moved.iter().flatten().all(|moved| *moved));
    }

    #[test]
    fn no_eight_lanes_use_the_same_banks_for_squares() {
        const VECTORS: u32 = 8;
        for first in (0..THREADS).step_by(VECTORS as usize) {
            let mut used = [0_u32; 2];
            for thread in first..first + VECTORS {
                for (used, square) in used.iter_mut().zip(square(thread)) {
                    *used |= 1 << (square % VECTORS);
                }
            }
            assert_eq!(used, [0xff; 2], "threads from {first} on");
        }
    }

    #[test]
    fn no_two_lanes_use_the_same_bank() {
        let tile = SharedPtr::<Tile<Rows, Swizzle128>>::from_address(1024);
        for step in 0..ALL_STEPS {
            let (mut reads, mut writes) = (0_u32, 0_u32);
            for lane in 0..32 {
                let [row, column] = element(lane, step);
                reads |= 1 << (tile.at([column, row]).address() / 4 % 32);
                writes |= 1 << (tile.at([row, column]).address() / 4 % 32);
            }
            assert_eq!((reads, writes), (u32::MAX, u32::MAX), "step {step}");
        }
    }
}
