//! A producer warp loads tiles of 256 bytes into a ring of two stages. Two consumer warps double the numbers in place,
//! and one consumer thread stores each tile with a bulk copy.

use tma::{
    Barrier, kernel,
    ptx::{barrier_cta, cp_async_bulk, fence, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const ROUNDS: u32 = 4;

#[kernel(max_threads = 96)]
unsafe fn double(output: *mut u32, input: *const u32) {
    shared! {
        static TILES: [[u32; 64]; 2] align 128;
        static FULL: [Mbarrier; 2];
        static EMPTY: [Mbarrier; 2];
    }
    let thread = thread_idx().x;
    if thread == 0 {
        for stage in 0..2 {
            Barrier::init(FULL::ptr().at(stage), 1);
            Barrier::init(EMPTY::ptr().at(stage), 1);
        }
    }
    sync_threads();

    for round in 0..ROUNDS {
        let (stage, turn) = (round % 2, round / 2);
        let full = Barrier::assume_init(FULL::ptr().at(stage));
        let empty = Barrier::assume_init(EMPTY::ptr().at(stage));
        let tile = TILES::ptr().at(stage);
        let first = 64 * round as usize;
        // The producer.
        if thread == 0 {
            empty.wait_parity((turn + 1) % 2);
            let _ = full.arrive_expect_tx(256);
            let from = input.add(first).cast();
            cp_async_bulk::shared_cluster_global(tile.cast(), from, 256, full.address());
        }
        // The consumers.
        if thread >= 32 {
            full.wait_parity(turn % 2);
            let mine = tile.at(thread - 32);
            mine.write(2 * mine.read());
            // The store reads through the async proxy: each writer's fence comes first, then a barrier of the two warps.
            fence::proxy_async_shared_cta(); // not store_without_fence
            barrier_cta::sync_aligned_count(1, 64);
            if thread == 32 {
                cp_async_bulk::global_shared_cta(output.add(first).cast(), tile.cast(), 256);
                cp_async_bulk::commit_group();
                // The stage is empty once the store has read it.
                cp_async_bulk::wait_group_read::<0>();
                let _ = empty.arrive();
            }
        }
    }
    cp_async_bulk::wait_group::<0>();
}
