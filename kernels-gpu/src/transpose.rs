//! A transpose through tiles with a 128-byte swizzle, without bank conflicts.

use tma::{
    Barrier, SharedPtr, Stores, TensorMap, kernel,
    ptx::{fence, mbarrier::Mbarrier},
    shared,
    thread::{block_idx, is_elected, sync_threads, thread_idx},
    warp,
};

/// Rows and columns of a tile: a row is the 128 bytes of the swizzle's span.
pub const TILE: usize = 32;
/// Threads of a block.
pub const THREADS: u32 = 256;

const TILE_BYTES: u32 = size_of::<[u32; TILE * TILE]>() as u32;
/// A warp moves so many elements at once.
const STEPS: u32 = (TILE * TILE) as u32 / THREADS;

/// Writes the transpose of a matrix of 4-byte elements.
///
/// Block (`x`, `y`) loads the tile in column `x` and row `y` of tiles, and stores it, transposed, in
/// column `y` and row `x`. What lies outside the source is zero, what lies outside the target is
/// left out.
///
/// # Safety
/// 1. `source` and `target` are two-dimensional maps of 4-byte elements with boxes of [`TILE`] by
///    [`TILE`] and a 128-byte swizzle, over matrices that nobody else uses while the kernel runs.
/// 2. Blocks are one-dimensional, of [`THREADS`] threads.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/transpose.ptx"), "\n```"))]
#[kernel(max_threads = 256)]
pub unsafe fn transpose(#[grid_constant] source: &TensorMap, #[grid_constant] target: &TensorMap) {
    // The swizzle follows the address: tiles begin at multiples of its 1024 bytes.
    shared! {
        static TILE_IN: [u32; TILE * TILE] align 1024;
        static TILE_OUT: [u32; TILE * TILE] align 1024;
        static BAR: Mbarrier;
    }
    let (tile_in, tile_out) = (TILE_IN::ptr(), TILE_OUT::ptr());
    let [column, row] = [block_idx().x, block_idx().y].map(|tile| (tile * TILE as u32) as i32);

    if thread_idx().x == 0 {
        // SAFETY: one thread does so, before any other uses the barrier.
        unsafe { Barrier::init(BAR::ptr(), 1) };
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: `sync_threads` orders the initialisation before; one thread arrives, with the bytes.
    let bar = unsafe { Barrier::assume_init(BAR::ptr()) };

    // SAFETY: whole warps are here, and blocks are one-dimensional (2).
    if unsafe { is_elected() } {
        let mut load = bar.transaction();
        // SAFETY: the map has this box (1), which begins at a multiple of 128 bytes, and nobody uses
        // the tile before the phase completes.
        unsafe { load.tensor(tile_in.cast(), source, [column, row], TILE_BYTES) };
        let _ = load.arrive();
    }
    bar.wait_parity(0);

    let warp_index = thread_idx().x / 32;
    for step in 0..STEPS {
        let [row, column] = element(warp::lane(), warp_index * STEPS + step);
        // SAFETY: both elements are in their tiles; the copy wrote the one, nobody else has the
        // other.
        unsafe { swizzled(tile_out, [column, row]).write(swizzled(tile_in, [row, column]).read()) };
    }

    // Make each thread's writes visible to the copy engine, then synchronise.
    // SAFETY: a fence only orders.
    unsafe { fence::proxy_async_shared_cta() };
    // SAFETY: every thread is here.
    unsafe { sync_threads() };

    // SAFETY: whole warps are here, and blocks are one-dimensional (2).
    if unsafe { is_elected() } {
        let mut stores = Stores::new();
        // SAFETY: the map has this box (1), no coordinate is negative, and fences and
        // `sync_threads` order the writes before.
        unsafe { stores.tensor(target, [row, column], tile_out.cast()) };
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

/// Where the 128-byte swizzle puts an element: the 16-byte chunk of its row is exchanged with that
/// whose number differs by the row's number modulo 8.
#[inline(always)]
const fn swizzled(tile: SharedPtr<[u32; TILE * TILE]>, [row, column]: [u32; 2]) -> SharedPtr<u32> {
    let chunk = (column / 4) ^ (row % 8);
    tile.at(row * TILE as u32 + chunk * 4 + column % 4)
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::Transpose;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Swizzle, TensorMap, Tiled};
    use tma_launch::{Conditions, Launch, MapRef, Shape, Violations};

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
            let call = transpose(
                MapRef::new(map(self.source), self.source_data),
                MapRef::new(map(self.target()), self.target_data),
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
        let tile = SharedPtr::from_address(1024);
        for step in 0..ALL_STEPS {
            let (mut reads, mut writes) = (0_u32, 0_u32);
            for lane in 0..32 {
                let [row, column] = element(lane, step);
                reads |= 1 << (swizzled(tile, [row, column]).address() / 4 % 32);
                writes |= 1 << (swizzled(tile, [column, row]).address() / 4 % 32);
            }
            assert_eq!((reads, writes), (u32::MAX, u32::MAX), "step {step}");
        }
    }
}
