//! Softmax of rows, which bulk copies bring and take.

use core::f32::consts::LOG2_E;

use tma::{Counter, Threads, halves::Bf16, kernel, ptx};

use crate::rows::{self, Number, Operation, Row};

/// Writes `exp(x) / sum(exp(x))` for each element `x` of each of `rows` rows of `len` elements; the greatest element
/// is subtracted first, so that no power overflows.
///
/// Rows of more than [`rows::MEDIUM`] elements are for the entries that end with `true`, all others for those with
/// `false`, and rows of at most [`rows::SHORT_BYTES`] for [`softmax_short`], too; sums are of `f32`.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, all at multiples of 16
///    bytes; no other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 on, and `LONG` is whether it has more than
///    [`rows::MEDIUM`] elements: at most twice that number.
/// 3. `counter` is as its type requires; `rows`, the blocks of the grid and 512 are fewer than 2^32 together.
/// 4. Grid and blocks are one-dimensional. A block has a warp that loads, and at least the whole warps that have 32
///    elements of a row for each thread, 64 of a long one: 544 threads at most. The launch has the shared memory.
#[cfg_attr(doc, doc = concat!("\n# Instructions of `softmax_bf16_false`\n```text\n", include_str!("../../tests/golden/ptx/softmax_bf16_false.txt"), "\n```"))]
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
    // SAFETY: the conditions are this kernel's own.
    unsafe { rows::transform::<T, LONG, 0>(dst, src, [], [len, rows], counter, Powers) };
}

/// The same for rows of at most [`rows::SHORT_BYTES`] bytes; a block has one, or one for each of its warps.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, all at multiples of 16
///    bytes; no other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or does
///    not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 to [`rows::SHORT_BYTES`].
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, 256 threads at most. Where a row has at most 2 KiB,
///    there is a warp for each row; else a block for each row, with a thread for each 64 bytes of a row. The
///    launch has the shared memory.
#[cfg_attr(doc, doc = concat!("\n# Instructions of `softmax_short_bf16`\n```text\n", include_str!("../../tests/golden/ptx/softmax_short_bf16.txt"), "\n```"))]
#[kernel(
    max_threads = 256,
    min_blocks = 4,
    instances(T = f32, Bf16),
    shared_bytes = |threads| rows::short_bytes::<T>(len, threads)
)]
pub unsafe fn softmax_short<T: Number>(dst: *mut T, src: *const T, len: u32, rows: u32) {
    // SAFETY: the conditions are this kernel's own.
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
    use tma::halves::Bf16;
    use tma_launch::{BufferRef, Launch, Violations};

    use super::{softmax, softmax_short};
    use crate::rows::{Form, Numbers, Rows};

    /// The softmax of rows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Softmax {
        /// The rows, and where the results go.
        pub rows: Rows,
    }

    impl Softmax {
        /// Checks the arguments.
        ///
        /// # Errors
        /// Every condition that the arguments break.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let Rows {
                numbers,
                len,
                rows,
                dst,
                src,
                counter,
                ..
            } = self.rows;
            macro_rules! call {
                ($kernel:ident of $numbers:ty $(, $is_long:expr, $counter:expr)?) => {
                    $kernel::<$numbers>(
                        $($is_long,)?
                        BufferRef::new(dst),
                        BufferRef::new(src),
                        len,
                        rows,
                        $($counter,)?
                    )
                };
            }
            let counter = BufferRef::new(counter);
            self.rows.launch(&[], |form| match (form, numbers) {
                (Form::Short, Numbers::F32) => call!(softmax_short of f32),
                (Form::Short, Numbers::Bf16) => call!(softmax_short of Bf16),
                (Form::Ring { is_long }, Numbers::F32) => call!(softmax of f32, is_long, counter),
                (Form::Ring { is_long }, Numbers::Bf16) => call!(softmax of Bf16, is_long, counter),
            })
        }
    }
}
