//! The softmax of rows of scores, a tile of keys at a time.

use tma::{Accumulator, Rows, Warpgroup, math, ptx::ex2};

/// The factor of the scores of all rows, or of each of a thread's two.
pub(crate) trait Scale: Copy {
    /// Returns the factor of a row.
    fn of_row(self, row: usize) -> f32;
}

impl Scale for f32 {
    #[inline(always)]
    fn of_row(self, _: usize) -> f32 {
        self
    }
}

impl Scale for [f32; 2] {
    #[inline(always)]
    fn of_row(self, row: usize) -> f32 {
        self[row]
    }
}

/// The state of the softmax for a thread's two rows.
#[derive(Clone, Copy)]
pub(crate) struct Softmax<C> {
    warpgroup: Warpgroup,
    pub(crate) scale: C,
    /// The greatest score.
    pub(crate) greatest: [f32; 2],
    /// Sums of the powers of this thread's scores.
    pub(crate) sums: [f32; 2],
}

impl<C: Scale> Softmax<C> {
    /// Returns the state before the first score. The factor of the scores includes log2(e).
    #[inline(always)]
    pub(crate) fn new(warpgroup: Warpgroup, scale: C) -> Self {
        Self {
            warpgroup,
            scale,
            greatest: [f32::NEG_INFINITY; 2],
            sums: [0.0; 2],
        }
    }

    /// Returns the powers of the next scores, and the factor for the results so far.
    #[inline(always)]
    pub(crate) fn add<S: Rows>(&mut self, scores: Accumulator<S>) -> (Accumulator<S>, [f32; 2]) {
        let greatest = scores.fold_rows(self.greatest, f32::max);
        let greatest = self.warpgroup.reduce_rows(greatest, f32::max);
        // A map of the scores: from a map of the rows, LLVM makes other code of `attention`, which was not measured.
        let mut row = 0;
        let shifts = greatest.map(|score| {
            row += 1;
            self.shift(row - 1, score)
        });
        let factors = [0, 1].map(|row| self.factor(row, self.greatest[row], shifts[row]));
        let power = |row: usize, _, score| {
            ex2::approx_ftz_f32(math::fma(score, self.scale.of_row(row), -shifts[row]))
        };
        let powers = scores.map_rows(self.warpgroup, power);
        let sums = [0, 1].map(|row| self.sums[row] * factors[row]);
        let sums = powers.fold_rows(sums, |a, b| a + b);
        let (powers, sums) = powers.pinned(sums);
        (self.greatest, self.sums) = (greatest, sums);
        (powers, factors)
    }

    /// Returns the exponent that is subtracted: none where there is no score yet.
    #[inline(always)]
    pub(crate) fn shift(&self, row: usize, greatest: f32) -> f32 {
        if greatest == f32::NEG_INFINITY {
            0.0
        } else {
            greatest * self.scale.of_row(row)
        }
    }

    /// Returns the factor of results so far, from their greatest score to a shift: exactly 1 if the score stays, since the
    /// exponent of the results was rounded, too.
    #[inline(always)]
    pub(crate) fn factor(&self, row: usize, greatest: f32, shift: f32) -> f32 {
        ex2::approx_ftz_f32(greatest * self.scale.of_row(row) - shift)
    }

    /// Returns the factor for the results, and the logarithms of the sums.
    #[inline(always)]
    pub(crate) fn finish(self) -> [[f32; 2]; 2] {
        let sums = self.warpgroup.reduce_rows(self.sums, |a, b| a + b);
        let factor = |sum| {
            if sum == 0.0 {
                0.0
            } else {
                math::approx::rcp(sum)
            }
        };
        let logarithm = |row: usize| {
            let exponent = self.shift(row, self.greatest[row]) + math::approx::log2(sums[row]);
            exponent * core::f32::consts::LN_2
        };
        [sums.map(factor), [0, 1].map(logarithm)]
    }
}
