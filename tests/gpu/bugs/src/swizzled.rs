//! Two stages with swizzled boxes: the pattern follows the address.

use tma::{
    Barrier, TensorMap, kernel,
    ptx::{cp_async_bulk_tensor, mbarrier::Mbarrier},
    shared,
    thread::{sync_threads, thread_idx},
};

const CORRECT: u32 = 0;
const STAGE_OF_A_BOX: u32 = 1; //~ swizzle-alignment
const BEHIND_A_HEADER: u32 = 2; //~ swizzle-alignment

/// The box has 4 rows of 128 bytes; the pattern repeats every 8 rows.
#[kernel(max_threads = 32, instances(BUG = CORRECT, STAGE_OF_A_BOX, BEHIND_A_HEADER))]
unsafe fn swizzled<const BUG: u32>(#[grid_constant] map: &TensorMap, output: *mut u32) {
    shared! {
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    let memory = shared::dynamic::<u32, 1024>();
    let stage = |stage: u32| match BUG {
        STAGE_OF_A_BOX => memory.byte_add(512 * stage),
        BEHIND_A_HEADER => memory.byte_add(128 + 1024 * stage),
        _ => memory.byte_add(1024 * stage),
    };
    if thread == 0 {
        Barrier::init(BAR::ptr(), 1);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    if thread == 0 {
        let _ = bar.arrive_expect_tx(2 * 512);
        for half in 0..2 {
            let to = stage(half).cast();
            let at = [0, 4 * half as i32];
            cp_async_bulk_tensor::shared_cluster_global_tile(to, map, at, bar.address());
        }
    }
    bar.wait_parity(0);
    // The first row of a pattern is not changed by it.
    *output.add(thread as usize) = stage(1).add(thread).read();
}
