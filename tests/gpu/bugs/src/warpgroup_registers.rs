//! One warpgroup releases registers for the other; each thread begins with 128.

use tma::{kernel, ptx::setmaxnreg, thread::thread_idx};

const CORRECT: u32 = 0;
const FIRST_WARP_ALONE: u32 = 1; //~ setmaxnreg-diverges
const FEWER_BY_INC: u32 = 2; //~ setmaxnreg-wrong-way
const MORE_THAN_THE_BLOCK_HAS: u32 = 3; //~ deadlock

// ptxas does not name the kernel of a C7508, here `unbounded_registers`.
#[kernel(max_threads = 256, min_blocks = 2, allow(C7508), instances(BUG = CORRECT, FIRST_WARP_ALONE, FEWER_BY_INC,
    MORE_THAN_THE_BLOCK_HAS))]
unsafe fn warpgroup_registers<const BUG: u32>(output: *mut u32) {
    let thread = thread_idx().x;
    if thread < 128 {
        // A `.dec` to more than a thread begins with is refused by ptxas (C7406).
        setmaxnreg::dec_sync_aligned::<40>();
    } else if BUG != FIRST_WARP_ALONE || thread < 160 {
        match BUG {
            FEWER_BY_INC => setmaxnreg::inc_sync_aligned::<120>(),
            MORE_THAN_THE_BLOCK_HAS => setmaxnreg::inc_sync_aligned::<224>(),
            _ => setmaxnreg::inc_sync_aligned::<208>(),
        }
    }
    output.add(thread as usize).write(thread);
}
