//! Products of matrices by the tensor cores of every architecture: `mma.sync` by warps, where [`gemm`](crate::gemm) has
//! `wgmma`.

use tma::{
    Block, KernelArg, Ring, SharedPtr, WarpColumns, WarpRows, WarpSums,
    halves::{Bf16, F16, Half},
    kernel, pipeline,
    ring::Cursor,
    shared,
    thread::grid_dim,
};

use crate::product::{BOX, Map, ROWS, Stage, Tiling, place};

/// Boxes of the columns of a tile.
const WIDE: usize = 4;

/// The number of columns of the product that a block computes at a time.
const COLUMNS: u32 = BOX * WIDE as u32;
/// Warps; each multiplies 64 rows and 64 columns. One more that loads would leave them too few registers: all
/// threads have the same number, and each quarter of a multiprocessor would have three warps.
const WARPS: u32 = 8;
/// The number of threads.
pub const THREADS: u32 = 32 * WARPS;

/// The places of the results.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Results {
    /// The number of elements from row to row of C.
    pub row_stride: u64,
    /// Rows and columns of C.
    pub extents: [u32; 2],
}

/// Writes A times B to C, rounded to its type. Sums are of `f32`.
///
/// A has M rows of K numbers and B has K rows of N: `gemm_mma_bf16_true_true_4` takes A as it is and B transposed, K
/// along the rows of both; where one of the two is `false`, it is A transposed, or B as it is. The last number is that
/// of the stages: two take 96 KiB of shared memory, four twice as much. Tiles of C, 128 by 256, are dealt to the
/// blocks. Elements after the ends of A and B along K count as zero. Columns are written in pairs.
///
/// # Safety
/// 1. `a` and `b` are maps with boxes of 64 by 64, of the rows of the matrices as they are in memory. No thread writes
///    A and B while the kernel runs.
/// 2. `tiling` has the tiles that cover C, at least one and fewer than 2^16 each way, in groups of 1 to 2^16 - 1 rows,
///    and stages of 64 that cover K. The tiles are fewer than 2^31 together, and coordinates are below 2^31.
/// 3. `c` points to the rows that `results` describes, of an element more where they have an odd number; no other code
///    uses them. `c` is a multiple of 4 bytes, and so is the stride.
/// 4. Grid and blocks are one-dimensional, blocks have 256 threads.
#[kernel(
    max_threads = 256,
    min_blocks = 1,
    instances(T = Bf16, F16; A_K_MAJOR = true, false; B_K_MAJOR = true, false; STAGES = 2, 4),
    shared_bytes = pipeline::bytes::<Stage<T, WIDE>>(stages, 1)
)]
pub unsafe fn gemm_mma<T: Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool, const STAGES: u32>(
    #[grid_constant] a: &Map<T>,
    #[grid_constant] b: &Map<T>,
    tiling: Tiling,
    results: Results,
    c: *mut T,
) {
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    let tiles = tiling.tiles[0] * tiling.tiles[1];
    let stages = shared::dynamic::<Stage<T, WIDE>, 1024>();
    // A stage is full when the copies have come, and empty when all warps have released it.
    let ring = block.ring::<STAGES>(stages.add(STAGES).cast(), 1, WARPS);
    let mut producer =
        Producer::<T, A_K_MAJOR, B_K_MAJOR, STAGES>::setup(block, [a, b], tiling, stages, ring);
    let mut consumer = Consumer::<T, A_K_MAJOR, B_K_MAJOR, STAGES>::setup(block, stages, ring);
    for tile in block.items(tiles) {
        let sums = consumer.main_loop(tiling.stages, || producer.load_next());
        let [row, column] = tiling.origin(tile, [ROWS, COLUMNS]);
        let [down, along] = consumer.part;
        // SAFETY: each element of C belongs to one thread (3).
        unsafe { results.epilogue(block, c, sums, [column + BOX * along, row + BOX * down]) };
    }
}

/// The producer: one thread loads the stages of the block's tiles, one after the other, ahead of the consumers.
struct Producer<'a, T, const A_K_MAJOR: bool, const B_K_MAJOR: bool, const STAGES: u32> {
    block: Block,
    maps: [&'a Map<T>; 2],
    tiling: Tiling,
    stages: SharedPtr<Stage<T, WIDE>>,
    ring: Ring<STAGES>,
    cursor: Cursor<STAGES>,
    /// The next tile.
    tile: u32,
    /// Row and column of the one that is being loaded, and the number of its next stage.
    origin: [u32; 2],
    stage: u32,
}

impl<'a, T: Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool, const STAGES: u32>
    Producer<'a, T, A_K_MAJOR, B_K_MAJOR, STAGES>
{
    /// Starts the loads of all stages but one.
    #[inline(always)]
    fn setup(
        block: Block,
        maps: [&'a Map<T>; 2],
        tiling: Tiling,
        stages: SharedPtr<Stage<T, WIDE>>,
        ring: Ring<STAGES>,
    ) -> Self {
        let mut producer = Self {
            block,
            maps,
            tiling,
            stages,
            ring,
            cursor: Cursor::new(),
            tile: block.index(),
            origin: [0; 2],
            stage: tiling.stages,
        };
        let mut ahead = 1;
        while ahead < STAGES {
            producer.load_next();
            ahead += 1;
        }
        producer
    }

    /// Loads the next stage, if there is one, from one thread once all warps have released the stage.
    #[inline(always)]
    fn load_next(&mut self) {
        if self.stage == self.tiling.stages {
            let [down, along] = self.tiling.tiles;
            if self.tile >= down * along || self.tiling.stages == 0 {
                return;
            }
            self.origin = self.tiling.origin(self.tile, [ROWS, COLUMNS]);
            self.tile += grid_dim().x;
            self.stage = 0;
        }
        if self.block.elect() {
            self.load();
        }
        self.stage += 1;
        self.cursor.advance();
    }

    #[inline(always)]
    fn load(&self) {
        let ([a, b], [row, column], k) = (self.maps, self.origin, self.stage * BOX);
        let [last_row, last_column] = self.tiling.last_boxes;
        let stage = self.stages.add(self.cursor.stage());
        self.ring.acquire(self.cursor);
        let full = self.ring.full(self.cursor);
        let mut loads = full.transaction();
        for number in 0..ROWS / BOX {
            let at = place(A_K_MAJOR, row + number * BOX, last_row, k);
            // SAFETY: the stage is empty, and the map belongs to the tile (1 of `gemm_mma`).
            unsafe { loads.tile(stage.first().at(number), a, at) };
        }
        for number in 0..WIDE as u32 {
            let at = place(B_K_MAJOR, column + number * BOX, last_column, k);
            // SAFETY: the stage is empty, and the map belongs to the tile (1 of `gemm_mma`).
            unsafe { loads.tile(stage.second().at(number), b, at) };
        }
        let _ = loads.arrive();
    }
}

/// A consumer: a warp that multiplies the stages.
struct Consumer<T, const A_K_MAJOR: bool, const B_K_MAJOR: bool, const STAGES: u32> {
    block: Block,
    /// The numbers of its boxes of A and of B in a tile.
    part: [u32; 2],
    stages: SharedPtr<Stage<T, WIDE>>,
    ring: Ring<STAGES>,
    cursor: Cursor<STAGES>,
}

/// The factors of a warp's products of 16 along K.
type Step<T> = (WarpRows<T>, WarpColumns<T>);

impl<T: Half, const A_K_MAJOR: bool, const B_K_MAJOR: bool, const STAGES: u32>
    Consumer<T, A_K_MAJOR, B_K_MAJOR, STAGES>
{
    #[inline(always)]
    fn setup(block: Block, stages: SharedPtr<Stage<T, WIDE>>, ring: Ring<STAGES>) -> Self {
        let number = block.warp().index();
        Self {
            block,
            part: [number % (ROWS / BOX), number / (ROWS / BOX)],
            stages,
            ring,
            cursor: Cursor::new(),
        }
    }

    /// Returns the sums of the next `stages` stages, and calls `load_ahead` for each.
    ///
    /// The factors of each 16 along K are loaded from shared memory while the products before are computed.
    #[inline(always)]
    fn main_loop(&mut self, stages: u32, mut load_ahead: impl FnMut()) -> WarpSums {
        let warp = self.block.warp();
        let mut sums = WarpSums::zero();
        if stages == 0 {
            return sums;
        }
        let mut left = stages;
        self.ring.wait(self.cursor);
        let mut even = self.step(0);
        loop {
            let odd = self.step(1);
            load_ahead();
            sums.add(warp, &even.0, &even.1);
            even = self.step(2);
            sums.add(warp, &odd.0, &odd.1);
            let odd = self.step(3);
            sums.add(warp, &even.0, &even.1);
            self.release();
            left -= 1;
            if left == 0 {
                sums.add(warp, &odd.0, &odd.1);
                return sums;
            }
            self.ring.wait(self.cursor);
            even = self.step(0);
            sums.add(warp, &odd.0, &odd.1);
        }
    }

    /// Loads the 16 along K with this number, of this stage.
    #[inline(always)]
    fn step(&self, number: u32) -> Step<T> {
        let stage = self.stages.add(self.cursor.stage());
        let [down, along] = self.part;
        let (a, b) = (stage.first().at(down), stage.second().at(along));
        let warp = self.block.warp();
        // SAFETY: copies have filled the stage, and no thread writes it before all warps have released it.
        unsafe {
            (
                WarpRows::load::<A_K_MAJOR, _, _>(a, warp, number),
                WarpColumns::load::<B_K_MAJOR, _, _>(b, warp, number),
            )
        }
    }

    /// Releases the stage, which all lanes have read.
    #[inline(always)]
    fn release(&mut self) {
        let warp = self.block.warp();
        warp.sync();
        if warp.lane() == 0 {
            self.ring.release(self.cursor);
        }
        self.cursor.advance();
    }
}

impl Results {
    /// Writes a warp's sums, the first one at these coordinates.
    ///
    /// # Safety
    /// 1. (3) of [`gemm_mma`] holds, and no other warp has these elements. The column is even.
    #[inline(always)]
    unsafe fn epilogue<T: Half>(&self, block: Block, c: *mut T, sums: WarpSums, first: [u32; 2]) {
        sums.each_pair(block.warp(), |at, pair| {
            // SAFETY: each element of a warp's sums belongs to one thread, in pairs from an even column on (1).
            unsafe { self.write(c, [first[0] + at[0], first[1] + at[1]], pair) };
        });
    }

    /// Writes two neighbouring sums, the first one at these coordinates, if that is in C.
    ///
    /// # Safety
    /// 1. (3) of [`gemm_mma`] holds, and no other thread uses these elements. The column is even.
    #[inline(always)]
    unsafe fn write<T: Half>(&self, c: *mut T, [column, row]: [u32; 2], sums: [f32; 2]) {
        let [rows, columns] = self.extents;
        if row < rows && column < columns {
            let at = u64::from(row) * self.row_stride + u64::from(column);
            // SAFETY: the elements are in C, and no other thread uses them (1).
            unsafe { *c.add(at as usize).cast::<u32>() = T::round(sums) };
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::GemmMma;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    //! The launch, and its conditions.

    use tensor_map::L2Promotion;
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::{COLUMNS, ROWS, Results, THREADS, gemm_mma};
    use crate::gemm::{Gemm, Numbers, with_element};

    /// The product of two matrices, on any architecture.
    ///
    /// Columns are written in pairs: where C has an odd number, the element after the last one is written, too.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GemmMma {
        /// The type of the matrices.
        pub numbers: Numbers,
        /// Rows of A and of the product, columns of B and of the product, and the extent that products are added up
        /// over: columns of A, rows of B.
        pub size: [u32; 3],
        /// A is given transposed: K rows of M numbers.
        pub a_transposed: bool,
        /// B is given transposed: N rows of K numbers.
        pub b_transposed: bool,
        /// The row strides of C, A and B as they are in memory, in elements; by default rows are stored one after the
        /// other.
        pub strides: [Option<u64>; 3],
        /// The buffer of the product.
        pub c: usize,
        /// The buffer of A.
        pub a: usize,
        /// The buffer of B.
        pub b: usize,
        /// Stages in shared memory: 4, or the 2 that fit into the 99 KiB of a block of compute capability 12.0.
        pub stages: u32,
        /// The number of multiprocessors, and so the most blocks.
        pub multiprocessors: u32,
    }

    impl GemmMma {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            // The same product as `gemm` has it.
            let gemm = Gemm {
                numbers: self.numbers,
                size: self.size,
                a_transposed: self.a_transposed,
                b_transposed: self.b_transposed,
                strides: self.strides,
                c: self.c,
                a: self.a,
                b: self.b,
                multiprocessors: self.multiprocessors,
                ..Gemm::default()
            };
            let [m, n, _] = self.size;
            let [c, a, b] = gemm.all_matrices(conditions, 2);
            let (tiling, count) = gemm.tiling(conditions, [ROWS, COLUMNS]);
            let promotion = L2Promotion::None;
            let c_map = gemm.map(c, promotion);
            let [a, b] = gemm.operands(conditions, c_map, [a, b], promotion);
            // Columns are written in pairs.
            let pairs = c.span().div_ceil(2);
            conditions.writes(Region::bytes(self.c, pairs.saturating_mul(4)));
            let (a_k_major, b_k_major) = (!self.a_transposed, self.b_transposed);
            let results = Results {
                row_stride: c.strides[0],
                extents: [m, n],
            };
            let call = with_element!(self.numbers, T => {
                let c = BufferRef::<T>::new(self.c);
                gemm_mma::<T>(a_k_major, b_k_major, self.stages, a, b, tiling, results, c)
            });
            (call, Shape::new(gemm.blocks(count), THREADS))
        }
    }
}
