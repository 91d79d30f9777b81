//! A transpose through tiles with a 128-byte swizzle, without bank conflicts.

use core::array;

use tma::{
    Block, Stores, Swizzle128, Tile, TileMap, kernel,
    ptx::{fence, mbarrier::Mbarrier},
    shared,
    thread::block_idx,
    warp,
};

/// Rows and columns of a tile: a row is the 128 bytes of the swizzle's span.
pub const TILE: usize = 32;
/// Threads of a block.
pub const THREADS: u32 = 256;

/// The box of the maps.
pub type Rows = [[u32; TILE]; TILE];

/// A warp moves so many elements at once.
const STEPS: u32 = (TILE * TILE) as u32 / THREADS;

/// Writes the transpose of a matrix of 4-byte elements.
///
/// Block (`x`, `y`) loads the tile in column `x` and row `y` of tiles, and stores it, transposed, in
/// column `y` and row `x`. What lies outside the source is zero, what lies outside the target is
/// left out.
///
/// # Safety
/// 1. `source` and `target` are over matrices that nobody else uses while the kernel runs.
/// 2. Blocks are one-dimensional, of [`THREADS`] threads.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/transpose.ptx"), "\n```"))]
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
        // SAFETY: both elements are in their tiles; nobody else has the one that is written.
        unsafe { to.write(from.read()) };
    }
    // SAFETY: the threads have written the whole tile.
    let tile_out = unsafe { block.written_tile(TILE_OUT::ptr()) };
    tile_out.store(block, target, [row, column]);
}

/// Steps that a warp reads before it writes: those of eight columns of a tile.
const AHEAD: u32 = TILE as u32 / 4;

/// Columns and rows of tiles that a block of [`transpose_tiles`] has.
const TILES: [u32; 2] = [2, 4];
/// Threads of its block.
pub const THREADS_OF_TILES: u32 = 512;
const TILES_OF_BLOCK: u32 = TILES[0] * TILES[1];

/// As [`transpose`], with 2 columns and 4 rows of tiles for each block, all of which are loaded at once: the block reads
/// rows of 256 bytes and writes rows of 512.
///
/// # Safety
/// 1. As for [`transpose`].
/// 2. Blocks are one-dimensional, of [`THREADS_OF_TILES`] threads, and the launch has the shared memory.
#[kernel(
    max_threads = 512,
    shared_bytes = 2 * u64::from(TILES_OF_BLOCK) * size_of::<Tile<Rows, Swizzle128>>() as u64
)]
pub unsafe fn transpose_tiles(
    #[grid_constant] source: &TileMap<Rows, Swizzle128>,
    #[grid_constant] target: &TileMap<Rows, Swizzle128>,
) {
    shared! {
        static LOADED: Mbarrier;
    }
    let tiles_in = shared::dynamic::<Tile<Rows, Swizzle128>, 1024>();
    let tiles_out = tiles_in.add(TILES_OF_BLOCK);
    // SAFETY: every thread gets here (2), and the matrices are this kernel's (1).
    let block = unsafe { Block::converged() };
    let [columns, rows] = TILES;
    let (first_column, first_row) = (columns * block_idx().x, rows * block_idx().y);
    let coord = |tile: u32| (tile * TILE as u32) as i32;
    let loading = block.load(LOADED::ptr(), |loads| {
        for number in 0..TILES_OF_BLOCK {
            let (row, column) = (number / columns, number % columns);
            let coords = [coord(first_column + column), coord(first_row + row)];
            // SAFETY: nobody else uses the tile, and the source may be read (1).
            unsafe { loads.tile(tiles_in.add(number), source, coords) };
        }
    });
    loading.wait();

    let (warp, lane) = (block.warp().index(), warp::lane());
    let mut part = warp;
    while part < TILES_OF_BLOCK * (TILE as u32 / 8) {
        let (number, first) = (part / (TILE as u32 / 8), part % (TILE as u32 / 8) * AHEAD);
        let (row, column) = (number / columns, number % columns);
        let (from, to) = (tiles_in.add(number), tiles_out.add(column * rows + row));
        let elements: [u32; AHEAD as usize] = array::from_fn(|step| {
            let [row, column] = element(lane, first + step as u32);
            // SAFETY: the element is in its tile, which was loaded.
            unsafe { from.at([column, row]).read() }
        });
        for (step, value) in elements.iter().enumerate() {
            let [row, column] = element(lane, first + step as u32);
            // SAFETY: the element is in its tile, and nobody else has it.
            unsafe { to.at([row, column]).write(*value) };
        }
        part += THREADS_OF_TILES / 32;
    }
    fence::proxy_async_shared_cta();
    block.sync();
    if block.elect() {
        let mut stores = Stores::new();
        for number in 0..TILES_OF_BLOCK {
            let (column, row) = (number / rows, number % rows);
            let coords = [coord(first_row + row), coord(first_column + column)];
            // SAFETY: all threads have written the tile before fence and barrier, the target may be written (1), and
            // the block stays until the tile has been read.
            unsafe { stores.tile(target, coords, tiles_out.add(number)) };
        }
        stores.commit().wait_read();
    }
}

/// Row and column of the element that a lane moves in a step.
///
/// In each step the lanes have two 4 x 4 blocks on a diagonal of an 8 x 8 block, or the two beside
/// it. Both the elements that a warp reads and those that it writes then lie in 32 different
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
    use tensor_map::{DataType, Swizzle, TensorMap, Tiled};
    use tma_launch::{Conditions, Launch, MapRef, Region, Shape, Violations};

    use super::{THREADS, THREADS_OF_TILES, TILE, TILES, transpose, transpose_tiles};
    use crate::arguments::Matrix;

    /// Transposes a matrix of numbers of 4 bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Transpose {
        /// The tiles that a block moves.
        pub form: TransposeForm,
        /// The matrix that is read.
        pub source: Matrix,
        /// Its buffer.
        pub source_data: usize,
        /// The distance of the rows that are written, in elements.
        pub target_pitch: usize,
        /// The buffer that is written.
        pub target_data: usize,
    }

    /// The tiles that a block of [`Transpose`] moves.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TransposeForm {
        /// One tile of 32 by 32 elements.
        Tile,
        /// 2 columns and 4 rows of tiles.
        Tiles,
    }

    impl Transpose {
        /// The matrix that is written.
        pub const fn target(&self) -> Matrix {
            Matrix {
                width: self.source.height,
                height: self.source.width,
                pitch: self.target_pitch,
            }
        }

        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            self.source.check("the source", &mut conditions);
            self.target().check("the target", &mut conditions);
            let tiles = |length: usize| length.div_ceil(TILE) as u32;
            let grid = (tiles(self.source.width), tiles(self.source.height));
            let (source, target) = (map(self.source), map(self.target()));
            conditions.reads(Region::tensor(source, self.source_data));
            conditions.writes(Region::tensor(target, self.target_data));
            let (source, target) = (
                MapRef::new(source, self.source_data),
                MapRef::new(target, self.target_data),
            );
            match self.form {
                TransposeForm::Tile => {
                    conditions.launch(transpose(source, target), Shape::new(grid, THREADS))
                }
                TransposeForm::Tiles => {
                    let grid = (grid.0.div_ceil(TILES[0]), grid.1.div_ceil(TILES[1]));
                    let call = transpose_tiles(source, target);
                    conditions.launch(call, Shape::new(grid, THREADS_OF_TILES))
                }
            }
        }
    }

    /// A row of a box is the 128 bytes of the swizzle's span.
    fn map(matrix: Matrix) -> Tiled {
        let dims = [matrix.width as u64, matrix.height as u64];
        TensorMap::tiled(DataType::U32, &dims)
            .strides_bytes(&[matrix.pitch_bytes()])
            .box_dims(&[TILE as u32; 2])
            .swizzle(Swizzle::B128)
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
