//! Kernels in pairs: by the types of `tma`, and by the bare instructions. Their PTX must be the same.

use tma::{
    Barrier, Ring, SharedPtr, Stores, TensorMap, constant, kernel,
    ptx::{
        Acquire, Cta, Release, Sys, cp_async_bulk, cp_async_bulk_tensor, fence,
        mbarrier::{self, Mbarrier},
    },
    ring::Cursor,
    shared,
    thread::{sync_threads, thread_idx},
};

shared! {
    static BAR: Mbarrier;
    static RING: [Mbarrier; 6];
    static TILE: [u32; 256] align 128;
}

constant! {
    static TYPED_MAP: TensorMap;
}

const BYTES: u32 = 512;

/// Waits for phases of a barrier by the tokens of arrivals and by parity.
///
/// # Safety
/// 1. The kernel is compared and not launched; so are the others.
#[kernel(max_threads = 64)]
pub unsafe fn typed_barrier(output: *mut u32) {
    let thread = thread_idx().x;
    // SAFETY: the kernel is never launched (1).
    unsafe {
        if thread == 0 {
            Barrier::init(BAR::ptr(), 64);
        }
        sync_threads();
        let bar = Barrier::assume_init(BAR::ptr());
        for phase in 0..4 {
            if thread == phase {
                bar.expect_tx(BYTES);
            }
            let token = bar.arrive();
            bar.wait(token);
            bar.arrive_and_wait();
            bar.wait_parity(phase & 1);
        }
        sync_threads();
        if thread == 0 {
            bar.invalidate();
        }
        *output.add(thread as usize) = TILE::ptr().at(thread).read();
    }
}

/// The bare instructions of [`typed_barrier`].
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn raw_barrier(output: *mut u32) {
    let thread = thread_idx().x;
    // SAFETY: the kernel is never launched (1).
    unsafe {
        if thread == 0 {
            mbarrier::init(BAR::ptr(), 64);
        }
        sync_threads();
        let bar = BAR::ptr();
        for phase in 0..4 {
            if thread == phase {
                mbarrier::expect_tx::<Cta>(bar, BYTES);
            }
            let state = mbarrier::arrive::<Release, Cta>(bar);
            while !mbarrier::try_wait::<Acquire, Cta>(bar, state) {}
            let state = mbarrier::arrive::<Release, Cta>(bar);
            while !mbarrier::try_wait::<Acquire, Cta>(bar, state) {}
            while !mbarrier::try_wait_parity::<Acquire, Cta>(bar, phase & 1) {}
        }
        sync_threads();
        if thread == 0 {
            mbarrier::inval(bar);
        }
        *output.add(thread as usize) = TILE::ptr().at(thread).read();
    }
}

/// Issues two loads that one arrival counts, and two that no arrival counts.
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn typed_transaction(
    #[grid_constant] map: &TensorMap,
    input: *const u8,
    x: i32,
    y: i32,
) {
    // SAFETY: the kernel is never launched (1).
    unsafe {
        let bar = Barrier::assume_init(BAR::ptr());
        let tile = TILE::ptr();
        let mut load = bar.transaction();
        load.bulk(tile.cast(), input, BYTES);
        load.tensor(tile.at(128).cast(), map, [x, y], 256);
        let token = load.arrive();
        bar.wait(token);
        let mut more = bar.transaction();
        more.bulk(tile.cast(), input, BYTES);
        more.tensor(tile.at(128).cast(), map, [y, x], 256);
        drop(more);
    }
}

/// The bare instructions of [`typed_transaction`].
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn raw_transaction(#[grid_constant] map: &TensorMap, input: *const u8, x: i32, y: i32) {
    // SAFETY: the kernel is never launched (1).
    unsafe {
        let (bar, tile) = (BAR::ptr(), TILE::ptr());
        cp_async_bulk::shared_cluster_global(tile.cast(), input, BYTES, bar);
        cp_async_bulk_tensor::shared_cluster_global_tile(tile.at(128).cast(), map, [x, y], bar);
        let state = mbarrier::arrive_expect_tx::<Release, Cta>(bar, BYTES + 256);
        while !mbarrier::try_wait::<Acquire, Cta>(bar, state) {}
        cp_async_bulk::shared_cluster_global(tile.cast(), input, BYTES, bar);
        cp_async_bulk_tensor::shared_cluster_global_tile(tile.at(128).cast(), map, [y, x], bar);
        mbarrier::expect_tx::<Cta>(bar, BYTES + 256);
    }
}

/// Commits groups of stores, and waits in each way.
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn typed_groups(#[grid_constant] map: &TensorMap, output: *mut u8, x: i32, y: i32) {
    // SAFETY: the kernel is never launched (1).
    unsafe {
        let tile = TILE::ptr();
        let mut stores = Stores::new();
        stores.bulk(output, tile.cast(), BYTES);
        stores.tensor(map, [x, y], tile.at(128).cast());
        stores.commit().wait_read_but::<1>();
        let mut stores = Stores::new();
        stores.bulk(output.add(BYTES as usize), tile.cast(), BYTES);
        stores.commit().wait_read();
        let mut stores = Stores::new();
        stores.tensor(map, [y, x], tile.cast());
        stores.commit().wait();
    }
}

/// The bare instructions of [`typed_groups`].
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn raw_groups(#[grid_constant] map: &TensorMap, output: *mut u8, x: i32, y: i32) {
    // SAFETY: the kernel is never launched (1).
    unsafe {
        let tile = TILE::ptr();
        cp_async_bulk::global_shared_cta(output, tile.cast(), BYTES);
        cp_async_bulk_tensor::global_shared_cta_tile(map, [x, y], tile.at(128).cast());
        cp_async_bulk::commit_group();
        cp_async_bulk::wait_group_read::<1>();
        cp_async_bulk::global_shared_cta(output.add(BYTES as usize), tile.cast(), BYTES);
        cp_async_bulk::commit_group();
        cp_async_bulk::wait_group_read::<0>();
        cp_async_bulk_tensor::global_shared_cta_tile(map, [y, x], tile.cast());
        cp_async_bulk::commit_group();
        cp_async_bulk::wait_group::<0>();
    }
}

/// A ring of three stages: one thread fills, one warp empties.
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn typed_ring(input: *const u8, output: *mut u32, rounds: u32) {
    let thread = thread_idx().x;
    let barriers = RING::ptr().cast::<Mbarrier>();
    // SAFETY: the kernel is never launched (1).
    unsafe {
        if thread == 0 {
            Ring::<3>::init(barriers, 1, 32);
        }
        sync_threads();
        let ring = Ring::<3>::assume_init(barriers);
        let mut cursor = Cursor::new();
        let mut round = 0;
        while round < rounds {
            let stage = TILE::ptr().at(64 * cursor.stage());
            if thread == 32 {
                ring.acquire(cursor);
                let full = ring.full(cursor);
                let mut load = full.transaction();
                load.bulk(stage.cast(), input.add(256 * round as usize), 256);
                let _ = load.arrive();
            }
            if thread < 32 {
                ring.wait(cursor);
                *output.add((32 * round + thread) as usize) = stage.add(thread).read();
                ring.release(cursor);
            }
            cursor.advance();
            round += 1;
        }
    }
}

/// The bare instructions of [`typed_ring`].
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn raw_ring(input: *const u8, output: *mut u32, rounds: u32) {
    let thread = thread_idx().x;
    let barriers = RING::ptr().cast::<Mbarrier>();
    // SAFETY: the kernel is never launched (1).
    unsafe {
        if thread == 0 {
            for stage in 0..3 {
                mbarrier::init(barriers.add(stage), 1);
                mbarrier::init(barriers.add(3 + stage), 32);
            }
        }
        sync_threads();
        let mut round = 0;
        let mut parity = 0;
        let mut number = 0;
        while round < rounds {
            let stage = TILE::ptr().at(64 * number);
            if thread == 32 {
                wait(barriers.add(3 + number), parity ^ 1);
                let full = barriers.add(number);
                let from = input.add(256 * round as usize);
                cp_async_bulk::shared_cluster_global(stage.cast(), from, 256, full);
                let _ = mbarrier::arrive_expect_tx::<Release, Cta>(full, 256);
            }
            if thread < 32 {
                wait(barriers.add(number), parity);
                *output.add((32 * round + thread) as usize) = stage.add(thread).read();
                let _ = mbarrier::arrive::<Release, Cta>(barriers.add(3 + number));
            }
            number += 1;
            if number == 3 {
                number = 0;
                parity ^= 1;
            }
            round += 1;
        }
    }
}

/// # Safety
/// 1. As for the instruction.
#[inline(always)]
unsafe fn wait(bar: SharedPtr<Mbarrier>, parity: u32) {
    // SAFETY: (1).
    while !unsafe { mbarrier::try_wait_parity::<Acquire, Cta>(bar, parity) } {}
}

/// Loads a tile by a map in each memory: a parameter, constant and global memory.
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn typed_maps(#[grid_constant] map: &TensorMap, maps: *const TensorMap, x: i32) {
    // SAFETY: the kernel is never launched (1).
    unsafe {
        let bar = Barrier::assume_init(BAR::ptr());
        let tile = TILE::ptr();
        fence::proxy_tensormap_generic_acquire::<Sys>(maps);
        let mut load = bar.transaction();
        load.tensor(tile.cast(), map, [x], 128);
        load.tensor(tile.at(64).cast(), TYPED_MAP::ptr(), [x, 0, 1], 128);
        load.tensor(tile.at(128).cast(), maps, [x, 0, 1, 2, 3], 128);
        bar.wait(load.arrive());
    }
}

/// The bare instructions of [`typed_maps`].
///
/// # Safety
/// The conditions of [`typed_barrier`].
#[kernel(max_threads = 64)]
pub unsafe fn raw_maps(#[grid_constant] map: &TensorMap, maps: *const TensorMap, x: i32) {
    // SAFETY: the kernel is never launched (1).
    unsafe {
        let (bar, tile) = (BAR::ptr(), TILE::ptr());
        fence::proxy_tensormap_generic_acquire::<Sys>(maps);
        cp_async_bulk_tensor::shared_cluster_global_tile(tile.cast(), map, [x], bar);
        let stage = tile.at(64).cast();
        cp_async_bulk_tensor::shared_cluster_global_tile(stage, TYPED_MAP::ptr(), [x, 0, 1], bar);
        let stage = tile.at(128).cast();
        cp_async_bulk_tensor::shared_cluster_global_tile(stage, maps, [x, 0, 1, 2, 3], bar);
        let state = mbarrier::arrive_expect_tx::<Release, Cta>(bar, 384);
        while !mbarrier::try_wait::<Acquire, Cta>(bar, state) {}
    }
}
