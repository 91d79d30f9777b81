//! The kernels before and after the main one.

use core::hint::assert_unchecked;

use tma::{
    Block, Warp,
    halves::{Bf16, F16, Half},
    kernel,
    memory::{load_nc, store},
    ptx::Wb,
};

use super::{
    BOX, ELEMENTS, Extents, END_THREADS, QUERIES,
    extents::SUMS_OF_HALF,
};

/// The number of lanes that have a row, each 16 bytes.
const ROW_LANES: u32 = ELEMENTS / 8;

/// 64 queries of a head.
#[derive(Clone, Copy)]
struct QueryTile {
    sequence: u32,
    head: u32,
    number: u32,
}

impl Extents {
    /// Returns the queries of the block with this number.
    ///
    /// # Safety
    /// 1. No extent is zero.
    #[inline(always)]
    unsafe fn query_tile(&self, block: u32) -> QueryTile {
        let heads = self.key_heads * self.sharing;
        // SAFETY: there are heads and queries (1).
        unsafe { assert_unchecked(heads != 0 && self.query_tiles != 0) };
        let all = block / self.query_tiles;
        QueryTile {
            sequence: all / heads,
            head: all % heads,
            number: block % self.query_tiles,
        }
    }

    /// Returns the number of the first element of a query of a head.
    #[inline(always)]
    fn query_at(&self, tile: QueryTile, query: u32) -> usize {
        let position = tile.sequence as usize * self.queries as usize + query as usize;
        let heads = (self.key_heads * self.sharing) as usize;
        (position * heads + tile.head as usize) * ELEMENTS as usize
    }
}

/// Writes the statistics of queries and zeros for sums and counters: for each 64 queries of a head 64 logarithms, times
/// `-1 / scale`, and 64 sums of products of results and their gradients, times -1. The products of the main kernel begin
/// with them.
///
/// A query that does not exist, or that sees no key, gets minus infinity, so that its powers are zero. The numbers of
/// eight columns, two for each of four lanes, alternate with those of the next eight, so that a lane reads four at once.
///
/// # Safety
/// 1. `results` and `result_gradients` have the elements of all heads innermost, then queries, then sequences, at
///    multiples of 16 bytes, and `logarithms` a number for each query of each head of each sequence, queries
///    innermost. No thread writes them.
/// 2. `extents` has the extents of the tensors, none of them zero.
/// 3. `statistics` has 512 bytes for each 64 queries of each head, `sums` 32768 at a multiple of 16, and `counters` a
///    number; no other code uses them.
/// 4. Grid and blocks are one-dimensional; there is a block of 256 threads for each 64 queries of each head.
#[kernel(max_threads = 256, instances(T = Bf16, F16))]
#[allow(
    clippy::too_many_arguments,
    reason = "each is a tensor or has numbers of one"
)]
pub unsafe fn attention_backward_prepare<T: Half>(
    statistics: *mut f32,
    sums: *mut f32,
    counters: *mut u32,
    results: *const T,
    result_gradients: *const T,
    logarithms: *const f32,
    extents: Extents,
) {
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    // SAFETY: extents are not zero (2).
    let tile = unsafe { extents.query_tile(block.index()) };
    let row = extents.row(tile.sequence, tile.head, tile.number) as usize;
    let thread = block.thread();

    let sums = sums.wrapping_add(row * 2 * SUMS_OF_HALF as usize).cast::<[f32; 4]>();
    let mut number = thread;
    while number < SUMS_OF_HALF / 2 {
        // SAFETY: the sums exist, at a multiple of 16 bytes (3).
        unsafe { store::<Wb, _>(sums.wrapping_add(number as usize), [0.0; 4]) };
        number += END_THREADS;
    }
    if thread == 0 {
        // SAFETY: each 64 queries have a counter (3).
        unsafe { *counters.wrapping_add(row) = 0 };
    }

    let statistics = statistics.wrapping_add(row * 2 * QUERIES as usize);
    let lane = thread % ROW_LANES;
    let mut query = thread / ROW_LANES;
    while query < QUERIES {
        let in_sequence = tile.number * QUERIES + query;
        let exists = in_sequence < extents.queries;
        let mut sum = 0.0;
        if exists {
            let at = extents.query_at(tile, in_sequence) + 8 * lane as usize;
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
        let sum = add(add(add(add(sum, 8), 4), 2), 1);
        if lane == 0 {
            let mut shift = f32::NEG_INFINITY;
            if exists {
                let heads = (extents.key_heads * extents.sharing) as usize;
                let of_head = tile.sequence as usize * heads + tile.head as usize;
                let at = of_head * extents.queries as usize + in_sequence as usize;
                // SAFETY: the query has a logarithm (1).
                let logarithm = unsafe { load_nc(logarithms.wrapping_add(at)) };
                if logarithm != f32::NEG_INFINITY {
                    shift = -logarithm / extents.factor;
                }
            }
            let (sixteen, eight, lane, of_lane) =
                (query / 16, query / 8 % 2, query / 2 % 4, query % 2);
            let at = (16 * sixteen + 4 * lane + 2 * eight + of_lane) as usize;
            // SAFETY: each query has a place of both kinds (3).
            unsafe {
                *statistics.wrapping_add(at) = shift;
                *statistics.wrapping_add(at + QUERIES as usize) = -sum;
            }
        }
        query += END_THREADS / ROW_LANES;
    }
}

/// Rounds the sums of queries, times a factor, to their gradients.
///
/// # Safety
/// 1. `gradients` has the elements of all heads innermost, then queries, then sequences, at a multiple of 4 bytes; no
///    other code uses it.
/// 2. `extents` has the extents of the tensor, none of them zero.
/// 3. `sums` has 32768 bytes for each 64 queries of each head, at a multiple of 16, which no thread writes.
/// 4. Grid and blocks are one-dimensional; there is a block of 256 threads for each 64 queries of each head.
#[kernel(max_threads = 256, instances(T = Bf16, F16))]
pub unsafe fn attention_backward_finish<T: Half>(
    gradients: *mut T,
    sums: *const f32,
    extents: Extents,
) {
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    // SAFETY: extents are not zero (2).
    let tile = unsafe { extents.query_tile(block.index()) };
    let row = extents.row(tile.sequence, tile.head, tile.number) as usize;
    let (half, thread) = (block.thread() / 128, block.thread() % 128);
    let sums = sums
        .wrapping_add((2 * row + half as usize) * SUMS_OF_HALF as usize)
        .cast::<[f32; 4]>()
        .wrapping_add(thread as usize);
    let lane = thread % Warp::LANES;
    let first = tile.number * QUERIES + 16 * (thread / Warp::LANES) + lane / 4;
    let mut eight = 0;
    while eight < BOX / 8 {
        // SAFETY: the sums exist, and no thread writes them (3).
        let [a, b, c, d] = unsafe { load_nc(sums.wrapping_add((128 * eight) as usize)) };
        let write = |query: u32, pair: [f32; 2]| {
            if query < extents.queries {
                let element = half * BOX + 8 * eight + 2 * (lane % 4);
                let at = extents.query_at(tile, query) + element as usize;
                let pair = T::round(pair.map(|sum| sum * extents.factor));
                // SAFETY: the query has these two elements, which are this thread's (1).
                unsafe { *gradients.wrapping_add(at).cast::<u32>() = pair };
            }
        };
        write(first, [a, b]);
        write(first + 8, [c, d]);
        eight += 1;
    }
}
