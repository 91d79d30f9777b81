//! The sixth step: a warpgroup that only loads, and two that only multiply, with its registers.

use tma::{
    Accumulator, Block, Swizzle128, Warpgroup,
    halves::Bf16,
    kernel,
    matrix::Boxes,
    pipeline::{self, Fill, Products},
    shared,
    thread::block_idx,
    tile::Pair,
};

pub use crate::product::THREADS;

use super::{BOX, Box64, Map, Tile64, write_sums};
use crate::product::{CONSUMER_REGISTERS, PRODUCER_REGISTERS};

/// The number of rows of C that a block has.
pub const ROWS: u32 = 128;
/// The number of columns of C that a block has: twice the products for each byte of A.
pub const COLUMNS: u32 = 256;
/// The number of stages in shared memory.
pub(super) const STAGES: u32 = 4;

/// Tiles of A, and of B.
pub(super) type Stage = Pair<[Tile64; 2], [Tile64; 4]>;

/// Multiplies tiles of 128 by 256; the products of a stage are started while the stage before is in flight.
///
/// # Safety
/// 1. (1) of [`gemm_step_3`](super::tensor_copies::gemm_step_3()); C has an even number of columns.
/// 2. Blocks have 384 threads; the grid has a block for each 256 columns of C, and in its second dimension for each 128
///    rows.
#[kernel(max_threads = 384, min_blocks = 1, shared_bytes = pipeline::bytes::<Stage>(STAGES, 1))]
pub unsafe fn gemm_step_6(
    #[grid_constant] a: &Map,
    #[grid_constant] b: &Map,
    c: *mut Bf16,
    m: u32,
    n: u32,
    k: u32,
) {
    // SAFETY: every thread gets here (2), and the tensors may be read (1).
    let block = unsafe { Block::converged() };
    let at = [block_idx().x * COLUMNS, block_idx().y * ROWS];
    let pipeline = block.product_pipeline::<Stage, STAGES>(shared::dynamic::<_, 1024>());
    let producer = |mut fill: Fill<Stage, STAGES>| load(&mut fill, [a, b], at, k);
    let consumer = |warpgroup: Warpgroup, mut products: Products<Stage, STAGES>| {
        let sums = sum(&mut products, warpgroup, k);
        let [column, row] = at;
        let row = row + BOX * warpgroup.index();
        // SAFETY: C is this kernel's (1).
        unsafe { write_sums(c, &sums, warpgroup, [column, row], [m, n]) };
    };
    // SAFETY: `max_threads` and `min_blocks` allow these registers.
    unsafe {
        pipeline.split::<THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS>(producer, consumer)
    };
}

/// Loads the stages of the tile of C that begins at this column and row.
#[inline(always)]
pub(super) fn load(
    fill: &mut Fill<Stage, STAGES>,
    [a, b]: [&Map; 2],
    [column, row]: [u32; 2],
    k: u32,
) {
    let mut first = 0;
    while first < k {
        let at = |mn: u32| move |number: u32| [first as i32, (mn + number * BOX) as i32];
        fill.next().load_pair((a, at(row)), (b, at(column)));
        first += BOX;
    }
}

/// Adds the products of all stages up. Collective of the warpgroup.
#[inline(always)]
pub(super) fn sum(
    products: &mut Products<Stage, STAGES>,
    warpgroup: Warpgroup,
    k: u32,
) -> Accumulator<[f32; 128]> {
    products.accumulate(Accumulator::zero(), k.div_ceil(BOX), |stage| {
        let (a, b) = stage.pair();
        let a = a.matrix::<Boxes<Box64, Swizzle128, 2, true>>();
        let b = b.matrix::<Boxes<Box64, Swizzle128, 4, true>>();
        (a.part::<64>(warpgroup.index()), b)
    })
}
