//! Tiles of keys and values as products read them, and the conversion of tiles that the cache stores as `e4m3`.

use tma::{
    Accumulator, Fragment, Matrix, SharedPtr, Swizzle128, Warp, Warpgroup,
    halves::{F16, Half},
    matrix::{Boxes, Deep, MatrixElement},
    pipeline::ProductStage,
    ptx::{cvt, fence, wgmma::Sums},
};

use super::{BOXES, Box64, KEYS, Results, Scores, Stage, Stage8, schedule::Segment};
use crate::gemm::Identity;

/// The elements along which scores are added up are contiguous; those of values are not.
pub(super) type Rows<T> = Deep<Box64<T>, Swizzle128, BOXES>;
type Columns<T> = Boxes<Box64<T>, Swizzle128, BOXES, false>;

/// Tiles of keys and values, in turn, keys a tile ahead. All methods are collective of the role.
pub(super) struct Cache<N> {
    pub(super) warpgroup: Warpgroup,
    /// Waits for the next stage.
    pub(super) next: N,
}

impl<T: MatrixElement + Half, N: FnMut() -> ProductStage<Stage<T>>> Cache<N>
where
    Scores: Sums<T::Ptx, T::Ptx>,
    Results: Sums<T::Ptx, T::Ptx>,
{
    /// Waits for a barrier of the role, and returns the products of the queries and of the first keys of a segment.
    ///
    /// # Safety
    /// 1. No thread writes the queries between the barrier and the return.
    /// 2. The segment has a tile.
    #[inline(always)]
    pub(super) unsafe fn first_scores(
        &mut self,
        queries: Matrix<'_, Rows<T>>,
    ) -> Accumulator<Scores> {
        self.warpgroup.sync_role();
        let keys = (self.next)();
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

    /// Adds the products of powers and of the values of this tile, and returns the scores of the next one, if there is one.
    /// `softmax` returns the powers and the factors of the sums so far, while the products of the next scores are in flight.
    ///
    /// # Safety
    /// 1. No thread writes the queries before this returns.
    #[inline(always)]
    pub(super) unsafe fn advance(
        &mut self,
        queries: Matrix<'_, Rows<T>>,
        segment: &Segment,
        tile: u32,
        sums: Accumulator<Results>,
        softmax: impl FnOnce() -> (Accumulator<Scores>, [f32; 2]),
    ) -> (Accumulator<Results>, Accumulator<Scores>) {
        let warpgroup = self.warpgroup;
        let keys = (tile + 1 < segment.loaded()[1]).then(|| (self.next)());
        // SAFETY: keys have been loaded; they are loaded again when the stage has been released, after the wait. After the
        // last ones the products are those of the queries, which stay (1), and not used.
        let next = unsafe {
            let keys = keys.as_ref();
            let keys = keys.map_or(queries, |keys| Matrix::from_ptr(keys.as_ptr()));
            let batch = Accumulator::<Scores>::zero().begin(warpgroup);
            batch.multiply(queries, keys).commit()
        };
        let (powers, factors) = softmax();
        let scores = next.wait();
        if let Some(keys) = keys {
            keys.release();
        }
        let values = (self.next)();
        if (tile + 1) * KEYS > segment.keys {
            // SAFETY: values have been loaded, and all warpgroups get here before they read them.
            unsafe { clear(values.as_ptr(), segment.keys - tile * KEYS, warpgroup) };
        }
        let sums = sums.map_rows(warpgroup, |row, _, sum| sum * factors[row]);
        let powers = Fragment::<T, 4>::of(&powers, warpgroup, &Identity);
        // SAFETY: values have been loaded; they are loaded again when the stage has been released, after the wait.
        let products = unsafe {
            let batch = sums.begin_with(powers, warpgroup);
            let values = Matrix::<Columns<T>>::from_ptr(values.as_ptr());
            batch.multiply_fragment(values).commit()
        };
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

/// Converts a tile of `e4m3` to `f16`, without rounding. Collective of the warp.
///
/// # Safety
/// 1. The tile has been loaded, and no other thread uses either before a later barrier.
#[inline(always)]
pub(super) unsafe fn convert(warp: Warp, from: SharedPtr<Stage8>, to: SharedPtr<Stage<F16>>) {
    /// The number of elements that a thread converts at a time, and of these in a row of a box and of a tile.
    const VECTOR: u32 = 8;
    const OF_BOX: u32 = super::BOX / VECTOR;
    const OF_ROW: u32 = BOXES as u32 * OF_BOX;
    /// The number of rows that a warp converts at a time, and after which the swizzle repeats.
    const AT_A_TIME: u32 = Warp::LANES / OF_ROW;
    const REPEAT: u32 = 8;
    let (vector, first) = (warp.lane() % OF_ROW, warp.lane() / OF_ROW);
    let rows = [0, 1, 2, 3].map(|number| first + number * AT_A_TIME);
    let from = rows.map(|row| {
        let from: SharedPtr<u64> = from.vector([vector / 2, row]).cast();
        from.add(vector % 2)
    });
    let to = rows.map(|row| -> SharedPtr<[u32; 4]> {
        to.at(vector / OF_BOX).vector([vector % OF_BOX, row]).cast()
    });
    let mut row = 0;
    while row < KEYS {
        // Four loads are in flight before the first store.
        // SAFETY: the stage has the vectors, and has been loaded (1).
        let loaded = from.map(|from| unsafe { from.add(row * OF_ROW).read() });
        let _ = [0, 1, 2, 3].map(|number: usize| {
            let (low, high) = (loaded[number] as u32, (loaded[number] >> 32) as u32);
            let pairs = [low, low >> 16, high, high >> 16];
            let pairs = pairs.map(|pair| cvt::rn_f16x2_e4m3x2(pair as u16));
            // SAFETY: the box has the vector, which is this thread's until a later barrier (1).
            unsafe { to[number].add(row * OF_BOX).write(pairs) };
        });
        row += REPEAT;
    }
}

/// Returns two elements of queries as products with converted tiles read them. Queries beyond the range of `f16` count as
/// its ends.
#[inline(always)]
pub(super) fn converted_queries<T: Half>(pair: u32) -> u32 {
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
