//! Softmax of rows, which bulk copies bring and take.

use core::f32::consts::LOG2_E;

use tma::{Threads, halves::Bf16, kernel, ptx};

use crate::rows::{self, Number, Operation, Row};

/// Writes `exp(x) / sum(exp(x))` for each element `x` of each of `rows` rows of `len` elements; the greatest element
/// is subtracted first, so that no power overflows.
///
/// A block has a row. Rows of at most [`rows::SHORT_BYTES`] bytes are for [`softmax_short`]. Sums are of `f32`.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, all at multiples of 16
///    bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, more than 2 KiB and at most [`rows::MOST_BYTES`].
/// 3. Grid and blocks are one-dimensional, with a block for each row: whole warps, with a thread for each 128 bytes of a
///    row. The launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# Instructions of `softmax_bf16`\n```text\n", include_str!("../../tests/golden/ptx/softmax_bf16.txt"), "\n```"))]
#[kernel(
    max_threads = 1024,
    min_blocks = 1,
    instances(T = f32, Bf16),
    shared_bytes = |threads| rows::limited_bytes::<T>(len, threads)
)]
pub unsafe fn softmax<T: Number>(dst: *mut T, src: *const T, len: u32, rows: u32) {
    // SAFETY: (1) to (3) of `transform` are (1) to (3) of this kernel.
    unsafe { rows::transform::<T, { rows::LONG }, 0>(dst, src, [], [len, rows], Powers) };
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
    shared_bytes = |threads| rows::shared_bytes::<T>(len, threads)
)]
pub unsafe fn softmax_short<T: Number>(dst: *mut T, src: *const T, len: u32, rows: u32) {
    // SAFETY: (1) to (3) of `transform` are (1) to (3) of this kernel.
    unsafe { rows::transform::<T, { rows::SHORT }, 0>(dst, src, [], [len, rows], Powers) };
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
    use crate::rows::{Rows, with_element};

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
                ..
            } = self.rows;
            let call = |is_short| {
                with_element!(self.rows.numbers, T => {
                    let [dst, src] = [dst, src].map(BufferRef::<T>::new);
                    match is_short {
                        true => softmax_short::<T>(dst, src, len, rows),
                        false => softmax::<T>(dst, src, len, rows),
                    }
                })
            };
            self.rows.checked_call(conditions, &[], call)
        }
    }
}
