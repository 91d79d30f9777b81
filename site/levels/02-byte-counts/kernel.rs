//! One thread copies two rows of 128 bytes, and one barrier counts the bytes of both.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

#[kernel(max_threads = 32)]
unsafe fn byte_counts(output: *mut u32, input: *const u32) {
    shared! {
        static ROWS: [[u32; 32]; 2] align 128;
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if thread == 0 {
        // The barrier is told once how many bytes will come in this phase.
        let _ = bar.arrive_expect_tx(256); // not bytes_of_one_row
        let _ = bar.arrive_expect_tx(128); // only bytes_of_one_row
        let [first, second] = [0, 1].map(|row| ROWS::ptr().at(row).cast());
        cp_async_bulk::shared_cluster_global(first, input.cast(), 128, bar.address());
        cp_async_bulk::shared_cluster_global(second, input.add(32).cast(), 128, bar.address());
    }
    bar.wait_parity(0);

    // The sum of both rows.
    let [first, second] = [0, 1].map(|row| ROWS::ptr().at(row).at(thread).read());
    *output.add(thread as usize) = first + second;
}
