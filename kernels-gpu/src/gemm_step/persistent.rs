//! The seventh step: blocks stay, and take one tile after the other; results are stored during the next products.

use core::num::NonZero;

use tma::{
    Block, Outputs, Swizzle128, Tile, Warpgroup, kernel,
    pipeline::{self, Fill, Products},
    shared,
};

use crate::{
    gemm::Identity,
    product::{CONSUMER_REGISTERS, PRODUCER_REGISTERS},
};

use super::{
    BOX, Box64, Map,
    roles::{COLUMNS, ROWS, STAGES, Stage, THREADS, load, sum},
};

/// The number of tiles in which a warpgroup leaves results: one is stored while the next is written.
const OUTPUTS: u32 = 2;

type Output = [Tile<Box64, Swizzle128>; OUTPUTS as usize];

/// Multiplies tiles of 128 by 256, which are numbered down the rows of C.
///
/// # Safety
/// 1. `a`, `b` and `c` are maps of the matrices of [`gemm_step`](super). No thread writes A and B while the kernel
///    runs, no other code uses C.
/// 2. There are `tiles` tiles, and `down` of them cover the rows of C; there are fewer than 2^31.
/// 3. Grid and blocks are one-dimensional, blocks have 384 threads.
#[kernel(
    max_threads = 384,
    min_blocks = 1,
    shared_bytes = 2 * size_of::<Output>() as u64 + pipeline::bytes::<Stage>(STAGES, 1)
)]
pub unsafe fn gemm_step_7(
    #[grid_constant] a: &Map,
    #[grid_constant] b: &Map,
    #[grid_constant] c: &Map,
    tiles: u32,
    down: NonZero<u32>,
    k: u32,
) {
    // SAFETY: every thread gets here (3), and the tensors are this kernel's (1).
    let block = unsafe { Block::converged() };
    let outputs = shared::dynamic::<Output, 1024>();
    let pipeline = block.product_pipeline::<Stage, STAGES>(outputs.add(2).cast());
    let origin = |tile: u32| [tile / down * COLUMNS, tile % down * ROWS];
    // While a tile is finished, the stages of the next one are loaded.
    let producer = |mut fill: Fill<Stage, STAGES>| {
        for tile in block.items(tiles) {
            load(&mut fill, [a, b], origin(tile), k);
        }
    };
    let consumer = |warpgroup: Warpgroup, mut products: Products<Stage, STAGES>| {
        let index = warpgroup.index();
        let mut outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, outputs.add(index).cast());
        for tile in block.items(tiles) {
            let sums = sum(&mut products, warpgroup, k);
            let [column, row] = origin(tile);
            outputs.store_sums(&sums, c, [column, row + BOX * index], &Identity);
        }
        outputs.finish();
    };
    // SAFETY: `max_threads` and `min_blocks` allow these registers.
    unsafe {
        pipeline.split::<THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS>(producer, consumer)
    };
}
