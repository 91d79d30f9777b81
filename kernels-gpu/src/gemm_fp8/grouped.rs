//! Products of rows with matrices of experts: each group of rows of A has its own B.

use core::hint::assert_unchecked;

use tma::{halves::Bf16, kernel};

use super::{BLOCK, Map8, Operands, Product, SHARED_BYTES, ScaleMap, Square, TilePlace};
use crate::product::Map;

/// [`gemm_fp8`](super::gemm_fp8()) with a B for each 128 rows of A: `experts[i]` is the number of that for the rows from
/// `128 * i` on. Rows for which it is none of the experts' numbers, such as -1, are not computed, and C is left as it is.
///
/// # Safety
/// 1. The conditions of [`gemm_fp8`](super::gemm_fp8()), where B has the rows of all experts, one expert after the
///    other, and so have their scales: the last rows of an expert count as 128.
/// 2. `experts` has a number for each 128 rows of A, and no thread writes them.
#[kernel(max_threads = 384, min_blocks = 1, shared_bytes = SHARED_BYTES)]
pub unsafe fn gemm_fp8_contiguous(
    #[grid_constant] c: &Map<Bf16>,
    #[grid_constant] a: &Map8,
    #[grid_constant] b: &Map8,
    product: Product,
    #[grid_constant] a_scales: &ScaleMap,
    b_scales: *const f32,
    experts: *const u32,
) {
    let operands = Operands::new(c, a, b, product, a_scales, b_scales);
    let [down, along] = product.tiles;
    let places = || {
        move |tile| {
            // SAFETY: there are tiles and rows in a group, fewer than 2^16 each (1).
            let [row, column] = unsafe { product.origin(tile) };
            // SAFETY: the rows have an expert (2).
            let expert = unsafe { *experts.add((row / BLOCK) as usize) };
            (expert < product.experts)
                .then(|| TilePlace::of_expert(&product, expert, [row, column]))
        }
    };
    // SAFETY: (1) holds for all tiles, and B has the rows of each expert with a number below theirs (1).
    unsafe { Square::run(operands, down * along, places) };
}

/// [`gemm_fp8`](super::gemm_fp8()) with a B for each matrix of A. Each expert has the same number of rows of A and C, a
/// multiple of 128, one expert after the other; `rows[i]` of them are computed, up to the next multiple of 128. For the
/// others C is left as it is.
///
/// # Safety
/// 1. (1) of [`gemm_fp8_contiguous`], but the tiles belong to one expert.
/// 2. `rows` has a number for each expert, and no thread writes them.
#[kernel(max_threads = 384, min_blocks = 1, shared_bytes = SHARED_BYTES)]
pub unsafe fn gemm_fp8_masked(
    #[grid_constant] c: &Map<Bf16>,
    #[grid_constant] a: &Map8,
    #[grid_constant] b: &Map8,
    product: Product,
    #[grid_constant] a_scales: &ScaleMap,
    b_scales: *const f32,
    rows: *const u32,
) {
    let operands = Operands::new(c, a, b, product, a_scales, b_scales);
    let [most_down, along] = product.tiles;
    let places = || {
        // The expert of the tile before, and its first tile.
        let (mut expert, mut first) = (0, 0);
        move |tile: u32| {
            while expert < product.experts {
                // SAFETY: the expert has a number (2).
                let rows = unsafe { *rows.add(expert as usize) };
                let down = rows.div_ceil(BLOCK).min(most_down);
                let within = tile - first;
                if within < down * along {
                    // SAFETY: `within` is below `down * along`, so `down` is not 0.
                    unsafe { assert_unchecked(down != 0) };
                    let row = (expert * most_down + within % down) * BLOCK;
                    let at = [row, within / down * BLOCK];
                    return Some(TilePlace::of_expert(&product, expert, at));
                }
                first += down * along;
                expert += 1;
            }
            None
        }
    };
    // SAFETY: (1) holds for the tiles of each expert, whose rows of A, B and C follow those of the one before.
    unsafe { Square::run(operands, product.experts * most_down * along, places) };
}

impl TilePlace {
    /// Returns the place of the tile at these coordinates of C, row and column, with the B of this expert.
    #[inline(always)]
    fn of_expert(product: &Product, expert: u32, [row, column]: [u32; 2]) -> Self {
        Self {
            row,
            column,
            row_of_b: expert * product.columns + column,
            block_of_b: expert * product.tiles[1] + column / BLOCK,
        }
    }
}
