//! Tiles of keys and values as products read them: as the cache stores them, or converted from `e4m3`.

use tma::{
    Accumulator, Fragment, Matrix, SharedPtr, Swizzle128, Warpgroup,
    halves::{F16, Half},
    matrix::{Boxes, Deep, MatrixElement},
    pipeline::Products,
    ptx::{cvt, fence, wgmma::Sums},
};

use super::{BOXES, Box64, KEYS, Results, Scores, Stage, Stage8, schedule::Segment};

/// The elements along which scores are added up are contiguous; those of values are not.
pub(super) type Rows<T> = Deep<Box64<T>, Swizzle128, BOXES>;
type Columns<T> = Boxes<Box64<T>, Swizzle128, BOXES, false>;

/// Tiles of keys and values, in turn, keys a tile ahead. All methods are collective of the role.
pub(super) trait Cache<T> {
    /// The type of queries, keys, powers and values in products.
    type Number: MatrixElement + Half;

    /// Returns two elements of queries as products read them.
    fn queries(pair: u32) -> u32;

    /// Waits for a barrier of the role, and returns the products of the queries and of the first keys of a segment.
    ///
    /// # Safety
    /// 1. No thread writes the queries between the barrier and the return.
    /// 2. The segment has a tile.
    unsafe fn first_scores(
        &mut self,
        queries: Matrix<'_, Rows<Self::Number>>,
        segment: &Segment,
    ) -> Accumulator<Scores>;

    /// Adds the products of powers and of the values of this tile, and returns the scores of the next one, if there is one.
    /// `softmax` takes the sums so far and returns them with the powers, while the products of the next scores are in flight.
    ///
    /// # Safety
    /// 1. No thread writes the queries before this returns.
    unsafe fn advance(
        &mut self,
        queries: Matrix<'_, Rows<Self::Number>>,
        segment: &Segment,
        tile: u32,
        sums: Accumulator<Results>,
        softmax: impl FnOnce(Accumulator<Results>) -> (Accumulator<Results>, Fragment<Self::Number, 4>),
    ) -> (Accumulator<Results>, Accumulator<Scores>);
}

/// Tiles that products read from the stages.
pub(super) struct Stored<T, const STAGES: u32> {
    pub(super) warpgroup: Warpgroup,
    pub(super) stages: Products<Stage<T>, STAGES>,
}

impl<T: MatrixElement + Half, const STAGES: u32> Cache<T> for Stored<T, STAGES>
where
    Scores: Sums<T::Ptx, T::Ptx>,
    Results: Sums<T::Ptx, T::Ptx>,
{
    type Number = T;

    #[inline(always)]
    fn queries(pair: u32) -> u32 {
        pair
    }

    #[inline(always)]
    unsafe fn first_scores(
        &mut self,
        queries: Matrix<'_, Rows<T>>,
        _segment: &Segment,
    ) -> Accumulator<Scores> {
        self.warpgroup.sync_role();
        let keys = self.stages.next();
        // SAFETY: keys have been loaded; they are loaded again when the stage has been released, after the wait. The
        // queries stay (1).
        let scores = unsafe {
            let keys = Matrix::<Rows<T>>::from_ptr(keys.as_ptr());
            let batch = Accumulator::<Scores>::zero().begin(self.warpgroup);
            batch.multiply(queries, keys).commit().wait()
        };
        keys.release();
        scores
    }

    #[inline(always)]
    unsafe fn advance(
        &mut self,
        queries: Matrix<'_, Rows<T>>,
        segment: &Segment,
        tile: u32,
        sums: Accumulator<Results>,
        softmax: impl FnOnce(Accumulator<Results>) -> (Accumulator<Results>, Fragment<T, 4>),
    ) -> (Accumulator<Results>, Accumulator<Scores>) {
        let keys = (tile + 1 < segment.loaded()[1]).then(|| self.stages.next());
        // SAFETY: keys have been loaded; they are loaded again when the stage has been released, after the wait. After the
        // last ones the products are those of the queries, which stay (1), and not used.
        let next = unsafe {
            let keys = keys.as_ref();
            let keys = keys.map_or(queries, |keys| Matrix::from_ptr(keys.as_ptr()));
            let batch = Accumulator::<Scores>::zero().begin(self.warpgroup);
            batch.multiply(queries, keys).commit()
        };
        let (sums, powers) = softmax(sums);
        let values = self.stages.next();
        if (tile + 1) * KEYS > segment.keys {
            // SAFETY: values have been loaded, and all warpgroups get here before they read them.
            unsafe { clear(values.as_ptr(), segment.keys - tile * KEYS, self.warpgroup) };
        }
        // SAFETY: values have been loaded; they are loaded again when the stage has been released, after the wait.
        let products = unsafe {
            let batch = sums.begin_with(powers, self.warpgroup);
            let values = Matrix::<Columns<T>>::from_ptr(values.as_ptr());
            batch.multiply_fragment(values).commit()
        };
        // SAFETY: one group was committed after these products.
        let scores = unsafe { next.wait_before_last::<1>() };
        if let Some(keys) = keys {
            keys.release();
        }
        let (sums, _) = products.wait();
        values.release();
        (sums, scores)
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

/// Tiles of `e4m3`, which the threads of all warpgroups convert to `f16`, without rounding, while products are in flight.
///
/// A barrier before each product shows it the converted tile, and shows each thread that the products before are complete,
/// which read the tile that is converted next.
pub(super) struct Converted<const WARPGROUPS: u32, const STAGES: u32> {
    pub(super) warpgroup: Warpgroup,
    pub(super) stages: Products<Stage8, STAGES, true>,
    pub(super) keys: SharedPtr<Stage<F16>>,
    pub(super) values: SharedPtr<Stage<F16>>,
}

impl<const WARPGROUPS: u32, const STAGES: u32> Converted<WARPGROUPS, STAGES> {
    /// Converts the next stage, except for rows from this number on, which become zero.
    ///
    /// # Safety
    /// 1. No other thread uses the tile before a later barrier.
    #[inline(always)]
    unsafe fn convert(&mut self, tile: SharedPtr<Stage<F16>>, rows: u32) {
        /// The number of elements that a thread converts at a time, and of these in a row of a box and of a tile.
        const VECTOR: u32 = 8;
        const OF_BOX: u32 = super::BOX / VECTOR;
        const OF_ROW: u32 = BOXES as u32 * OF_BOX;
        // A multiple of the 8 rows after which the swizzle repeats.
        let rows_at_a_time = const { WARPGROUPS * Warpgroup::THREADS / OF_ROW };
        let thread = self.warpgroup.index() * Warpgroup::THREADS + self.warpgroup.thread();
        let (vector, first) = (thread % OF_ROW, thread / OF_ROW);
        let stage = self.stages.next();
        let from: SharedPtr<u64> = stage.as_ptr().vector([vector / 2, first]).cast();
        let from = from.add(vector % 2);
        let to = tile.at(vector / OF_BOX).vector([vector % OF_BOX, first]);
        let to: SharedPtr<[u32; 4]> = to.cast();
        let mut row = 0;
        while row < KEYS {
            // Four loads are in flight before the first store.
            let rows_of_thread = [0, 1, 2, 3].map(|number| row + number * rows_at_a_time);
            let loaded = rows_of_thread.map(|row| {
                // SAFETY: the stage has been loaded, and is loaded again when each warp has released it.
                let bits = unsafe { from.add(row * OF_ROW).read() };
                if first + row < rows { bits } else { 0 }
            });
            let _ = [0, 1, 2, 3].map(|number: usize| {
                let pairs = [0, 16, 32, 48]
                    .map(|shift| cvt::rn_f16x2_e4m3x2((loaded[number] >> shift) as u16));
                // SAFETY: the box has the vector, which is this thread's until a later barrier (1).
                unsafe { to.add(rows_of_thread[number] * OF_BOX).write(pairs) };
            });
            row += 4 * rows_at_a_time;
        }
        stage.release();
        fence::proxy_async_shared_cta();
    }
}

impl<T: Half, const WARPGROUPS: u32, const STAGES: u32> Cache<T> for Converted<WARPGROUPS, STAGES> {
    type Number = F16;

    /// Queries beyond the range of `f16` count as its ends.
    #[inline(always)]
    fn queries(pair: u32) -> u32 {
        const MOST: f32 = 65504.0;
        F16::round(T::values(pair).map(|query| {
            // A NaN stays one.
            if query.abs() > MOST {
                MOST.copysign(query)
            } else {
                query
            }
        }))
    }

    #[inline(always)]
    unsafe fn first_scores(
        &mut self,
        queries: Matrix<'_, Rows<F16>>,
        segment: &Segment,
    ) -> Accumulator<Scores> {
        // SAFETY: all threads have waited for the products before the last barrier, which read keys.
        unsafe { self.convert(self.keys, u32::MAX) };
        self.warpgroup.sync_role();
        // SAFETY: keys have been converted before the barrier, and are converted again after the next one. The queries stay
        // (1).
        let scores = unsafe {
            let keys = Matrix::<Rows<F16>>::from_ptr(self.keys).pinned();
            let batch = Accumulator::<Scores>::zero().begin(self.warpgroup);
            batch.multiply(queries.pinned(), keys).commit().wait()
        };
        let [first, end] = segment.loaded();
        if first + 1 < end {
            self.warpgroup.sync_role();
            // SAFETY: all threads have waited for the products of keys before the barrier.
            unsafe { self.convert(self.keys, u32::MAX) };
        }
        scores
    }

    #[inline(always)]
    unsafe fn advance(
        &mut self,
        queries: Matrix<'_, Rows<F16>>,
        segment: &Segment,
        tile: u32,
        sums: Accumulator<Results>,
        softmax: impl FnOnce(Accumulator<Results>) -> (Accumulator<Results>, Fragment<F16, 4>),
    ) -> (Accumulator<Results>, Accumulator<Scores>) {
        self.warpgroup.sync_role();
        // After the last keys the products are those of the same keys, and not used.
        // SAFETY: keys have been converted before the barrier, and are converted again after the next one. The queries stay
        // (1).
        let next = unsafe {
            let keys = Matrix::<Rows<F16>>::from_ptr(self.keys).pinned();
            let batch = Accumulator::<Scores>::zero().begin(self.warpgroup);
            batch.multiply(queries.pinned(), keys).commit()
        };
        let (sums, powers) = softmax(sums);
        // SAFETY: all threads have waited for the products of values before the barrier.
        unsafe { self.convert(self.values, segment.keys - tile * KEYS) };
        let scores = next.wait();
        self.warpgroup.sync_role();
        // SAFETY: values have been converted before the barrier, and are converted again after the next one.
        let products = unsafe {
            let batch = sums.begin_with(powers, self.warpgroup);
            let values = Matrix::<Columns<F16>>::from_ptr(self.values).pinned();
            batch.multiply_fragment(values).commit()
        };
        if tile + 2 < segment.loaded()[1] {
            // SAFETY: all threads have waited for the products of keys before the barrier.
            unsafe { self.convert(self.keys, u32::MAX) };
        }
        (products.wait().0, scores)
    }
}
