//! Layer normalisation of rows, which bulk copies bring and take.

use tma::{Counter, Threads, halves::Bf16, kernel, math};

use crate::rows::{self, Number, Operation, Row};

/// Writes `(x - mean) / sqrt(variance + epsilon) * weight + bias` for each element `x` of each of `rows` rows of `len`
/// elements: mean and variance, the mean of `(x - mean)^2`, are taken over the row.
///
/// Rows of more than [`rows::MEDIUM`] elements are for the entries that end with `true`, all others for those with
/// `false`, and rows of at most [`rows::SHORT_BYTES`] for [`layer_norm_short`], too. Sums are of `f32`.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, `weight` and `bias` have one each, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 on, and `LONG` is true if it has more than
///    [`rows::MEDIUM`] elements: at most twice that number.
/// 3. `counter` is as its type requires; `rows`, the blocks of the grid and 512 are fewer than 2^32 together.
/// 4. Grid and blocks are one-dimensional. A block has a warp that loads, and at least the whole warps that have 32
///    elements of a row for each thread, 64 of a long one: 544 threads at most. The launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `layer_norm_bf16_false`\n```text\n", include_str!("../../tests/golden/ptx/layer_norm_bf16_false.txt"), "\n```"))]
#[allow(
    clippy::too_many_arguments,
    reason = "a parameter each, as the others have"
)]
#[kernel(
    max_threads = 544,
    min_blocks = 1,
    instances(T = f32, Bf16; LONG = false, true),
    shared_bytes = rows::shared_bytes::<T>(LONG, len)
)]
pub unsafe fn layer_norm<T: Number, const LONG: bool>(
    dst: *mut T,
    src: *const T,
    weight: *const T,
    bias: *const T,
    len: u32,
    rows: u32,
    counter: Counter,
    epsilon: f32,
) {
    // SAFETY: (1) to (4) of `transform` are (1) to (4) of this kernel.
    unsafe {
        rows::transform::<T, LONG, 2>(
            dst,
            src,
            [weight, bias],
            [len, rows],
            counter,
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
    shared_bytes = |threads| rows::short_bytes::<T>(len, threads)
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
    // SAFETY: (1) to (3) of `transform_short` are (1) to (3) of this kernel.
    unsafe {
        rows::transform_short::<T, 2>(
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
        let mean = row.sum(|x| x) / row.len();
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
    use crate::rows::{Form, Rows, with_element};

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
                counter,
                ..
            } = self.rows;
            let call = |form| {
                with_element!(self.rows.numbers, T => {
                    let [dst, src, weight, bias] = [dst, src, self.weight, self.bias].map(BufferRef::<T>::new);
                    match form {
                        Form::Short => layer_norm_short::<T>(dst, src, weight, bias, len, rows, self.epsilon),
                        Form::Ring { is_long } => {
                            let counter = BufferRef::new(counter);
                            layer_norm::<T>(is_long, dst, src, weight, bias, len, rows, counter, self.epsilon)
                        }
                    }
                })
            };
            self.rows
                .checked_call(conditions, &[self.weight, self.bias], call)
        }
    }
}
