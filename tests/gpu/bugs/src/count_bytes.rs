//! A tile in two copies, and the bytes that its barrier expects.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const TOO_MANY_BYTES: u32 = 1; //~ transaction-bytes
const TOO_FEW_BYTES: u32 = 2; //~ transaction-bytes
const ONE_COPY_FORGOTTEN: u32 = 3; //~ transaction-bytes
const NO_BYTES: u32 = 4; //~ unarmed-receiver
const BYTES_AT_ANOTHER_BARRIER: u32 = 5; //~ transaction-bytes unarmed-receiver
const MORE_THAN_A_BARRIER_COUNTS: u32 = 6; //~ mbarrier-overflow

#[kernel(max_threads = 32, instances(BUG = CORRECT, TOO_MANY_BYTES, TOO_FEW_BYTES, ONE_COPY_FORGOTTEN, NO_BYTES, BYTES_AT_ANOTHER_BARRIER, MORE_THAN_A_BARRIER_COUNTS))]
unsafe fn count_bytes<const BUG: u32>(output: *mut u32, input: *const u32) {
    shared! {
        static TILE: [u32; 64] align 128;
        static BARS: [Mbarrier; 2];
    }
    let thread = thread_idx().x;
    let tile = TILE::ptr();
    if thread == 0 {
        Barrier::init(BARS::ptr().at(0), 1);
        Barrier::init(BARS::ptr().at(1), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BARS::ptr().at(0));
    let other = Barrier::assume_init(BARS::ptr().at(1));

    if thread == 0 {
        let bytes = match BUG {
            TOO_MANY_BYTES => 512,
            TOO_FEW_BYTES => 192,
            MORE_THAN_A_BARRIER_COUNTS => {
                bar.expect_tx((1 << 20) - 1);
                256
            }
            _ => 256,
        };
        let _ = match BUG {
            NO_BYTES => bar.arrive(),
            _ => bar.arrive_expect_tx(bytes),
        };
        let _ = other.arrive();
        let [first, second] = [0, 32].map(|i| (tile.at(i), input.add(i as usize)));
        cp_async_bulk::shared_cluster_global(first.0.cast(), first.1.cast(), 128, bar.address());
        if BUG != ONE_COPY_FORGOTTEN {
            let bar = if BUG == BYTES_AT_ANOTHER_BARRIER {
                &other
            } else {
                &bar
            };
            cp_async_bulk::shared_cluster_global(
                second.0.cast(),
                second.1.cast(),
                128,
                bar.address(),
            );
        }
    }
    bar.wait_parity(0);
    other.wait_parity(0);
    *output.add(thread as usize) = tile.at(thread).read();
}
