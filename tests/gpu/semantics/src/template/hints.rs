//! Hints about caches, registers and launches, around unchanged data.

use tma::{
    SharedPtr,
    ptx::{cp_async_bulk, setmaxnreg},
    thread,
};

use super::bulk::{Block, count};
use crate::io::{Io, NONE, Operands};

/// The policy for a copy.
#[inline(always)]
pub(crate) unsafe fn policies(io: Io, form: impl Fn(Operands) -> u64) {
    // The policy of CUDA C++ for data that is to stay, as `createpolicy.cvt` takes it.
    const PERSISTING: u64 = 0x14f0_0000_0000_0000;
    let block = Block::new(io);
    count(block, block.operands(), |operands| {
        let policy = form(Operands {
            f: 0.5,
            n: 256,
            m: 512,
            w: PERSISTING,
            ..operands
        });
        cp_async_bulk::shared_cta_global_cache_hint(
            SharedPtr::from_address(operands.a),
            operands.p,
            operands.n,
            SharedPtr::from_address(operands.b),
            policy,
        );
    });
}

/// 128 bytes of global memory are written after the call, and read back.
#[inline(always)]
pub(crate) unsafe fn discarded(io: Io, form: impl Fn(Operands)) {
    if thread::thread_idx().x == 0 {
        form(Operands {
            p: io.memory,
            ..NONE
        });
        let memory = io.memory.cast::<u32>();
        let mut index = 0;
        while index < 32 {
            memory
                .add(index as usize)
                .write_volatile(io.word(0) ^ index);
            index += 1;
        }
        while index > 0 {
            index -= 1;
            io.put(32, index, memory.add(index as usize).read_volatile());
        }
    }
}

/// Four warpgroups: the first gets registers that the others release.
#[inline(always)]
pub(crate) unsafe fn registers(io: Io, form: impl Fn(Operands)) {
    let thread = thread::thread_idx().x;
    if thread < 128 {
        form(NONE);
    } else {
        setmaxnreg::dec_sync_aligned::<96>();
    }
    io.put(512, thread, io.word(0) ^ thread);
}
