//! Attention by tensor cores; scores never leave the registers.

pub(crate) mod items;
pub(crate) mod softmax;

use core::mem::offset_of;

use tma::{
    Accumulator, Block, Columns, Fragment, KernelArg, Matrix, Outputs, Rows, SharedPtr, Steps,
    Swizzle128, Tile, TileMap, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::{Boxes, MatrixElement},
    pipeline::{self, Fill, ProductStage, Products},
    ptx::{griddepcontrol, mbarrier::Mbarrier, wgmma::Sums},
    ring::{Cursor, Ring},
    shared,
};

use crate::gemm::Identity;
use items::{Positions, each_item};
use softmax::Softmax;

/// The number of elements of a head in a box.
const BOX: u32 = 64;
/// The number of queries of a warpgroup.
const ROWS: u32 = 64;

/// A box of elements of a head, of positions, of one sequence.
type Box3<T, const POSITIONS: usize> = [[[T; BOX as usize]; POSITIONS]; 1];
type Boxes3<T, const POSITIONS: usize, const BOXES: usize> =
    [Tile<Box3<T, POSITIONS>, Swizzle128>; BOXES];
/// The map of the queries, and the map of the results.
type QueryMap<T> = TileMap<Box3<T, { ROWS as usize }>, Swizzle128>;
type KeyMap<T, const KEYS: usize> = TileMap<Box3<T, KEYS>, Swizzle128>;
type Queries<T, const BOXES: usize> = Boxes3<T, { ROWS as usize }, BOXES>;

/// The extents of the sequences, and the order in which blocks have them.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub struct Sequences {
    /// The number of queries of a sequence, or of the longest one.
    pub queries: u32,
    /// The number of keys of a sequence, or of the longest one.
    pub keys: u32,
    /// Queries and keys of all sequences, where these are stored one after the other with lengths of their own; else 0 of both.
    pub packed: [u32; 2],
    /// The number of heads of queries.
    pub heads: u32,
    /// The number of heads of queries that share a head of keys.
    pub sharing: u32,
    /// The number of heads of all sequences together.
    pub all_heads: u32,
    /// The number of heads that are processed together, so that blocks find their keys and values in L2.
    pub group: u32,
    /// The factor of the scores, which is positive: it includes log2(e), since powers of 2 are computed.
    pub scale: f32,
}

#[repr(C)]
struct Memory<Q, KV, const WARPGROUPS: usize, const SLOTS: usize> {
    queries: [[Q; WARPGROUPS]; SLOTS],
    loaded: [Mbarrier; 128],
    stages: [KV; 1],
}

const fn shared_bytes<
    T,
    const WARPGROUPS: usize,
    const KEYS: usize,
    const BOXES: usize,
    const SLOTS: usize,
>(
    stages: u32,
) -> u64 {
    let before = offset_of!(
        Memory<Queries<T, BOXES>, Boxes3<T, KEYS, BOXES>, WARPGROUPS, SLOTS>,
        stages
    );
    before as u64 + pipeline::bytes::<Boxes3<T, KEYS, BOXES>>(stages, 1)
}

macro_rules! heads {
    ($($(#[$attribute:meta])* $name:ident: $dim:literal elements in $boxes:literal boxes, sums $sums:literal,
        $warpgroups:literal warpgroups, $threads:tt threads, registers $filling:literal $multiplying:literal,
        $keys:literal keys in $steps:literal steps, scores $scores:literal, $slots:literal slots, $stages:literal stages;)+) => {$(
        #[doc = concat!("Writes `softmax(scale * Q * transpose(K)) * V` for heads of ", $dim, " elements, and the logarithms of the sums.")]
        ///
        /// Keys belong to the same sequence. Where it is causal, a query sees no key after it, the last of both at the
        /// same position. A query that sees none gets zeros, and the logarithm of 0. If sequences are packed,
        /// elements that follow the values of one are multiplied by zero: infinities and NaN among them reach the
        /// results of its
        /// last keys.
        ///
        /// # Safety
        /// 1. The tensors have the elements of all heads innermost, then positions, then sequences, with one sequence
        ///    where these are packed. No thread writes queries, keys and values. No other code uses results, which are
        ///    at `results_at`, and logarithms, one `f32` for each query of each head of each sequence in the tensors,
        ///    positions innermost.
        /// 2. `sequences` has the extents of the tensors, none of them zero except the keys, and one to all heads in a
        ///    group; positions are at most 2^30.
        /// 3. Grid and blocks are one-dimensional. An item is 64 queries of a head for each warpgroup but the first. The
        ///    heads of all sequences, each as long as the longest one, have fewer than 2^31 items together.
        /// 4. Where sequences are packed, `query_starts` and `key_starts` have the number of each one's first query and key,
        ///    and after them the number of all, none less than the one before, and no thread writes them.
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments, reason = "each is a tensor or has numbers of one")]
        #[kernel(
            max_threads = $threads,
            min_blocks = 1,
            instances(T = Bf16, F16; CAUSAL = true, false),
            shared_bytes = shared_bytes::<T, $warpgroups, $keys, $boxes, $slots>($stages)
        )]
        pub unsafe fn $name<T: MatrixElement + Half, const CAUSAL: bool>(
            #[grid_constant] results: &QueryMap<T>,
            #[grid_constant] queries: &QueryMap<T>,
            #[grid_constant] keys: &KeyMap<T, $keys>,
            #[grid_constant] values: &KeyMap<T, $keys>,
            sequences: Sequences,
            logarithms: *mut f32,
            results_at: *mut T,
            query_starts: *const u32,
            key_starts: *const u32,
        ) where
            [f32; $scores]: Sums<T::Ptx, T::Ptx>,
            [f32; $sums]: Sums<T::Ptx, T::Ptx>,
        {
            // SAFETY: this kernel has the conditions that `attend` requires (1).
            unsafe {
                attend::<T, [f32; $scores], [f32; $sums], CAUSAL, $warpgroups, $threads, $filling, $multiplying, $keys, $boxes, $boxes, $steps, $slots, $slots, $stages>(
                    [results, queries],
                    [keys, values],
                    sequences,
                    [query_starts, key_starts],
                    logarithms,
                    results_at,
                );
            }
        }
    )+};
}

heads! {
    attention_64: 64 elements in 1 boxes, sums 32, 3 warpgroups, 512 threads, registers 32 160, 128 keys in 8 steps, scores 64, 2 slots, 6 stages;
    #[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `attention_128_bf16_true`\n```text\n", include_str!("../../tests/golden/ptx/attention_128_bf16_true.txt"), "\n```"))]
    attention_128: 128 elements in 2 boxes, sums 64, 2 warpgroups, 384 threads, registers 40 232, 128 keys in 8 steps, scores 64, 2 slots, 5 stages;
    attention_256: 256 elements in 4 boxes, sums 128, 2 warpgroups, 384 threads, registers 40 232, 64 keys in 4 steps, scores 32, 1 slots, 5 stages;
}

/// # Safety
/// 1. The conditions of the kernels.
#[inline(always)]
unsafe fn attend<
    T: MatrixElement + Half,
    S,
    R,
    const CAUSAL: bool,
    const WARPGROUPS: usize,
    const THREADS: u32,
    const FILLING: u32,
    const MULTIPLYING: u32,
    const KEYS: usize,
    const BOXES: usize,
    const OUTPUTS: u32,
    const STEPS: usize,
    const SLOTS: usize,
    const QUERY_SLOTS: u32,
    const STAGES: u32,
>(
    [results, queries]: [&QueryMap<T>; 2],
    [keys, values]: [&KeyMap<T, KEYS>; 2],
    sequences: Sequences,
    starts: [*const u32; 2],
    logarithms: *mut f32,
    results_at: *mut T,
) where
    S: Rows + Sums<T::Ptx, T::Ptx>,
    R: Columns + Rows + Sums<T::Ptx, T::Ptx>,
    [[u32; 4]; STEPS]: Steps<Sums = S>,
{
    // SAFETY: every thread gets here (3 of the kernels), and the tensors may be used (1).
    let block = unsafe { Block::converged() };
    let elements = BOX * BOXES as u32;
    let queries_of_block = ROWS * WARPGROUPS as u32;
    let count = sequences.items_of_head(queries_of_block) * sequences.all_heads;
    // SAFETY: (2) and (4) of the kernels hold, and the item's index is below the number of items.
    let item = |index| unsafe { sequences.item(index, queries_of_block, starts) };

    type All<
        T,
        const WARPGROUPS: usize,
        const KEYS: usize,
        const BOXES: usize,
        const SLOTS: usize,
    > = Memory<Queries<T, BOXES>, Boxes3<T, KEYS, BOXES>, WARPGROUPS, SLOTS>;
    let memory = shared::dynamic::<All<T, WARPGROUPS, KEYS, BOXES, SLOTS>, 1024>();
    let query_tiles: SharedPtr<Queries<T, BOXES>> = memory.cast();
    let loaded = memory.byte_add(offset_of!(All<T, WARPGROUPS, KEYS, BOXES, SLOTS>, loaded) as u32);
    let stages = memory.byte_add(offset_of!(All<T, WARPGROUPS, KEYS, BOXES, SLOTS>, stages) as u32);
    if block.elect() {
        // SAFETY: one thread initialises the barriers, before any other uses them, in memory that is for them alone
        // (3 of
        // `Block::converged`). The loading thread fills a slot, and each warpgroup releases it.
        unsafe { Ring::<QUERY_SLOTS>::init(loaded.cast(), 1, WARPGROUPS as u32) };
    }
    // SAFETY: all threads synchronise where the pipeline is made, before they use the barriers; each role goes through the
    // slots in order.
    let loaded = unsafe { Ring::<QUERY_SLOTS>::assume_init(loaded.cast()) };
    let pipeline = block.product_pipeline::<Boxes3<T, KEYS, BOXES>, STAGES>(stages.cast());
    griddepcontrol::wait();

    let fill = |mut fill: Fill<Boxes3<T, KEYS, BOXES>, STAGES>| {
        let mut slot = Cursor::new();
        each_item::<CAUSAL>(block, count, item, |item| {
            let Positions {
                sequence,
                first: [query_start, key_start],
                ..
            } = item.positions;
            loaded.acquire(slot);
            let full = loaded.full(slot);
            let mut loads = full.transaction();
            let mut number = 0;
            while number < (WARPGROUPS * BOXES) as u32 {
                let (part, of_row) = (number / BOXES as u32, number % BOXES as u32);
                let row = query_start + item.first_query + part * ROWS;
                let at = [item.head * elements + of_row * BOX, row, sequence];
                let tile = query_tiles
                    .add(WARPGROUPS as u32 * slot.stage())
                    .cast()
                    .add(number);
                // SAFETY: all warpgroups have given the slot back, and the tensor may be read (1 of the kernels).
                unsafe { loads.tile(tile, queries, at.map(|coord| coord as i32)) };
                number += 1;
            }
            let _ = loads.arrive();
            slot.advance();

            let mut load = |map: &KeyMap<T, KEYS>, tile: u32| {
                fill.next().load_with(|loads, stage| {
                    let mut number = 0;
                    while number < BOXES as u32 {
                        let key = key_start + tile * KEYS as u32;
                        let at = [item.key_head * elements + number * BOX, key, sequence];
                        // SAFETY: the stage is empty, and the tensor may be read (1 of the kernels).
                        unsafe { loads.tile(stage.at(number), map, at.map(|coord| coord as i32)) };
                        number += 1;
                    }
                });
            };
            // In the order in which they are multiplied: keys, and the values of the keys before.
            let tiles = item.tiles::<CAUSAL>(queries_of_block, KEYS as u32);
            let mut tile = tiles;
            while tile > 0 {
                tile -= 1;
                load(keys, tile);
                if tile + 1 < tiles {
                    load(values, tile + 1);
                }
            }
            if tiles > 0 {
                load(values, 0);
            }
        });
        // The next kernel begins as blocks of this one end.
        griddepcontrol::launch_dependents();
    };

    let multiply = |warpgroup: Warpgroup, mut stages: Products<Boxes3<T, KEYS, BOXES>, STAGES>| {
        let index = warpgroup.index();
        let mut slot = Cursor::new();
        each_item::<CAUSAL>(block, count, item, |item| {
            let Positions {
                sequence,
                first: [query_start, _],
                queries: query_count,
                keys: key_count,
            } = item.positions;
            let tiles = item.tiles::<CAUSAL>(queries_of_block, KEYS as u32);
            // The first key after query 0.
            let behind = key_count as i32 - query_count as i32 + 1;
            let query_tiles = query_tiles.add(WARPGROUPS as u32 * slot.stage() + index);
            loaded.wait(slot);
            let row = item.first_query + ROWS * index;
            let first_row = row + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
            // Keys that a query sees.
            let seen = [0, 8].map(|below| {
                if CAUSAL {
                    ((first_row + below) as i32 + behind).min(key_count as i32)
                } else {
                    key_count as i32
                }
            });
            // The keys that all queries of the warpgroup see.
            let seen_by_all = if CAUSAL {
                (row as i32 + behind).min(key_count as i32)
            } else {
                key_count as i32
            };
            let last_row = (row + ROWS - 1) as i32;
            let score = |stage: &ProductStage<Boxes3<T, KEYS, BOXES>>| {
                let mut batch = Accumulator::<S>::zero().begin(warpgroup);
                let mut number = 0;
                while number < BOXES as u32 {
                    // SAFETY: queries and keys have been loaded; keys are loaded again when the stage has been released,
                    // after the wait for the scores.
                    batch = unsafe {
                        let queries = query_tiles.at(number).cast();
                        let keys = stage.as_ptr().at(number).cast();
                        batch.multiply(
                            Matrix::<Boxes<[[T; 64]; 64], Swizzle128, 1, true>>::from_ptr(queries),
                            Matrix::<Boxes<[[T; 64]; KEYS], Swizzle128, 1, true>>::from_ptr(keys),
                        )
                    };
                    number += 1;
                }
                batch.commit()
            };
            let mask = |scores: Accumulator<S>, tile: u32| {
                let first = (tile * KEYS as u32) as i32;
                if first + KEYS as i32 <= seen_by_all {
                    return scores;
                }
                scores.map_rows(warpgroup, |row, key, score| {
                    if first + (key as i32) < seen[row] {
                        score
                    } else {
                        f32::NEG_INFINITY
                    }
                })
            };
            let add =
                |results: Accumulator<R>, powers, stage: &ProductStage<Boxes3<T, KEYS, BOXES>>| {
                    // SAFETY: values have been loaded, and are loaded again when the stage has been released, after the
                    // wait for the results.
                    unsafe {
                        let values = stage.as_ptr().cast();
                        let values =
                            Matrix::<Boxes<[[T; 64]; KEYS], Swizzle128, BOXES, false>>::from_ptr(
                                values,
                            );
                        let batch = results.begin_with(powers, warpgroup);
                        batch.multiply_fragment(values).commit()
                    }
                };
            let mut softmax = Softmax::new(warpgroup, sequences.scale);
            let mut sums = Accumulator::<R>::zero();
            if tiles > 0 {
                let mut tile = tiles - 1;
                let mut stage = stages.next();
                if CAUSAL
                    && const { ROWS as usize * (WARPGROUPS - 1) >= KEYS }
                    && tile > 0
                    && (tile * KEYS as u32) as i32 >= last_row + behind
                {
                    // Only the queries of later warpgroups see these keys. The test costs more than it saves where a tile
                    // has more keys than these warpgroups have queries.
                    let keys = stage;
                    tile -= 1;
                    stage = stages.next();
                    let values = stages.next();
                    // One thread releases a stage that all have waited for.
                    warpgroup.sync();
                    keys.release();
                    values.release();
                }
                let scores = score(&stage).wait();
                stage.release();
                let (scores, _) = softmax.add(mask(scores, tile));
                let mut powers = Fragment::<T, STEPS>::of(&scores, warpgroup, &Identity);
                let mut next = stages.next();
                while tile > 0 {
                    tile -= 1;
                    let keys = next;
                    let scores = score(&keys);
                    let values = stages.next();
                    let products = add(sums, powers, &values);
                    // SAFETY: the products with values were committed after the scores.
                    let scores = unsafe { scores.wait_before_last::<1>() };
                    keys.release();
                    let (scores, factors) = softmax.add(mask(scores, tile));
                    // ptxas moves the wait for products up to the last branch: the loop that waits for the stage keeps the
                    // softmax before it.
                    next = stages.next();
                    (sums, _) = products.wait();
                    values.release();
                    sums = sums.map_rows(warpgroup, |row, _, sum| sum * factors[row]);
                    powers = Fragment::of(&scores, warpgroup, &Identity);
                }
                (sums, _) = add(sums, powers, &next).wait();
                next.release();
            }
            let [factors, of_sums] = softmax.finish();
            let sums = sums.map_rows(warpgroup, |row, _, sum| sum * factors[row]);
            // The queries' memory is the warpgroup's own, and its products with them are complete.
            let mut outputs = Outputs::<_, _, _, OUTPUTS>::new(warpgroup, query_tiles.cast());
            let column = item.head * elements;
            if !sequences.are_packed() || row + ROWS <= query_count {
                outputs.store_sums(
                    &sums,
                    results,
                    [column, query_start + row, sequence],
                    &Identity,
                );
            } else {
                // The next sequence follows the last query.
                let width = sequences.heads as usize * elements as usize;
                sums.each_pair(warpgroup, |below, element, pair| {
                    let query = first_row + 8 * below as u32;
                    if query < query_count {
                        let at =
                            (query_start + query) as usize * width + (column + element) as usize;
                        // SAFETY: the results have these elements, at an even number (1 of the kernels). They are this
                        // thread's, since no sequence has queries of another one: starts ascend (4).
                        unsafe { *results_at.add(at).cast::<u32>() = T::round(pair) };
                    }
                });
            }
            if warpgroup.warp().lane().is_multiple_of(4) {
                let first = if sequences.are_packed() {
                    item.head as usize * sequences.packed[0] as usize + query_start as usize
                } else {
                    item.number as usize * query_count as usize
                };
                let write = |query: u32, logarithm| {
                    if query < query_count {
                        // SAFETY: each query of the head has a place (1 of the kernels), which is this thread's, since no
                        // sequence has queries of another one (4).
                        unsafe { *logarithms.add(first + query as usize) = logarithm };
                    }
                };
                write(first_row, of_sums[0]);
                write(first_row + 8, of_sums[1]);
            }
            outputs.finish();
            if warpgroup.elect() {
                // This thread has waited until the results have been read.
                loaded.release(slot);
            }
            slot.advance();
        });
    };
    // SAFETY: `max_threads` and `min_blocks` of the kernels allow these registers.
    unsafe { pipeline.split::<THREADS, FILLING, MULTIPLYING>(fill, multiply) };
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Attention, Packed};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::{MOST_HEADS, check_heads, check_scale};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
