//! Rows, each made of one row: the shared part of `rms_norm`, `layer_norm` and `softmax`.
//!
//! A block has a row, or a short one for each of its warps, and ends when it has stored it: enough blocks run at once
//! that one loads while others work. Results are left in shared memory where the row was, so that memory is read once
//! and written once. Each warp has a contiguous part of a row, which it stores when it has made it.

mod numbers;
mod row;

use tma::{
    Block, SharedPtr, Stores, Threads, Transaction, Warp,
    ptx::{fence, griddepcontrol, mbarrier::Mbarrier},
    shared,
};

pub use numbers::{Floats, Number};
pub(crate) use row::Row;
use row::{Parameters, Vector};

const VECTOR_BYTES: u32 = size_of::<Vector>() as u32;
/// The most vectors of a short row that a thread has; their parameters stay in registers.
pub(crate) const SHORT: usize = 4;
/// The most vectors of a longer row that a thread has.
pub(crate) const LONG: usize = 8;
/// The most threads of a block with short rows.
pub const MOST_SHORT_THREADS: u32 = 256;
/// The most threads of a block with a longer row.
pub const MOST_THREADS: u32 = 1024;
/// The number of bytes of the longest short row.
pub const SHORT_BYTES: u32 = MOST_SHORT_THREADS * SHORT as u32 * VECTOR_BYTES;
/// The number of bytes of the longest row.
pub const MOST_BYTES: u32 = MOST_THREADS * LONG as u32 * VECTOR_BYTES;
/// Vectors of the longest row for which a block has one in each warp.
const OF_WARP: u32 = Warp::LANES * SHORT as u32;

shared! {
    /// One for each row of the block.
    static BARS: [Mbarrier; MOST_SHORT_THREADS as usize / 32];
}

/// An operation on rows, which has `P` parameters of each column.
pub(crate) trait Operation<const P: usize> {
    /// Makes the results of a row. Collective of the threads that have it.
    fn apply<T: Number, G: Threads, const VECTORS: usize>(&self, row: Row<'_, T, G, VECTORS, P>);
}

/// Shared memory of a block.
pub(crate) const fn shared_bytes<T>(len: u32, threads: u64) -> u64 {
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    if bytes <= (OF_WARP * VECTOR_BYTES) as u64 {
        bytes * (threads / Warp::LANES as u64)
    } else {
        bytes
    }
}

/// Shared memory with which a multiprocessor has as many longer rows at once as begin within 96 KiB, or two where these
/// fit: reads and writes of more disturb each other. Not for kernels with two parameters, which need the memory as L1.
pub(crate) fn limited_bytes<T>(len: u32, threads: u64) -> u64 {
    let bytes = shared_bytes::<T>(len, threads);
    if bytes <= SHORT_BYTES.into() {
        return bytes;
    }
    let blocks = (96_u64 << 10).div_ceil(bytes).max(2);
    bytes.max((228 << 10) / blocks - (2 << 10))
}

/// Makes each of `rows` rows of `len` elements of `src` one of `dst`.
///
/// # Safety
/// 1. `src` and `dst` have `rows` rows one after the other, `parameters` one row each, all at multiples of
///    16 bytes. No other code uses `dst`, and no thread writes the others, while the kernel runs. `dst` is `src` or
///    does not overlap it.
/// 2. The bytes of a row are a multiple of 16, from 16 on.
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, [`MOST_THREADS`] at most. For rows of at most
///    [`OF_WARP`] vectors `VECTORS` is [`SHORT`], and there is a warp for each row, up to 8 in a block; for others
///    there is a block for each row, with a thread for each `VECTORS` vectors of a row, rounded up to whole warps.
///    The launch has the shared memory.
#[inline(always)]
pub(crate) unsafe fn transform<T: Number, const VECTORS: usize, const P: usize>(
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
    // The kernel that follows begins as blocks of this one end, and this one waits for the one before: both only where
    // the launch allows it.
    griddepcontrol::launch_dependents();
    griddepcontrol::wait();
    // SAFETY: the row is within the source, aligned (1, 2), and the stage takes it.
    let load = |loads: &mut Transaction<'_>, stage: SharedPtr<Vector>, row: u32| unsafe {
        loads.bulk(
            stage.cast(),
            src.add(row as usize * len as usize).cast(),
            vectors * VECTOR_BYTES,
        );
    };
    // If each thread has its full share of a row, no vector needs a bounds check.
    macro_rules! make {
        ($row:ident by $group:ident in $stage:ident, $wait:expr) => {
            // SAFETY: the row exists (3), and so do parameters (1); its threads can have all of it, and the stage is theirs.
            unsafe {
                let dst = dst.add($row as usize * len as usize);
                let (group, stage) = ($group, $stage);
                if vectors == group.threads() * VECTORS as u32 {
                    make::<T, _, VECTORS, P>(
                        group, warp, stage, dst, parameters, len, true, $wait, operation,
                    );
                } else {
                    make::<T, _, VECTORS, P>(
                        group, warp, stage, dst, parameters, len, false, $wait, operation,
                    );
                }
            }
        };
    }
    if VECTORS == SHORT && vectors <= OF_WARP {
        let number = warp.index();
        let row = block.index() * block.warps().get() + number;
        if row < rows {
            let stage = stage.add(number * vectors);
            let barrier = warp.barrier(BARS::ptr().at(number), 1);
            if warp.elect() {
                let mut loads = barrier.transaction();
                load(&mut loads, stage, row);
                let _ = loads.arrive();
            }
            make!(row by warp in stage, || barrier.wait_parity(0));
        }
    } else {
        let row = block.index();
        let loading = block.load(BARS::ptr().at(0), |loads| load(loads, stage, row));
        make!(row by block in stage, || loading.wait());
    }
}

/// Makes a row of `dst` from the row in the stage, by a group of threads; `warp` is the warp of this thread.
///
/// # Safety
/// 1. `dst` and `parameters` are as (1) of [`transform`] requires. The row has at most `VECTORS` vectors for each thread of
///    the group, exactly these if `is_full`, and at least one for each warp.
/// 2. The row is in the stage after `wait`. No other code uses the stage.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "what a row is made of and by")]
unsafe fn make<T: Number, G: Threads, const VECTORS: usize, const P: usize>(
    group: G,
    warp: Warp,
    stage: SharedPtr<Vector>,
    dst: *mut T,
    parameters: [*const T; P],
    len: u32,
    is_full: bool,
    wait: impl FnOnce(),
    operation: impl Operation<P>,
) {
    let bytes = len * size_of::<T>() as u32;
    let vectors = bytes / VECTOR_BYTES;
    // SAFETY: there is a parameter for each column, aligned, that no thread writes (1).
    let parameters =
        unsafe { Parameters::<T, G, VECTORS, P>::new(parameters, group, warp, vectors, is_full) };
    wait();
    // SAFETY: the stage has the row, the only one, and each thread has its vectors of it (1, 2).
    operation.apply(unsafe { Row::new(&parameters, len, stage) });
    fence::proxy_async_shared_cta();
    warp.sync();
    let [first, count] = parameters.of_warp();
    if warp.elect() {
        let mut stores = Stores::new();
        // SAFETY: the vectors are within the row, and so within the destination, aligned (1); the warp has written them
        // before, through a fence.
        unsafe {
            let dst = dst.cast::<Vector>().add(first as usize);
            stores.bulk(dst.cast(), stage.add(first).cast(), count * VECTOR_BYTES);
        }
        stores.commit().wait_read();
    }
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::with_element;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Numbers, Rows};
