//! A tile is loaded and stored unchanged: no thread writes it, so no fence is needed.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const STORED_BEFORE_IT_CAME: u32 = 1; //~ read-before-completion
const READ_BACK_AFTER_THE_READS: u32 = 2; //~ read-before-completion
const READ_BACK_AT_ONCE: u32 = 3; //~ read-before-completion
const COPY_OF_100_BYTES: u32 = 4; //~ misaligned
const SOURCE_AT_8: u32 = 5; //~ misaligned
const PAST_THE_INPUT: u32 = 6; //~ out-of-bounds
const PAST_THE_OUTPUT: u32 = 7; //~ out-of-bounds
const SOURCE_WRITTEN_MEANWHILE: u32 = 8; //~ data-race

#[kernel(max_threads = 32, instances(BUG = CORRECT, STORED_BEFORE_IT_CAME, READ_BACK_AFTER_THE_READS, READ_BACK_AT_ONCE, COPY_OF_100_BYTES, SOURCE_AT_8, PAST_THE_INPUT, PAST_THE_OUTPUT, SOURCE_WRITTEN_MEANWHILE))]
unsafe fn load_store<const BUG: u32>(output: *mut u32, input: *mut u32) {
    shared! {
        static TILE: [u32; 64] align 128;
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    let tile = TILE::ptr();
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    let bytes = if BUG == COPY_OF_100_BYTES { 100 } else { 128 };
    let from = match BUG {
        SOURCE_AT_8 => input.add(2),
        PAST_THE_INPUT => input.add(16),
        _ => input,
    };
    let to = if BUG == PAST_THE_OUTPUT {
        output.add(32)
    } else {
        output
    };
    if thread == 0 {
        let _ = bar.arrive_expect_tx(bytes);
        cp_async_bulk::shared_cluster_global(tile.cast(), from.cast(), bytes, bar.address());
        if BUG != STORED_BEFORE_IT_CAME {
            bar.wait_parity(0);
        }
        cp_async_bulk::global_shared_cta(to.cast(), tile.cast(), bytes);
        cp_async_bulk::commit_group();
        match BUG {
            READ_BACK_AT_ONCE => {}
            READ_BACK_AFTER_THE_READS => cp_async_bulk::wait_group_read::<0>(),
            _ => cp_async_bulk::wait_group::<0>(),
        }
        let sum = *output + *output.add(31);
        *output.add(32) = sum;
        cp_async_bulk::wait_group::<0>();
    }
    if BUG == SOURCE_WRITTEN_MEANWHILE {
        *input.add(thread as usize) = 0;
    }
    bar.wait_parity(0);
}
