//! Layer normalisation of rows, which bulk copies bring and take.

use tma::{Threads, halves::Bf16, kernel, math};

use crate::rows::{self, Number, Operation, Row};

/// Writes `(x - mean) / sqrt(variance + epsilon) * weight + bias` for each element `x` of each of `rows` rows of `len`
/// elements: mean and variance, the mean of `(x - mean)^2`, are taken over the row.
///
/// A block has a row. Rows of at most [`rows::SHORT_BYTES`] bytes are for [`layer_norm_short`]. Sums are of `f32`: a row
/// whose sum overflows gives NaN.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, `weight` and `bias` have one each, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, more than 2 KiB and at most [`rows::MOST_BYTES`].
/// 3. Grid and blocks are one-dimensional, with a block for each row: whole warps, with a thread for each 128 bytes of a
///    row. The launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `layer_norm_bf16`\n```text\n", include_str!("../../tests/golden/ptx/layer_norm_bf16.txt"), "\n```"))]
#[allow(
    clippy::too_many_arguments,
    reason = "a parameter each, as the others have"
)]
#[kernel(
    max_threads = 1024,
    min_blocks = 1,
    instances(T = f32, Bf16),
    shared_bytes = |threads| rows::shared_bytes::<T>(len, threads)
)]
pub unsafe fn layer_norm<T: Number>(
    dst: *mut T,
    src: *const T,
    weight: *const T,
    bias: *const T,
    len: u32,
    rows: u32,
    epsilon: f32,
) {
    // SAFETY: (1) to (3) of `transform` are (1) to (3) of this kernel.
    unsafe {
        rows::transform::<T, { rows::LONG }, 2>(
            dst,
            src,
            [weight, bias],
            [len, rows],
            Normalisation { epsilon },
        )
    };
}

/// The same operation for rows of at most [`rows::SHORT_BYTES`] bytes; a block has one row, or one per warp.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, `weight` and `bias` have one each, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 to [`rows::SHORT_BYTES`].
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, 256 threads at most. Where a row has at most 2 KiB,
///    there is a warp for each row; else a block for each row, with a thread for each 64 bytes of a row. The
///    launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `layer_norm_short_bf16`\n```text\n", include_str!("../../tests/golden/ptx/layer_norm_short_bf16.txt"), "\n```"))]
#[kernel(
    max_threads = 256,
    min_blocks = 4,
    instances(T = f32, Bf16),
    shared_bytes = |threads| rows::shared_bytes::<T>(len, threads)
)]
pub unsafe fn layer_norm_short<T: Number>(
    dst: *mut T,
    src: *const T,
    weight: *const T,
    bias: *const T,
    len: u32,
    rows: u32,
    epsilon: f32,
) {
    // SAFETY: (1) to (3) of `transform` are (1) to (3) of this kernel.
    unsafe {
        rows::transform::<T, { rows::SHORT }, 2>(
            dst,
            src,
            [weight, bias],
            [len, rows],
            Normalisation { epsilon },
        )
    };
}

/// The operation.
struct Normalisation {
    epsilon: f32,
}

impl Operation<2> for Normalisation {
    #[inline(always)]
    fn apply<T: Number, G: Threads, const VECTORS: usize>(
        &self,
        mut row: Row<'_, T, G, VECTORS, 2>,
    ) {
        // With a sum of distances to an element, the mean of equal elements is exact.
        let first = if T::EXACT_MULTIPLES { 0.0 } else { row.first() };
        let mean = first + row.sum(|x| x - first) / row.len();
        let distance = |x| x - mean;
        let variance = row.sum_of_squares(distance) / row.len();
        let factor = math::approx::rsqrt(variance + self.epsilon);
        row.finish(|x, [weight, bias]| math::fma(distance(x) * factor, weight, bias));
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::LayerNorm;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Shape};

    use super::{layer_norm, layer_norm_short};
    use crate::rows::{Rows, with_element};

    /// Scales rows to the mean 0 and the variance 1, then applies weights and bias.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct LayerNorm {
        /// The rows, and where the results go.
        pub rows: Rows,
        /// The buffer of the weights, a row of the rows' type.
        pub weight: usize,
        /// The buffer of the bias, a row of the rows' type.
        pub bias: usize,
        /// Added to the variance.
        pub epsilon: f32,
    }

    impl LayerNorm {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let Rows {
                len,
                rows,
                dst,
                src,
                ..
            } = self.rows;
            let call = |is_short| {
                with_element!(self.rows.numbers, T => {
                    let [dst, src, weight, bias] = [dst, src, self.weight, self.bias].map(BufferRef::<T>::new);
                    match is_short {
                        true => layer_norm_short::<T>(dst, src, weight, bias, len, rows, self.epsilon),
                        false => layer_norm::<T>(dst, src, weight, bias, len, rows, self.epsilon),
                    }
                })
            };
            self.rows
                .checked_call(conditions, &[self.weight, self.bias], call)
        }
    }
}
