//! Softmax of rows, which bulk copies bring and take.

use core::f32::consts::LOG2_E;

use tma::{Counter, Threads, halves::Bf16, kernel, ptx};

use crate::rows::{self, Number, Operation, Row};

/// Writes `exp(x) / sum(exp(x))` for each element `x` of each of `rows` rows of `len` elements; the greatest element
/// is subtracted first, so that no power overflows.
///
/// Rows of more than [`rows::MEDIUM`] elements are for the entries that end with `true`, all others for those with
/// `false`, and rows of at most [`rows::SHORT_BYTES`] for [`softmax_short`], too. Sums are of `f32`.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 on, and `LONG` is true if it has more than
///    [`rows::MEDIUM`] elements: at most twice that number.
/// 3. `counter` is as its type requires; `rows`, the blocks of the grid and 512 are fewer than 2^32 together.
/// 4. Grid and blocks are one-dimensional. A block has a warp that loads, and at least the whole warps that have 32
///    elements of a row for each thread, 64 of a long one: 544 threads at most. The launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `softmax_bf16_false`\n```text\n", include_str!("../../tests/golden/ptx/softmax_bf16_false.txt"), "\n```"))]
#[kernel(
    max_threads = 544,
    min_blocks = 1,
    instances(T = f32, Bf16; LONG = false, true),
    shared_bytes = rows::shared_bytes::<T>(LONG, len)
)]
pub unsafe fn softmax<T: Number, const LONG: bool>(
    dst: *mut T,
    src: *const T,
    len: u32,
    rows: u32,
    counter: Counter,
) {
    // SAFETY: (1) to (4) of `transform` are (1) to (4) of this kernel.
    unsafe { rows::transform::<T, LONG, 0>(dst, src, [], [len, rows], counter, Powers) };
}

/// The same operation for rows of at most [`rows::SHORT_BYTES`] bytes; a block has one row, or one per warp.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 to [`rows::SHORT_BYTES`].
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, 256 threads at most. Where a row has at most 2 KiB,
///    there is a warp for each row; else a block for each row, with a thread for each 64 bytes of a row. The
///    launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `softmax_short_bf16`\n```text\n", include_str!("../../tests/golden/ptx/softmax_short_bf16.txt"), "\n```"))]
#[kernel(
    max_threads = 256,
    min_blocks = 4,
    instances(T = f32, Bf16),
    shared_bytes = |threads| rows::short_bytes::<T>(len, threads)
)]
pub unsafe fn softmax_short<T: Number>(dst: *mut T, src: *const T, len: u32, rows: u32) {
    // SAFETY: (1) to (3) of `transform_short` are (1) to (3) of this kernel.
    unsafe { rows::transform_short::<T, 0>(dst, src, [], [len, rows], Powers) };
}

/// The operation.
struct Powers;

impl Operation<0> for Powers {
    #[inline(always)]
    fn apply<T: Number, G: Threads, const VECTORS: usize>(
        &self,
        mut row: Row<'_, T, G, VECTORS, 0>,
    ) {
        let greatest = row.greatest();
        // Subnormal results may as well be zero.
        let power = |x| ptx::ex2::approx_ftz_f32((x - greatest) * LOG2_E);
        if row.change(power) {
            let factor = 1.0 / row.sum(|x| x);
            row.finish(|x, []| x * factor);
        } else {
            let factor = 1.0 / row.sum(power);
            row.finish(|x, []| power(x) * factor);
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::Softmax;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Shape};

    use super::{softmax, softmax_short};
    use crate::rows::{Form, Rows, with_element};

    /// The softmax of rows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Softmax {
        /// The rows, and where the results go.
        pub rows: Rows,
    }

    impl Softmax {
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
                    let [dst, src] = [dst, src].map(BufferRef::<T>::new);
                    match form {
                        Form::Short => softmax_short::<T>(dst, src, len, rows),
                        Form::Ring { is_long } => {
                            let counter = BufferRef::new(counter);
                            softmax::<T>(is_long, dst, src, len, rows, counter)
                        }
                    }
                })
            };
            self.rows.checked_call(conditions, &[], call)
        }
    }
}
