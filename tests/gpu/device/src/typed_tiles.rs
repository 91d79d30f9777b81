//! More kernels in pairs, like those of `typed`: by blocks, tiles and pipelines, and by the bare
//! instructions.

use tma::{
    Block, SharedPtr, Swizzle128, Tile, TileMap, Warp, kernel, pipeline,
    ptx::{
        Acquire, Cta, Release, cp_async_bulk, cp_async_bulk_tensor, fence,
        mbarrier::{self, Mbarrier},
    },
    shared,
    thread::{block_dim, block_idx, grid_dim, is_elected, sync_threads, thread_idx},
    warp,
};

type Rows = [[u32; 32]; 8];

const BYTES: u32 = 1024;

const STAGES: u32 = 3;

shared! {
    static ROWS: Tile<Rows, Swizzle128>;
    static BAR: Mbarrier;
}

/// Loads, changes and stores a tile.
///
/// # Safety
/// 1. The kernel is compared and not launched; so are the others.
#[kernel(max_threads = 128)]
pub unsafe fn typed_tile(#[grid_constant] map: &TileMap<Rows, Swizzle128>, x: i32, y: i32) {
    // SAFETY: the kernel is never launched (1).
    let block = unsafe { Block::converged() };
    block
        .load_tile(ROWS::ptr(), BAR::ptr(), map, [x, y])
        .update(block, |index, number| number + index)
        .store(block, map, [x, y]);
}

/// The bare instructions of [`typed_tile`].
///
/// # Safety
/// The conditions of [`typed_tile`].
#[kernel(max_threads = 128)]
pub unsafe fn raw_tile(#[grid_constant] map: &TileMap<Rows, Swizzle128>, x: i32, y: i32) {
    let (tile, bar, map) = (ROWS::ptr().cast::<u32>(), BAR::ptr(), map.as_ptr());
    // SAFETY: the kernel is never launched (1).
    unsafe {
        if is_elected() {
            mbarrier::init(bar, 1);
            cp_async_bulk_tensor::shared_cluster_global_tile(tile.cast(), map, [x, y], bar);
            let _ = mbarrier::arrive_expect_tx::<Release, Cta>(bar, BYTES);
        }
        sync_threads();
        wait(bar, 0);
        let mut index = thread_idx().x;
        while index < BYTES / 4 {
            let number = tile.byte_add(swizzled(4 * index));
            number.write(number.read() + index);
            index += block_dim().x;
        }
        fence::proxy_async_shared_cta();
        sync_threads();
        if is_elected() {
            cp_async_bulk_tensor::global_shared_cta_tile(map, [x, y], tile.cast());
            cp_async_bulk::commit_group();
            cp_async_bulk::wait_group_read::<0>();
        }
    }
}

/// A pipeline of tiles: one thread loads, all other warps read.
///
/// # Safety
/// The conditions of [`typed_tile`].
#[kernel(
    max_threads = 128,
    shared_bytes = pipeline::bytes::<Tile<Rows, Swizzle128>>(STAGES, 1)
)]
pub unsafe fn typed_pipeline(
    #[grid_constant] map: &TileMap<Rows, Swizzle128>,
    output: *mut u32,
    items: u32,
) {
    // SAFETY: the kernel is never launched (1).
    let block = unsafe { Block::converged() };
    let memory = shared::dynamic::<Tile<Rows, Swizzle128>, 1024>();
    block.pipeline::<_, STAGES>(memory, 1).split(
        |mut fill| {
            for item in block.items(items) {
                fill.next().load(map, [0, item as i32 * 8]);
            }
        },
        |workers, mut drain| {
            for item in block.items(items) {
                let stage = drain.next();
                let mut index = workers.thread();
                while index < BYTES / 4 {
                    let number = stage.get(index);
                    // SAFETY: the kernel is never launched (1).
                    unsafe { *output.add((item * (BYTES / 4) + index) as usize) = number };
                    index += workers.threads();
                }
                stage.release();
            }
        },
    );
}

/// The bare instructions of [`typed_pipeline`].
///
/// # Safety
/// The conditions of [`typed_tile`].
#[kernel(
    max_threads = 128,
    shared_bytes = pipeline::bytes::<Tile<Rows, Swizzle128>>(STAGES, 1)
)]
pub unsafe fn raw_pipeline(
    #[grid_constant] map: &TileMap<Rows, Swizzle128>,
    output: *mut u32,
    items: u32,
) {
    let stages = shared::dynamic::<u32, 1024>();
    let barrier = |number| {
        stages
            .byte_add(STAGES * BYTES)
            .cast::<Mbarrier>()
            .add(number)
    };
    let full = |stage| barrier(stage);
    let empty = |stage| barrier(STAGES + stage);
    let workers = block_dim().x - Warp::LANES;
    // SAFETY: the kernel is never launched (1).
    unsafe {
        if thread_idx().x == 0 {
            for stage in 0..STAGES {
                mbarrier::init(full(stage), 1);
                mbarrier::init(empty(stage), workers);
            }
        }
        sync_threads();
        let (mut number, mut parity) = (0, 0);
        if warp::index() == 0 {
            if warp::is_elected() {
                let (mut item, blocks) = (block_idx().x, grid_dim().x);
                while item < items {
                    wait(empty(number), parity ^ 1);
                    let stage = stages.byte_add(number * BYTES).cast();
                    let bar = full(number);
                    advance(&mut number, &mut parity);
                    let coords = [0, item as i32 * 8];
                    cp_async_bulk_tensor::shared_cluster_global_tile(
                        stage,
                        map.as_ptr(),
                        coords,
                        bar,
                    );
                    let _ = mbarrier::arrive_expect_tx::<Release, Cta>(bar, BYTES);
                    item += blocks;
                }
            }
        } else {
            let (mut item, blocks) = (block_idx().x, grid_dim().x);
            while item < items {
                wait(full(number), parity);
                let stage = stages.byte_add(number * BYTES);
                let released = empty(number);
                advance(&mut number, &mut parity);
                let mut index = thread_idx().x - Warp::LANES;
                while index < BYTES / 4 {
                    let element = stage.byte_add(swizzled(4 * index)).read();
                    *output.add((item * (BYTES / 4) + index) as usize) = element;
                    index += workers;
                }
                let _ = mbarrier::arrive::<Release, Cta>(released);
                item += blocks;
            }
        }
    }
}

/// Returns the offset of a byte of a tile with a 128-byte swizzle.
#[inline(always)]
fn swizzled(offset: u32) -> u32 {
    offset ^ (offset >> 7 & 7) << 4
}

#[inline(always)]
fn advance(stage: &mut u32, parity: &mut u32) {
    *stage += 1;
    if *stage == STAGES {
        *stage = 0;
        *parity ^= 1;
    }
}

/// # Safety
/// 1. As for the instruction.
#[inline(always)]
unsafe fn wait(bar: SharedPtr<Mbarrier>, parity: u32) {
    // SAFETY: (1).
    while !unsafe { mbarrier::try_wait_parity::<Acquire, Cta>(bar, parity) } {}
}
