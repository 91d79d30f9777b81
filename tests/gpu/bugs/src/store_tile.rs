//! Threads fill a tile, one of them stores it.

use tma::{
    kernel,
    ptx::{cp_async_bulk, fence},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const NO_FENCE: u32 = 1; //~ missing-proxy-fence
const FENCE_BEFORE_THE_WRITES: u32 = 2; //~ misplaced-proxy-fence
const FENCE_OF_A_BYSTANDER: u32 = 3; //~ misplaced-proxy-fence
const FENCE_OF_THE_ISSUER_ALONE: u32 = 4; //~ misplaced-proxy-fence
const NO_WAIT: u32 = 5; //~ exit-with-reads-in-flight
const NO_COMMIT: u32 = 6; //~ exit-with-reads-in-flight
const ONE_GROUP_LEFT: u32 = 7; //~ exit-with-reads-in-flight
const WAIT_IN_ANOTHER_THREAD: u32 = 8; //~ exit-with-reads-in-flight

#[kernel(max_threads = 64, instances(BUG = CORRECT, NO_FENCE, FENCE_BEFORE_THE_WRITES, FENCE_OF_A_BYSTANDER, FENCE_OF_THE_ISSUER_ALONE, NO_WAIT, NO_COMMIT, ONE_GROUP_LEFT, WAIT_IN_ANOTHER_THREAD))]
unsafe fn store_tile<const BUG: u32>(output: *mut u32) {
    shared! {
        static TILE: [u32; 256] align 128;
    }
    let thread = thread_idx().x;
    let tile = TILE::ptr();
    if BUG == FENCE_BEFORE_THE_WRITES {
        fence::proxy_async_shared_cta();
    }
    let mut i = thread;
    while i < 256 {
        tile.at(i).write(7 * i);
        i += 64;
    }
    let fences = match BUG {
        NO_FENCE | FENCE_BEFORE_THE_WRITES => false,
        FENCE_OF_A_BYSTANDER => thread == 40,
        FENCE_OF_THE_ISSUER_ALONE => thread == 0,
        _ => true,
    };
    if fences {
        fence::proxy_async_shared_cta();
    }
    sync_threads();
    if thread == 0 {
        cp_async_bulk::global_shared_cta(output.cast(), tile.cast(), 1024);
        if BUG != NO_COMMIT {
            cp_async_bulk::commit_group();
        }
        match BUG {
            NO_WAIT | WAIT_IN_ANOTHER_THREAD => {}
            ONE_GROUP_LEFT => cp_async_bulk::wait_group_read::<1>(),
            _ => cp_async_bulk::wait_group_read::<0>(),
        }
    }
    if BUG == WAIT_IN_ANOTHER_THREAD && thread == 32 {
        cp_async_bulk::wait_group_read::<0>();
    }
}
