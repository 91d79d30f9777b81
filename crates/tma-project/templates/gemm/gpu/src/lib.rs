//! The kernels, compiled to PTX by `build.rs`. For the host they compile too, for editors.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{
    Accumulator, Block, Epilogue, Outputs, Swizzle128, Tile, TileMap, halves::Bf16, kernel,
    matrix::Boxes, pipeline, shared, tile::Pair,
};

/// The number of rows of C that a block computes.
pub const ROWS: u32 = 64;
/// The number of columns of C and of its blocks.
pub const COLUMNS: u32 = 128;
/// The number of elements along K of a stage.
pub const DEPTH: u32 = 64;
/// The number of threads of a block: a producer warpgroup, and one that multiplies.
pub const THREADS: u32 = 256;

/// The box of the maps: its 128-byte swizzle is the layout that tensor cores read.
pub type Box64 = [[Bf16; 64]; 64];
type Tile64 = Tile<Box64, Swizzle128>;

/// A stage: a tile of A, and two of B.
type Stage = Pair<[Tile64; 1], [Tile64; 2]>;
const STAGES: u32 = 4;

/// Stores the sums as they are. An activation or a bias would be applied here.
struct Plain;

impl Epilogue for Plain {
    #[inline(always)]
    fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        sums
    }
}

/// Writes A times the transpose of B to C; each block has `ROWS` rows of C. B has `COLUMNS` rows.
///
/// # Safety
/// 1. `c`, `a` and `b` are maps over matrices of `bf16`: C has rows of `COLUMNS` numbers, A and B have rows of `k`. No
///    thread writes A or B, and no other code uses C.
/// 2. Blocks have `THREADS` threads, grid and blocks are one-dimensional, and the launch has the shared memory.
#[kernel(
    max_threads = 256,
    min_blocks = 1,
    shared_bytes = size_of::<Tile64>() as u64 + pipeline::bytes::<Stage>(STAGES, 1)
)]
pub unsafe fn {{kernel_name}}(
    #[grid_constant] c: &TileMap<Box64, Swizzle128>,
    #[grid_constant] a: &TileMap<Box64, Swizzle128>,
    #[grid_constant] b: &TileMap<Box64, Swizzle128>,
    k: u32,
) {
    // SAFETY: every thread gets here (2), and the matrices may be used (1).
    let block = unsafe { Block::converged() };
    let output = shared::dynamic::<Tile64, 1024>();
    let row = ROWS * block.index();
    let stages = k.div_ceil(DEPTH);
    let pipeline = block.product_pipeline::<Stage, STAGES>(output.add(1).cast());
    // One thread of the producer warpgroup loads the stages; elements out of bounds are zero.
    let producer = |mut fill: pipeline::Fill<Stage, STAGES>| {
        for stage in 0..stages {
            let column = (DEPTH * stage) as i32;
            fill.next().load_pair(
                (a, |_| [column, row as i32]),
                (b, |number| [column, 64 * number as i32]),
            );
        }
    };
    // The consumer warpgroup adds up the products of all stages, and stores its sums.
    let consumer = |warpgroup, mut products: pipeline::Products<Stage, STAGES>| {
        let sums = products.accumulate(Accumulator::<[f32; 64]>::zero(), stages, |stage| {
            let (a, b) = stage.pair();
            (
                a.matrix::<Boxes<Box64, Swizzle128, 1, true>>(),
                b.matrix::<Boxes<Box64, Swizzle128, 2, true>>(),
            )
        });
        let mut outputs = Outputs::<_, _, _, 1>::new(warpgroup, output);
        outputs.store_sums(&sums, c, [0, row], &Plain);
        outputs.finish();
    };
    // SAFETY: `max_threads` and `min_blocks` allow these registers.
    unsafe { pipeline.split::<THREADS, 64, 256>(producer, consumer) };
}
