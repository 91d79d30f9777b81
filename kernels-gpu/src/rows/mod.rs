//! Rows, each made of one row: the shared part of `rms_norm`, `layer_norm` and `softmax`.
//!
//! Results are left in shared memory where the row was, so that memory is read once and written once.
//!
//! A block has a short row, or one for each of its warps, and ends when it has stored them: enough blocks run at once
//! that one loads while others work. Of longer rows too few fit. There the first warp of a block loads whole rows
//! ahead, into a ring of shared memory, and the others work.

mod numbers;
mod row;
mod short;

use tma::{
    Block, Counter, Threads, Warps,
    pipeline::{self, Items},
    shared,
};

pub use numbers::{Floats, Number};
pub(crate) use row::Row;
use row::{Parameters, Vector};
pub use short::{MOST_SHORT_THREADS, SHORT_BYTES};
pub(crate) use short::{short_bytes, transform_short};

/// The most threads of a block: a warp that loads and 16 that work.
pub const MOST_THREADS: u32 = 544;
/// The most elements of a row that a thread has, unless rows are long.
const EACH: u32 = 32;
/// The number of elements of the longest row that is not long: a thread has twice that number of a long one.
pub const MEDIUM: u32 = (MOST_THREADS - 32) * EACH;

/// An operation on rows, which has `P` parameters of each column.
pub(crate) trait Operation<const P: usize> {
    /// Makes the results of a row. Collective of the working threads.
    fn apply<T: Number, G: Threads, const VECTORS: usize>(&self, row: Row<'_, T, G, VECTORS, P>);
}

/// Returns the number of rows in shared memory of a block: the most that fit and overlap loads, work and stores.
const fn stages<T>(is_long: bool) -> u32 {
    match (is_long, size_of::<T>()) {
        (false, 2) => 6,
        (true, 2) | (false, _) => 3,
        (true, _) => 1,
    }
}

/// Shared memory of a block.
pub(crate) const fn shared_bytes<T>(is_long: bool, len: u32) -> u64 {
    pipeline::bytes::<T>(stages::<T>(is_long), len as u64)
}

/// Makes each of `rows` rows of `len` elements of `src` one of `dst`; blocks draw their rows from a counter.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, `parameters` one row each, all at multiples of
///    16 bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or
///    does not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 on. It has at most [`MEDIUM`] elements, or twice that if `LONG`.
/// 3. `counter` is as its type requires; `rows`, the blocks of the grid and 512 are fewer than 2^32 together.
/// 4. Grid and blocks are one-dimensional. A block has a warp that loads, and the fewest whole warps with
///    [`EACH`] elements of a row for each thread, twice that if `LONG`, or more warps, up to [`MOST_THREADS`].
///    The launch has the shared memory.
#[inline(always)]
pub(crate) unsafe fn transform<T: Number, const LONG: bool, const P: usize>(
    dst: *mut T,
    src: *const T,
    parameters: [*const T; P],
    [len, rows]: [u32; 2],
    counter: Counter,
    operation: impl Operation<P>,
) {
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    let extents = [len, rows];
    // SAFETY: (1) to (4) hold; 16 bytes of a thread are 8 elements or 4, so the threads have `VECTORS` vectors of a
    // row (1 of `ring`).
    unsafe {
        match stages::<T>(LONG) {
            6 => ring::<T, P, 4, 6>(block, dst, src, parameters, extents, counter, operation),
            3 => ring::<T, P, 8, 3>(block, dst, src, parameters, extents, counter, operation),
            _ => ring::<T, P, 16, 1>(block, dst, src, parameters, extents, counter, operation),
        }
    };
}

/// # Safety
/// 1. The conditions of [`transform`]; threads that work have `VECTORS` vectors of a row together.
#[inline(always)]
unsafe fn ring<T: Number, const P: usize, const VECTORS: usize, const STAGES: u32>(
    block: Block,
    dst: *mut T,
    src: *const T,
    parameters: [*const T; P],
    [len, rows]: [u32; 2],
    counter: Counter,
    operation: impl Operation<P>,
) {
    let bytes = len * size_of::<T>() as u32;
    let start = |row: u32| row as usize * len as usize;
    let memory = shared::dynamic::<Vector, 1024>();
    let vectors = bytes / size_of::<Vector>() as u32;
    let pipeline = block.storing_pipeline::<Vector, STAGES>(memory, vectors);
    pipeline.split(
        |mut fill| {
            for row in Items::drawn(block, 1, rows, counter) {
                let stage = fill.next().with_item(row);
                // SAFETY: the row is within the source, aligned (1, 2); the stage takes it.
                unsafe { stage.copy(src.add(start(row)).cast(), bytes) };
            }
            fill.finish();
        },
        |workers: Warps, mut drain| {
            // SAFETY: there is a parameter for each column, aligned, that no thread writes (1).
            let parameters = unsafe {
                Parameters::<T, Warps, VECTORS, P>::new(
                    parameters,
                    workers,
                    workers.warp(),
                    vectors,
                    false,
                )
            };
            while let Some((number, stage)) = drain.next_item() {
                // SAFETY: the stage has the row, and each thread has its vectors of it; `store` synchronises.
                operation.apply(unsafe { Row::new(&parameters, len, stage.as_ptr()) });
                // SAFETY: the row is within the destination, aligned (1, 2).
                drain.store(stage, |stores, stage| unsafe {
                    stores.bulk(dst.add(start(number)).cast(), stage.cast(), bytes);
                });
            }
            drain.finish();
        },
    );
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::{Form, with_element};
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Numbers, Rows};
