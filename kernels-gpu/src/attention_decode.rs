//! Attention of the last queries of sequences to keys and values in pages: bound by the bytes of the cache.

mod cache;
mod memory;
mod operands;
mod partials;
mod queries;
mod schedule;
mod turns;

use tma::{
    Accumulator, Block, Rows, SharedPtr, Steps, Swizzle128, Tile, TileMap, Warpgroup,
    float8::E4m3,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::MatrixElement,
    memory::load_nc,
    pipeline::{self, Conversions, EmptyStage, Fill, Products},
    ptx::{cp_async_bulk_prefetch, fence, griddepcontrol, wgmma::Sums},
    shared,
};

use crate::attention::softmax::{Scale, Softmax};
use operands::{Converted, Operands, RowFactors, Stored};
use partials::Partials;
use queries::Vectors;
pub use schedule::Extents;
use schedule::{Lengths, Segment, Segments};
use turns::{TurnBarriers, Turns};

/// The number of elements of a head.
pub const ELEMENTS: u32 = 128;
/// The number of rows of a warpgroup: queries of the heads that share a head of keys.
pub const ROWS: u32 = 64;
/// The number of bytes of a head in a box.
const BOX_BYTES: u32 = 128;
/// The number of elements of 16 bits of a head in a box, and of boxes that have them all.
const BOX: u32 = 64;
const BOXES: usize = (ELEMENTS / BOX) as usize;

/// Elements of one head of keys or values, of keys of one page.
type CacheBox<C, const WIDTH: usize, const KEYS: usize> = [[[[C; WIDTH]; KEYS]; 1]; 1];
type CacheMap<C, const WIDTH: usize, const KEYS: usize> =
    TileMap<CacheBox<C, WIDTH, KEYS>, Swizzle128>;
/// A tile of keys or of values, or the queries of a warpgroup.
type Box64<T, const HEADS: usize> = [[T; BOX as usize]; HEADS];
type Stage<T, const HEADS: usize> = [Tile<Box64<T, HEADS>, Swizzle128>; BOXES];
type Stage8<const KEYS: usize> = Tile<[[E4m3; ELEMENTS as usize]; KEYS], Swizzle128>;
type Queries<T> = Stage<T, { ROWS as usize }>;
/// The sums of a thread over values.
type Results = [f32; 64];

macro_rules! kernels {
    ($($(#[$attribute:meta])* $name:ident: $attend:ident [$($stages:literal),+] of $tile:literal keys in $steps:literal steps, scores $scores:literal,
        boxes of $keys:literal keys by $width:literal $cache:ty, $warpgroups:literal warpgroups, $threads:tt threads in $blocks:tt blocks, registers $filling:literal $registers:literal;)+) => {$(
        /// Writes `value_scale * softmax(scale * Q * transpose(K)) * V` for heads of 128 elements, and the logarithms of the
        /// sums: queries of the last positions of each sequence, keys and values in pages. `extents.scale` is the scale times
        /// log2(e).
        ///
        /// A query sees no key after it. Heads that share a head of keys, and all queries of a sequence, are rows of one
        /// product: each block of rows reads each key and value once. Blocks have equal shares of the keys. Parts of the same 16
        /// rows are merged six at a time, each six by the warp that is the last to have written one, always in the same order.
        ///
        /// # Safety
        /// 1. `keys` and `values` are maps of elements, keys of a page, heads and pages, innermost first, which no thread
        ///    writes. `queries` has the elements of a head innermost, then heads, then queries, then sequences; no thread
        ///    writes it. `results` has the same extents. `logarithms` has heads innermost, then queries, then sequences. No
        ///    other code uses these two. Queries and results are at multiples of 16 bytes.
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
            shared_bytes = memory::$attend::<$tile>($warpgroups, [$($stages),+])
        )]
        pub unsafe fn $name<T: MatrixElement + Half>(
            #[grid_constant] keys: &CacheMap<$cache, $width, $keys>,
            #[grid_constant] values: &CacheMap<$cache, $width, $keys>,
            extents: Extents,
            results: *mut T,
            logarithms: *mut f32,
            queries: *const T,
            lengths: *const u32,
            page_table: *const u32,
            partials: *mut f32,
            counters: *mut u32,
        ) where
            [f32; $scores]: Sums<T::Ptx, T::Ptx>,
            Results: Sums<T::Ptx, T::Ptx>,
        {
            let decode = Decode::<T> { extents, results, logarithms, queries, page_table, partials, counters };
            // SAFETY: this kernel has the conditions that this requires (1), and the constants are those of the kernel (2).
            unsafe {
                decode.$attend::<[f32; $scores], $steps, $tile, $keys, $warpgroups, $blocks, $threads, $($stages),+, $filling, $registers>([keys, values], lengths);
            }
        }
    )+};
}

kernels! {
    #[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `attention_decode_bf16`\n```text\n", include_str!("../../tests/golden/ptx/attention_decode_bf16.txt"), "\n```"))]
    attention_decode: attend_stored [6] of 64 keys in 4 steps, scores 32, boxes of 64 keys by 64 T, 1 warpgroups, 256 threads in 2 blocks, registers 40 216;
    attention_decode_wide: attend_stored [12] of 64 keys in 4 steps, scores 32, boxes of 64 keys by 64 T, 2 warpgroups, 384 threads in 1 blocks, registers 40 232;
    attention_decode_short: attend_stored [6] of 64 keys in 4 steps, scores 32, boxes of 16 keys by 64 T, 1 warpgroups, 256 threads in 2 blocks, registers 40 216;
    attention_decode_short_wide: attend_stored [12] of 64 keys in 4 steps, scores 32, boxes of 16 keys by 64 T, 2 warpgroups, 384 threads in 1 blocks, registers 40 232;
    #[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `attention_decode_fp8_bf16`\n```text\n", include_str!("../../tests/golden/ptx/attention_decode_fp8_bf16.txt"), "\n```"))]
    attention_decode_fp8: attend_converted [3, 2, 2, 4, 2] of 64 keys in 4 steps, scores 32, boxes of 64 keys by 128 E4m3, 1 warpgroups, 256 threads in 2 blocks, registers 56 200;
    attention_decode_fp8_wide: attend_converted [4, 2, 4, 4, 2] of 128 keys in 8 steps, scores 64, boxes of 64 keys by 128 E4m3, 2 warpgroups, 384 threads in 1 blocks, registers 72 216;
    attention_decode_fp8_short: attend_converted [3, 2, 2, 4, 2] of 64 keys in 4 steps, scores 32, boxes of 16 keys by 128 E4m3, 1 warpgroups, 256 threads in 2 blocks, registers 56 200;
    attention_decode_fp8_short_wide: attend_converted [4, 2, 4, 4, 2] of 128 keys in 8 steps, scores 64, boxes of 16 keys by 128 E4m3, 2 warpgroups, 384 threads in 1 blocks, registers 72 216;
}

/// The arguments of the kernels, except for the maps.
#[derive(Clone, Copy)]
struct Decode<T> {
    extents: Extents,
    results: *mut T,
    logarithms: *mut f32,
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
    /// The number of the head in the queries, in the results and in the logarithms.
    at: usize,
    exists: bool,
}

impl<T: MatrixElement + Half> Decode<T> {
    /// Reads a cache of the type of the queries.
    ///
    /// # Safety
    /// 1. The conditions of the kernels.
    /// 2. The kernel is compiled for `BLOCKS` blocks of `THREADS` threads on each multiprocessor: a warpgroup that loads, and
    ///    `WARPGROUPS` more.
    #[inline(always)]
    unsafe fn attend_stored<
        S: Rows + Sums<T::Ptx, T::Ptx>,
        const STEPS: usize,
        const KEYS: usize,
        const IN_BOX: usize,
        const WARPGROUPS: u32,
        const BLOCKS: u32,
        const THREADS: u32,
        const STAGES: u32,
        const FILLING: u32,
        const REGISTERS: u32,
    >(
        self,
        maps: [&CacheMap<T, { BOX as usize }, IN_BOX>; 2],
        lengths: *const u32,
    ) where
        [[u32; 4]; STEPS]: Steps<Sums = S>,
        Results: Sums<T::Ptx, T::Ptx>,
    {
        // SAFETY: every thread gets here (3 of the kernels), and the tensors may be used (1 of the kernels).
        let block = unsafe { Block::converged() };
        let queries = shared::dynamic::<Queries<T>, 1024>();
        let memory = queries.add(WARPGROUPS).cast();
        let pipeline = block.product_pipeline::<Stage<T, KEYS>, STAGES>(memory);
        // SAFETY: the conditions of the kernels (1).
        let segments = unsafe { self.segments(block, lengths, KEYS as u32) };
        let fill = |mut stages: Fill<_, STAGES>| {
            self.fill::<_, _, KEYS, _, _>(|_| stages.next(), segments, maps);
        };
        let multiply = |warpgroup: Warpgroup, tiles: Products<Stage<T, KEYS>, STAGES>| {
            let queries = queries.add(warpgroup.index());
            let operands = Stored {
                warpgroup,
                queries,
                tiles,
            };
            self.multiply::<WARPGROUPS, S, STEPS, KEYS, _>(warpgroup, operands, segments, block);
        };
        // SAFETY: the kernel is compiled for these threads and blocks (2).
        unsafe {
            pipeline.split_shared::<BLOCKS, THREADS, FILLING, REGISTERS>(fill, multiply);
        };
    }

    /// Reads a cache of `e4m3`, whose values warps convert.
    ///
    /// # Safety
    /// 1. The conditions of [`attend_stored`](Self::attend_stored).
    #[inline(always)]
    unsafe fn attend_converted<
        S: Rows + Sums<<E4m3 as MatrixElement>::Ptx, <E4m3 as MatrixElement>::Ptx>,
        const STEPS: usize,
        const KEYS: usize,
        const IN_BOX: usize,
        const WARPGROUPS: u32,
        const BLOCKS: u32,
        const THREADS: u32,
        const DIRECT: u32,
        const WARPS: u32,
        const AT_A_TIME: usize,
        const LOADED: u32,
        const STAGES: u32,
        const FILLING: u32,
        const REGISTERS: u32,
    >(
        self,
        maps: [&CacheMap<E4m3, { BOX_BYTES as usize }, IN_BOX>; 2],
        lengths: *const u32,
    ) where
        [[u32; 4]; STEPS]: Steps<Sums = S>,
    {
        // SAFETY: every thread gets here (3 of the kernels), and the tensors may be used (1 of the kernels).
        let block = unsafe { Block::converged() };
        let queries = shared::dynamic::<Queries<T>, 1024>();
        let memory: SharedPtr<Stage8<KEYS>> = queries.add(WARPGROUPS).cast();
        let factors: SharedPtr<RowFactors> = memory
            .byte_add(
                const { memory::converting_pipeline::<KEYS>([DIRECT, LOADED, STAGES]) as u32 },
            )
            .cast();
        let turns = Turns::new(block, WARPGROUPS, factors.add(WARPGROUPS).cast());
        let pipeline = block
            .converting_pipeline::<_, Stage8<KEYS>, Stage<F16, KEYS>, WARPS, DIRECT, LOADED, STAGES>(
                memory,
            );
        // SAFETY: the conditions of the kernels (1).
        let segments = unsafe { self.segments(block, lengths, KEYS as u32) };
        let fill = |mut keys: Fill<_, DIRECT>, mut values: Fill<_, LOADED>| {
            let next = |has_keys| if has_keys { keys.next() } else { values.next() };
            self.fill::<_, _, KEYS, _, _>(next, segments, maps);
        };
        let convert = |mut conversions: Conversions<_, Stage<F16, KEYS>, WARPS, LOADED, STAGES>| {
            let mut segments = segments;
            while let Some(segment) = segments.next() {
                let [first, end] = segment.loaded;
                // SAFETY: the pipeline hands out a loaded stage, and one that no other thread uses (1).
                conversions.advance(end - first, |warp, from, to| unsafe {
                    cache::convert::<KEYS, AT_A_TIME>(warp, from, to);
                });
            }
        };
        let multiply = |warpgroup: Warpgroup, keys, values| {
            let queries = queries.add(warpgroup.index());
            let operands = Converted {
                warpgroup,
                queries,
                factors: factors.add(warpgroup.index()),
                keys,
                values,
                turns,
            };
            self.multiply::<WARPGROUPS, S, STEPS, KEYS, _>(warpgroup, operands, segments, block);
        };
        // SAFETY: the kernel is compiled for these threads and blocks (1).
        unsafe {
            pipeline.split_shared::<BLOCKS, THREADS, FILLING, REGISTERS>(fill, convert, multiply);
        };
    }

    /// Waits for the kernel before this one, and returns the segments of the block.
    ///
    /// # Safety
    /// 1. The conditions of the kernels.
    #[inline(always)]
    unsafe fn segments(&self, block: Block, lengths: *const u32, tile_keys: u32) -> Segments {
        griddepcontrol::wait();
        // SAFETY: there is a length for each sequence, and extents are not zero (2 of the kernels).
        Segments::of(block, unsafe {
            Lengths::new(self.extents, lengths, tile_keys)
        })
    }

    /// Loads tiles of keys and of values in turn, keys a tile ahead. `next` waits for a stage for keys, or for values.
    #[inline(always)]
    fn fill<C: MatrixElement, S, const KEYS: usize, const WIDTH: usize, const IN_BOX: usize>(
        &self,
        mut next: impl FnMut(bool) -> EmptyStage<S>,
        mut segments: Segments,
        [keys, values]: [&CacheMap<C, WIDTH, IN_BOX>; 2],
    ) {
        let Extents {
            page_shift, pages, ..
        } = self.extents;
        while let Some(segment) = segments.next() {
            let table = self
                .page_table
                .wrapping_add(segment.sequence as usize * pages as usize);
            let mut load = |has_keys: bool, tile: u32| {
                let map = if has_keys { keys } else { values };
                next(has_keys).load_with(|loads, stage| {
                    let boxes: SharedPtr<Tile<CacheBox<C, WIDTH, IN_BOX>, Swizzle128>> =
                        stage.cast();
                    let count = const { (KEYS / IN_BOX) as u32 };
                    let mut number = 0;
                    while number < count {
                        let key = tile * KEYS as u32 + number * IN_BOX as u32;
                        // Pages after the last one are out of bounds, where all elements are zero.
                        let mut page = u32::MAX;
                        if key < segment.keys {
                            // SAFETY: the sequence has this page (2 of the kernels).
                            page = unsafe { *table.wrapping_add((key >> page_shift) as usize) };
                        }
                        let in_page = key & ((1 << page_shift) - 1);
                        let mut part = 0;
                        while part < const { ELEMENTS / WIDTH as u32 } {
                            let at = [part * WIDTH as u32, in_page, segment.key_head, page];
                            let tile = boxes.add(part * count + number);
                            // SAFETY: the stage is empty, and the cache may be read (1 of the kernels).
                            unsafe { loads.tile(tile, map, at.map(|coord| coord as i32)) };
                            part += 1;
                        }
                        number += 1;
                    }
                });
            };
            self.prefetch_queries(&segment);
            // Scores of a tile are computed before the values of the one before are read.
            let [first, end] = segment.loaded;
            let mut tile = first;
            while tile <= end {
                if tile < end {
                    load(true, tile);
                }
                if tile > first {
                    load(false, tile - 1);
                }
                tile += 1;
            }
        }
        // The next kernel begins as blocks of this one end.
        griddepcontrol::launch_dependents();
    }

    /// Adds up the values of all segments. Tiles of keys and values come in turn, keys a tile ahead.
    #[inline(always)]
    fn multiply<
        const WARPGROUPS: u32,
        S: Rows,
        const STEPS: usize,
        const KEYS: usize,
        O: Operands<S, KEYS>,
    >(
        &self,
        warpgroup: Warpgroup,
        mut operands: O,
        mut segments: Segments,
        block: Block,
    ) where
        [[u32; 4]; STEPS]: Steps<Sums = S>,
        Results: Sums<<O::Value as MatrixElement>::Ptx, <O::Value as MatrixElement>::Ptx>,
    {
        let mut is_first = true;
        while let Some(segment) = segments.next() {
            let first_row = ROWS * (segment.row_block * WARPGROUPS + warpgroup.index());
            let exist = self.extents.rows().saturating_sub(first_row).min(ROWS);
            // Results of rows that do not exist are not stored: their queries may stay from a segment before.
            let loaded = if is_first { ROWS } else { exist };
            is_first = false;
            self.load_queries(warpgroup, &segment, [first_row, loaded], &operands);
            let rows = |number: u32| self.thread_row(&segment, first_row, warpgroup, number);
            // The number of keys that a query sees.
            let first = segment.keys as i32 - self.extents.queries as i32 + 1;
            let seen = [0, 1].map(|number| first + rows(number).query as i32);
            // The first row of a warp exists if any does.
            let exist = warpgroup.warp().any(rows(0).exists);
            let mut softmax = Softmax::new(warpgroup, operands.scale(self.extents.scale));
            let powers = |mut scores: Accumulator<S>, tile: u32| {
                // No row of the warp is stored. Without its softmax, other warps of the scheduler issue more.
                if WARPGROUPS == 1 && !exist {
                    return (scores, [1.0; 2]);
                }
                let first_key = (tile * KEYS as u32) as i32;
                if first_key + KEYS as i32 > first {
                    scores = scores.map_rows(warpgroup, |row, key, score| {
                        if first_key + (key as i32) < seen[row] {
                            score
                        } else {
                            f32::NEG_INFINITY
                        }
                    });
                }
                softmax.add(scores)
            };
            let mut sums = Accumulator::<Results>::zero();
            let [tile, end] = segment.loaded;
            if tile < end {
                // SAFETY: the queries have been written, and are written again after a barrier that follows; tiles come in
                // this order, and there is one.
                sums = unsafe { cache::sum(warpgroup, &mut operands, &segment, powers) };
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
            at: all_queries * (key_heads * sharing) as usize + head as usize,
            exists: row < self.extents.rows(),
        }
    }

    /// Returns one of the two rows of which this thread has sums.
    #[inline(always)]
    fn thread_row(&self, segment: &Segment, first: u32, warpgroup: Warpgroup, number: u32) -> Row {
        let of_warp = 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
        self.row(segment, first + of_warp + 8 * number)
    }

    /// Brings the queries of a head of keys to L2, long before the warpgroups load them, with its first block of rows.
    #[inline(always)]
    fn prefetch_queries(&self, segment: &Segment) {
        let Extents {
            queries, sharing, ..
        } = self.extents;
        let mut query = 0;
        while segment.row_block == 0 && query < queries {
            let at = self.row(segment, query * sharing).at * ELEMENTS as usize;
            let bytes = sharing * ELEMENTS * size_of::<T>() as u32;
            // SAFETY: the queries have these heads, from a multiple of 16 bytes on (1 of the kernels).
            unsafe {
                cp_async_bulk_prefetch::l2_global(self.queries.wrapping_add(at).cast(), bytes)
            };
            query += 1;
        }
    }

    /// Copies this many rows of a warpgroup, for products; a row that does not exist is zero. Collective of the role.
    #[inline(always)]
    fn load_queries<S, const KEYS: usize>(
        &self,
        warpgroup: Warpgroup,
        segment: &Segment,
        [first_row, count]: [u32; 2],
        operands: &impl Operands<S, KEYS>,
    ) {
        // The products with the rows before are complete.
        warpgroup.sync_role();
        let vectors = Vectors {
            first: self.row(segment, 0),
            first_row,
        };
        // A warp has two rows.
        let end = count.next_multiple_of(2) * Vectors::OF_ROW;
        let mut number = warpgroup.thread();
        while number < end {
            // Four loads are in flight before the first store.
            let load = |number| self.load_vector(segment, vectors, number);
            let [a, b, c, d] = [0, 1, 2, 3].map(|next| number + next * Warpgroup::THREADS);
            let loaded = [load(a), load(b), load(c), load(d)];
            operands.store(a, loaded[0]);
            if b < end {
                operands.store(b, loaded[1]);
                operands.store(c, loaded[2]);
                operands.store(d, loaded[3]);
            }
            number += 4 * Warpgroup::THREADS;
        }
        fence::proxy_async_shared_cta();
        warpgroup.sync_role();
    }

    /// Loads 8 elements of a row, or zeros.
    #[inline(always)]
    fn load_vector(&self, segment: &Segment, vectors: Vectors, number: u32) -> [u32; 4] {
        let [column, row] = Vectors::place(number);
        let mut from = self.row(segment, vectors.first_row + row);
        let exists = from.exists;
        if !exists {
            from = vectors.first;
        }
        let at = from.at * ELEMENTS as usize + (column * Vectors::ELEMENTS) as usize;
        // SAFETY: the queries have the row, at a multiple of 16 bytes (1 of the kernels).
        let pairs = unsafe { load_nc(self.queries.wrapping_add(at).cast()) };
        if exists { pairs } else { [0; 4] }
    }

    /// Writes the results of an item, or of the item that the segment completes.
    #[inline(always)]
    fn finish<const WARPGROUPS: u32>(
        &self,
        warpgroup: Warpgroup,
        block: Block,
        segment: &Segment,
        rows: [Row; 2],
        softmax: Softmax<impl Scale>,
        sums: Accumulator<Results>,
    ) {
        // The first row of a warp exists if any does.
        if !warpgroup.warp().any(rows[0].exists) {
            return;
        }
        let [first, last] = segment.blocks;
        let (is_complete, softmax, sums) = if first == last {
            (true, softmax, sums)
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
            unsafe { partials.merge(block.index(), segment, softmax, sums) }
        };
        if !is_complete {
            return;
        }
        let [factors, logarithms] = softmax.finish();
        let factors = factors.map(|factor| factor * self.extents.value_scale);
        // A branch for each row, and not for each pair.
        let write = |number: usize| {
            let Row { at, exists, .. } = rows[number];
            if !exists {
                return;
            }
            sums.each_pair(warpgroup, |row, column, pair| {
                if row == number {
                    let at = self
                        .results
                        .wrapping_add(at * ELEMENTS as usize + column as usize);
                    let pair = pair.map(|sum| sum * factors[row]);
                    // SAFETY: the results have this row, which is this thread's, from an even element on (1 of the kernels).
                    unsafe { *at.cast::<u32>() = T::round(pair) };
                }
            });
            // Four lanes have the same row.
            if warpgroup.warp().lane().is_multiple_of(4) {
                // SAFETY: each query of each head has a logarithm, which is this thread's (1 of the kernels).
                unsafe { *self.logarithms.wrapping_add(at) = logarithms[number] };
            }
        };
        write(0);
        write(1);
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::AttentionDecode;

#[cfg(not(target_arch = "nvptx64"))]
mod host;
