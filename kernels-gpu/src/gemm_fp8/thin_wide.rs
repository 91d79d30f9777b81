//! Products of at most 64 rows with many columns.

use tma::{halves::Bf16, kernel};

use super::{BLOCK, Kernel, Map8, Operands, Product, ScaleMap, Stage, TilePlace, shared_bytes};
use crate::product::Map;

/// The number of blocks of 128 columns of a tile.
pub(super) const BLOCKS: u32 = 2;
/// The number of stages in shared memory.
const STAGES: u32 = 4;
const SHARED_BYTES: u64 = shared_bytes::<Stage<1, 4>>(STAGES);

/// [`gemm_fp8`](super::gemm_fp8()) for at most 64 rows and many columns, with tiles of 64 by 256: each warpgroup that
/// multiplies has 128 of their columns.
///
/// # Safety
/// 1. The conditions of [`gemm_fp8`](super::gemm_fp8()), for at most 64 rows.
#[kernel(max_threads = 384, min_blocks = 1, shared_bytes = SHARED_BYTES)]
pub unsafe fn gemm_fp8_thin_wide(
    #[grid_constant] c: &Map<Bf16>,
    #[grid_constant] a: &Map8,
    #[grid_constant] b: &Map8,
    product: Product,
    #[grid_constant] a_scales: &ScaleMap,
    b_scales: *const f32,
) {
    let operands = Operands::new(c, a, b, product, a_scales, b_scales);
    let places = || {
        |tile| {
            let column = BLOCKS * BLOCK * tile;
            Some(TilePlace {
                row: 0,
                column,
                row_of_b: column,
                block_of_b: BLOCKS * tile,
            })
        }
    };
    let tiles = product.tiles[1].div_ceil(BLOCKS);
    // SAFETY: (1) to (4) of `gemm_fp8` hold for all tiles (1), and each has a place.
    unsafe { Kernel::<_, 1, 4, STAGES>::run(operands, tiles, places) };
}
