//! One thread loads a tile, all threads wait for it and read it.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, fence, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const READ_BEFORE_THE_WAIT: u32 = 1; //~ read-before-completion
const ISSUER_ALONE_WAITS: u32 = 2; //~ read-before-completion
const WAIT_FOR_THE_OTHER_PARITY: u32 = 3; //~ wrong-phase
const TAIL_NOT_LOADED: u32 = 4; //~ uninitialised-use
const WRITE_BEFORE_THE_WAIT: u32 = 5; //~ destination-overwritten
const ZEROS_WITHOUT_FENCE: u32 = 6; //~ missing-proxy-fence
const ZEROS_AFTER_THE_BARRIER: u32 = 7; //~ destination-overwritten
const NOBODY_WAITS: u32 = 8; //~ exit-with-copy-in-flight

#[kernel(max_threads = 64, instances(BUG = CORRECT, READ_BEFORE_THE_WAIT, ISSUER_ALONE_WAITS, WAIT_FOR_THE_OTHER_PARITY, TAIL_NOT_LOADED, WRITE_BEFORE_THE_WAIT, ZEROS_WITHOUT_FENCE, ZEROS_AFTER_THE_BARRIER, NOBODY_WAITS))]
unsafe fn load_tile<const BUG: u32>(output: *mut u32, input: *const u32) {
    shared! {
        static TILE: [u32; 64] align 128;
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    let tile = TILE::ptr();
    let mine = tile.at(63 - thread);
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    // The last 16 numbers stay zero.
    if BUG != TAIL_NOT_LOADED || thread < 48 {
        tile.at(thread).write(0);
    }
    if BUG != ZEROS_WITHOUT_FENCE {
        fence::proxy_async_shared_cta();
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if BUG == ZEROS_AFTER_THE_BARRIER && thread < 48 {
        tile.at(thread).write(0);
        fence::proxy_async_shared_cta();
    }

    if thread == 0 {
        cp_async_bulk::shared_cluster_global(tile.cast(), input.cast(), 192, bar.address());
        if BUG == WRITE_BEFORE_THE_WAIT {
            tile.at(3).write(1);
        }
        let _ = bar.arrive_expect_tx(192);
    }
    let mut early = 0;
    if BUG == READ_BEFORE_THE_WAIT {
        early = mine.read();
    }
    match BUG {
        ISSUER_ALONE_WAITS if thread != 0 => {}
        WAIT_FOR_THE_OTHER_PARITY => bar.wait_parity(1),
        NOBODY_WAITS => {}
        _ => bar.wait_parity(0),
    }
    let number = match BUG {
        READ_BEFORE_THE_WAIT => early,
        NOBODY_WAITS => 0,
        _ => mine.read(),
    };
    *output.add(thread as usize) = number;
}
