//! The kernel, compiled to PTX by `build.rs`. For the host it is a function that makes its launch.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use tma::{
    SharedPtr, Stores,
    float::exp2,
    kernel,
    ptx::{fence, mbarrier::Mbarrier, shfl_sync},
    ring::{Cursor, Ring},
    shared,
    thread::{block_idx, grid_dim, sync_threads, thread_idx},
    warp::{self, ALL_LANES},
};

/// The most columns of a row.
pub const MOST_COLUMNS: u32 = 1024;
/// Rows that a block keeps in shared memory or on their way there.
pub const STAGES: u32 = 3;
/// Threads of a block: one warp loads rows, the other one computes and stores them.
pub const THREADS: u32 = 64;

shared! {
    static ROWS: [[f32; MOST_COLUMNS as usize]; STAGES as usize] align 128;
    static BARRIERS: [Mbarrier; Ring::<STAGES>::BARRIERS];
}

/// Writes the softmax of each row: `exp(x - max) / sum`, where `max` is the row's greatest number and
/// `sum` that of all `exp(x - max)`.
///
/// Block `b` takes the rows `b`, `b + blocks`, and so on.
///
/// # Safety
/// 1. `input` and `output` point to `rows * columns` numbers of global memory, row by row, that nobody
///    else uses while the kernel runs.
/// 2. Both are multiples of 16 bytes, and `columns` is a multiple of 4: a bulk copy moves 16 bytes at
///    a time. `columns` is 4 to [`MOST_COLUMNS`].
/// 3. Grid and blocks are one-dimensional; a block has [`THREADS`] threads. `rows` and the blocks
///    together are fewer than 2^32.
#[kernel(max_threads = 64)]
pub unsafe fn softmax(output: *mut f32, input: *const f32, rows: u32, columns: u32) {
    let barriers = BARRIERS::ptr().cast::<Mbarrier>();
    if thread_idx().x == 0 {
        // SAFETY: one thread does so, before any other uses the barriers. A stage is filled by one
        // arrival with its bytes, and emptied by one.
        unsafe { Ring::<STAGES>::init(barriers, 1, 1) };
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: the barrier above orders the initialisation before; each of the two roles below goes
    // through the stages in order and arrives once at each.
    let ring = unsafe { Ring::<STAGES>::assume_init(barriers) };

    // SAFETY: whole warps are here, and blocks are one-dimensional (3).
    if unsafe { warp::index() } == 0 {
        // SAFETY: the conditions are this kernel's own.
        unsafe { load(&ring, input, rows, columns) };
    } else {
        // SAFETY: the conditions are this kernel's own.
        unsafe { compute_and_store(&ring, output, rows, columns) };
    }
}

/// The block's rows, each with the stage that it comes into.
fn rows_of_block(rows: u32) -> impl Iterator<Item = (u32, Cursor<STAGES>)> {
    let mut cursor = Cursor::new();
    let mut row = block_idx().x;
    core::iter::from_fn(move || {
        let item = (row < rows).then_some((row, cursor));
        row += grid_dim().x;
        cursor.advance();
        item
    })
}

/// The first number of a stage.
fn stage(cursor: Cursor<STAGES>) -> SharedPtr<f32> {
    ROWS::ptr().cast::<f32>().add(cursor.stage() * MOST_COLUMNS)
}

/// # Safety
/// As for [`softmax`]; all threads of the first warp are here.
#[inline(always)]
unsafe fn load(ring: &Ring<STAGES>, input: *const f32, rows: u32, columns: u32) {
    // SAFETY: the whole warp is here.
    if !unsafe { warp::is_elected() } {
        return;
    }
    for (row, cursor) in rows_of_block(rows) {
        ring.acquire(cursor);
        let full = ring.full(cursor);
        let mut copy = full.transaction();
        let start = row as usize * columns as usize;
        // SAFETY: the row lies within the input (1), aligned (2); the stage is empty, and long enough
        // for it (2).
        unsafe { copy.bulk(stage(cursor).cast(), input.add(start).cast(), 4 * columns) };
        let _ = copy.arrive();
    }
}

/// # Safety
/// As for [`softmax`]; all threads of the second warp are here.
#[inline(always)]
unsafe fn compute_and_store(ring: &Ring<STAGES>, output: *mut f32, rows: u32, columns: u32) {
    let lane = warp::lane();
    for (row, cursor) in rows_of_block(rows) {
        ring.wait(cursor);
        let numbers = stage(cursor);
        let own = || (lane..columns).step_by(32);

        let mut max = f32::NEG_INFINITY;
        for column in own() {
            // SAFETY: the copy wrote the number, and the column is within the row.
            max = max.max(unsafe { numbers.add(column).read() });
        }
        // SAFETY: the whole warp is here.
        let max = unsafe { all_lanes(max, f32::max) };

        let mut sum = 0.0;
        for column in own() {
            let number = numbers.add(column);
            // SAFETY: as above; the number is this lane's.
            let power = exp2((unsafe { number.read() } - max) * core::f32::consts::LOG2_E);
            // SAFETY: as above.
            unsafe { number.write(power) };
            sum += power;
        }
        // SAFETY: the whole warp is here.
        let sum = unsafe { all_lanes(sum, |a, b| a + b) };

        for column in own() {
            let number = numbers.add(column);
            // SAFETY: this lane wrote the number.
            unsafe { number.write(number.read() / sum) };
        }
        // The copy engine sees the writes of a lane after its fence and the barrier of the warp.
        // SAFETY: a fence only orders.
        unsafe { fence::proxy_async_shared_cta() };
        // SAFETY: the whole warp is here.
        unsafe { warp::sync_warp() };
        // SAFETY: the whole warp is here.
        if unsafe { warp::is_elected() } {
            let mut store = Stores::new();
            let start = row as usize * columns as usize;
            // SAFETY: the row lies within the output (1), aligned (2), and its numbers are visible.
            unsafe { store.bulk(output.add(start).cast(), numbers.cast(), 4 * columns) };
            store.commit().wait_read();
            ring.release(cursor);
        }
    }
}

/// What `combine` makes of the values of all lanes, in every lane.
///
/// # Safety
/// 1. Every thread of the warp reaches this same call together.
#[inline(always)]
unsafe fn all_lanes(value: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
    [16, 8, 4, 2, 1].into_iter().fold(value, |value, distance| {
        // SAFETY: every thread of the warp is here (1).
        let other = unsafe { shfl_sync::bfly(ALL_LANES, value.to_bits(), distance) };
        combine(value, f32::from_bits(other))
    })
}
