//! A transpose through tiles with a 128-byte swizzle, without bank conflicts.

use tma::{
    Block, Swizzle128, Tile, TileMap, kernel, ptx::mbarrier::Mbarrier, shared, thread::block_idx,
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
pub use host::Transpose;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Swizzle, TensorMap, Tiled};
    use tma_launch::{Conditions, Launch, MapRef, Region, Shape, Violations};

    use super::{THREADS, TILE, transpose};
    use crate::arguments::Matrix;

    /// Transposes a matrix of numbers of 4 bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Transpose {
        /// The matrix that is read.
        pub source: Matrix,
        /// Its buffer.
        pub source_data: usize,
        /// The distance of the rows that are written, in elements.
        pub target_pitch: usize,
        /// The buffer that is written.
        pub target_data: usize,
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
            let call = transpose(
                MapRef::new(source, self.source_data),
                MapRef::new(target, self.target_data),
            );
            conditions.launch(call, Shape::new(grid, THREADS))
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
