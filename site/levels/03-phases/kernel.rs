//! One barrier serves four loads, one after the other: each completes a phase, and phases alternate between parity 0 and
//! 1.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

#[kernel(max_threads = 64)]
unsafe fn phases(output: *mut u32, input: *const u32) {
    shared! {
        static TILE: [u32; 64] align 128;
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());

    let mut sum = 0;
    for round in 0..4 {
        if thread == 0 {
            let _ = bar.arrive_expect_tx(256);
            let from = input.add(64 * round as usize).cast();
            cp_async_bulk::shared_cluster_global(TILE::ptr().cast(), from, 256, bar.address());
        }
        bar.wait_parity(round % 2); // not parity_never_flips
        bar.wait_parity(0); // only parity_never_flips
        sum += TILE::ptr().at(thread).read();
        // All threads have read before the next load overwrites the tile.
        sync_threads();
    }
    *output.add(thread as usize) = sum;
}
