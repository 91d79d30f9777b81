//! One thread copies 64 numbers into shared memory, and every thread reads the one opposite of it.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

#[kernel(max_threads = 64)]
unsafe fn one_copy(output: *mut u32, input: *const u32) {
    shared! {
        static TILE: [u32; 64] align 128;
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    // Thread 0 prepares the barrier, and issues the copy of 256 bytes.
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if thread == 0 {
        let _ = bar.arrive_expect_tx(256);
        cp_async_bulk::shared_cluster_global(TILE::ptr().cast(), input.cast(), 256, bar.address());
    }

    let number = TILE::ptr().at(63 - thread).read(); // only read_before_the_wait
    bar.wait_parity(0);
    let number = TILE::ptr().at(63 - thread).read(); // not read_before_the_wait
    *output.add(thread as usize) = number;
}
