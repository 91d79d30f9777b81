//! The gradients of attention by tensor cores: two kernels, one after the other.
//!
//! [`attention_backward_prepare_128`] reduces each query's results and their gradients to one number.
//! [`attention_backward_128`] has a block for each 128 keys, which keeps the gradients of these keys and of their values
//! in registers, and adds their part of the gradients of all queries in global memory. Further blocks round the sums of
//! the queries of a head when all its keys are done, while others still multiply.
//!
//! ```text
//! loading thread  Q 0, dO 0    Q 1, dO 1    Q 2, dO 2    ...
//! each consumer   S = K Q'     P = exp2(S)   dP = V dO'   dS = P (dP - delta)   dV += P dO   dK += dS Q   dQ = dS' K
//! adding thread   sums += dQ 0    sums += dQ 1    ...
//! ```

mod ends;
mod extents;
mod slots;
mod work;

use core::mem::offset_of;

use tma::{
    Accumulator, Block, Columns, Epilogue, Fragment, GlobalPtr, Outputs, Rows, SharedPtr, Stores,
    Swizzle128, Tile, TileMap, Warpgroup, Warps,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::{Boxes, Deep, MatrixElement},
    memory,
    ptx::{Acquire, Gpu, Release, cp_async_bulk, fence, mbarrier::Mbarrier, wgmma::Sums},
    ring::Ring,
    shared,
};

use crate::{attention::items::Positions, gemm::Identity};
pub use extents::Extents;
use extents::{KeyTile, SUMS_OF_HALF, Starts};
use slots::{BARRIERS, SLOTS, Slots};
use work::{Left, Work};

/// The number of keys of a block: 64 for each warpgroup that multiplies.
pub const KEYS: u32 = 128;
/// The number of threads of the main kernel: one warpgroup loads, two multiply.
pub const THREADS: u32 = 384;
/// The number of threads of the first kernel.
pub const END_THREADS: u32 = 256;
/// The numbers of elements of a head, and of positions, in a box.
const BOX: u32 = 64;
/// The number of boxes of the queries that a block processes at a time.
const STAGE_BOXES: u32 = 2;
/// The number of boxes of keys, values and gradients of scores, with heads of any length.
const ALL_BOXES: usize = 12;

/// Returns the number of elements of a head.
const fn elements(boxes: usize) -> u32 {
    BOX * boxes as u32
}

/// Returns the number of queries that a block processes at a time.
pub(crate) const fn tile_queries(boxes: usize) -> u32 {
    BOX * parts(boxes)
}

/// Returns the number of times 64 queries that a block processes at a time.
const fn parts(boxes: usize) -> u32 {
    STAGE_BOXES / boxes as u32
}

/// A box of elements of a head, of positions, of one sequence.
type Box3<T> = [[[T; BOX as usize]; BOX as usize]; 1];
/// The map of all tensors.
type Map<T> = TileMap<Box3<T>, Swizzle128>;
/// The same box in shared memory.
type Box2<T> = [[T; BOX as usize]; BOX as usize];
/// A box in shared memory.
type Box2Tile<T> = Tile<Box2<T>, Swizzle128>;
/// 64 positions as A or B, with elements of the head along K.
type AlongHead<T, const BOXES: usize> = Deep<Box2<T>, Swizzle128, BOXES>;
/// 64 positions as B, with positions along K.
type AlongRows<T, const BOXES: usize> = Boxes<Box2<T>, Swizzle128, BOXES, false>;
/// A thread's sums of 64 rows and 64 columns.
type Narrow = [f32; 32];

/// Queries, or the gradients of their results, with a number for each query.
#[repr(C)]
struct Stage<T> {
    /// Of 64 elements of 128 queries, or of 128 elements of 64.
    rows: [Box2Tile<T>; STAGE_BOXES as usize],
    numbers: [f32; (STAGE_BOXES * BOX) as usize],
}

#[repr(C)]
struct Memory<T> {
    /// Keys, then values, 64 for each warpgroup; then gradients of scores, of two iterations in turn: of each 64 queries
    /// those of the keys of each warpgroup.
    tiles: [Box2Tile<T>; ALL_BOXES],
    /// Gradients of queries: of half the elements of a head for each warpgroup, or of half the queries.
    sums: [[f32; SUMS_OF_HALF as usize]; 2],
    /// Queries, then gradients of results.
    stages: [[Stage<T>; SLOTS as usize]; 2],
    /// Barriers of the keys and values, of the queries, of the gradients of results, and of the sums.
    barriers: [[Mbarrier; BARRIERS]; 4],
    tile: [u32; KeyTile::WORDS],
}

macro_rules! heads {
    ($($(#[$attribute:meta])* $name:ident, $prepare:ident, $packed:ident, $prepare_packed:ident: $elements:literal elements in $boxes:literal boxes, keys $keys:ty,
        sums $sums:literal, $queries:literal queries;)+) => {$(
        #[doc = concat!("Writes the statistics of queries, for heads of ", $elements, " elements: for each ", $queries, " queries of a head")]
        #[doc = concat!($queries, " logarithms, times `-1 / scale`, and ", $queries, " sums")]
        #[doc = concat!("of products of results and their gradients, times -1. The products of [`", stringify!($name), "`] begin with them.")]
        ///
        /// A query that does not exist, or that sees no key, gets minus infinity, so that its powers are zero. The numbers of
        /// eight columns, two for each of four lanes, alternate with those of the next eight, so that a lane reads four at
        /// once.
        ///
        /// # Safety
        /// 1. `results` and `result_gradients` have the elements of all heads innermost, then queries, then sequences, at
        ///    multiples of 16 bytes, and `logarithms` a number for each query of each head of each sequence, queries
        ///    innermost. No thread writes them.
        /// 2. `extents` has the extents of the tensors, none of them zero.
        #[doc = concat!("3. `statistics` has two `f32` for each query of each ", $queries, " of each head, the last ones padded to ", $queries, ", and")]
        ///    `counters` a number for as many queries, and after them a number for each head of keys of each sequence; no
        ///    other code uses them.
        #[doc = concat!("4. Grid and blocks are one-dimensional; there is a block of 256 threads for each ", $queries, " queries of each head.")]
        #[kernel(max_threads = 256, instances(T = Bf16, F16))]
        pub unsafe fn $prepare<T: Half>(
            statistics: *mut f32,
            counters: *mut u32,
            results: *const T,
            result_gradients: *const T,
            logarithms: *const f32,
            extents: Extents,
        ) {
            let tensors = [results, result_gradients];
            // SAFETY: this kernel has the conditions that `prepare` requires (1).
            unsafe {
                ends::prepare::<T, $boxes, false>(extents, Starts::NONE, statistics, counters, tensors, logarithms);
            };
        }

        #[doc = concat!("Writes what [`", stringify!($prepare), "`] does, for sequences that are stored one after the other, each with a")]
        /// length of its own. `extents` has those of the longest sequence.
        ///
        /// # Safety
        #[doc = concat!("1. The conditions of [`", stringify!($prepare), "`] hold, with one sequence in the tensors of queries.")]
        /// 2. `query_starts` has the number of each sequence's first query, and after them `queries`, the number of all; none
        ///    is less than the one before, and no thread writes them.
        #[allow(
            clippy::too_many_arguments,
            reason = "each is a tensor or has numbers of one"
        )]
        #[kernel(max_threads = 256, instances(T = Bf16, F16))]
        pub unsafe fn $prepare_packed<T: Half>(
            statistics: *mut f32,
            counters: *mut u32,
            results: *const T,
            result_gradients: *const T,
            logarithms: *const f32,
            extents: Extents,
            query_starts: *const u32,
            queries: u32,
        ) {
            let tensors = [results, result_gradients];
            // No thread uses what is known of keys.
            let starts = Starts { of_sequences: [query_starts; 2], totals: [queries; 2] };
            // SAFETY: this kernel has the conditions that `prepare` requires (1).
            unsafe { ends::prepare::<T, $boxes, true>(extents, starts, statistics, counters, tensors, logarithms) };
        }

        #[doc = concat!("Writes the gradients of queries, keys and values, for heads of ", $elements, " elements.")]
        ///
        /// The heads of queries that share a head of keys are processed one after the other, so that no other block has a
        /// part of a gradient of a key or a value. Where it is `ORDERED`, blocks add to the gradients of queries in the order
        /// of their keys, from the last ones where it is causal: results are the same bits each time.
        ///
        /// # Safety
        /// 1. The tensors have the elements of all heads innermost, then positions, then sequences. No thread writes queries,
        ///    keys, values and the gradients of results; no other code uses the other gradients. Those of queries are at a
        ///    multiple of 16 bytes.
        /// 2. `extents` has the extents of the tensors, none of them zero; positions are at most 2^30.
        #[doc = concat!("3. `statistics` has two `f32` for each query of each ", $queries, " of each head, at a multiple of 16 bytes, as")]
        #[doc = concat!("   [`", stringify!($prepare), "`] writes them; no thread writes them.")]
        #[doc = concat!("4. `sums` has 32768 bytes for each ", $queries, " queries of each head, at a multiple of 16, and `counters` a number, and after")]
        ///    them a number for each head of keys of each sequence. All are zero, and the sums are zero again after the
        ///    kernel. No other code uses them.
        /// 5. Grid and blocks are one-dimensional. For each head of keys of each sequence there is a block for each 128 keys,
        #[doc = concat!("   and one for each 8 times ", $queries, " queries of the heads that share it. Blocks start in the order of their numbers.")]
        $(#[$attribute])*
        #[allow(
            clippy::too_many_arguments,
            reason = "each is a tensor or has numbers of one"
        )]
        #[kernel(
            max_threads = 384,
            min_blocks = 1,
            instances(T = Bf16, F16; CAUSAL = true, false; ORDERED = true, false),
            shared_bytes = size_of::<Memory<T>>() as u64
        )]
        pub unsafe fn $name<T: MatrixElement + Half, const CAUSAL: bool, const ORDERED: bool>(
            #[grid_constant] key_gradients: &Map<T>,
            #[grid_constant] value_gradients: &Map<T>,
            #[grid_constant] queries: &Map<T>,
            #[grid_constant] keys: &Map<T>,
            #[grid_constant] values: &Map<T>,
            #[grid_constant] result_gradients: &Map<T>,
            extents: Extents,
            query_gradients: *mut T,
            statistics: *const f32,
            sums: *mut f32,
            counters: *mut u32,
        ) where
            Narrow: Sums<T::Ptx, T::Ptx>,
            [f32; $sums]: Sums<T::Ptx, T::Ptx>,
        {
            // SAFETY: this kernel has the conditions that `add_gradients` requires (1).
            unsafe {
                add_gradients::<T, [f32; $sums], $keys, $boxes, CAUSAL, ORDERED, false>(
                    [key_gradients, value_gradients],
                    [queries, keys, values, result_gradients],
                    extents,
                    Starts::NONE,
                    [query_gradients; 3],
                    statistics,
                    sums,
                    counters,
                );
            }
        }

        #[doc = concat!("Writes what [`", stringify!($name), "`] does, for sequences that are stored one after the other, each with a")]
        /// length of its own. `extents` has those of the longest sequence.
        ///
        /// Elements that follow the positions of a sequence are multiplied by zero: infinities and NaN among them reach its
        /// gradients.
        ///
        /// # Safety
        #[doc = concat!("1. The conditions of [`", stringify!($name), "`] hold, with one sequence in the tensors; as long as the longest one, the")]
        ///    sequences have as many blocks, `sums`, `statistics` and `counters`.
        /// 2. `key_gradients_at` and `value_gradients_at` have the tensors of the maps.
        /// 3. `query_starts` and `key_starts` have the number of each sequence's first query and key, and after them
        ///    `all_queries` and `all_keys`; none is less than the one before, and no thread writes them.
        #[allow(
            clippy::too_many_arguments,
            reason = "each is a tensor or has numbers of one"
        )]
        #[kernel(
            max_threads = 384,
            min_blocks = 1,
            instances(T = Bf16, F16; CAUSAL = true, false; ORDERED = true, false),
            shared_bytes = size_of::<Memory<T>>() as u64
        )]
        pub unsafe fn $packed<T: MatrixElement + Half, const CAUSAL: bool, const ORDERED: bool>(
            #[grid_constant] key_gradients: &Map<T>,
            #[grid_constant] value_gradients: &Map<T>,
            #[grid_constant] queries: &Map<T>,
            #[grid_constant] keys: &Map<T>,
            #[grid_constant] values: &Map<T>,
            #[grid_constant] result_gradients: &Map<T>,
            extents: Extents,
            query_gradients: *mut T,
            key_gradients_at: *mut T,
            value_gradients_at: *mut T,
            statistics: *const f32,
            sums: *mut f32,
            counters: *mut u32,
            query_starts: *const u32,
            key_starts: *const u32,
            all_queries: u32,
            all_keys: u32,
        ) where
            Narrow: Sums<T::Ptx, T::Ptx>,
            [f32; $sums]: Sums<T::Ptx, T::Ptx>,
        {
            let starts = Starts {
                of_sequences: [query_starts, key_starts],
                totals: [all_queries, all_keys],
            };
            // SAFETY: this kernel has the conditions that `add_gradients` requires (1).
            unsafe {
                add_gradients::<T, [f32; $sums], $keys, $boxes, CAUSAL, ORDERED, true>(
                    [key_gradients, value_gradients],
                    [queries, keys, values, result_gradients],
                    extents,
                    starts,
                    [query_gradients, key_gradients_at, value_gradients_at],
                    statistics,
                    sums,
                    counters,
                );
            }
        }
    )+};
}

heads! {
    attention_backward_64, attention_backward_prepare_64,
        attention_backward_packed_64, attention_backward_prepare_packed_64: 64 elements in 1 boxes, keys Fragment<T, 4>, sums 32, 128 queries;
    #[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `attention_backward_128_bf16_true_false`\n```text\n", include_str!("../../tests/golden/ptx/attention_backward_128_bf16_true_false.txt"), "\n```"))]
    attention_backward_128, attention_backward_prepare_128,
        attention_backward_packed_128, attention_backward_prepare_packed_128: 128 elements in 2 boxes, keys (), sums 64, 64 queries;
}

/// # Safety
/// 1. The conditions of the kernels.
#[inline(always)]
unsafe fn add_gradients<
    T: MatrixElement + Half,
    S,
    L,
    const BOXES: usize,
    const CAUSAL: bool,
    const ORDERED: bool,
    const PACKED: bool,
>(
    [key_gradients, value_gradients]: [&Map<T>; 2],
    [queries, keys, values, result_gradients]: [&Map<T>; 4],
    extents: Extents,
    starts: Starts,
    [query_gradients, key_gradients_at, value_gradients_at]: [*mut T; 3],
    statistics: *const f32,
    sums: *mut f32,
    counters: *mut u32,
) where
    Narrow: Sums<T::Ptx, T::Ptx>,
    S: Columns + Rows + Sums<T::Ptx, T::Ptx>,
    L: Left<T, BOXES>,
{
    // SAFETY: every thread gets here (5), and the tensors may be used (1).
    let block = unsafe { Block::converged() };
    // SAFETY: the extents are not zero (2), and there are as many blocks (5).
    let item = unsafe { extents.item::<CAUSAL, ORDERED>(block.index()) };

    let memory = shared::dynamic::<Memory<T>, 1024>();
    let at = |offset: usize| memory.byte_add(offset as u32);
    let tiles: SharedPtr<Box2Tile<T>> = memory.cast();
    let stages: SharedPtr<Stage<T>> = at(offset_of!(Memory<T>, stages)).cast();
    let barriers: SharedPtr<Mbarrier> = at(offset_of!(Memory<T>, barriers)).cast();
    let barriers = [0, 1, 2, 3].map(|part| barriers.add(part * BARRIERS as u32));
    let tile: SharedPtr<u32> = at(offset_of!(Memory<T>, tile)).cast();
    if block.elect() {
        // SAFETY: there are heads (2), and no other thread uses the words.
        unsafe {
            extents
                .key_tile::<BOXES, CAUSAL, PACKED>(item.head, item.number, starts)
                .write::<PACKED>(tile)
        };
        let [stages @ .., sums] = barriers;
        for barriers in stages {
            // SAFETY: one thread initialises the barriers, before any other uses them, in memory that is for them alone
            // (3 of `Block::converged`). The loading thread fills a stage, and each warp that multiplies releases those of
            // queries.
            unsafe { Ring::<SLOTS>::init(barriers, 1, 2 * Warpgroup::WARPS) };
        }
        // SAFETY: see above. The warps of a warpgroup write its sums, and the adding thread releases them.
        unsafe { Ring::<SLOTS>::init(sums, Warpgroup::WARPS, 1) };
    }
    block.sync();
    // SAFETY: all threads have synchronised; each role counts the fills.
    let [loaded, of_queries, of_results, of_sums] =
        barriers.map(|barriers| unsafe { Slots::assume_init(barriers) });
    let shared_sums: SharedPtr<f32> = at(offset_of!(Memory<T>, sums)).cast();

    // SAFETY: the words were written before all threads synchronised, and are not written again.
    let tile = || unsafe { KeyTile::read::<PACKED>(tile, &extents) };

    let load_keys = || {
        let tile = tile();
        let own = extents.of::<BOXES, PACKED>(tile.positions);
        if tile.first_query_tile == own.query_tiles {
            return;
        }
        let mut part = 0;
        while part < 2 {
            let map = if part == 0 { keys } else { values };
            let full = loaded.full(part);
            let mut loads = full.transaction();
            let mut number = 0;
            while number < 2 * BOXES as u32 {
                let (rows, of_row) = (number / BOXES as u32, number % BOXES as u32);
                let at = [
                    tile.key_head * elements(BOXES) + of_row * BOX,
                    tile.positions.first[1] + tile.first_key + rows * BOX,
                    tile.positions.sequence,
                ];
                let to = tiles.add(2 * BOXES as u32 * part + number).cast();
                // SAFETY: no thread uses the memory before, and the tensor may be read (1).
                unsafe { loads.tile(to, map, at.map(|coord| coord as i32)) };
                number += 1;
            }
            let _ = loads.arrive();
            part += 1;
        }
    };
    let load_queries = || {
        let tile = tile();
        let own = extents.of::<BOXES, PACKED>(tile.positions);
        let mut filled = 0;
        let mut shared_by = 0;
        while shared_by < extents.sharing {
            let head = tile.key_head * extents.sharing + shared_by;
            let mut number = tile.first_query_tile;
            while number < own.query_tiles {
                let row = extents.row(tile.sequence, head, number) as usize;
                let mut part = 0;
                while part < 2 {
                    let (map, slots) = if part == 0 {
                        (queries, of_queries)
                    } else {
                        (result_gradients, of_results)
                    };
                    if part == 0 {
                        // Each warp releases both stages at once.
                        slots.acquire(filled);
                    }
                    let full = slots.full(filled);
                    let mut loads = full.transaction();
                    let stage = stages.add(SLOTS * part + filled % SLOTS);
                    let mut tile_number = 0;
                    while tile_number < STAGE_BOXES {
                        let (rows, of_row) =
                            (tile_number / BOXES as u32, tile_number % BOXES as u32);
                        let at = [
                            head * elements(BOXES) + of_row * BOX,
                            tile.positions.first[0] + number * tile_queries(BOXES) + rows * BOX,
                            tile.positions.sequence,
                        ];
                        let to = stage.cast().add(tile_number);
                        // SAFETY: the stage is empty, and the tensor may be read (1).
                        unsafe { loads.tile(to, map, at.map(|coord| coord as i32)) };
                        tile_number += 1;
                    }
                    let numbers = stage.byte_add(offset_of!(Stage<T>, numbers) as u32);
                    let from = (2 * row + part as usize) * tile_queries(BOXES) as usize;
                    let from = statistics.wrapping_add(from);
                    // SAFETY: the stage is empty, and these queries have their numbers (3).
                    unsafe { loads.bulk(numbers.cast(), from.cast(), 4 * tile_queries(BOXES)) };
                    let _ = loads.arrive();
                    part += 1;
                }
                filled += 1;
                number += 1;
            }
            shared_by += 1;
        }
    };
    let end_turn = |(counter, turn): (*mut u32, u32)| {
        fence::proxy_async_global();
        // SAFETY: it is this thread's turn to store the counter (4).
        unsafe { memory::store_ordered::<Release, Gpu, u32>(counter, turn + 1) };
    };
    let add = || {
        let tile = tile();
        let own = extents.of::<BOXES, PACKED>(tile.positions);
        let mut last = (counters, 0);
        let mut added = 0;
        let mut shared_by = 0;
        while shared_by < extents.sharing {
            let head = tile.key_head * extents.sharing + shared_by;
            let mut number = tile.first_query_tile;
            while number < own.query_tiles {
                let row = extents.row(tile.sequence, head, number) as usize;
                let to = sums.wrapping_add(2 * row * SUMS_OF_HALF as usize);
                let counter = counters.wrapping_add(row);
                let turn = own.turn::<BOXES, CAUSAL>(tile, number);
                if ORDERED {
                    // SAFETY: others store the counter in order, too (4).
                    while unsafe { memory::load_ordered::<Acquire, Gpu, u32>(counter) } != turn {}
                    fence::proxy_async_global();
                }
                let mut half = 0;
                while half < 2 {
                    of_sums.wait(added + half);
                    let mut stores = Stores::new();
                    let from = shared_sums.add(half * SUMS_OF_HALF);
                    let to = to.wrapping_add((half * SUMS_OF_HALF) as usize);
                    // SAFETY: all threads have written their sums, through a fence, which stay until the release; others
                    // only add to these sums (4).
                    unsafe { stores.add(to, from, 4 * SUMS_OF_HALF) };
                    let _ = stores.commit();
                    half += 1;
                }
                cp_async_bulk::wait_group_read::<1>();
                let _ = of_sums.empty(added).arrive();
                cp_async_bulk::wait_group_read::<0>();
                let _ = of_sums.empty(added + 1).arrive();
                if ORDERED && added > 0 {
                    // An addition takes longer than an iteration: the one before is complete by now.
                    cp_async_bulk::wait_group::<2>();
                    end_turn(last);
                }
                last = (counter, turn);
                added += 2;
                number += 1;
            }
            shared_by += 1;
        }
        // The blocks that finish the head's queries see the additions.
        cp_async_bulk::wait_group::<0>();
        if ORDERED && added > 0 {
            end_turn(last);
        }
        let head = tile.sequence * extents.key_heads + tile.key_head;
        let added = counters.wrapping_add((extents.all_query_tiles() + head) as usize);
        // SAFETY: each head of keys has a counter, to which others add, too (4).
        unsafe { GlobalPtr::from_ptr(added).fetch_add::<Release, Gpu>(1) };
    };
    let load_and_add = |warps: Warps| {
        if item.finishes {
            return;
        }
        let warp = warps.warp();
        if !warp.elect() {
            return;
        }
        match warp.index() {
            0 => load_keys(),
            1 => load_queries(),
            2 => add(),
            _ => (),
        }
    };
    let multiply = |warps: Warps| {
        if item.finishes {
            // SAFETY: this kernel has the conditions that `finish` requires (1).
            unsafe {
                let gradients = query_gradients;
                ends::finish::<T, BOXES, PACKED>(
                    warps, extents, starts, item, gradients, sums, counters,
                );
            };
            return;
        }
        // They are whole ones.
        let Some(warpgroup) = warps.warpgroup() else {
            return;
        };
        let index = warpgroup.index();
        let boxes = BOXES as u32;
        let work = Work::<T, BOXES> {
            warpgroup,
            keys: tiles.add(boxes * index).cast(),
            values: tiles.add(boxes * (2 + index)).cast(),
            all_keys: tiles,
            scores: tiles.add(4 * boxes),
            sums: shared_sums.add(index * SUMS_OF_HALF),
            stages,
        };
        let slots = [loaded, of_queries, of_results, of_sums];
        // SAFETY: the conditions of the kernel hold (1).
        let [key_sums, value_sums] = unsafe {
            let mut own = extents;
            if PACKED {
                own = extents.of::<BOXES, PACKED>(tile().positions);
            }
            work.gradients::<S, L, CAUSAL>(slots, own, tile)
        };
        let tile = tile();
        let Positions {
            sequence,
            first: [_, start],
            keys,
            ..
        } = tile.positions;
        let first_key = tile.first_key + BOX * index;
        let column = tile.key_head * elements(BOXES);
        let at = [column, start + first_key, sequence];
        // The next sequence follows the last key.
        let is_last = PACKED && first_key + BOX > keys;
        let store_last = |sums: &Accumulator<S>, to: *mut T, factor: f32| {
            let width = extents.key_heads as usize * elements(BOXES) as usize;
            let first = first_key + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
            sums.each_pair(warpgroup, |below, element, pair| {
                let key = first + 8 * below as u32;
                if key < keys {
                    let at = (start + key) as usize * width + (column + element) as usize;
                    let pair = T::round(pair.map(|sum| factor * sum));
                    // SAFETY: the gradients have these elements, at an even number (1). They are this thread's, since no
                    // sequence has keys of another one: starts ascend (3).
                    unsafe { *to.add(at).cast::<u32>() = pair };
                }
            });
        };
        if is_last {
            store_last(&value_sums, value_gradients_at, 1.0);
            store_last(&key_sums, key_gradients_at, extents.factor);
            // Where the other warpgroup waits.
            warpgroup.sync_role();
            return;
        }
        let mut outputs = Outputs::<Box3<T>, _, _, 2>::new(warpgroup, work.values.cast());
        outputs.store_sums(&value_sums, value_gradients, at, &Identity);
        outputs.finish();
        // The other warpgroup multiplies with these keys, too.
        warpgroup.sync_role();
        let mut outputs = Outputs::<Box3<T>, _, _, 2>::new(warpgroup, work.keys.cast());
        outputs.store_sums(&key_sums, key_gradients, at, &Scaled(extents.factor));
        outputs.finish();
    };
    // SAFETY: `max_threads` and `min_blocks` allow 24 and 240 registers.
    unsafe { block.split_registers::<THREADS, 24, 240>(load_and_add, multiply) };
}

/// Multiplies by a factor.
struct Scaled(f32);

impl Epilogue for Scaled {
    #[inline(always)]
    fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        sums.map(|sum| self.0 * sum)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{AttentionBackward, Main, Prepare};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
