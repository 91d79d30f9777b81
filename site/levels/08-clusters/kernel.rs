//! Each of two blocks of a cluster loads half of a tile, for both.

use tma::{
    Barrier, kernel,
    ptx::{barrier_cluster, cp_async_bulk, fence, mbarrier::Mbarrier, sreg},
    shared,
    thread::{block_idx, sync_threads, thread_idx},
};

#[kernel(max_threads = 32, cluster = 2)]
unsafe fn multicast(output: *mut u32, input: *const u32) {
    shared! {
        static TILE: [[u32; 32]; 2] align 128;
        static BAR: Mbarrier;
    }
    let (thread, rank) = (thread_idx().x, sreg::cluster_ctarank());
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
        fence::mbarrier_init_release_cluster();
    }
    barrier_cluster::arrive_relaxed_aligned(); // not no_barrier_of_the_cluster
    barrier_cluster::wait_aligned(); // not no_barrier_of_the_cluster
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if thread == 0 {
        // Both halves arrive in each block.
        let _ = bar.arrive_expect_tx(256);
        let to = TILE::ptr().at(rank).cast();
        let from = input.add(32 * rank as usize).cast();
        let mask = 0b11;
        cp_async_bulk::shared_cluster_global_multicast(to, from, 128, bar.address(), mask);
    }
    bar.wait_parity(0);

    // Both halves' numbers of this thread, added up.
    let [first, second] = [0, 1].map(|half| TILE::ptr().at(half).at(thread).read());
    *output.add((32 * block_idx().x + thread) as usize) = first + second;
}
