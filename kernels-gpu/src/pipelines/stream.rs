use tma::{
    Barrier, SharedPtr,
    ptx::cp_async_bulk,
    thread::{block_idx, grid_dim, is_elected},
};

use super::{
    ring::{Ring, Turn},
    tickets::Tickets,
};

/// Moves items through shared memory: one thread of the block loads all stages but one ahead, and
/// stores each item from where it was loaded.
///
/// A block begins with items of its own, one for each stage that it loads ahead, and then draws
/// from the counter, so that none waits for a slower one.
///
/// # Safety
/// 1. `load` starts a copy of the item to the buffer, which is `stage_bytes` long, and arrives once
///    at the barrier, expecting the bytes.
/// 2. `store` starts a copy of the item from the buffer, which joins the thread's next bulk group.
/// 3. `counter` points to a zero in global memory that nobody else uses while the kernel runs.
/// 4. Every thread of the block calls it; blocks are one-dimensional, of a multiple of 32 threads.
/// 5. The launch has the shared memory of a [`Ring`] of `STAGES` stages of `stage_bytes`.
/// 6. `items`, and as many for each block as it has stages and one more, are fewer than 2^32.
#[inline(always)]
pub(crate) unsafe fn stream<const STAGES: u32>(
    stage_bytes: u32,
    items: u32,
    counter: *mut u32,
    load: impl Fn(u32, SharedPtr<u8>, &Barrier),
    store: impl Fn(u32, SharedPtr<u8>),
) {
    // SAFETY: whole warps are here, and blocks are one-dimensional (4).
    if !unsafe { is_elected() } {
        return;
    }
    let ring = Ring::<STAGES>::new(stage_bytes);
    for stage in 0..STAGES {
        // SAFETY: this thread alone uses the barriers, and the memory is there (5).
        unsafe { Barrier::init(ring.full(stage), 1) };
    }
    // SAFETY: all are initialised; a phase has the one arrival and the bytes of `load` (1).
    let full = |stage| unsafe { Barrier::assume_init(ring.full(stage)) };
    let fetch = |stage, item| {
        // SAFETY: the number is this thread's, in memory that is there (5).
        unsafe { ring.item(stage).write(item) };
        if item < items {
            load(item, ring.data(stage), &full(stage));
        }
    };

    let blocks = grid_dim().x;
    let mut own = block_idx().x;
    for stage in 0..STAGES - 1 {
        fetch(stage, own);
        own += blocks;
    }
    // SAFETY: the counter is for this alone (3).
    let mut tickets = unsafe { Tickets::new(counter, blocks * (STAGES - 1)) };

    let mut spare = STAGES - 1;
    let mut turn = Turn::first();
    loop {
        // SAFETY: this thread wrote the number.
        let item = unsafe { ring.item(turn.stage).read() };
        // Later ones are greater.
        if item >= items {
            break;
        }
        full(turn.stage).wait_parity(turn.parity);
        store(item, ring.data(turn.stage));
        // SAFETY: groups are this thread's.
        unsafe { cp_async_bulk::commit_group() };
        // The item before has left the spare stage when only this one is still being read.
        // SAFETY: as above.
        unsafe { cp_async_bulk::wait_group_read::<1>() };
        fetch(spare, tickets.number());
        tickets.draw();
        spare = turn.stage;
        turn.advance::<STAGES>();
    }
    // The stages end with the block.
    // SAFETY: groups are this thread's.
    unsafe { cp_async_bulk::wait_group_read::<0>() };
}
