//! Seven kernels on the way to [`gemm`](crate::gemm), each with one idea more than the one before: `docs/gemm.md` goes
//! through them.
//!
//! Each writes A times the transpose of B to C: A has `m` rows of `k` numbers, B has `n` rows of `k`, C has `m` rows of
//! `n`, all of `bf16`, one after the other. Sums are of `f32`.

pub mod one_thread;
pub mod persistent;
pub mod roles;
pub mod shared_tiles;
pub mod stages;
pub mod tensor_copies;
pub mod tensor_cores;

use tma::{Accumulator, Rows, SharedPtr, Swizzle128, Tile, TileMap, Warpgroup, halves::Bf16};

/// The number of elements along K of a stage, and rows and columns of the boxes of all maps.
pub const BOX: u32 = 64;

type Box64 = [[Bf16; BOX as usize]; BOX as usize];
type Tile64 = Tile<Box64, Swizzle128>;
type Map = TileMap<Box64, Swizzle128>;

/// Returns the place of an element in rows of `columns`.
#[inline(always)]
const fn place(row: u32, column: u32, columns: u32) -> usize {
    row as usize * columns as usize + column as usize
}

/// The number of rows of a tile of 64 by 64 results for each of 1024 threads, all in one column.
const EACH: usize = 4;

/// Returns the column and the first row of a thread's results in a tile.
#[inline(always)]
const fn own(thread: u32) -> [u32; 2] {
    [thread % BOX, thread / BOX * EACH as u32]
}

/// Adds the products of two tiles to a thread's sums.
///
/// # Safety
/// 1. The tiles exist, and no thread writes them.
#[inline(always)]
unsafe fn add_products(sums: &mut [f32; EACH], thread: u32, [a, b]: [SharedPtr<Tile64>; 2]) {
    let [column, row] = own(thread);
    // 16 bytes at a time.
    let mut vector = 0;
    while vector < BOX / 8 {
        // SAFETY: the vector of B is in its tile, which no thread writes (1).
        let of_b = unsafe { b.vector([vector, column]).read() };
        // An iterator of an array would keep it in local memory.
        let mut below = 0;
        while below < EACH {
            // SAFETY: the vector of A is in its tile, which no thread writes (1).
            let of_a = unsafe { a.vector([vector, row + below as u32]).read() };
            let mut at = 0;
            while at < 8 {
                sums[below] += of_a[at].to_f32() * of_b[at].to_f32();
                at += 1;
            }
            below += 1;
        }
        vector += 1;
    }
}

/// Writes a thread's sums to C; the tile begins at this column and row.
///
/// # Safety
/// 1. C has `m` rows of `n` numbers, and no other code uses these.
#[inline(always)]
unsafe fn write_column(
    c: *mut Bf16,
    sums: [f32; EACH],
    thread: u32,
    [first_column, first_row]: [u32; 2],
    [m, n]: [u32; 2],
) {
    let [column, row] = own(thread);
    let (column, row) = (first_column + column, first_row + row);
    let mut below = 0;
    while below < EACH {
        let row = row + below as u32;
        if row < m && column < n {
            // SAFETY: the element is in C, and this thread's (1).
            unsafe { *c.add(place(row, column, n)) = Bf16::from_f32(sums[below]) };
        }
        below += 1;
    }
}

/// Writes sums of a warpgroup to C; the first one is in this column and row.
///
/// # Safety
/// 1. As for [`write_column`].
#[inline(always)]
unsafe fn write_sums<R: Rows>(
    c: *mut Bf16,
    sums: &Accumulator<R>,
    warpgroup: Warpgroup,
    [first_column, first_row]: [u32; 2],
    [m, n]: [u32; 2],
) {
    let first_row = first_row + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
    sums.each_pair(warpgroup, |below, beside, pair| {
        let (column, row) = (first_column + beside, first_row + 8 * below as u32);
        // Columns of C are even.
        if row < m && column < n {
            let at = place(row, column, n);
            // SAFETY: the elements are in C, and this thread's (1).
            unsafe {
                *c.add(at) = Bf16::from_f32(pair[0]);
                *c.add(at + 1) = Bf16::from_f32(pair[1]);
            }
        }
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::GemmStep;

#[cfg(not(target_arch = "nvptx64"))]
mod host;
