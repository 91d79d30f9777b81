use tma::{
    Barrier, Block, SharedPtr, Stores, Threads, Warp,
    ptx::{fence, mbarrier::Mbarrier},
    shared,
};

use super::{
    Number, Operation, Row,
    row::{Parameters, Vector},
};

pub(super) const VECTOR_BYTES: u32 = size_of::<Vector>() as u32;
/// Bytes of the longest short row.
pub const SHORT_BYTES: u32 = MOST_SHORT_THREADS * VECTORS * VECTOR_BYTES;
/// Threads of a block at most.
pub const MOST_SHORT_THREADS: u32 = 256;
/// Vectors that a thread has of a row at most.
pub(super) const VECTORS: u32 = 4;
/// Vectors of the longest row of which a block has one for each warp.
pub(super) const OF_WARP: u32 = Warp::LANES * VECTORS;

shared! {
    /// One for each row of the block.
    static BARS: [Mbarrier; MOST_SHORT_THREADS as usize / 32];
}

/// Shared memory of a block.
pub(crate) const fn short_bytes<T>(len: u32, threads: u64) -> u64 {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    if bytes <= (OF_WARP * VECTOR_BYTES) as u64 {
        bytes * (threads / Warp::LANES as u64)
    } else {
        bytes
    }
}

/// Makes each of `rows` rows of `len` elements of `src` one of `dst`.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one behind the other, `parameters` one row each, all at multiples of
///    16 bytes; nobody else uses `dst`, and nobody writes the others, while the kernel runs. `dst` is `src` or
///    does not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 to [`SHORT_BYTES`].
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, [`MOST_SHORT_THREADS`] at most. Where a row has at
///    most [`OF_WARP`] vectors, there is a warp for each row; else as many blocks as rows, each with a thread for each
///    [`VECTORS`] vectors of a row. The launch has the shared memory.
#[inline(always)]
pub(crate) unsafe fn transform_short<T: Number, const P: usize>(
    dst: *mut T,
    src: *const T,
    parameters: [*const T; P],
    [len, rows]: [u32; 2],
    operation: impl Operation<P>,
) {
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let warp = block.warp();
    let vectors = len * size_of::<T>() as u32 / VECTOR_BYTES;
    let stage = shared::dynamic::<Vector, 128>();
    let at = |row: u32| {
        let start = row as usize * len as usize;
        (dst.wrapping_add(start), src.wrapping_add(start))
    };
    if vectors <= OF_WARP {
        let number = warp.index();
        let row = block.index() * block.warps().get() + number;
        if row < rows {
            let barrier = warp.barrier(BARS::ptr().at(number), 1);
            let stage = stage.add(number * vectors);
            // SAFETY: the row is there, and both memories are this warp's (1, 2, 3).
            unsafe {
                transform_row(
                    warp,
                    warp,
                    barrier,
                    stage,
                    at(row),
                    parameters,
                    len,
                    operation,
                )
            };
        }
    } else {
        let barrier = block.barrier(BARS::ptr().at(0), 1);
        // SAFETY: there is a row for each block, whose threads have all of its vectors (1, 2, 3).
        unsafe {
            transform_row(
                block,
                warp,
                barrier,
                stage,
                at(block.index()),
                parameters,
                len,
                operation,
            )
        };
    }
}

/// Makes a row of `src` one of `dst`, by a group of threads; `warp` is that of this thread.
///
/// # Safety
/// 1. Rows and parameters are as (1) and (2) of [`transform_short`] say; threads of the group have [`VECTORS`] vectors
///    of a row together.
/// 2. The barrier takes one arrival, and the stage has room for the row; nobody else uses either.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "what a row is made of and by")]
unsafe fn transform_row<T: Number, G: Threads, const P: usize>(
    group: G,
    warp: Warp,
    barrier: Barrier,
    stage: SharedPtr<Vector>,
    (dst, src): (*mut T, *const T),
    parameters: [*const T; P],
    len: u32,
    operation: impl Operation<P>,
) {
    let bytes = len * size_of::<T>() as u32;
    if group.elect() {
        let mut loads = barrier.transaction();
        // SAFETY: the row is there, aligned (1), and the stage takes it (2).
        unsafe { loads.bulk(stage.cast(), src.cast(), bytes) };
        let _ = loads.arrive();
    }
    // SAFETY: there is a parameter for each column, aligned, that nobody writes (1).
    let parameters = unsafe {
        Parameters::<T, G, { VECTORS as usize }, P>::new(
            parameters,
            group,
            warp,
            bytes / VECTOR_BYTES,
        )
    };
    barrier.wait_parity(0);
    // SAFETY: the stage has the row, the only one, of which each thread has its vectors (1).
    operation.apply(unsafe { Row::new(&parameters, len, stage) });
    fence::proxy_async_shared_cta();
    group.sync();
    if group.elect() {
        let mut stores = Stores::new();
        // SAFETY: the row lies within the destination, aligned (1); all have written it before, through a fence.
        unsafe { stores.bulk(dst.cast(), stage.cast(), bytes) };
        stores.commit().wait_read();
    }
}
