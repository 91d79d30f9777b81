//! Kernels that measure latencies of dependent operations, in cycles.

use tma::{
    Barrier, Block, ClusterPtr, SharedPtr, TensorMap, kernel,
    ptx::{
        Acquire, Cluster, Gpu, clock, cp_async_bulk, cp_async_bulk_tensor, elect_sync, fence, mapa,
        mbarrier::{self, Mbarrier},
        st_async, tensormap_cp_fenceproxy, tensormap_replace,
    },
    shared,
    thread::is_elected,
    warp::{lane, sync_warp},
};

/// Returns the clock of this multiprocessor.
#[inline(always)]
fn now() -> u64 {
    clock::clock64()
}

/// Creates a barrier for one arrival, used by one thread only.
///
/// # Safety
/// 1. The memory is for a barrier, only this thread uses it, and it contains no barrier yet.
#[inline(always)]
unsafe fn own_barrier(address: SharedPtr<Mbarrier>) -> Barrier {
    // SAFETY: this thread alone uses the memory (1).
    unsafe { Barrier::init(address, 1) };
    // SAFETY: the same thread did so; callers arrive once in each phase.
    unsafe { Barrier::assume_init(address) }
}

/// Loads `bytes` bytes repeatedly, each load `stride_bytes` further on than the previous one, and writes the cycles
/// of each.
///
/// # Safety
/// 1. `src` points to `count` ranges of global memory at multiples of 16, as `bytes` and `stride_bytes` are; they
///    are not written meanwhile.
/// 2. `cycles` has one number per load, without other users.
/// 3. There is one warp, and the launch has `bytes` of shared memory.
#[kernel(max_threads = 32)]
pub unsafe fn load_latency(
    src: *const u8,
    bytes: u32,
    stride_bytes: u32,
    count: u32,
    cycles: *mut u32,
) {
    shared! {
        static BAR: Mbarrier;
    }
    // SAFETY: the whole warp is here (3).
    if !unsafe { is_elected() } {
        return;
    }
    // SAFETY: all other threads have returned.
    let bar = unsafe { own_barrier(BAR::ptr()) };
    let data = shared::dynamic::<u8, 128>();
    for load in 0..count {
        let from = u64::from(load) * u64::from(stride_bytes);
        let start = now();
        let _ = bar.arrive_expect_tx(bytes);
        // SAFETY: both ends have the bytes (1, 3), and the previous load has completed.
        unsafe {
            cp_async_bulk::shared_cluster_global(data, src.add(from as usize), bytes, bar.address())
        };
        bar.wait_parity(load & 1);
        // SAFETY: `cycles` has a number for each load (2).
        unsafe { cycles.add(load as usize).write((now() - start) as u32) };
    }
}

/// Loads boxes of 2 by 2 pixels of 32 channels of 2 bytes one after another, and writes the cycles of each.
///
/// # Safety
/// 1. `map` is a three-dimensional map with boxes of 32, 2 and 2 elements of 2 bytes.
/// 2. `positions` has one position per load, with a column in the lower half and a row in the upper half.
/// 3. `cycles` has one number per load, without other users.
/// 4. There is one warp.
#[kernel(max_threads = 32)]
pub unsafe fn box_latency(
    #[grid_constant] map: &TensorMap,
    positions: *const u32,
    count: u32,
    cycles: *mut u32,
) {
    const BYTES: u32 = 256;
    shared! {
        static BAR: Mbarrier;
        static DATA: [u32; 64] align 128;
    }
    // SAFETY: the whole warp is here (4).
    if !unsafe { is_elected() } {
        return;
    }
    // SAFETY: all other threads have returned.
    let bar = unsafe { own_barrier(BAR::ptr()) };
    for load in 0..count {
        // SAFETY: `positions` has a position for each load (2).
        let position = unsafe { positions.add(load as usize).read() };
        let coords = [0, i32::from(position as i16), position as i32 >> 16];
        let start = now();
        let _ = bar.arrive_expect_tx(BYTES);
        // SAFETY: the map has this box (1), and the previous load has completed.
        unsafe {
            cp_async_bulk_tensor::shared_cluster_global_tile(
                DATA::ptr().cast(),
                map,
                coords,
                bar.address(),
            )
        };
        bar.wait_parity(load & 1);
        // SAFETY: `cycles` has a number for each load (3).
        unsafe { cycles.add(load as usize).write((now() - start) as u32) };
    }
}

/// Repeatedly changes the address in a tensor map, releases and acquires it, and loads a box of 64 by 64 numbers of
/// 4 bytes through it. Writes the cycles of each round, and the first number of each box.
///
/// # Safety
/// 1. `template` is a two-dimensional map with boxes of 64 by 64 numbers of 4 bytes.
/// 2. `tensor` is the address of a matching tensor, and so is each address a multiple of `stride_bytes` further on,
///    one per round. `stride_bytes` is a multiple of 16.
/// 3. `map` points to 128 bytes of global memory, aligned to 128, without other users.
/// 4. `cycles` and `firsts` have one number per round, without other users.
/// 5. There is one warp, and the launch has 16384 bytes of shared memory.
#[kernel(max_threads = 32)]
pub unsafe fn replace_latency(
    #[grid_constant] template: &TensorMap,
    tensor: u64,
    stride_bytes: u32,
    map: *mut TensorMap,
    count: u32,
    cycles: *mut u32,
    firsts: *mut u32,
) {
    const BYTES: u32 = 64 * 64 * 4;
    shared! {
        static BAR: Mbarrier;
        static EDITED: TensorMap align 128;
    }
    let data = shared::dynamic::<u8, 128>();
    let edited = EDITED::ptr();
    let (lane, words) = (lane(), (&raw const *template).cast::<u32>());
    // SAFETY: a map is 32 words, one for each lane.
    unsafe {
        edited
            .cast::<u32>()
            .add(lane)
            .write(words.add(lane as usize).read())
    };
    if lane == 0 {
        // SAFETY: one lane initialises the barrier, before any other uses it.
        unsafe { Barrier::init(BAR::ptr(), 1) };
    }
    // SAFETY: the whole warp is here (5).
    unsafe { sync_warp() };
    // SAFETY: `cluster::sync` orders the initialisation before; each phase has one arrival and the bytes
    // of a box.
    let bar = unsafe { Barrier::assume_init(BAR::ptr()) };

    for round in 0..count {
        let address = tensor + u64::from(round) * u64::from(stride_bytes);
        let start = now();
        // SAFETY: the whole warp is here (5).
        if unsafe { elect_sync::elect(u32::MAX).1 } {
            // SAFETY: the map is in this block's shared memory, and the warp uses it together.
            unsafe { tensormap_replace::tile_global_address(edited, address) };
        }
        // SAFETY: the whole warp is here (5).
        unsafe { sync_warp() };
        // SAFETY: the whole warp is here (5); the map's buffer belongs to this block (3), and the previous load has
        // completed.
        unsafe { tensormap_cp_fenceproxy::global_shared_cta_release::<Gpu>(map, edited) };
        // SAFETY: the map was released just now.
        unsafe { fence::proxy_tensormap_generic_acquire::<Gpu>(map) };
        // SAFETY: the whole warp is here (5).
        if unsafe { elect_sync::elect(u32::MAX).1 } {
            let _ = bar.arrive_expect_tx(BYTES);
            // SAFETY: the map has this box (1, 2) and was acquired; the buffer takes it (5).
            unsafe {
                cp_async_bulk_tensor::shared_cluster_global_tile(data, map, [0, 0], bar.address())
            };
        }
        bar.wait_parity(round & 1);
        let took = now() - start;
        if lane == 0 {
            // SAFETY: `cycles` and `firsts` have a number for each round (4), and the load wrote the box.
            unsafe {
                cycles.add(round as usize).write(took as u32);
                firsts.add(round as usize).write(data.cast::<u32>().read());
            }
        }
        // All have waited and the first has been read before the next load.
        // SAFETY: the whole warp is here (5).
        unsafe { sync_warp() };
    }
}

/// Passes a number around the blocks of a cluster, each adding one, and writes the total cycles and the result.
///
/// Each round has its own buffer: a store that does not wait does not order its thread's earlier accesses, so the
/// buffer of an earlier round could still be in use.
///
/// # Safety
/// 1. There is one cluster of 2 blocks or more, of one warp each, and there are at most 256 rounds.
/// 2. `result` has two numbers without other users.
#[kernel(max_threads = 32)]
pub unsafe fn ring_latency(rounds: u32, result: *mut u64) {
    const BYTES: u32 = 8;
    shared! {
        static BAR: Mbarrier;
        static TOKENS: [u64; 256];
    }
    // SAFETY: every thread of the cluster gets here (1).
    let cluster = unsafe { Block::converged() }.cluster();
    let (rank, blocks) = (cluster.rank(), cluster.blocks());
    // SAFETY: the whole warp is here (1).
    let elected = unsafe { elect_sync::elect(u32::MAX).1 };
    if elected {
        // SAFETY: one thread initialises the barrier, before any other uses it.
        unsafe { Barrier::init(BAR::ptr(), 1) };
        fence::mbarrier_init_release_cluster();
        // SAFETY: this thread initialised it; the phase has this arrival and these bytes.
        let _ = unsafe { Barrier::assume_init(BAR::ptr()) }.arrive_expect_tx(BYTES);
    }
    cluster.sync();

    if elected {
        // SAFETY: `sync` orders the initialisation before.
        let bar = unsafe { Barrier::assume_init(BAR::ptr()) };
        let next = (rank + 1) % blocks;
        // SAFETY: the rank is below the blocks of the cluster.
        let (to, at) = unsafe {
            (
                mapa::shared_cluster_u32(TOKENS::ptr(), next).address(),
                mapa::shared_cluster_u32(BAR::ptr(), next),
            )
        };
        let send = |round: u32, token: u64| {
            let to = ClusterPtr::<u64>::from_address(to + 8 * round);
            // SAFETY: both are the next block's, which stays until all synchronise and expects the bytes; each
            // round uses its own buffer (1).
            unsafe { st_async::weak_shared_cluster(to, token, at) };
        };
        let start = now();
        let mut token = 0;
        if rank == 0 {
            send(0, 0);
        }
        for round in 0..rounds {
            // The number comes from another block.
            // SAFETY: the barrier is initialised, and the parity matches this phase.
            while !unsafe { mbarrier::try_wait_parity::<Acquire, Cluster>(BAR::ptr(), round & 1) } {
            }
            // SAFETY: the phase is complete, so the number has come.
            token = unsafe { TOKENS::ptr().at(round).read() } + 1;
            if round + 1 < rounds {
                // Expected before the next block can pass it on.
                let _ = bar.arrive_expect_tx(BYTES);
            }
            if rank != 0 {
                send(round, token);
            } else if round + 1 < rounds {
                send(round + 1, token);
            }
        }
        if rank == 0 {
            // SAFETY: `result` points to two numbers (2).
            unsafe {
                result.write(now() - start);
                result.add(1).write(token);
            }
        }
    }
    // All blocks stay while numbers are in flight.
    cluster.sync();
}
