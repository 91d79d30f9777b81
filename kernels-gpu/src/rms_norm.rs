//! Root mean square normalisation of rows, which bulk copies bring and take.

use tma::{Counter, Threads, halves::Bf16, kernel, math};

use crate::rows::{self, Number, Operation, Row};

/// Writes `x / sqrt(mean(x^2) + epsilon) * weight` for each element `x` of each of `rows` rows of `len` elements.
///
/// Rows of more than [`rows::MEDIUM`] elements are for the entries that end with `true`, all others for those with
/// `false`, and rows of at most [`rows::SHORT_BYTES`] for [`rms_norm_short`], too. Sums are of `f32`.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, `weight` has one, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 on, and `LONG` is true if it has more than
///    [`rows::MEDIUM`] elements: at most twice that number.
/// 3. `counter` is as its type requires; `rows`, the blocks of the grid and 512 are fewer than 2^32 together.
/// 4. Grid and blocks are one-dimensional. A block has a warp that loads, and at least the whole warps that have 32
///    elements of a row for each thread, 64 of a long one: 544 threads at most. The launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `rms_norm_bf16_false`\n```text\n", include_str!("../../tests/golden/ptx/rms_norm_bf16_false.txt"), "\n```"))]
#[kernel(
    max_threads = 544,
    min_blocks = 1,
    instances(T = f32, Bf16; LONG = false, true),
    shared_bytes = rows::shared_bytes::<T>(LONG, len)
)]
pub unsafe fn rms_norm<T: Number, const LONG: bool>(
    dst: *mut T,
    src: *const T,
    weight: *const T,
    len: u32,
    rows: u32,
    counter: Counter,
    epsilon: f32,
) {
    // SAFETY: (1) to (4) of `transform` are (1) to (4) of this kernel.
    unsafe {
        rows::transform::<T, LONG, 1>(
            dst,
            src,
            [weight],
            [len, rows],
            counter,
            Normalisation { epsilon },
        )
    };
}

/// The same operation for rows of at most [`rows::SHORT_BYTES`] bytes; a block has one row, or one per warp.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, `weight` has one, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 to [`rows::SHORT_BYTES`].
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, 256 threads at most. Where a row has at most 2 KiB,
///    there is a warp for each row; else a block for each row, with a thread for each 64 bytes of a row. The
///    launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `rms_norm_short_bf16`\n```text\n", include_str!("../../tests/golden/ptx/rms_norm_short_bf16.txt"), "\n```"))]
#[kernel(
    max_threads = 256,
    min_blocks = 3,
    instances(T = f32, Bf16),
    shared_bytes = |threads| rows::short_bytes::<T>(len, threads)
)]
pub unsafe fn rms_norm_short<T: Number>(
    dst: *mut T,
    src: *const T,
    weight: *const T,
    len: u32,
    rows: u32,
    epsilon: f32,
) {
    // SAFETY: (1) to (3) of `transform_short` are (1) to (3) of this kernel.
    unsafe {
        rows::transform_short::<T, 1>(dst, src, [weight], [len, rows], Normalisation { epsilon })
    };
}

/// The operation.
struct Normalisation {
    epsilon: f32,
}

impl Operation<1> for Normalisation {
    #[inline(always)]
    fn apply<T: Number, G: Threads, const VECTORS: usize>(
        &self,
        mut row: Row<'_, T, G, VECTORS, 1>,
    ) {
        let mean = row.sum_of_squares(|x| x) / row.len();
        let factor = math::approx::rsqrt(mean + self.epsilon);
        row.finish(|x, [weight]| x * factor * weight);
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::RmsNorm;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Shape};

    use super::{rms_norm, rms_norm_short};
    use crate::rows::{Form, Rows, with_element};

    /// Divides rows by the root of the mean of their squares.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RmsNorm {
        /// The rows, and where the results go.
        pub rows: Rows,
        /// The buffer of the weights, a row of the rows' type.
        pub weight: usize,
        /// Added to the mean of squares.
        pub epsilon: f32,
    }

    impl RmsNorm {
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
                    let [dst, src, weight] = [dst, src, self.weight].map(BufferRef::<T>::new);
                    match form {
                        Form::Short => rms_norm_short::<T>(dst, src, weight, len, rows, self.epsilon),
                        Form::Ring { is_long } => {
                            let counter = BufferRef::new(counter);
                            rms_norm::<T>(is_long, dst, src, weight, len, rows, counter, self.epsilon)
                        }
                    }
                })
            };
            self.rows.checked_call(conditions, &[self.weight], call)
        }
    }
}
