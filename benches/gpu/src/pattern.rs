use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tma::{
    kernel,
    thread::{block_dim, block_idx, grid_dim, thread_idx},
};

/// Returns the word at an index: numbers without a short period.
///
/// The host has the same function.
#[inline(always)]
fn hash(index: u64) -> u32 {
    let mut word = (index as u32).wrapping_mul(0x9e37_79b1) ^ (index >> 32) as u32;
    word ^= word >> 15;
    word = word.wrapping_mul(0x85eb_ca77);
    word ^ (word >> 13)
}

/// Calls `visit` with each index below `len` that belongs to this thread.
#[inline(always)]
fn for_each(len: u64, mut visit: impl FnMut(u64)) {
    let threads = u64::from(grid_dim().x) * u64::from(block_dim().x);
    let mut index = u64::from(block_idx().x) * u64::from(block_dim().x) + u64::from(thread_idx().x);
    while index < len {
        visit(index);
        index += threads;
    }
}

/// Writes `hash(index)` to each of `len` numbers.
///
/// # Safety
/// 1. `data` points to `len` numbers of global memory without other users while the kernel runs.
/// 2. Grid and blocks are one-dimensional.
#[kernel(max_threads = 1024)]
pub unsafe fn fill(data: *mut u32, len: u64) {
    for_each(len, |index| {
        // SAFETY: the index is in bounds (1), and no other thread has it.
        unsafe { data.add(index as usize).write(hash(index)) };
    });
}

/// Counts the numbers that are not `hash(index) * factor + addend`, and finds the first of them.
///
/// If `width` is not 0, the numbers are a matrix with `width` columns, in tiles of `tile_width` by `tile_height`,
/// and the index of a number in its tile, row by row, is added.
///
/// # Safety
/// 1. `data` points to `len` numbers of global memory that are not written while the kernel runs.
/// 2. `wrong` points to a number that starts at zero, and `first` to one that starts at its maximum; they have no
///    other users while the kernel runs.
/// 3. Grid and blocks are one-dimensional; tiles have an extent where there are any.
#[allow(
    clippy::too_many_arguments,
    reason = "a kernel takes its numbers one by one"
)]
#[kernel(max_threads = 1024)]
pub unsafe fn check(
    data: *const u32,
    len: u64,
    factor: u32,
    addend: u32,
    width: u32,
    tile_width: u32,
    tile_height: u32,
    wrong: *mut u32,
    first: *mut u64,
) {
    let in_tile = |index: u64| {
        let (x, y) = (
            index as u32 & (width - 1),
            (index / u64::from(width)) as u32,
        );
        (y & (tile_height - 1)) * tile_width + (x & (tile_width - 1))
    };
    let (mut count, mut lowest) = (0, u64::MAX);
    for_each(len, |index| {
        let mut expected = hash(index).wrapping_mul(factor).wrapping_add(addend);
        if width != 0 {
            expected = expected.wrapping_add(in_tile(index));
        }
        // SAFETY: the index is in bounds (1).
        if unsafe { data.add(index as usize).read() } != expected {
            count += 1;
            lowest = lowest.min(index);
        }
    });
    if count != 0 {
        // SAFETY: all threads change the numbers by atomic operations only (2).
        let (wrong, first) = unsafe { (AtomicU32::from_ptr(wrong), AtomicU64::from_ptr(first)) };
        wrong.fetch_add(count, Ordering::Relaxed);
        first.fetch_min(lowest, Ordering::Relaxed);
    }
}
