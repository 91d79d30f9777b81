//! Tiles of keys and values as products read them, and the conversion of tiles that the cache stores as `e4m3`.

use core::array;

use tma::{
    Accumulator, Fragment, Matrix, Rows, SharedPtr, Steps, Swizzle128, Warp, Warpgroup,
    halves::F16,
    matrix::{Boxes, Deep, MatrixElement},
    pipeline::ProductStage,
    ptx::{cvt, fence, wgmma::Sums},
};

use super::{BOXES, Box64, Results, Stage, Stage8, operands::Operands, schedule::Segment};
use crate::gemm::Identity;

/// Elements along which scores are added up are contiguous; elements of values are not.
pub(super) type Heads<T, const HEADS: usize> = Deep<Box64<T, HEADS>, Swizzle128, BOXES>;
type Columns<T, const KEYS: usize> = Boxes<Box64<T, KEYS>, Swizzle128, BOXES, false>;

/// Returns the sums of the values of a segment, times powers. `softmax` returns the powers of the scores of a tile and the
/// factors of the sums so far, while the products of the values before are in flight. Collective of the role.
///
/// # Safety
/// 1. The queries have been written, and no thread writes them before the return.
/// 2. Tiles of keys and of values come in turn, keys a tile ahead. The segment has a tile.
#[inline(always)]
pub(super) unsafe fn sum<O, S, const STEPS: usize, const KEYS: usize>(
    warpgroup: Warpgroup,
    operands: &mut O,
    segment: &Segment,
    mut softmax: impl FnMut(Accumulator<S>, u32) -> (Accumulator<S>, [f32; 2]),
) -> Accumulator<Results>
where
    O: Operands<S, KEYS>,
    S: Rows,
    [[u32; 4]; STEPS]: Steps<Sums = S>,
    Results: Sums<<O::Value as MatrixElement>::Ptx, <O::Value as MatrixElement>::Ptx>,
{
    let add = |sums: Accumulator<Results>, powers, values: &ProductStage<Stage<O::Value, KEYS>>| {
        // SAFETY: values have been loaded; they are loaded again when the stage has been released, after the wait for the
        // products.
        unsafe {
            let values = Matrix::<Columns<O::Value, KEYS>>::from_ptr(values.as_ptr());
            let batch = sums.begin_with(powers, warpgroup);
            batch.multiply_fragment(values).commit()
        }
    };
    let [mut tile, end] = segment.loaded;
    let keys = operands.next(true);
    // SAFETY: the stage is released after the wait, and the queries stay (1).
    let scores = unsafe { operands.score(&keys) }.wait();
    keys.release();
    let (powers, _) = softmax(scores, tile);
    let mut powers = Fragment::<O::Value, STEPS>::of(&powers, warpgroup, &Identity);
    let mut sums = Accumulator::<Results>::zero();
    let mut stage = operands.next(tile + 1 < end);
    tile += 1;
    while tile < end {
        let keys = stage;
        operands.begin_turn();
        // SAFETY: the stage is released after the wait, and the queries stay (1).
        let scores = unsafe { operands.score(&keys) };
        let values = operands.next(false);
        let products = add(sums, powers, &values);
        operands.end_turn();
        // SAFETY: the products with values were committed after the scores.
        let scores = unsafe { scores.wait_before_last::<1>() };
        keys.release();
        let (scores, factors) = softmax(scores, tile);
        // ptxas moves the wait for products up to the last branch: the loop that waits for the stage keeps the softmax
        // before it.
        stage = operands.next(tile + 1 < end);
        (sums, _) = products.wait();
        values.release();
        sums = sums.map_rows(warpgroup, |row, _, sum| sum * factors[row]);
        powers = Fragment::of(&scores, warpgroup, &Identity);
        tile += 1;
    }
    let keys = segment.keys - (end - 1) * KEYS as u32;
    if keys < KEYS as u32 {
        // SAFETY: values have been loaded, and all warpgroups get here before they read them.
        unsafe { clear(stage.as_ptr(), keys, warpgroup) };
    }
    (sums, _) = add(sums, powers, &stage).wait();
    stage.release();
    sums
}

/// Zeroes the values from this number on, so that infinities and NaN there do not spread. Collective of the role.
///
/// # Safety
/// 1. The tile has been loaded, and no thread uses it before this returns.
#[inline(always)]
unsafe fn clear<T: MatrixElement, const KEYS: usize>(
    tile: SharedPtr<Stage<T, KEYS>>,
    first: u32,
    warpgroup: Warpgroup,
) {
    /// The number of vectors of 16 bytes of a row.
    const OF_ROW: u32 = 128 / 16;
    let of_part = const { KEYS as u32 * OF_ROW };
    let vectors: SharedPtr<[u32; 4]> = tile.cast();
    let mut part = 0;
    while part < BOXES as u32 {
        let mut vector =
            first * OF_ROW + warpgroup.index() * Warpgroup::THREADS + warpgroup.thread();
        while vector < of_part {
            // SAFETY: the box has the vector, and no other thread uses it (1).
            unsafe { vectors.add(part * of_part + vector).write([0; 4]) };
            vector += warpgroup.role_threads();
        }
        part += 1;
    }
    fence::proxy_async_shared_cta();
    warpgroup.sync_role();
}

/// Converts a tile of `e4m3` to `f16`, without rounding: `AT_A_TIME` vectors of a thread. Collective of the warp.
///
/// # Safety
/// 1. The tile has been loaded, and no other thread uses either before a later barrier.
#[inline(always)]
pub(super) unsafe fn convert<const KEYS: usize, const AT_A_TIME: usize>(
    warp: Warp,
    from: SharedPtr<Stage8<KEYS>>,
    to: SharedPtr<Stage<F16, KEYS>>,
) {
    /// The number of vectors of 16 bytes of a row of each box.
    const OF_ROW: u32 = 8;
    /// The number of rows after which the swizzle repeats.
    const REPEAT: u32 = 8;
    let lane = warp.lane();
    let (vector, part) = (lane % 4, lane / 8 % 2);
    let mut pair = lane / 16;
    while pair < REPEAT / 2 {
        // Eight lanes that access memory together have two rows, whose vectors are in different banks.
        let row = pair ^ (lane / 4 % 2 * 5);
        let from: SharedPtr<[u32; 4]> = from.vector([4 * part + vector, row]).cast();
        let to = [0, 1].map(|half| -> SharedPtr<[u32; 4]> {
            to.at(part).vector([2 * vector + half, row]).cast()
        });
        let mut first = 0;
        while first < const { KEYS as u32 } {
            let at = |number: usize| (first + number as u32 * REPEAT) * OF_ROW;
            // All loads are in flight before the first store.
            // SAFETY: the stage has the vectors, and has been loaded (1).
            let loaded: [[u32; 4]; AT_A_TIME] =
                array::from_fn(|number| unsafe { from.add(at(number)).read() });
            let _: [(); AT_A_TIME] = array::from_fn(|number| {
                let [a, b, c, d] = loaded[number].map(|elements| {
                    [elements, elements >> 16].map(|pair| cvt::rn_f16x2_e4m3x2(pair as u16))
                });
                // SAFETY: the boxes have the vectors, which are this thread's until a later barrier (1).
                unsafe {
                    to[0].add(at(number)).write([a[0], a[1], b[0], b[1]]);
                    to[1].add(at(number)).write([c[0], c[1], d[0], d[1]]);
                }
            });
            first += const { AT_A_TIME as u32 * REPEAT };
        }
        pair += 2;
    }
}
