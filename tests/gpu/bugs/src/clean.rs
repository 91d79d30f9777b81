//! Correct kernels that look wrong.

use core::sync::atomic::{AtomicU32, Ordering, fence};

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, fence::proxy_async_shared_cta, mbarrier::Mbarrier},
    shared,
    thread::{block_idx, grid_dim, sync_threads, thread_idx},
    warp,
};

/// Lanes of a warp exchange numbers, ordered only by the barrier of the warp.
#[kernel(max_threads = 64)]
unsafe fn within_warps(output: *mut u32) {
    shared! {
        static NUMBERS: [u32; 64];
    }
    let thread = thread_idx().x;
    let mut number = thread;
    for distance in [1, 2, 4] {
        NUMBERS::ptr().at(thread).write(number);
        warp::sync_warp();
        number += NUMBERS::ptr().at(thread ^ distance).read();
        warp::sync_warp();
    }
    *output.add(thread as usize) = number;
}

/// A barrier in shared memory replaces the block's barrier, for all threads and many phases.
#[kernel(max_threads = 64)]
unsafe fn mbarrier_of_the_block(output: *mut u32) {
    shared! {
        static NUMBERS: [u32; 64];
        static BAR: Mbarrier;
    }
    let thread = thread_idx().x;
    if thread == 0 {
        Barrier::init(BAR::ptr(), 64);
    }
    sync_threads();
    let bar = Barrier::assume_init(BAR::ptr());
    let mut number = thread;
    for _ in 0..5 {
        NUMBERS::ptr().at(thread).write(number);
        let token = bar.arrive();
        bar.wait(token);
        number = NUMBERS::ptr().at((thread + 1) % 64).read() + 1;
        let token = bar.arrive();
        bar.wait(token);
    }
    *output.add(thread as usize) = number;
}

/// All blocks synchronise twice by a counter in global memory.
#[kernel(max_threads = 32)]
unsafe fn barrier_of_the_grid(output: *mut u32, numbers: *mut u32, count: *mut u32) {
    let (block, blocks, thread) = (block_idx().x, grid_dim().x, thread_idx().x);
    let count = AtomicU32::from_ptr(count);
    let sync = |number: u32| {
        sync_threads();
        if thread == 0 {
            // The compiler turns every other one into a relaxed addition, too.
            fence(Ordering::AcqRel);
            count.fetch_add(1, Ordering::Relaxed);
            while count.load(Ordering::Acquire) < number * blocks {}
        }
        sync_threads();
    };
    let mine = (32 * block + thread) as usize;
    *numbers.add(mine) = 10 * block + thread;
    sync(1);
    let next = (32 * ((block + 1) % blocks) + thread) as usize;
    let number = *numbers.add(next);
    sync(2);
    *numbers.add(mine) = number;
    *output.add(mine) = number;
}

/// Each warp stores its part of the tile with its own bulk groups.
#[kernel(max_threads = 96)]
unsafe fn groups_of_several_threads(output: *mut u32) {
    shared! {
        static TILE: [[u32; 32]; 3] align 128;
    }
    let thread = thread_idx().x;
    let (group, lane) = (thread / 32, thread % 32);
    let part = TILE::ptr().at(group);
    for round in 0..3 {
        part.at(lane).write(100 * round + thread);
        proxy_async_shared_cta();
        warp::sync_warp();
        if lane == group {
            let to = output.add((96 * round + 32 * group) as usize);
            cp_async_bulk::global_shared_cta(to.cast(), part.cast(), 128);
            cp_async_bulk::commit_group();
            cp_async_bulk::wait_group_read::<0>();
        }
        warp::sync_warp();
    }
}

/// The fence is after the barrier, in the thread that issues the copy, and so on every path.
#[kernel(max_threads = 64)]
unsafe fn fence_behind_the_barrier(output: *mut u32) {
    shared! {
        static TILE: [u32; 64] align 128;
    }
    let thread = thread_idx().x;
    TILE::ptr().at(thread).write(thread);
    sync_threads();
    if thread == 0 {
        proxy_async_shared_cta();
        cp_async_bulk::global_shared_cta(output.cast(), TILE::ptr().cast(), 256);
        cp_async_bulk::commit_group();
        cp_async_bulk::wait_group_read::<0>();
    }
}
