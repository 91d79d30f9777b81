//! Attention of the last queries of sequences to keys and values in pages: bound by the bytes of the cache.

mod partials;
mod schedule;

use tma::{
    Accumulator, Block, Fragment, Matrix, SharedPtr, Swizzle128, Tile, TileMap, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::{Boxes, Deep, MatrixElement},
    memory::load_nc,
    pipeline::{self, Fill, Products},
    ptx::{fence, wgmma::Sums},
    shared,
};

use crate::{attention::softmax::Softmax, gemm::Identity};
use partials::Partials;
pub use schedule::Extents;
use schedule::{Lengths, Segment, Segments};

/// The number of elements of a head.
pub const ELEMENTS: u32 = 128;
/// The number of keys of a tile.
pub const KEYS: u32 = 64;
/// The number of rows of a warpgroup: queries of the heads that share a head of keys.
pub const ROWS: u32 = 64;
/// The number of elements of a head in a box, and of boxes that have them all.
const BOX: u32 = 64;
const BOXES: usize = (ELEMENTS / BOX) as usize;

/// Elements of one head of keys or values, of keys of one page.
type CacheBox<T, const KEYS: usize> = [[[[T; BOX as usize]; KEYS]; 1]; 1];
type CacheMap<T, const KEYS: usize> = TileMap<CacheBox<T, KEYS>, Swizzle128>;
/// A tile of keys, or of values.
type Box64<T> = [[T; BOX as usize]; KEYS as usize];
type Stage<T> = [Tile<Box64<T>, Swizzle128>; BOXES];
/// The scores of a thread, and its sums over values.
type Scores = [f32; 32];
type Results = [f32; 64];

macro_rules! kernels {
    ($($(#[$attribute:meta])* $name:ident: boxes of $keys:literal keys, $warpgroups:literal warpgroups,
        $threads:tt threads in $blocks:tt blocks, $stages:literal stages, $registers:literal registers;)+) => {$(
        /// Writes `softmax(scale * Q * transpose(K)) * V` for heads of 128 elements: queries of the last positions of each
        /// sequence, keys and values in pages.
        ///
        /// A query sees no key after it. Heads that share a head of keys, and all queries of a sequence, are rows of one
        /// product, so that each key and value is read once. Blocks have equal shares of the keys; the last one that has a
        /// part of a result merges all parts, always in the same order.
        ///
        /// # Safety
        /// 1. `keys` and `values` are maps of elements, keys of a page, heads and pages, innermost first, which no thread
        ///    writes. `queries` has the elements of a head innermost, then heads, then queries, then sequences; no thread
        ///    writes it. `results` has the same extents, and no other code uses it. Both are multiples of 16 bytes.
        /// 2. `extents` are those of the tensors, none of them zero except the pages of a sequence. A box has keys of one
        ///    page. `page_table` has the numbers of `extents.pages` pages of each sequence, and `lengths` the numbers of keys;
        ///    no thread writes them. The greatest number of keys of a sequence is at most 2^30, and all items have fewer
        ///    than 2^31 tiles together.
        #[doc = concat!("3. Grid and blocks are one-dimensional, blocks have ", $threads, " threads.")]
        /// 4. `partials` has two places for each block, of the numbers that the rows of one block of rows need, at a multiple of
        ///    8 bytes; `counters` has a counter for each block and 16 of these rows, all zero. No other code uses them.
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments, reason = "each is a tensor or has numbers of one")]
        #[kernel(
            max_threads = $threads,
            min_blocks = $blocks,
            instances(T = Bf16, F16),
            shared_bytes = $warpgroups * size_of::<Stage<T>>() as u64 + pipeline::bytes::<Stage<T>>($stages, 1)
        )]
        pub unsafe fn $name<T: MatrixElement + Half>(
            #[grid_constant] keys: &CacheMap<T, $keys>,
            #[grid_constant] values: &CacheMap<T, $keys>,
            extents: Extents,
            results: *mut T,
            queries: *const T,
            lengths: *const u32,
            page_table: *const u32,
            partials: *mut f32,
            counters: *mut u32,
        ) where
            Scores: Sums<T::Ptx, T::Ptx>,
            Results: Sums<T::Ptx, T::Ptx>,
        {
            let decode = Decode::<T> { extents, results, queries, page_table, partials, counters };
            // SAFETY: this kernel has the conditions that `attend` requires (1), and the constants are those of the kernel (2).
            unsafe {
                decode.attend::<$keys, $warpgroups, $blocks, $threads, $stages, $registers>([keys, values], lengths);
            }
        }
    )+};
}

kernels! {
    #[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `attention_decode_bf16`\n```text\n", include_str!("../../tests/golden/ptx/attention_decode_bf16.txt"), "\n```"))]
    attention_decode: boxes of 64 keys, 1 warpgroups, 256 threads in 2 blocks, 6 stages, 216 registers;
    attention_decode_wide: boxes of 64 keys, 2 warpgroups, 384 threads in 1 blocks, 12 stages, 232 registers;
    attention_decode_short: boxes of 16 keys, 1 warpgroups, 256 threads in 2 blocks, 6 stages, 216 registers;
    attention_decode_short_wide: boxes of 16 keys, 2 warpgroups, 384 threads in 1 blocks, 12 stages, 232 registers;
}

/// The number of registers of a thread of the producer.
const PRODUCER_REGISTERS: u32 = 40;

/// The arguments of the kernels, except for the maps.
#[derive(Clone, Copy)]
struct Decode<T> {
    extents: Extents,
    results: *mut T,
    queries: *const T,
    page_table: *const u32,
    partials: *mut f32,
    counters: *mut u32,
}

/// A query of a head.
#[derive(Clone, Copy)]
struct Row {
    /// The number of the query in its sequence.
    query: u32,
    /// The first element in the queries and in the results.
    at: usize,
    exists: bool,
}

impl<T: MatrixElement + Half> Decode<T> {
    /// # Safety
    /// 1. The conditions of the kernels.
    /// 2. The kernel is compiled for `BLOCKS` blocks of `THREADS` threads on each multiprocessor: a warpgroup that loads, and
    ///    `WARPGROUPS` more.
    #[inline(always)]
    unsafe fn attend<
        const IN_BOX: usize,
        const WARPGROUPS: u32,
        const BLOCKS: u32,
        const THREADS: u32,
        const STAGES: u32,
        const REGISTERS: u32,
    >(
        self,
        maps: [&CacheMap<T, IN_BOX>; 2],
        lengths: *const u32,
    ) where
        Scores: Sums<T::Ptx, T::Ptx>,
        Results: Sums<T::Ptx, T::Ptx>,
    {
        // SAFETY: every thread gets here (3 of the kernels), and the tensors may be used (1).
        let block = unsafe { Block::converged() };
        // SAFETY: there is a length for each sequence, and extents are not zero (2 of the kernels).
        let segments = Segments::of(block, unsafe { Lengths::new(self.extents, lengths) });
        let queries = shared::dynamic::<Stage<T>, 1024>();
        let pipeline = block.product_pipeline::<Stage<T>, STAGES>(queries.add(WARPGROUPS));
        let fill = |fill| self.fill::<IN_BOX, STAGES>(fill, segments, maps);
        let multiply = |warpgroup: Warpgroup, stages| {
            let queries = queries.add(warpgroup.index());
            self.multiply::<WARPGROUPS, STAGES>(warpgroup, stages, segments, block, queries);
        };
        // SAFETY: the kernel is compiled for these threads and blocks (2).
        unsafe {
            pipeline.split_shared::<BLOCKS, THREADS, PRODUCER_REGISTERS, REGISTERS>(fill, multiply);
        };
    }

    /// Loads tiles of keys and of values in turn.
    #[inline(always)]
    fn fill<const IN_BOX: usize, const STAGES: u32>(
        &self,
        mut fill: Fill<Stage<T>, STAGES>,
        mut segments: Segments,
        [keys, values]: [&CacheMap<T, IN_BOX>; 2],
    ) {
        let Extents {
            page_shift, pages, ..
        } = self.extents;
        while let Some(segment) = segments.next() {
            let table = self
                .page_table
                .wrapping_add(segment.sequence as usize * pages as usize);
            let [mut tile, end] = segment.loaded();
            while tile < end {
                let mut load = |map: &CacheMap<T, IN_BOX>| {
                    fill.next().load_with(|loads, stage| {
                        let boxes: SharedPtr<Tile<CacheBox<T, IN_BOX>, Swizzle128>> = stage.cast();
                        let count = const { KEYS / IN_BOX as u32 };
                        let mut number = 0;
                        while number < count {
                            let key = tile * KEYS + number * IN_BOX as u32;
                            // Pages after the last one are out of bounds, where all elements are zero.
                            let mut page = u32::MAX;
                            if key < segment.keys {
                                // SAFETY: the sequence has this page (2 of the kernels).
                                page = unsafe { *table.wrapping_add((key >> page_shift) as usize) };
                            }
                            let in_page = key & ((1 << page_shift) - 1);
                            let mut part = 0;
                            while part < BOXES as u32 {
                                let at = [part * BOX, in_page, segment.key_head, page];
                                let tile = boxes.add(part * count + number);
                                // SAFETY: the stage is empty, and the cache may be read (1 of the kernels).
                                unsafe { loads.tile(tile, map, at.map(|coord| coord as i32)) };
                                part += 1;
                            }
                            number += 1;
                        }
                    });
                };
                load(keys);
                load(values);
                tile += 1;
            }
        }
    }

    /// Adds up the values of all segments.
    #[inline(always)]
    fn multiply<const WARPGROUPS: u32, const STAGES: u32>(
        &self,
        warpgroup: Warpgroup,
        mut stages: Products<Stage<T>, STAGES>,
        mut segments: Segments,
        block: Block,
        queries: SharedPtr<Stage<T>>,
    ) where
        Scores: Sums<T::Ptx, T::Ptx>,
        Results: Sums<T::Ptx, T::Ptx>,
    {
        while let Some(segment) = segments.next() {
            let first_row = ROWS * (segment.row_block * WARPGROUPS + warpgroup.index());
            self.load_queries(warpgroup, &segment, first_row, queries);
            let rows = |number: u32| self.thread_row(&segment, first_row, warpgroup, number);
            // The number of keys that a query sees.
            let first = segment.keys as i32 - self.extents.queries as i32 + 1;
            let seen = [0, 1].map(|number| first + rows(number).query as i32);
            let mut softmax = Softmax::new(warpgroup, self.extents.scale);
            let mut sums = Accumulator::<Results>::zero();
            let [mut tile, end] = segment.loaded();
            while tile < end {
                let keys = stages.next();
                // SAFETY: keys have been loaded; they are loaded again when the stage has been released, after the wait.
                // The queries are written again after a later barrier.
                let mut scores = unsafe {
                    let queries = Matrix::<Deep<Box64<T>, Swizzle128, BOXES>>::from_ptr(queries);
                    let keys = Matrix::<Deep<Box64<T>, Swizzle128, BOXES>>::from_ptr(keys.as_ptr());
                    let batch = Accumulator::<Scores>::zero().begin(warpgroup);
                    batch.multiply(queries, keys).commit().wait()
                };
                keys.release();
                let first_key = (tile * KEYS) as i32;
                if first_key + KEYS as i32 > first {
                    scores = scores.map_rows(warpgroup, |row, key, score| {
                        if first_key + (key as i32) < seen[row] {
                            score
                        } else {
                            f32::NEG_INFINITY
                        }
                    });
                }
                let (scores, factors) = softmax.add(scores);
                sums = sums.map_rows(warpgroup, |row, _, sum| sum * factors[row]);
                let powers = Fragment::<T, 4>::of(&scores, warpgroup, &Identity);
                let values = stages.next();
                if (tile + 1) * KEYS > segment.keys {
                    // SAFETY: values have been loaded, and all warpgroups get here before they read them.
                    unsafe { clear(values.as_ptr(), segment.keys - tile * KEYS, warpgroup) };
                }
                // SAFETY: values have been loaded; they are loaded again when the stage has been released, after the wait.
                (sums, _) = unsafe {
                    let batch = sums.begin_with(powers, warpgroup);
                    let values = Matrix::<Boxes<Box64<T>, Swizzle128, BOXES, false>>::from_ptr(
                        values.as_ptr(),
                    );
                    batch.multiply_fragment(values).commit().wait()
                };
                values.release();
                tile += 1;
            }
            let rows = [rows(0), rows(1)];
            self.finish::<WARPGROUPS>(warpgroup, block, &segment, rows, softmax, sums);
        }
    }

    /// Returns the row with this number of a head of keys.
    #[inline(always)]
    fn row(&self, segment: &Segment, row: u32) -> Row {
        let Extents {
            queries,
            key_heads,
            sharing,
            ..
        } = self.extents;
        // SAFETY: each head of keys has a head of queries (2 of the kernels).
        unsafe { core::hint::assert_unchecked(sharing != 0) };
        let query = row / sharing;
        let head = segment.key_head * sharing + row % sharing;
        let all_queries = segment.sequence as usize * queries as usize + query as usize;
        Row {
            query,
            at: (all_queries * (key_heads * sharing) as usize + head as usize) * ELEMENTS as usize,
            exists: row < self.extents.rows(),
        }
    }

    /// Returns one of the two rows of which this thread has sums.
    #[inline(always)]
    fn thread_row(&self, segment: &Segment, first: u32, warpgroup: Warpgroup, number: u32) -> Row {
        let of_warp = 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
        self.row(segment, first + of_warp + 8 * number)
    }

    /// Copies the rows of a warpgroup; those that do not exist are zero. Collective of the role.
    #[inline(always)]
    fn load_queries(
        &self,
        warpgroup: Warpgroup,
        segment: &Segment,
        first_row: u32,
        queries: SharedPtr<Stage<T>>,
    ) {
        /// The number of elements of a vector of 16 bytes, and of vectors of a row of a box.
        const VECTOR: u32 = 8;
        const OF_BOX: u32 = BOX / VECTOR;
        // The products with the rows before are complete.
        warpgroup.sync_role();
        let mut number = warpgroup.thread();
        while number < ROWS * BOXES as u32 * OF_BOX {
            let (vector, rest) = (number % OF_BOX, number / OF_BOX);
            let (part, row) = (rest % BOXES as u32, rest / BOXES as u32);
            let from = self.row(segment, first_row + row);
            let mut elements = [0_u32; 4];
            if from.exists {
                let column = part * BOX + vector * VECTOR;
                let at = self.queries.wrapping_add(from.at + column as usize);
                // SAFETY: the queries have the row, at a multiple of 16 bytes (1 of the kernels).
                elements = unsafe { load_nc(at.cast()) };
            }
            let to = queries.at(part).vector([vector, row]);
            // SAFETY: the tile has the vector, which is this thread's until the next barrier.
            unsafe { to.cast().write(elements) };
            number += Warpgroup::THREADS;
        }
        fence::proxy_async_shared_cta();
        warpgroup.sync_role();
    }

    /// Writes the results of an item, or of the item that the segment completes.
    #[inline(always)]
    fn finish<const WARPGROUPS: u32>(
        &self,
        warpgroup: Warpgroup,
        block: Block,
        segment: &Segment,
        rows: [Row; 2],
        softmax: Softmax,
        sums: Accumulator<Results>,
    ) {
        // The first row of a warp exists if any does.
        if !warpgroup.warp().any(rows[0].exists) {
            return;
        }
        let [first, last] = segment.blocks;
        let (softmax, sums) = if first == last {
            (softmax, sums)
        } else {
            let warps = self.extents.rows().div_ceil(16).min(4 * WARPGROUPS);
            // SAFETY: each block has places and counters for these warps (4 of the kernels).
            let partials = unsafe {
                Partials::new(
                    warpgroup,
                    self.partials,
                    self.counters,
                    warps,
                    rows.map(|row| row.exists),
                )
            };
            // SAFETY: the segment is a part of its item, and each block gets here once with its own.
            match unsafe { partials.merge(block.index(), segment, softmax, &sums) } {
                Some(merged) => merged,
                None => return,
            }
        };
        let [factors, _] = softmax.finish();
        sums.each_pair(warpgroup, |row, column, pair| {
            if rows[row].exists {
                let at = self.results.wrapping_add(rows[row].at + column as usize);
                let pair = pair.map(|sum| sum * factors[row]);
                // SAFETY: the results have this row, which is this thread's, from an even element on (1 of the kernels).
                unsafe { *at.cast::<u32>() = T::round(pair) };
            }
        });
    }
}

/// Zeroes the values from this number on, so that infinities and NaN there do not spread. Collective of the role.
///
/// # Safety
/// 1. The tile has been loaded, and no thread uses it before this returns.
#[inline(always)]
unsafe fn clear<T: MatrixElement>(tile: SharedPtr<Stage<T>>, first: u32, warpgroup: Warpgroup) {
    /// The number of vectors of 16 bytes of a row.
    const OF_ROW: u32 = 128 / 16;
    let vectors: SharedPtr<[u32; 4]> = tile.cast();
    let mut part = 0;
    while part < BOXES as u32 {
        let mut vector =
            first * OF_ROW + warpgroup.index() * Warpgroup::THREADS + warpgroup.thread();
        while vector < KEYS * OF_ROW {
            // SAFETY: the box has the vector, and no other thread uses it (1).
            unsafe { vectors.add(part * KEYS * OF_ROW + vector).write([0; 4]) };
            vector += warpgroup.role_threads();
        }
        part += 1;
    }
    fence::proxy_async_shared_cta();
    warpgroup.sync_role();
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::AttentionDecode;

#[cfg(not(target_arch = "nvptx64"))]
mod host;
