use tma::{
    Barrier, SharedPtr,
    ptx::{barrier_cta, cp_async_bulk, elect_sync, fence, shfl_sync},
    thread::{block_dim, block_idx, grid_dim, sync_threads, thread_idx},
};

use super::{
    ring::{Ring, Turn},
    tickets::Tickets,
};

/// Threads of the warp that loads; the others of the block work.
const PRODUCERS: u32 = 32;
/// The barrier at which the working threads synchronise.
const CONSUMERS_BARRIER: u32 = 1;

/// Which items a block gets.
pub(crate) enum Schedule {
    /// Every `blocks`-th.
    Static,
    /// One of its own, then those that it draws from this counter.
    Drawn(*mut u32),
}

/// Loads items into shared memory, works on them there, and stores them from there: the first warp
/// loads as many ahead as there are stages, all others work.
///
/// # Safety
/// 1. `load` starts a copy of the item to the buffer, which is `stage_bytes` long, and arrives once
///    at the barrier, expecting the bytes.
/// 2. `work` changes only what its thread has of the buffer; it gets the number of the working
///    thread and how many there are.
/// 3. `store` starts a copy of the item from the buffer, which joins the thread's next bulk group.
/// 4. The counter is a zero in global memory that nobody else uses while the kernel runs.
/// 5. Every thread of the block calls it; blocks are one-dimensional, of a multiple of 32 threads
///    and of 64 at least.
/// 6. The launch has the shared memory of a [`Ring`] of `STAGES` stages of `stage_bytes`.
/// 7. `items` and two for each block are fewer than 2^32.
#[inline(always)]
pub(crate) unsafe fn pipeline<const STAGES: u32>(
    stage_bytes: u32,
    items: u32,
    schedule: Schedule,
    load: impl Fn(u32, SharedPtr<u8>, &Barrier),
    work: impl Fn(u32, SharedPtr<u8>, u32, u32),
    store: impl Fn(u32, SharedPtr<u8>),
) {
    let ring = Ring::<STAGES>::new(stage_bytes);
    if thread_idx().x == 0 {
        for stage in 0..STAGES {
            // SAFETY: one thread does so, before any other uses the barriers, and the memory is
            // there (6).
            unsafe { Barrier::init(ring.full(stage), 1) };
            // SAFETY: as above.
            unsafe { Barrier::init(ring.empty(stage), 1) };
        }
    }
    // SAFETY: every thread is here (5).
    unsafe { sync_threads() };
    // SAFETY: `sync_threads` orders the initialisation before; a phase has the one arrival of the
    // producer, and the bytes of `load` (1).
    let full = |stage| unsafe { Barrier::assume_init(ring.full(stage)) };
    // SAFETY: likewise; a phase has the one arrival of the thread that stores.
    let empty = |stage| unsafe { Barrier::assume_init(ring.empty(stage)) };

    // SAFETY: whole warps are here (5); the broadcast makes the warp's number uniform for ptxas.
    let warp = unsafe { shfl_sync::idx(u32::MAX, thread_idx().x / 32, 0) };
    let mut turn = Turn::first();

    if warp == 0 {
        // SAFETY: whole warps are here (5).
        if !unsafe { elect_sync::elect(u32::MAX).1 } {
            return;
        }
        let blocks = grid_dim().x;
        let mut item = block_idx().x;
        let mut tickets = match schedule {
            Schedule::Static => None,
            // SAFETY: the counter is for this alone (4).
            Schedule::Drawn(counter) => Some(unsafe { Tickets::new(counter, blocks) }),
        };
        loop {
            // At first every stage is free: the phase before the first counts as complete.
            empty(turn.stage).wait_parity(turn.parity ^ 1);
            // SAFETY: the last reader synchronised with the thread that stored, which arrived at
            // `empty`.
            unsafe { ring.item(turn.stage).write(item) };
            if item >= items {
                let _ = full(turn.stage).arrive();
                return;
            }
            load(item, ring.data(turn.stage), &full(turn.stage));
            item = match &mut tickets {
                None => item + blocks,
                Some(tickets) => {
                    let number = tickets.number();
                    tickets.draw();
                    number
                }
            };
            turn.advance::<STAGES>();
        }
    }

    let (consumer, consumers) = (thread_idx().x - PRODUCERS, block_dim().x - PRODUCERS);
    let mut last = None;
    loop {
        full(turn.stage).wait_parity(turn.parity);
        // SAFETY: the producer wrote the number before it arrived.
        let item = unsafe { ring.item(turn.stage).read() };
        if item >= items {
            break;
        }
        work(item, ring.data(turn.stage), consumer, consumers);
        // Make each thread's writes visible to the copy engine, then synchronise.
        // SAFETY: a fence only orders.
        unsafe { fence::proxy_async_shared_cta() };
        // SAFETY: all warps but the first come here for each item.
        unsafe { barrier_cta::sync_aligned_count(CONSUMERS_BARRIER, consumers) };
        // It is always the same lane, to which the groups belong.
        // SAFETY: whole warps are here (5).
        if warp == 1 && unsafe { elect_sync::elect(u32::MAX).1 } {
            store(item, ring.data(turn.stage));
            // SAFETY: groups are this thread's.
            unsafe { cp_async_bulk::commit_group() };
            // The stage before has been left when only this item is still being read.
            // SAFETY: as above.
            unsafe { cp_async_bulk::wait_group_read::<1>() };
            if let Some(stage) = last {
                let _ = empty(stage).arrive();
            }
            last = Some(turn.stage);
        }
        turn.advance::<STAGES>();
    }
    // SAFETY: whole warps are here (5).
    if warp == 1 && unsafe { elect_sync::elect(u32::MAX).1 } {
        // The stages end with the block.
        // SAFETY: groups are this thread's.
        unsafe { cp_async_bulk::wait_group_read::<0>() };
    }
}
