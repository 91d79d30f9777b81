//! The operands of products: queries in shared memory, and tiles of the cache.

use tma::{
    Accumulator, InFlight, Matrix, Rows, SharedPtr, Swizzle128, Tile, Warpgroup,
    float8::E4m3,
    halves::{F16, Half},
    matrix::{Boxes, MatrixElement},
    pipeline::{ConvertedStages, ProductStage, Products},
    ptx::{cvt, wgmma::Sums},
};

use super::{
    BOX, ELEMENTS, Queries, ROWS, Stage, Stage8, cache::Heads, queries::Vectors, turns::Turns,
};
use crate::attention::softmax::Scale;

/// Elements along which scores are added up are contiguous.
type Rows8<const ROWS: usize> = Boxes<[[E4m3; ELEMENTS as usize]; ROWS], Swizzle128, 1, true>;
/// The two parts of the queries of a warpgroup, whose sums are the queries.
type QueryParts = [Tile<[[E4m3; ELEMENTS as usize]; ROWS as usize], Swizzle128>; 2];

/// Queries beyond this count as it.
const MOST: f32 = 18_446_744_073_709_551_616.0;

/// The factor of the scores of each row of a warpgroup.
pub(super) type RowFactors = [f32; ROWS as usize];

/// The operands of a warpgroup, with `S` as the scores of a thread.
pub(super) trait Operands<S, const KEYS: usize> {
    /// The type of the values and of the powers in products.
    type Value: MatrixElement + Half;
    /// The factor of the scores.
    type Scale: Scale;

    /// Waits for the next tile, which is of keys or of values. Collective of the warpgroup.
    fn next(&mut self, has_keys: bool) -> ProductStage<Stage<Self::Value, KEYS>>;

    /// Stores a vector of the queries. Collective of the warp.
    fn store(&self, number: u32, pairs: [u32; 4]);

    /// Returns the factor of the scores of a thread's rows, which includes this one, after all vectors have been stored.
    fn scale(&self, scale: f32) -> Self::Scale;

    /// Waits until the products of a tile may start. Collective of the warpgroup.
    #[inline(always)]
    fn begin_turn(&self) {}

    /// Ends this after the products have been started. Collective of the warpgroup.
    #[inline(always)]
    fn end_turn(&mut self) {}

    /// Starts the products of the queries and a tile of keys.
    ///
    /// # Safety
    /// 1. The stage has keys, and is released when the products are complete. No thread writes the queries before.
    unsafe fn score(&self, keys: &ProductStage<Stage<Self::Value, KEYS>>) -> InFlight<S>;
}

/// Operands as the cache stores them, of 16 bits.
pub(super) struct Stored<T, const KEYS: usize, const STAGES: u32> {
    pub(super) warpgroup: Warpgroup,
    pub(super) queries: SharedPtr<Queries<T>>,
    pub(super) tiles: Products<Stage<T, KEYS>, STAGES>,
}

impl<T, S, const KEYS: usize, const STAGES: u32> Operands<S, KEYS> for Stored<T, KEYS, STAGES>
where
    T: MatrixElement + Half,
    S: Rows + Sums<T::Ptx, T::Ptx>,
{
    type Value = T;
    type Scale = f32;

    #[inline(always)]
    fn next(&mut self, _: bool) -> ProductStage<Stage<T, KEYS>> {
        self.tiles.next()
    }

    #[inline(always)]
    fn store(&self, number: u32, pairs: [u32; 4]) {
        let [column, row] = Vectors::place(number);
        const OF_BOX: u32 = BOX / Vectors::ELEMENTS;
        let queries = self.queries.at(column / OF_BOX);
        let to = queries.vector([column % OF_BOX, row]);
        // SAFETY: the tile has the vector, which is this thread's until the next barrier.
        unsafe { to.cast().write(pairs) };
    }

    #[inline(always)]
    fn scale(&self, scale: f32) -> f32 {
        scale
    }

    #[inline(always)]
    unsafe fn score(&self, keys: &ProductStage<Stage<T, KEYS>>) -> InFlight<S> {
        // SAFETY: both have been loaded, and stay until the wait for the scores (1).
        unsafe {
            let queries = Matrix::<Heads<T, { ROWS as usize }>>::from_ptr(self.queries);
            let keys = Matrix::<Heads<T, KEYS>>::from_ptr(keys.as_ptr());
            let batch = Accumulator::<S>::zero().begin(self.warpgroup);
            batch.multiply(queries, keys).commit()
        }
    }
}

/// Operands of a cache of `e4m3`. Keys are multiplied as they are stored, by the two parts of the queries; values have been
/// converted.
pub(super) struct Converted<T, const KEYS: usize, const DIRECT: u32, const STAGES: u32> {
    pub(super) warpgroup: Warpgroup,
    pub(super) queries: SharedPtr<Queries<T>>,
    pub(super) factors: SharedPtr<RowFactors>,
    pub(super) keys: Products<Stage8<KEYS>, DIRECT>,
    pub(super) values: ConvertedStages<Stage<F16, KEYS>, STAGES>,
    pub(super) turns: Turns,
}

impl<T, const KEYS: usize, const DIRECT: u32, const STAGES: u32>
    Converted<T, KEYS, DIRECT, STAGES>
{
    fn parts(&self) -> SharedPtr<QueryParts> {
        self.queries.cast()
    }
}

impl<T, S, const KEYS: usize, const DIRECT: u32, const STAGES: u32> Operands<S, KEYS>
    for Converted<T, KEYS, DIRECT, STAGES>
where
    T: Half,
    S: Rows + Sums<<E4m3 as MatrixElement>::Ptx, <E4m3 as MatrixElement>::Ptx>,
{
    type Value = F16;
    type Scale = [f32; 2];

    #[inline(always)]
    fn next(&mut self, has_keys: bool) -> ProductStage<Stage<F16, KEYS>> {
        if has_keys {
            self.keys.next().cast()
        } else {
            self.values.next()
        }
    }

    /// Rounds each query, times the power of two of its row, to `e4m3`, and the rest to another `e4m3`.
    #[inline(always)]
    fn store(&self, number: u32, pairs: [u32; 4]) {
        let [column, row] = Vectors::place(number);
        let queries = pairs.map(|pair| {
            T::values(pair).map(|query| {
                // A NaN stays one.
                if query.abs() > MOST {
                    MOST.copysign(query)
                } else {
                    query
                }
            })
        });
        let mut greatest = queries
            .as_flattened()
            .iter()
            .fold(0.0, |most: f32, query| most.max(query.abs()));
        // Sixteen lanes have a row.
        let warp = self.warpgroup.warp();
        for lanes in [1, 2, 4, 8] {
            greatest = greatest.max(warp.shuffle_xor(greatest, lanes));
        }
        let [factor, inverse] = row_factors(greatest);
        let parts = queries.map(|pair| {
            let pair = pair.map(|query| query * factor);
            let first = rounded(pair);
            let [low, high] = F16::values(cvt::rn_f16x2_e4m3x2(first));
            [first, rounded([pair[0] - low, pair[1] - high])]
        });
        for part in [0, 1] {
            let [a, b, c, d] = parts.map(|parts| u64::from(parts[part]));
            let to: SharedPtr<u64> = self
                .parts()
                .at(part as u32)
                .vector([column / 2, row])
                .cast();
            // SAFETY: the tile has the half of the vector, which is this thread's until the next barrier.
            unsafe { to.add(column % 2).write(a | b << 16 | c << 32 | d << 48) };
        }
        if column == 0 {
            // SAFETY: each row has a factor, which is this thread's until the next barrier.
            unsafe { self.factors.at(row).write(inverse) };
        }
    }

    #[inline(always)]
    fn scale(&self, scale: f32) -> [f32; 2] {
        let row = 16 * self.warpgroup.warp_index() + self.warpgroup.warp().lane() / 4;
        [0, 8].map(|after| {
            // SAFETY: the factors of these rows have been written.
            let factor = scale * unsafe { self.factors.at(row + after).read() };
            // Times zero or infinity, a score that is masked or zero would be a NaN.
            factor.clamp(f32::MIN_POSITIVE, f32::MAX)
        })
    }

    #[inline(always)]
    fn begin_turn(&self) {
        self.turns.begin(self.warpgroup);
    }

    #[inline(always)]
    fn end_turn(&mut self) {
        self.turns.end(self.warpgroup);
    }

    #[inline(always)]
    unsafe fn score(&self, keys: &ProductStage<Stage<F16, KEYS>>) -> InFlight<S> {
        // SAFETY: all have been loaded, and stay until the wait for the scores (1).
        unsafe {
            let part =
                |part| Matrix::<Rows8<{ ROWS as usize }>>::from_ptr(self.parts().at(part).cast());
            let keys = Matrix::<Rows8<KEYS>>::from_ptr(keys.as_ptr().cast());
            let batch = Accumulator::<S>::zero().begin(self.warpgroup);
            // The rest first: a tensor core drops bits of a product that are far below the sum so far.
            batch
                .multiply(part(1), keys)
                .multiply(part(0), keys)
                .commit()
        }
    }
}

/// Returns two numbers as `e4m3`, the first one in the lower half.
#[inline(always)]
fn rounded([low, high]: [f32; 2]) -> u16 {
    cvt::rn_satfinite_e4m3x2_f32(high, low)
}

/// Returns the power of two that brings the greatest number of a row, at most [`MOST`], to 128 or more and below 256, and
/// its inverse. Rows of numbers below 2^-119 are brought to less.
#[inline(always)]
fn row_factors(greatest: f32) -> [f32; 2] {
    const LEAST: u32 = 8;
    const BIAS: u32 = 127;
    let exponent = (greatest.to_bits() >> 23).max(LEAST);
    [2 * BIAS + 7 - exponent, exponent - 7].map(|exponent| f32::from_bits(exponent << 23))
}
