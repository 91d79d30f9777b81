//! A ring of two stages: warp 0 loads, warp 1 reads. `full` of a stage completes when its bytes have come, `empty` when
//! all 32 readers have released it.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const ROUNDS: u32 = 6;

#[kernel(max_threads = 64)]
unsafe fn ring(output: *mut u32, input: *const u32) {
    shared! {
        static TILES: [[u32; 32]; 2] align 128;
        static FULL: [Mbarrier; 2];
        static EMPTY: [Mbarrier; 2];
    }
    let (thread, lane) = (thread_idx().x, thread_idx().x % 32);
    if thread == 0 {
        for stage in 0..2 {
            Barrier::init(FULL::ptr().at(stage), 1);
            Barrier::init(EMPTY::ptr().at(stage), 32);
        }
    }
    sync_threads();

    for round in 0..ROUNDS {
        // The stage of this round, and how often it was used before.
        let (stage, turn) = (round % 2, round / 2);
        let full = Barrier::assume_init(FULL::ptr().at(stage));
        let empty = Barrier::assume_init(EMPTY::ptr().at(stage));
        let tile = TILES::ptr().at(stage);
        if thread == 0 {
            // A new barrier counts as if the phase before phase 0 were complete: the first wait, for parity 1, succeeds.
            empty.wait_parity((turn + 1) % 2); // not not_waited_until_empty
            let _ = full.arrive_expect_tx(128);
            let from = input.add(32 * round as usize).cast();
            cp_async_bulk::shared_cluster_global(tile.cast(), from, 128, full.address());
        }
        if thread >= 32 {
            full.wait_parity(turn % 2);
            let number = tile.at(lane).read();
            let _ = empty.arrive();
            *output.add((32 * round + lane) as usize) = number;
        }
    }
}
