//! Fences and the barrier of the cluster, around data that must arrive.

use core::sync::atomic::{AtomicU32, Ordering};

use tma::{
    cluster,
    ptx::{
        AcqRel, Acquire, Cluster, Cta, Release, Sys, barrier_cluster, cp_async_bulk, fence, mapa,
        mbarrier::{self, Mbarrier},
    },
    shared, thread,
};

use crate::io::{Io, NONE, Operands};

shared! {
    static SLOT: u32;
    static SIGNAL: Mbarrier;
    static LOADED: Mbarrier;
    static REGION: [u32; 32] align 128;
}

/// Questions before a message counts as lost.
const PATIENCE: u32 = 1 << 14;

const WRITES: u32 = 1;
const READS: u32 = 2;

/// Sends a message from one thread to another: a word, followed by a flag. Words: 0 if the reader is in
/// another warp of the block, 1 if it is in another block; the sides with the call, a bit for
/// each; the message; whether it is in shared memory.
#[inline(always)]
pub(crate) unsafe fn ordered(io: Io, form: impl Fn(Operands)) {
    let (block, thread) = (thread::block_idx().x, thread::thread_idx().x);
    let (reader, side) = (io.word(0), io.word(1));
    let is_shared = io.word(3) != 0;
    let slot = SLOT::ptr();
    let mut data = io.memory.cast::<u32>();
    let flag = AtomicU32::from_ptr(data.add(32));
    if is_shared {
        data = slot.as_ptr();
        cluster::sync();
    }
    if block == 0 && thread == 0 {
        *data = io.word(2);
        match side & WRITES {
            0 => fence::fence::<AcqRel, Sys>(),
            _ => form(NONE),
        }
        flag.store(1, Ordering::Relaxed);
    }
    if block == reader && thread == 32 * (1 - reader) {
        if is_shared {
            data = mapa::generic_u64(data.cast(), 0).cast();
        }
        let mut left = PATIENCE;
        while left > 0 && flag.load(Ordering::Relaxed) == 0 {
            left -= 1;
        }
        match side & READS {
            0 => fence::fence::<AcqRel, Sys>(),
            _ => form(NONE),
        }
        *io.out = *data;
    }
    if is_shared {
        cluster::sync();
    }
}

/// Blocks read the other block's writes from before the barrier of the cluster; the call is one half of it.
/// Word 0 is 1 for arriving, 2 for waiting, 3 for arriving without order.
#[inline(always)]
pub(crate) unsafe fn cluster_halves(io: Io, form: impl Fn(Operands)) {
    let (slot, bar) = (SLOT::ptr(), SIGNAL::ptr());
    let other = cluster::block_rank() ^ 1;
    let first = thread::thread_idx().x == 0;
    if first {
        slot.write(io.word(1) + other);
        mbarrier::init(bar, 1);
        fence::mbarrier_init_release_cluster();
    }
    match io.word(0) {
        2 => barrier_cluster::arrive(),
        _ => form(NONE),
    }
    match io.word(0) {
        2 => form(NONE),
        _ => barrier_cluster::wait(),
    }
    if first {
        if io.word(0) == 3 {
            // Only the objects that the fence above orders may be used.
            let of_other = mapa::shared_cluster_u32(bar, other);
            mbarrier::arrive_sink::<Release, Cluster>(of_other);
            let mut left = PATIENCE;
            while left > 0 && !mbarrier::test_wait_parity::<Acquire, Cluster>(bar, 0) {
                left -= 1;
            }
            io.put(1, 0, u32::from(left > 0));
        } else {
            let p = mapa::generic_u64(slot.as_ptr().cast(), other);
            io.put(1, 0, *p.cast::<u32>());
        }
    }
    barrier_cluster::arrive();
    barrier_cluster::wait();
}

/// The other block arrives at a barrier that was initialised before the call.
#[inline(always)]
pub(crate) unsafe fn made_known(io: Io, form: impl Fn(Operands)) {
    let bar = SIGNAL::ptr();
    let first = thread::thread_idx().x == 0;
    if first {
        mbarrier::init(bar, 1);
        form(NONE);
    }
    barrier_cluster::arrive_relaxed();
    barrier_cluster::wait();
    if first {
        let of_other = mapa::shared_cluster_u32(bar, cluster::block_rank() ^ 1);
        mbarrier::arrive_sink::<Release, Cluster>(of_other);
    }
    cluster::sync();
    if first {
        io.put(
            1,
            0,
            mbarrier::test_wait_parity::<Acquire, Cluster>(bar, 0).into(),
        );
    }
}

/// Copies words that threads wrote. Word 0 is the memory that they wrote: 0 for their shared memory, 1 for
/// the other block's, 2 for global memory, 3 for none: they read, too.
#[inline(always)]
pub(crate) unsafe fn proxied(io: Io, form: impl Fn(Operands)) {
    let (region, bar) = (REGION::ptr(), LOADED::ptr());
    let thread = thread::thread_idx().x;
    let rank = cluster::block_rank();
    let memory = io.memory.add(128 * rank as usize);
    let number = io.word(1) ^ (32 * rank + thread);
    if thread == 0 {
        mbarrier::init(bar, 1);
    }
    cluster::sync();
    match io.word(0) {
        0 => region.at(thread).write(number),
        1 => {
            let p = mapa::generic_u64(region.as_ptr().cast(), rank ^ 1);
            *p.cast::<u32>().add(thread as usize) = number;
        }
        2 => *memory.cast::<u32>().add(thread as usize) = number,
        _ => {
            region.at(thread).write(number);
            io.put(32, thread, region.at(thread).read());
        }
    }
    form(NONE);
    cluster::sync();
    if thread == 0 {
        match io.word(0) {
            2 => {
                let _ = mbarrier::arrive_expect_tx::<Release, Cta>(bar, 128);
                cp_async_bulk::shared_cta_global(region.cast(), memory, 128, bar);
                let mut left = PATIENCE;
                while left > 0 && !mbarrier::test_wait_parity::<Acquire, Cta>(bar, 0) {
                    left -= 1;
                }
            }
            0 | 1 => {
                cp_async_bulk::global_shared_cta(memory, region.cast(), 128);
                cp_async_bulk::commit_group();
                cp_async_bulk::wait_group::<0>();
            }
            _ => {}
        }
    }
    thread::sync_threads();
    if io.word(0) == 2 {
        io.put(32, thread, region.at(thread).read());
    }
}

/// Block 1 reads its region and hands it over to block 0, which loads into it. The release is in
/// block 1, the acquire in block 0; word 0 selects the one that is the call. Results of block 1: the numbers
/// that it read, and the ones that arrived.
#[inline(always)]
pub(crate) unsafe fn handed_over(io: Io, form: impl Fn(Operands)) {
    let (region, loaded) = (REGION::ptr(), LOADED::ptr());
    let count = AtomicU32::from_ptr(io.memory.add(128).cast());
    let thread = thread::thread_idx().x;
    let rank = cluster::block_rank();
    region.at(thread).write(io.word(1) ^ thread);
    fence::proxy_async_shared_cta();
    if thread == 0 {
        mbarrier::init(loaded, 1);
        fence::mbarrier_init_release_cluster();
        let _ = mbarrier::arrive_expect_tx::<Release, Cta>(loaded, 128 * rank);
    }
    cluster::sync();
    if rank == 1 {
        io.put(64, thread, region.at(thread).read());
        match io.word(0) {
            WRITES => form(NONE),
            _ => fence::proxy_async_generic_release_sync_restrict_shared_cta_cluster(),
        }
        count.fetch_add(1, Ordering::Relaxed);
    } else if thread == 0 {
        let mut left = PATIENCE;
        while left > 0 && count.load(Ordering::Relaxed) < 32 {
            left -= 1;
        }
        match io.word(0) {
            READS => form(NONE),
            _ => fence::proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster(),
        }
        cp_async_bulk::shared_cluster_global(
            mapa::shared_cluster_u32(region.cast(), 1),
            io.memory,
            128,
            mapa::shared_cluster_u32(loaded, 1),
        );
    }
    if rank == 1 {
        let mut left = PATIENCE;
        while left > 0 && !mbarrier::test_wait_parity::<Acquire, Cluster>(loaded, 0) {
            left -= 1;
        }
        io.put(64, 32 + thread, region.at(thread).read());
    }
    cluster::sync();
}

/// Works like [`handed_over`], but the threads of a block hand over to one of their own. The release is the call.
#[inline(always)]
pub(crate) unsafe fn handed_over_here(io: Io, form: impl Fn(Operands)) {
    let (region, loaded) = (REGION::ptr(), LOADED::ptr());
    let count = AtomicU32::from_ptr(io.memory.add(128).cast());
    let thread = thread::thread_idx().x;
    region.at(thread).write(io.word(1) ^ thread);
    fence::proxy_async_shared_cta();
    if thread == 0 {
        mbarrier::init(loaded, 1);
        let _ = mbarrier::arrive_expect_tx::<Release, Cta>(loaded, 128);
    }
    thread::sync_threads();
    io.put(64, thread, region.at(thread).read());
    form(NONE);
    count.fetch_add(1, Ordering::Relaxed);
    if thread == 0 {
        let mut left = PATIENCE;
        while left > 0 && count.load(Ordering::Relaxed) < 32 {
            left -= 1;
        }
        fence::proxy_async_generic_acquire_sync_restrict_shared_cluster_cluster();
        cp_async_bulk::shared_cta_global(region.cast(), io.memory, 128, loaded);
    }
    let mut left = PATIENCE;
    while left > 0 && !mbarrier::test_wait_parity::<Acquire, Cluster>(loaded, 0) {
        left -= 1;
    }
    io.put(64, 32 + thread, region.at(thread).read());
}
