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

mod block;
mod ends;
mod extents;
mod slots;
mod work;

use tma::{
    Fragment, Swizzle128, Tile, TileMap,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::{Boxes, Deep, MatrixElement},
    ptx::{mbarrier::Mbarrier, wgmma::Sums},
};

use block::add_gradients;
pub use extents::Extents;
use extents::{KeyTile, SUMS_OF_HALF, Starts};
use slots::{BARRIERS, SLOTS};

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
        /// length of its own. `extents` describes the longest sequence.
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
                    (sums, counters),
                );
            }
        }

        #[doc = concat!("Writes what [`", stringify!($name), "`] does, for sequences that are stored one after the other, each with a")]
        /// length of its own. `extents` describes the longest sequence.
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
                    (sums, counters),
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

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{AttentionBackward, Main, Prepare};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
