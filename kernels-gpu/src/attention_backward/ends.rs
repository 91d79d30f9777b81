//! The work before and after the products.

use core::hint::assert_unchecked;

use tma::{
    Block, Warp, Warps,
    halves::Half,
    memory::{load, load_nc, load_ordered, store},
    ptx::{Acquire, Cg, Gpu, Wb},
};

use super::{
    BOX, END_THREADS, Extents, elements,
    extents::{FINISHED_TILES, Item, SUMS_OF_HALF, Starts},
    tile_queries,
};

/// Writes the statistics of a tile of queries, and zeros their counter.
///
/// # Safety
/// 1. The conditions of [`attention_backward_prepare_128`](super::attention_backward_prepare_128()), or of heads of another
///    length.
#[inline(always)]
pub(super) unsafe fn prepare<T: Half, const BOXES: usize, const PACKED: bool>(
    extents: Extents,
    starts: Starts,
    statistics: *mut f32,
    counters: *mut u32,
    [results, result_gradients]: [*const T; 2],
    logarithms: *const f32,
) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let (row, thread) = (block.index(), block.thread());
    // SAFETY: there are heads and queries (1).
    unsafe {
        assert_unchecked(extents.query_tiles != 0 && extents.key_heads * extents.sharing != 0)
    };
    let (head, tile) = (row / extents.query_tiles, row % extents.query_tiles);
    if thread == 0 {
        // SAFETY: each tile of queries has a counter, and after these each head of keys has one (1).
        unsafe {
            *counters.wrapping_add(row as usize) = 0;
            if row < extents.all_key_heads {
                let of_heads = counters.wrapping_add(extents.all_query_tiles() as usize);
                *of_heads.wrapping_add(row as usize) = 0;
            }
        }
    }

    let heads = extents.key_heads * extents.sharing;
    // SAFETY: the head exists, and the conditions of the kernel hold (1).
    let positions = unsafe { extents.positions_of::<PACKED>(head / heads, starts) };
    let queries = tile_queries(BOXES);
    let statistics = statistics.wrapping_add(row as usize * 2 * queries as usize);
    // Lanes that have a row, each 16 bytes.
    let row_lanes = elements(BOXES) / 8;
    let lane = thread % row_lanes;
    let mut query = thread / row_lanes;
    while query < queries {
        let in_sequence = tile * queries + query;
        let exists = in_sequence < positions.queries;
        let mut sum = 0.0;
        if exists {
            let at =
                extents.query_at::<BOXES, PACKED>(head, in_sequence, positions) + 8 * lane as usize;
            // SAFETY: the query has these 16 bytes of both tensors, which no thread writes (1).
            let [results, gradients] = unsafe {
                [results, result_gradients]
                    .map(|tensor| load_nc(tensor.wrapping_add(at).cast::<[u32; 4]>()))
            };
            let mut word = 0;
            while word < 4 {
                let [a, b] = T::values(results[word]);
                let [c, d] = T::values(gradients[word]);
                sum += a * c + b * d;
                word += 1;
            }
        }
        let warp = block.warp();
        let add = |sum: f32, distance| sum + warp.shuffle_xor(sum, distance);
        let sum = if BOXES == 1 { sum } else { add(sum, 8) };
        let sum = add(add(add(sum, 4), 2), 1);
        if lane == 0 {
            let mut shift = f32::NEG_INFINITY;
            if exists {
                let first = if PACKED {
                    (head % heads) as usize * starts.totals[0] as usize
                        + positions.first[0] as usize
                } else {
                    head as usize * extents.queries as usize
                };
                let at = first + in_sequence as usize;
                // SAFETY: the query has a logarithm (1).
                let logarithm = unsafe { load_nc(logarithms.wrapping_add(at)) };
                if logarithm != f32::NEG_INFINITY {
                    shift = -logarithm / extents.factor;
                }
            }
            let (sixteen, eight, lane, of_lane) =
                (query / 16, query / 8 % 2, query / 2 % 4, query % 2);
            let at = (16 * sixteen + 4 * lane + 2 * eight + of_lane) as usize;
            // SAFETY: each query has a place of both kinds (1).
            unsafe {
                *statistics.wrapping_add(at) = shift;
                *statistics.wrapping_add(at + queries as usize) = -sum;
            }
        }
        query += END_THREADS / row_lanes;
    }
}

/// Rounds the sums of some queries, times a factor, to their gradients, when all have been added; then zeros them.
///
/// # Safety
/// 1. The conditions of [`attention_backward_128`](super::attention_backward_128()), or of heads of another length; the
///    item finishes queries.
#[inline(always)]
pub(super) unsafe fn finish<T: Half, const BOXES: usize, const PACKED: bool>(
    warps: Warps,
    extents: Extents,
    starts: Starts,
    item: Item,
    gradients: *mut T,
    sums: *mut f32,
    counters: *const u32,
) {
    if warps.thread() == 0 {
        let added = counters.wrapping_add((extents.all_query_tiles() + item.head) as usize);
        // SAFETY: others add to the counter in order, after their additions (1).
        while unsafe { load_ordered::<Acquire, Gpu, u32>(added) } != extents.key_tiles() {}
    }
    warps.sync();
    // SAFETY: there are queries (1).
    unsafe {
        assert_unchecked(extents.query_tiles != 0 && extents.key_heads * extents.sharing != 0)
    };
    // SAFETY: there are heads (1).
    unsafe { assert_unchecked(extents.key_heads != 0) };
    let sequence = item.head / extents.key_heads;
    // SAFETY: the head exists, and the conditions of the kernel hold (1).
    let positions = unsafe { extents.positions_of::<PACKED>(sequence, starts) };
    let lane = warps.warp().lane();
    let tiles = extents.sharing * extents.query_tiles;
    let first_tile = item.number * FINISHED_TILES;
    let left = (tiles - first_tile).min(FINISHED_TILES);
    let first_row = item.head * tiles + first_tile;
    let sums = sums
        .cast::<[f32; 4]>()
        .wrapping_add(first_row as usize * SUMS_OF_HALF as usize / 2);
    // A unit has 16 sums of 128 threads: 64 rows of 32 elements.
    let load_unit = |unit: u32| {
        let at = sums.wrapping_add((unit / 128 * 512 + unit % 128) as usize);
        // SAFETY: the sums exist (1). Additions to them happened before, and no other thread has these.
        [0, 1, 2, 3].map(|eight| unsafe { load::<Cg, _>(at.wrapping_add(128 * eight)) })
    };
    let finish_unit = |unit: u32, sums_of: [[f32; 4]; 4]| {
        let at = sums.wrapping_add((unit / 128 * 512 + unit % 128) as usize);
        for eight in [0, 128, 256, 384] {
            // SAFETY: see above.
            unsafe { store::<Wb, _>(at.wrapping_add(eight), [0.0; 4]) };
        }
        let [a, b, c, d] = sums_of.map(|sums| sums.map(|sum| sum * extents.factor));
        let (row, quarter) = (first_row + unit / 512, unit / 128 % 4);
        let (head, tile) = (row / extents.query_tiles, row % extents.query_tiles);
        let (part, of_row) = (quarter / (2 * BOXES as u32), quarter % (2 * BOXES as u32));
        let first =
            tile * tile_queries(BOXES) + part * BOX + 16 * (unit % 128 / Warp::LANES) + lane / 4;
        let write = |query: u32, pairs: [[f32; 2]; 4]| {
            let vector = exchange(warps.warp(), pairs.map(T::round));
            if query < positions.queries {
                let element = 32 * of_row + 8 * (lane % 4);
                let at =
                    extents.query_at::<BOXES, PACKED>(head, query, positions) + element as usize;
                // SAFETY: the query has these 16 bytes, which are this thread's (1).
                unsafe { store::<Wb, _>(gradients.wrapping_add(at).cast::<[u32; 4]>(), vector) };
            }
        };
        write(
            first,
            [[a[0], a[1]], [b[0], b[1]], [c[0], c[1]], [d[0], d[1]]],
        );
        write(
            first + 8,
            [[a[2], a[3]], [b[2], b[3]], [c[2], c[3]], [d[2], d[3]]],
        );
    };
    let step = warps.threads();
    let mut unit = warps.thread();
    // Loads take long beside the additions of other blocks: many are under way.
    while unit + 7 * step < left * 512 {
        let a = load_unit(unit);
        let b = load_unit(unit + step);
        let c = load_unit(unit + 2 * step);
        let d = load_unit(unit + 3 * step);
        let e = load_unit(unit + 4 * step);
        let f = load_unit(unit + 5 * step);
        let g = load_unit(unit + 6 * step);
        let h = load_unit(unit + 7 * step);
        finish_unit(unit, a);
        finish_unit(unit + step, b);
        finish_unit(unit + 2 * step, c);
        finish_unit(unit + 3 * step, d);
        finish_unit(unit + 4 * step, e);
        finish_unit(unit + 5 * step, f);
        finish_unit(unit + 6 * step, g);
        finish_unit(unit + 7 * step, h);
        unit += 8 * step;
    }
    while unit < left * 512 {
        finish_unit(unit, load_unit(unit));
        unit += step;
    }
}

/// Transposes four words of each four lanes. Collective of the warp.
#[inline(always)]
fn exchange(warp: Warp, [a, b, c, d]: [u32; 4]) -> [u32; 4] {
    let (is_odd, is_upper) = (warp.lane() % 2 == 1, warp.lane() / 2 % 2 == 1);
    let [first, second] = warp.shuffle_xor(if is_odd { [a, c] } else { [b, d] }, 1);
    let [a, b, c, d] = if is_odd {
        [first, b, second, d]
    } else {
        [a, first, c, second]
    };
    let [first, second] = warp.shuffle_xor(if is_upper { [a, b] } else { [c, d] }, 2);
    if is_upper {
        [first, second, c, d]
    } else {
        [a, b, first, second]
    }
}
