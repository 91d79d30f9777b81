//! The products of a warpgroup: the gradients of 64 keys, and its part of those of all queries.

use core::mem::offset_of;

use tma::{
    Accumulator, Columns, Fragment, InFlight, Matrix, SharedPtr, Warpgroup,
    halves::Half,
    matrix::MatrixElement,
    ptx::{ex2, fence, wgmma::Sums},
};

use super::{
    AlongHead, AlongRows, BOX, Box2Tile, Extents, Narrow, Stage,
    extents::KeyTile,
    parts,
    slots::{SLOTS, Slots},
    tile_queries,
};
use crate::gemm::Identity;

/// 64 positions of a head.
type HeadRows<T, const BOXES: usize> = [Box2Tile<T>; BOXES];

/// 64 keys or values as A of products, in the registers of a warpgroup; `()` if they stay in shared memory.
pub(super) trait Left<T, const BOXES: usize>: Sized {
    type InFlight;

    /// # Safety
    /// 1. The conditions of [`Fragment::load`].
    unsafe fn load(rows: SharedPtr<HeadRows<T, BOXES>>, warpgroup: Warpgroup) -> Self;

    /// # Safety
    /// 1. The conditions of [`Batch::multiply`](tma::Batch::multiply) and of [`Matrix::from_ptr`], for the rows that were
    ///    loaded, and for columns.
    unsafe fn multiply(
        self,
        start: Accumulator<Narrow>,
        warpgroup: Warpgroup,
        rows: SharedPtr<HeadRows<T, BOXES>>,
        columns: SharedPtr<HeadRows<T, BOXES>>,
    ) -> Self::InFlight;

    /// # Safety
    /// 1. The condition of [`InFlight::wait_before_last`].
    unsafe fn wait<const LEFT: u64>(products: Self::InFlight) -> (Accumulator<Narrow>, Self);
}

impl<T: MatrixElement, const BOXES: usize> Left<T, BOXES> for ()
where
    Narrow: Sums<T::Ptx, T::Ptx>,
{
    type InFlight = InFlight<Narrow>;

    #[inline(always)]
    unsafe fn load(_rows: SharedPtr<HeadRows<T, BOXES>>, _warpgroup: Warpgroup) {}

    #[inline(always)]
    unsafe fn multiply(
        self,
        start: Accumulator<Narrow>,
        warpgroup: Warpgroup,
        rows: SharedPtr<HeadRows<T, BOXES>>,
        columns: SharedPtr<HeadRows<T, BOXES>>,
    ) -> Self::InFlight {
        // SAFETY: the conditions are the same (1).
        unsafe {
            let rows = Matrix::<AlongHead<T, BOXES>>::from_ptr(rows);
            let columns = Matrix::<AlongHead<T, BOXES>>::from_ptr(columns);
            start.begin(warpgroup).multiply(rows, columns).commit()
        }
    }

    #[inline(always)]
    unsafe fn wait<const LEFT: u64>(products: Self::InFlight) -> (Accumulator<Narrow>, Self) {
        // SAFETY: the condition is the same (1).
        (unsafe { products.wait_before_last::<LEFT>() }, ())
    }
}

impl<T: MatrixElement + Half> Left<T, 1> for Fragment<T, 4>
where
    Narrow: Sums<T::Ptx, T::Ptx>,
{
    type InFlight = InFlight<Narrow, Self>;

    #[inline(always)]
    unsafe fn load(rows: SharedPtr<HeadRows<T, 1>>, warpgroup: Warpgroup) -> Self {
        // SAFETY: the conditions are the same (1).
        unsafe { Self::load(rows.cast::<Box2Tile<T>>(), warpgroup, 0) }
    }

    #[inline(always)]
    unsafe fn multiply(
        self,
        start: Accumulator<Narrow>,
        warpgroup: Warpgroup,
        _rows: SharedPtr<HeadRows<T, 1>>,
        columns: SharedPtr<HeadRows<T, 1>>,
    ) -> Self::InFlight {
        // SAFETY: the conditions are the same (1).
        unsafe {
            let columns = Matrix::<AlongHead<T, 1>>::from_ptr(columns);
            let batch = start.begin_with(self, warpgroup);
            batch.multiply_fragment(columns).commit()
        }
    }

    #[inline(always)]
    unsafe fn wait<const LEFT: u64>(products: Self::InFlight) -> (Accumulator<Narrow>, Self) {
        // SAFETY: the condition is the same (1).
        unsafe { products.wait_before_last::<LEFT>() }
    }
}

/// The memory and the keys of a warpgroup.
#[derive(Clone, Copy)]
pub(super) struct Work<T, const BOXES: usize> {
    pub(super) warpgroup: Warpgroup,
    pub(super) keys: SharedPtr<HeadRows<T, BOXES>>,
    pub(super) values: SharedPtr<HeadRows<T, BOXES>>,
    /// The boxes of the keys of both warpgroups.
    pub(super) all_keys: SharedPtr<Box2Tile<T>>,
    pub(super) scores: SharedPtr<Box2Tile<T>>,
    pub(super) sums: SharedPtr<f32>,
    /// Two of queries, and two of gradients of results.
    pub(super) stages: SharedPtr<Stage<T>>,
}

impl<T: MatrixElement + Half, const BOXES: usize> Work<T, BOXES>
where
    Narrow: Sums<T::Ptx, T::Ptx>,
{
    /// Returns the gradients of the warpgroup's keys, times `1 / scale`, and of their values.
    ///
    /// # Safety
    /// 1. The conditions of the kernel.
    #[inline(always)]
    pub(super) unsafe fn gradients<
        S: Columns + Sums<T::Ptx, T::Ptx>,
        L: Left<T, BOXES>,
        const CAUSAL: bool,
    >(
        &self,
        [loaded, of_queries, of_results, of_sums]: [Slots; 4],
        extents: Extents,
        tile: impl Fn() -> KeyTile,
    ) -> [Accumulator<S>; 2] {
        let warpgroup = self.warpgroup;
        let index = warpgroup.index();
        let mut key_sums = Accumulator::<S>::zero();
        let mut value_sums = Accumulator::<S>::zero();
        let KeyTile {
            first_key,
            first_query_tile,
            ..
        } = tile();
        let tiles = extents.sharing * (extents.query_tiles - first_query_tile);
        if tiles == 0 {
            return [key_sums, value_sums];
        }
        // The first query that sees all keys of the warpgroup.
        let all_seen = extents.first_query::<CAUSAL>(first_key + BOX * index + BOX - 1);

        let mut first_query = first_query_tile * tile_queries(BOXES);
        let mut number = 0;
        let of_part = |stage: SharedPtr<Stage<T>>, part: u32| {
            stage.cast::<Box2Tile<T>>().add(BOXES as u32 * part)
        };
        let product = |left: L, rows, stage, part| {
            let start = self.numbers(stage, part);
            // SAFETY: keys and values have been loaded and stay; the stage stays until the release, after the wait.
            unsafe { left.multiply(start, warpgroup, rows, of_part(stage, part).cast()) }
        };
        loaded.wait(0);
        of_queries.wait(0);
        // SAFETY: the keys have been loaded, and no thread writes them before all products.
        let keys = unsafe { L::load(self.keys, warpgroup) };
        // SAFETY: no group was committed after the products.
        let (mut scores, mut keys) =
            unsafe { L::wait::<0>(product(keys, self.keys, self.stages, 0)) };
        loaded.wait(1);
        // SAFETY: see above.
        let mut values = unsafe { L::load(self.values, warpgroup) };
        loop {
            let queries = self.stages.add(number % SLOTS);
            let results = self.stages.add(SLOTS + number % SLOTS);
            let gradient_tiles = self.scores.add(2 * parts(BOXES) * (number % 2));
            of_results.wait(number);
            // Adds the products of 64 queries to the gradients of values, and begins to add those to the gradients of keys.
            let add = |part: u32, scores, products, [key_sums, value_sums]: [Accumulator<S>; 2]| {
                // `Err` has values whose products begin only here: heads of 128 lack registers for earlier ones.
                let products = match products {
                    Ok(products) => products,
                    Err(values) => product(values, self.values, results, part),
                };
                let mut seen_scores = scores;
                let first_query = first_query + BOX * part;
                if (first_query as i32) < all_seen {
                    seen_scores = self.mask::<CAUSAL>(
                        seen_scores,
                        extents,
                        tile().first_key + BOX * index,
                        first_query,
                    );
                }
                let powers = seen_scores.map_fours(|_, scores| {
                    scores.map(|score| ex2::approx_ftz_f32(score * extents.scale))
                });
                let fragment = Fragment::<T, 4>::of(&powers, warpgroup, &Identity);
                // SAFETY: the gradients of results have been loaded, and stay until the release, after the wait.
                let adding_values = unsafe {
                    let rows =
                        Matrix::<AlongRows<T, BOXES>>::from_ptr(of_part(results, part).cast());
                    let batch = value_sums.begin_with(fragment, warpgroup);
                    batch.multiply_fragment(rows).commit()
                };
                // SAFETY: one group was committed after the products.
                let (products, values) = unsafe { L::wait::<1>(products) };
                let gradients = powers.zip_fours(&products, |_, powers, products| {
                    [0, 1, 2, 3].map(|at| powers[at] * products[at])
                });
                let fragment = Fragment::<T, 4>::of(&gradients, warpgroup, &Identity);
                // SAFETY: both warpgroups have waited for their products with this tile of the iteration before the last
                // one, before they came to the barrier of the last one.
                unsafe { fragment.store(gradient_tiles.add(2 * part + index), warpgroup, 0) };
                fence::proxy_async_shared_cta();

                // SAFETY: the queries have been loaded, and stay until the release, after the wait.
                let adding_keys = unsafe {
                    let rows =
                        Matrix::<AlongRows<T, BOXES>>::from_ptr(of_part(queries, part).cast());
                    let batch = key_sums.begin_with(fragment, warpgroup);
                    batch.multiply_fragment(rows).commit()
                };
                // SAFETY: one group was committed after the values.
                let (value_sums, _) = unsafe { adding_values.wait_before_last::<1>() };
                (products, values, adding_keys, value_sums)
            };
            let (products, adding_keys);
            if BOXES == 1 {
                // Registers have room for further products in flight.
                let next_scores = product(keys, self.keys, queries, 1);
                let next_products = product(values, self.values, results, 0);
                let sums = [key_sums, value_sums];
                let (_, of_values, adding, sums) = add(0, scores, Ok(next_products), sums);
                let next_products = product(of_values, self.values, results, 1);
                // SAFETY: one group was committed after the keys, and more after the scores.
                let (of_keys, _) = unsafe { adding.wait_before_last::<1>() };
                // SAFETY: see above.
                (scores, keys) = unsafe { L::wait::<1>(next_scores) };
                (products, values, adding_keys, value_sums) =
                    add(1, scores, Ok(next_products), [of_keys, sums]);
            } else {
                (products, values, adding_keys, value_sums) =
                    add(0, scores, Err(values), [key_sums, value_sums]);
            }
            warpgroup.sync_role();
            // SAFETY: the gradients have been written by both warpgroups, before the barrier and through a fence; the keys
            // have been loaded. No thread writes them before the wait.
            let adding_queries = unsafe {
                // A warpgroup has half the elements, or half the queries.
                let boxes = BOXES as u32;
                let half = |number: u32| {
                    let gradients = 2 * (parts(BOXES) - 1) * index + number;
                    let keys = boxes * number + (boxes - 1) * index;
                    (
                        Matrix::<AlongRows<T, 1>>::from_ptr(gradient_tiles.add(gradients).cast()),
                        Matrix::<AlongRows<T, 1>>::from_ptr(self.all_keys.add(keys).cast()),
                    )
                };
                let (gradients, keys) = half(0);
                let batch = products.begin(warpgroup).replace(gradients, keys);
                let (gradients, keys) = half(1);
                batch.multiply(gradients, keys).commit()
            };
            // The next scores take the registers of the gradients.
            // SAFETY: one group was committed after the keys.
            (key_sums, _) = unsafe { adding_keys.wait_before_last::<1>() };
            // The stage of the gradients of results, too: the products for values are complete.
            of_queries.release(number, warpgroup.warp());
            // The last time the same scores are computed again: products in two branches would not overlap others. No thread
            // fills the stage again.
            let mut next = number;
            if number + 1 < tiles {
                next = number + 1;
                of_queries.wait(next);
            }
            let next_scores = product(keys, self.keys, self.stages.add(next % SLOTS), 0);
            // SAFETY: one group was committed after the sums.
            let query_sums = unsafe { adding_queries.wait_before_last::<1>() };
            // SAFETY: the sums are this thread's from here to the arrival.
            unsafe { self.leave(&query_sums, of_sums, 2 * number + index) };
            // ptxas would wait here, too: no product is in flight where the loop begins.
            // SAFETY: no group was committed after the scores.
            (scores, keys) = unsafe { L::wait::<0>(next_scores) };
            number += 1;
            if number == tiles {
                return [key_sums, value_sums];
            }
            first_query += tile_queries(BOXES);
            if first_query >= extents.queries {
                first_query = tile().first_query_tile * tile_queries(BOXES);
            }
        }
    }

    /// Replaces scores of keys that a query does not see by minus infinity.
    #[inline(always)]
    fn mask<const CAUSAL: bool>(
        &self,
        scores: Accumulator<Narrow>,
        extents: Extents,
        first_key: u32,
        first_query: u32,
    ) -> Accumulator<Narrow> {
        let lane = self.warpgroup.warp().lane();
        let first_column = (first_query + lane % 4 * 2) as i32;
        // For each of this thread's two keys the first query that sees it, counted from this thread's first column.
        let seen = [0, 8].map(|below| {
            let key = first_key + 16 * self.warpgroup.warp_index() + lane / 4 + below;
            extents
                .first_query::<CAUSAL>(key)
                .saturating_sub(first_column)
        });
        scores.map_fours(|number, scores| {
            let score = |at: usize| {
                let is_seen = (8 * number + at % 2) as i32 >= seen[at / 2];
                if is_seen {
                    scores[at]
                } else {
                    f32::NEG_INFINITY
                }
            };
            [score(0), score(1), score(2), score(3)]
        })
    }

    /// Returns sums that begin with the number of their column among these 64 queries of the stage.
    #[inline(always)]
    fn numbers(&self, stage: SharedPtr<Stage<T>>, part: u32) -> Accumulator<Narrow> {
        let numbers = stage
            .byte_add(offset_of!(Stage<T>, numbers) as u32)
            .cast::<[f32; 4]>()
            .add(16 * part + self.warpgroup.warp().lane() % 4);
        // SAFETY: the stage has been loaded, and is not loaded again before its release.
        let numbers = [0, 1, 2, 3].map(|part| unsafe { numbers.add(4 * part).read() });
        Accumulator::<Narrow>::zero().map_fours(|number, _| {
            let [a, b, c, d] = numbers[number / 2];
            if number.is_multiple_of(2) {
                [a, b, a, b]
            } else {
                [c, d, c, d]
            }
        })
    }

    /// Leaves sums of queries to the adding thread, as the fill with this number.
    ///
    /// # Safety
    /// 1. The sums in shared memory are those of this warpgroup.
    #[inline(always)]
    unsafe fn leave(&self, sums: &Accumulator<Narrow>, slots: Slots, number: u32) {
        let own = self.sums.cast::<[f32; 4]>().add(self.warpgroup.thread());
        slots.acquire(number);
        // SAFETY: the copy has read the numbers, which are this thread's until it arrives (1).
        sums.each_four(|number, four| unsafe {
            own.add(Warpgroup::THREADS * number as u32).write(four);
        });
        fence::proxy_async_shared_cta();
        slots.fill(number, self.warpgroup.warp());
    }
}
