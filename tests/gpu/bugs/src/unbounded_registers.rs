//! No directive sets the registers with which a thread begins.

use tma::{kernel, ptx::setmaxnreg, thread::thread_idx};

const CORRECT: u32 = 0;
const NO_MIN_BLOCKS: u32 = 1; //~ setmaxnreg-unbounded

#[kernel(max_threads = 256, allow(C7508), instances(BUG = CORRECT, NO_MIN_BLOCKS))]
unsafe fn unbounded_registers<const BUG: u32>(output: *mut u32) {
    let thread = thread_idx().x;
    if BUG == NO_MIN_BLOCKS {
        setmaxnreg::dec_sync_aligned::<40>();
    }
    output.add(thread as usize).write(thread);
}
