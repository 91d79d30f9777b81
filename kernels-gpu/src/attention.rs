//! Attention by tensor cores; scores never leave the registers.
//!
//! A kernel is its configuration and five functions: `run`, `setup`, `producer`, `consumer` with its `main_loop`, and
//! `epilogue`.

mod config;
mod items;
mod softmax;

use core::marker::PhantomData;

use tma::{
    Accumulator, Block, Columns, Fragment, InFlight, KernelArg, Matrix, Outputs, Rows, SharedPtr,
    Steps, Swizzle128, Warpgroup,
    halves::{Bf16, F16, Half},
    kernel,
    matrix::{Boxes, MatrixElement},
    pipeline::{Fill, ProductPipeline, ProductStage, Products},
    ptx::wgmma::Sums,
    ring::{Cursor, Ring},
    shared,
};

use crate::{
    config::Const,
    gemm::Identity,
    product::{CONSUMER_REGISTERS, PRODUCER_REGISTERS},
};
use config::{
    BOX, Box3, Boxes3, Config, Head64, Head128, Head256, KeyMap, Queries, QueryMap, ROWS,
    barriers_offset, shared_bytes, stages_offset,
};
use items::{Item, Positions, View, each_item};
use softmax::Softmax;

pub use crate::product::THREADS;

/// The number of queries that a block has at a time: 64 for each consumer.
pub const QUERIES: u32 = 128;

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

macro_rules! heads {
    ($($(#[$attribute:meta])* $name:ident: $dim:literal elements, $config:ty;)+) => {$(
        #[doc = concat!("Writes `softmax(scale * Q * transpose(K)) * V` for heads of ", $dim, " elements, and the logarithms of the sums.")]
        ///
        /// Keys belong to the same sequence. Where it is causal, a query sees no key after it, the last of both at the
        /// same position. A query that sees none gets zeros, and the logarithm of 0. Where sequences are packed, elements that
        /// follow the values of one are multiplied by zero: infinities and NaN among them reach its last keys' results.
        ///
        /// # Safety
        /// 1. The tensors have the elements of all heads innermost, then positions, then sequences, with one sequence
        ///    where these are packed. No thread writes queries, keys and values; no other code uses results, which are
        ///    at `results_at`, and logarithms, one `f32` for each query of each head of each sequence in the tensors,
        ///    positions innermost.
        /// 2. `sequences` has the extents of the tensors, none of them zero except the keys, and one to all heads in a
        ///    group; positions are at most 2^30.
        /// 3. Grid and blocks are one-dimensional; 128 queries of each head of each sequence, or of the longest one, are fewer
        ///    than 2^31 items together, and there is a block for each item where it is causal.
        /// 4. Where sequences are packed, `query_starts` and `key_starts` have the number of each one's first query and key,
        ///    and after them the number of all, none less than the one before, and no thread writes them.
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments, reason = "each is a tensor or has numbers of one")]
        #[kernel(
            max_threads = 384,
            min_blocks = 1,
            instances(T = Bf16, F16; CAUSAL = true, false),
            shared_bytes = shared_bytes::<T, $config>()
        )]
        pub unsafe fn $name<T: MatrixElement + Half, const CAUSAL: bool>(
            #[grid_constant] results: &QueryMap<T>,
            #[grid_constant] queries: &QueryMap<T>,
            #[grid_constant] keys: &KeyMap<T, $config>,
            #[grid_constant] values: &KeyMap<T, $config>,
            sequences: Sequences,
            logarithms: *mut f32,
            results_at: *mut T,
            query_starts: *const u32,
            key_starts: *const u32,
        ) where
            <$config as Config>::Scores: Sums<T::Ptx, T::Ptx>,
            <$config as Config>::Results: Sums<T::Ptx, T::Ptx>,
        {
            let operands = Operands {
                results,
                queries,
                keys,
                values,
                sequences,
                logarithms,
                results_at,
                starts: [query_starts, key_starts],
            };
            // SAFETY: the conditions are the same.
            unsafe { Kernel::<T, $config, CAUSAL, _>::run(operands) }
        }
    )+};
}

heads! {
    attention_64: 64 elements, Head64;
    #[cfg_attr(doc, doc = concat!("\n# Instructions of `attention_128_bf16_true`\n```text\n", include_str!("../../tests/golden/ptx/attention_128_bf16_true.txt"), "\n```"))]
    attention_128: 128 elements, Head128;
    attention_256: 256 elements, Head256;
}

/// The operands of attention: the conditions of the kernels hold.
struct Operands<'a, T, C: Config> {
    results: &'a QueryMap<T>,
    queries: &'a QueryMap<T>,
    keys: &'a KeyMap<T, C>,
    values: &'a KeyMap<T, C>,
    sequences: Sequences,
    logarithms: *mut f32,
    results_at: *mut T,
    /// The first queries, and the first keys, of packed sequences.
    starts: [*const u32; 2],
}

/// A kernel of configuration `C`, after its setup.
struct Kernel<'a, T, C: Config, const CAUSAL: bool, const SLOTS: u32> {
    operands: Operands<'a, T, C>,
    block: Block,
    /// The number of items.
    count: u32,
    /// In each slot the queries of both consumers.
    query_tiles: SharedPtr<C::Queries<T>>,
    /// A slot is full when its queries have been loaded, and empty when both consumers have released it.
    slots: Ring<SLOTS>,
    config: PhantomData<C>,
}

impl<
    'a,
    T,
    C,
    const CAUSAL: bool,
    const SLOTS: u32,
    const KEYS: usize,
    const BOXES: usize,
    const STAGES: u32,
    const STEPS: usize,
    const OUTPUTS: u32,
> Kernel<'a, T, C, CAUSAL, SLOTS>
where
    T: MatrixElement + Half,
    C: Config<
            Queries<T> = Queries<T, BOXES>,
            QuerySlots = Const<SLOTS>,
            KeyBox<T> = Box3<T, KEYS>,
            Stage<T> = Boxes3<T, KEYS, BOXES>,
            Stages = Const<STAGES>,
            Scores: Rows + Sums<T::Ptx, T::Ptx>,
            Powers = [[u32; 4]; STEPS],
            Results: Columns + Rows + Sums<T::Ptx, T::Ptx>,
            Outputs = Const<OUTPUTS>,
        >,
    [[u32; 4]; STEPS]: Steps<Sums = C::Scores>,
{
    /// The number of elements of a head.
    const ELEMENTS: u32 = BOX * BOXES as u32;

    /// Computes the items that are dealt to the block.
    ///
    /// # Safety
    /// 1. The conditions of the kernels hold, and the attributes are theirs.
    #[inline(always)]
    unsafe fn run(operands: Operands<'a, T, C>) {
        // SAFETY: the conditions are the same (1).
        let (kernel, pipeline) = unsafe { Self::setup(operands) };
        let producer = |fill| kernel.producer(fill);
        let consumer = |warpgroup, products| kernel.consumer(warpgroup, products);
        // SAFETY: `max_threads` and `min_blocks` of the kernels allow these registers (1).
        unsafe {
            pipeline.split::<THREADS, PRODUCER_REGISTERS, CONSUMER_REGISTERS>(producer, consumer);
        }
    }

    /// Lays out shared memory, and makes the ring of the queries and the pipeline of keys and values.
    ///
    /// # Safety
    /// 1. The conditions of the kernels hold.
    #[inline(always)]
    unsafe fn setup(
        operands: Operands<'a, T, C>,
    ) -> (Self, ProductPipeline<Boxes3<T, KEYS, BOXES>, STAGES>) {
        // SAFETY: every thread gets here, and the tensors may be used (1).
        let block = unsafe { Block::converged() };
        let count = operands.sequences.items_of_head() * operands.sequences.all_heads;
        let query_tiles = shared::dynamic::<Queries<T, BOXES>, 1024>();
        let barriers = query_tiles.byte_add(barriers_offset::<T, C>()).cast();
        let stages = query_tiles.byte_add(stages_offset::<T, C>()).cast();
        if block.elect() {
            // SAFETY: one thread does so, before any other uses the barriers, in memory that is for them alone (3 of
            // `Block::converged`). The producer fills a slot, and each consumer releases it.
            unsafe { Ring::<SLOTS>::init(barriers, 1, 2) };
        }
        // SAFETY: all threads synchronise where the pipeline is made, before they use the barriers; each role goes
        // through the slots in order.
        let slots = unsafe { Ring::assume_init(barriers) };
        let pipeline = block.product_pipeline(stages);
        let kernel = Self {
            operands,
            block,
            count,
            query_tiles,
            slots,
            config: PhantomData,
        };
        (kernel, pipeline)
    }

    /// Calls `work` with each item of this block.
    #[inline(always)]
    fn each_item(&self, work: impl FnMut(Item)) {
        let Operands {
            sequences, starts, ..
        } = self.operands;
        // SAFETY: (2) and (4) of the kernels hold, and the index is below the number of items.
        let item = |index| unsafe { sequences.item(index, starts) };
        each_item::<CAUSAL>(self.block, self.count, item, work);
    }

    /// Loads the queries, keys and values of each item.
    #[inline(always)]
    fn producer(&self, mut fill: Fill<Boxes3<T, KEYS, BOXES>, STAGES>) {
        let mut slot = Cursor::new();
        self.each_item(|item| {
            self.load_queries(slot, &item);
            slot.advance();
            // In the order in which they are multiplied: keys, and the values of the keys before.
            let tiles = item.tiles::<CAUSAL>(KEYS as u32);
            let mut tile = tiles;
            while tile > 0 {
                tile -= 1;
                Self::load_tile(&mut fill, self.operands.keys, &item, tile);
                if tile + 1 < tiles {
                    Self::load_tile(&mut fill, self.operands.values, &item, tile + 1);
                }
            }
            if tiles > 0 {
                Self::load_tile(&mut fill, self.operands.values, &item, 0);
            }
        });
    }

    /// Loads the queries of an item into a slot, when both consumers have released it.
    #[inline(always)]
    fn load_queries(&self, slot: Cursor<SLOTS>, item: &Item) {
        let Positions {
            sequence,
            first: [query_start, _],
            ..
        } = item.positions;
        self.slots.acquire(slot);
        let full = self.slots.full(slot);
        let mut loads = full.transaction();
        let mut number = 0;
        while number < 2 * BOXES as u32 {
            let (part, of_row) = (number / BOXES as u32, number % BOXES as u32);
            let row = query_start + item.first_query + part * ROWS;
            let at = [item.head * Self::ELEMENTS + of_row * BOX, row, sequence];
            let tile = self.query_tiles.add(2 * slot.stage()).cast().add(number);
            // SAFETY: both consumers have released the slot, and the tensor may be read (1 of the kernels).
            unsafe { loads.tile(tile, self.operands.queries, at.map(|coord| coord as i32)) };
            number += 1;
        }
        let _ = loads.arrive();
    }

    /// Loads a tile of keys or values into the next stage.
    #[inline(always)]
    fn load_tile(
        fill: &mut Fill<Boxes3<T, KEYS, BOXES>, STAGES>,
        map: &KeyMap<T, C>,
        item: &Item,
        tile: u32,
    ) {
        let Positions {
            sequence,
            first: [_, key_start],
            ..
        } = item.positions;
        fill.next().load_with(|loads, stage| {
            let mut number = 0;
            while number < BOXES as u32 {
                let key = key_start + tile * KEYS as u32;
                let at = [item.key_head * Self::ELEMENTS + number * BOX, key, sequence];
                // SAFETY: the stage is empty, and the tensor may be read (1 of the kernels).
                unsafe { loads.tile(stage.at(number), map, at.map(|coord| coord as i32)) };
                number += 1;
            }
        });
    }

    /// Computes the results of 64 queries of each item.
    #[inline(always)]
    fn consumer(&self, warpgroup: Warpgroup, mut stages: Products<Boxes3<T, KEYS, BOXES>, STAGES>) {
        let mut slot = Cursor::new();
        self.each_item(|item| {
            let tiles = item.tiles::<CAUSAL>(KEYS as u32);
            let queries = self.query_tiles.add(2 * slot.stage() + warpgroup.index());
            self.slots.wait(slot);
            let view = View::new::<CAUSAL>(&item, warpgroup);
            // SAFETY: the queries have been loaded, and the slot is released below.
            let (sums, softmax) = unsafe { self.main_loop(&mut stages, queries, &view, tiles) };
            // The queries' memory is the consumer's own, and its products with them are complete.
            let outputs = Outputs::new(warpgroup, queries.cast());
            self.epilogue(outputs, sums, softmax, &item, &view);
            if warpgroup.elect() {
                // This thread has waited until the results have been read.
                self.slots.release(slot);
            }
            slot.advance();
        });
    }

    /// Returns the sums of the powers times values, and the softmax of all scores: the scores of a tile of keys are
    /// computed while the products of the values before are in flight.
    ///
    /// # Safety
    /// 1. The queries have been loaded, and no thread writes them before this returns.
    #[inline(always)]
    unsafe fn main_loop(
        &self,
        stages: &mut Products<Boxes3<T, KEYS, BOXES>, STAGES>,
        queries: SharedPtr<Queries<T, BOXES>>,
        view: &View,
        tiles: u32,
    ) -> (Accumulator<C::Results>, Softmax) {
        let warpgroup = view.warpgroup;
        let mut softmax = Softmax::new(warpgroup, self.operands.sequences.scale);
        let mut sums = Accumulator::<C::Results>::zero();
        if tiles == 0 {
            return (sums, softmax);
        }
        let mut tile = tiles - 1;
        let stage = stages.next();
        // SAFETY: the queries have been loaded (1), and the stage is released after the wait (2).
        let scores = unsafe { Self::scores(queries, &stage, warpgroup) }.wait();
        stage.release();
        let (scores, _) = softmax.add(view.mask::<_, KEYS>(scores, tile));
        let mut powers = Fragment::<T, STEPS>::of(&scores, warpgroup, &Identity);
        let mut next = stages.next();
        while tile > 0 {
            tile -= 1;
            let keys = next;
            // SAFETY: the queries have been loaded (1), and the stage is released after the wait (2).
            let scores = unsafe { Self::scores(queries, &keys, warpgroup) };
            let values = stages.next();
            // SAFETY: the stage is released after the wait (1).
            let products = unsafe { Self::add_values(sums, powers, &values, warpgroup) };
            // SAFETY: the products with values were committed after the scores.
            let scores = unsafe { scores.wait_before_last::<1>() };
            keys.release();
            let (scores, factors) = softmax.add(view.mask::<_, KEYS>(scores, tile));
            // ptxas moves the wait for products up to the last branch: the loop that waits for the stage keeps the
            // softmax before it.
            next = stages.next();
            (sums, _) = products.wait();
            values.release();
            sums = sums.map_rows(warpgroup, |row, _, sum| sum * factors[row]);
            powers = Fragment::of(&scores, warpgroup, &Identity);
        }
        // SAFETY: the stage is released after the wait (1).
        (sums, _) = unsafe { Self::add_values(sums, powers, &next, warpgroup) }.wait();
        next.release();
        (sums, softmax)
    }

    /// Starts the products of queries and a tile of keys. Collective of the warpgroup.
    ///
    /// # Safety
    /// 1. The queries have been loaded, and no thread writes them before the products have been waited for.
    /// 2. The stage is released after the wait for the products, which are not dropped.
    #[inline(always)]
    unsafe fn scores(
        queries: SharedPtr<Queries<T, BOXES>>,
        stage: &ProductStage<Boxes3<T, KEYS, BOXES>>,
        warpgroup: Warpgroup,
    ) -> InFlight<C::Scores> {
        let mut batch = Accumulator::<C::Scores>::zero().begin(warpgroup);
        let mut number = 0;
        while number < BOXES as u32 {
            // SAFETY: queries (1) and keys (2) have been loaded, and stay until the products have been waited for.
            batch = unsafe {
                let queries = queries.at(number).cast();
                let keys = stage.as_ptr().at(number).cast();
                batch.multiply(
                    Matrix::<Boxes<[[T; 64]; 64], Swizzle128, 1, true>>::from_ptr(queries),
                    Matrix::<Boxes<[[T; 64]; KEYS], Swizzle128, 1, true>>::from_ptr(keys),
                )
            };
            number += 1;
        }
        batch.commit()
    }

    /// Starts the products of powers and a tile of values, which are added to the sums. Collective of the warpgroup.
    ///
    /// # Safety
    /// 1. The stage is released after the wait for the products, which are not dropped.
    #[inline(always)]
    unsafe fn add_values(
        sums: Accumulator<C::Results>,
        powers: Fragment<T, STEPS>,
        stage: &ProductStage<Boxes3<T, KEYS, BOXES>>,
        warpgroup: Warpgroup,
    ) -> InFlight<C::Results, Fragment<T, STEPS>> {
        // SAFETY: values have been loaded, and stay until the products have been waited for (1).
        unsafe {
            let values = stage.as_ptr().cast();
            let values =
                Matrix::<Boxes<[[T; 64]; KEYS], Swizzle128, BOXES, false>>::from_ptr(values);
            let batch = sums.begin_with(powers, warpgroup);
            batch.multiply_fragment(values).commit()
        }
    }

    /// Stores the results of 64 queries, and the logarithms of their sums.
    #[inline(always)]
    fn epilogue(
        &self,
        mut outputs: Outputs<Box3<T, { ROWS as usize }>, Swizzle128, Warpgroup, OUTPUTS>,
        sums: Accumulator<C::Results>,
        softmax: Softmax,
        item: &Item,
        view: &View,
    ) {
        let Operands {
            results,
            sequences,
            results_at,
            logarithms,
            ..
        } = self.operands;
        let Positions {
            sequence,
            first: [query_start, _],
            queries: query_count,
            ..
        } = item.positions;
        let View {
            warpgroup,
            row,
            first_row,
            ..
        } = *view;
        let [factors, of_sums] = softmax.finish();
        let sums = sums.map_rows(warpgroup, |row, _, sum| sum * factors[row]);
        let column = item.head * Self::ELEMENTS;
        if !sequences.are_packed() || row + ROWS <= query_count {
            let at = [column, query_start + row, sequence];
            outputs.store_sums(&sums, results, at, &Identity);
        } else {
            // The next sequence follows the last query.
            let width = sequences.heads as usize * Self::ELEMENTS as usize;
            sums.each_pair(warpgroup, |below, element, pair| {
                let query = first_row + 8 * below as u32;
                if query < query_count {
                    let at = (query_start + query) as usize * width + (column + element) as usize;
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
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Attention, Packed};

#[cfg(not(target_arch = "nvptx64"))]
mod host;
