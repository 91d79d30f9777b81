//! Products of matrices by tensor cores: tiles by tensor copies, sums in registers, results by tensor copies.

use tma::{
    Accumulator, Block, Outputs, Swizzle128, Tile, TileMap, halves::Bf16, kernel, matrix::KMajor,
    pipeline, shared, tile::Pair,
};

/// Rows and columns of the product that a block computes at a time.
pub const TILE: [u32; 2] = [128, 256];
/// Elements along K of a stage.
pub const DEPTH: u32 = 64;
/// Rows of tiles that share what they read of B in L2.
const GROUP: u32 = 16;
const STAGES: u32 = 4;
/// Threads: a warpgroup loads, two multiply.
pub const THREADS: u32 = 384;

type TileA = [[Bf16; DEPTH as usize]; TILE[0] as usize];
type TileB = [[Bf16; DEPTH as usize]; TILE[1] as usize];
type TileC = [[Bf16; 64]; 64];
type Stage = Pair<Tile<TileA, Swizzle128>, Tile<TileB, Swizzle128>>;

/// Tiles in which a warpgroup leaves results.
const OUTPUTS: u32 = 2;
const OUTPUT_BYTES: u32 = 2 * OUTPUTS * size_of::<Tile<TileC, Swizzle128>>() as u32;

/// Writes A times the transpose of B to C, rounded to `bf16`: sums are of `f32`.
///
/// `rows` by `columns` tiles of C are dealt to the blocks, which go through K in `stages` stages. What lies behind
/// the ends of A and B counts as zero.
///
/// # Safety
/// 1. `a` is a map of M rows of K elements, `b` one of N rows of K elements and `c` one of M rows of N elements, with
///    boxes as their types say; nobody writes A and B while the kernel runs, nobody else uses C.
/// 2. `rows` and `columns` are not 0; their product is below 2^31, and coordinates are below 2^31.
/// 3. Grid and blocks are one-dimensional.
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    shared_bytes = OUTPUT_BYTES as u64 + pipeline::bytes::<Stage>(STAGES, 1)
)]
pub unsafe fn gemm(
    #[grid_constant] c: &TileMap<TileC, Swizzle128>,
    #[grid_constant] a: &TileMap<TileA, Swizzle128>,
    #[grid_constant] b: &TileMap<TileB, Swizzle128>,
    rows: u32,
    columns: u32,
    stages: u32,
) {
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let memory = shared::dynamic::<u8, 1024>();
    let outputs = memory.cast::<Tile<TileC, Swizzle128>>();
    let pipeline = block.product_pipeline::<Stage, STAGES>(memory.byte_add(OUTPUT_BYTES).cast());
    // SAFETY: there are columns, and so few that a group of rows can be counted (2).
    unsafe { core::hint::assert_unchecked(columns != 0 && columns < 1 << 27) };
    let origin = |tile: u32| {
        let in_group = GROUP * columns;
        let first_row = tile / in_group * GROUP;
        let height = (rows - first_row).min(GROUP);
        // SAFETY: the group has the tile's row.
        unsafe { core::hint::assert_unchecked(height != 0) };
        let within = tile % in_group;
        [
            ((first_row + within % height) * TILE[0]) as i32,
            (within / height * TILE[1]) as i32,
        ]
    };
    let tiles = rows * columns;
    let fill = |mut fill: pipeline::Fill<Stage, STAGES>| {
        for tile in block.items(tiles) {
            let [row, column] = origin(tile);
            let mut stage = 0;
            while stage < stages {
                let depth = (stage * DEPTH) as i32;
                fill.next()
                    .load_pair((a, [depth, row]), (b, [depth, column]));
                stage += 1;
            }
        }
    };
    // SAFETY: with 384 threads and a block there are 168 registers a thread, of which 128 times 40 and 256 times
    // 232 are 64512 together.
    unsafe {
        pipeline.split::<40, 232>(fill, |warpgroup, mut products| {
            let index = warpgroup.index();
            let mut outputs = Outputs::<TileC, Swizzle128, _, OUTPUTS>::new(
                warpgroup,
                outputs.add(index * OUTPUTS),
            );
            for tile in block.items(tiles) {
                let [row, column] = origin(tile);
                let sums =
                    products.accumulate(Accumulator::<[f32; 128]>::zero(), stages, |stage| {
                        let (a, b) = stage.pair();
                        let a = a.matrix::<KMajor<TileA, Swizzle128>>().part::<64>(index);
                        (a, b.matrix::<KMajor<TileB, Swizzle128>>())
                    });
                sums.for_each_64_columns(|first, sums| {
                    let mut output = outputs.next();
                    output.write_sums(sums);
                    output.store(c, [column + first as i32, row + (64 * index) as i32]);
                });
            }
            outputs.finish();
        });
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::Gemm;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Swizzle, Tiled};
    use tma_launch::{Conditions, Launch, MapRef, Shape, Violations};

    use super::{DEPTH, THREADS, TILE, gemm};

    /// The product of a matrix and the transpose of another one, of `bf16`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Gemm {
        /// Rows of A and of the product.
        pub m: u32,
        /// Rows of B, columns of the product.
        pub n: u32,
        /// Columns of A and of B: the numbers of which products are added up.
        pub k: u32,
        /// The buffer of the product.
        pub c: usize,
        /// The buffer of A.
        pub a: usize,
        /// The buffer of B.
        pub b: usize,
        /// Blocks: one for each multiprocessor at most.
        pub blocks: u32,
    }

    impl Gemm {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let conditions = Conditions::default();
            let matrix = |rows: u32, columns: u32, box_rows: u32, buffer| {
                // Where there are no products, the map has columns that nobody loads.
                let columns = u64::from(columns).max(8);
                let map = Tiled::new(DataType::Bf16, &[columns, rows.into()])
                    .box_dims(&[64, box_rows])
                    .swizzle(Swizzle::B128);
                MapRef::new(map, buffer)
            };
            let call = gemm(
                matrix(self.m, self.n, 64, self.c),
                matrix(self.m, self.k, TILE[0], self.a),
                matrix(self.n, self.k, TILE[1], self.b),
                self.m.div_ceil(TILE[0]),
                self.n.div_ceil(TILE[1]),
                self.k.div_ceil(DEPTH),
            );
            conditions.launch(call, Shape::new(self.blocks, THREADS))
        }
    }
}
