//! Tiles leave through two buffers in turn.

use tma::{
    kernel,
    ptx::{cp_async_bulk, fence},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const NO_WAIT: u32 = 1; //~ store-source-overwritten
const ONE_GROUP_TOO_MANY: u32 = 2; //~ store-source-overwritten
const WAIT_NOT_PASSED_ON: u32 = 3; //~ store-source-overwritten
const WAIT_IN_ANOTHER_THREAD: u32 = 4; //~ group-wait-by-other-thread
const ISSUERS_TAKE_TURNS: u32 = 5; //~ group-wait-by-other-thread
const REUSED_BEHIND_THE_STORE: u32 = 6; //~ store-source-overwritten

const TILES: u32 = 5;
const BYTES: u32 = 256;

#[kernel(max_threads = 64, instances(BUG = CORRECT, NO_WAIT, ONE_GROUP_TOO_MANY, WAIT_NOT_PASSED_ON, WAIT_IN_ANOTHER_THREAD, ISSUERS_TAKE_TURNS, REUSED_BEHIND_THE_STORE))]
unsafe fn store_ring<const BUG: u32>(output: *mut u32) {
    shared! {
        static BUFFERS: [[u32; 64]; 2] align 128;
    }
    let thread = thread_idx().x;
    for tile in 0..TILES {
        let buffer = BUFFERS::ptr().at(tile % 2);
        // The store before the last one has left the buffer.
        if BUG == WAIT_NOT_PASSED_ON {
            sync_threads();
        }
        let waiter = if BUG == WAIT_IN_ANOTHER_THREAD { 32 } else { 0 };
        if thread == waiter {
            match BUG {
                NO_WAIT => {}
                ONE_GROUP_TOO_MANY => cp_async_bulk::wait_group_read::<2>(),
                ISSUERS_TAKE_TURNS => cp_async_bulk::wait_group_read::<0>(),
                _ => cp_async_bulk::wait_group_read::<1>(),
            }
        }
        if BUG != WAIT_NOT_PASSED_ON {
            sync_threads();
        }

        buffer.at(thread).write(100 * tile + thread);
        fence::proxy_async_shared_cta();
        sync_threads();

        let issuer = match BUG {
            ISSUERS_TAKE_TURNS => 32 * (tile % 2),
            _ => 0,
        };
        if thread == issuer {
            let to = output.add((tile * 64) as usize);
            cp_async_bulk::global_shared_cta(to.cast(), buffer.cast(), BYTES);
            cp_async_bulk::commit_group();
        }
        if BUG == REUSED_BEHIND_THE_STORE && tile == TILES - 1 {
            sync_threads();
            buffer.at(thread).write(0);
        }
    }
    cp_async_bulk::wait_group_read::<0>();
}
