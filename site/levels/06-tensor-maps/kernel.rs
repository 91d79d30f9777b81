//! A tensor copy brings a box of 8 rows of 32 numbers, swizzled by 128 bytes: the piece of 16 bytes with index `i` of row
//! `r` is at index `i ^ r`. Every thread writes its number to the transposed place.

use tma::{
    Barrier, TensorMap, kernel,
    ptx::{cp_async_bulk_tensor, mbarrier::Mbarrier},
    shared,
    thread::{block_idx, sync_threads, thread_idx},
};

#[kernel(max_threads = 256)]
unsafe fn transposed(#[grid_constant] map: &TensorMap, output: *mut u32) {
    shared! {
        static TILE: [u32; 256] align 1024;
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    let (row, column) = (thread / 32, thread % 32);
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    // The box of this block, in elements, innermost first.
    let y = 8 * block_idx().x;
    if thread == 0 {
        let _ = bar.arrive_expect_tx(1024);
        let at = [0, y as i32];
        let to = TILE::ptr().cast();
        cp_async_bulk_tensor::shared_cluster_global_tile(to, map, at, bar.address());
    }
    bar.wait_parity(0);

    let piece = (column / 4) ^ row; // not swizzle_forgotten
    let piece = column / 4; // only swizzle_forgotten
    let number = TILE::ptr().at(32 * row + 4 * piece + column % 4).read();
    // Row `column` of the output has 16 numbers; this block's are 8 of them.
    *output.add((16 * column + y + row) as usize) = number;
}
