//! Pipelines, streams and output tiles, with each number of stages.

use tma::{
    Block, Counter, Outputs, Swizzle64, Tile, TileArray, TileMap, Unswizzled, kernel,
    pipeline::{self, Items},
    shared,
};

/// Numbers of an item.
pub const ITEM: u32 = 96;

/// Bytes of an item.
const ITEM_BYTES: u32 = ITEM * 4;

/// Rows of a tile, which is an item too.
pub type ItemTile = [[u32; 16]; 6];

const ROWS: i32 = 6;

/// Writes `3 * x + 1` for each number `x` of the items, which are dealt out to the blocks and copied in
/// order; counts the items of each block.
///
/// # Safety
/// 1. Grid and blocks are one-dimensional, blocks of whole warps, two at least; the launch has the memory.
/// 2. `input` and `output` have `items` items, at multiples of 16 bytes, and `counts` has a number for each
///    block; no other code uses them.
#[kernel(
    max_threads = 128,
    instances(STAGES = 1, 2, 3, 4, 5, 6, 7, 8),
    shared_bytes = pipeline::bytes::<u32>(STAGES, u64::from(ITEM))
)]
pub unsafe fn dealt_items<const STAGES: u32>(
    output: *mut u32,
    input: *const u32,
    counts: *mut u32,
    items: u32,
) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let pipeline = block.pipeline::<u32, STAGES>(shared::dynamic::<_, 16>(), ITEM);
    pipeline.split(
        |mut fill| {
            for item in block.items(items) {
                // SAFETY: the item exists, at a multiple of 16 bytes (2), and a stage takes it.
                unsafe {
                    fill.next()
                        .copy(input.add((item * ITEM) as usize), ITEM_BYTES)
                };
            }
        },
        |workers, mut drain| {
            let mut count = 0;
            for item in block.items(items) {
                let stage = drain.next();
                let mut index = workers.thread();
                while index < ITEM {
                    // SAFETY: the item exists (2).
                    unsafe {
                        *output.add((item * ITEM + index) as usize) = 3 * stage.get(index) + 1;
                    };
                    index += workers.threads();
                }
                stage.release();
                count += 1;
            }
            if workers.elect() {
                // SAFETY: there is a number for each block (2).
                unsafe { *counts.add(block.index() as usize) = count };
            }
        },
    );
}

/// Works like [`dealt_items`], with tiles one below the other, which the blocks draw; each block writes 1
/// when it has no more.
///
/// # Safety
/// 1. As for [`dealt_items`].
/// 2. `output` has `items` items, and `counts` a number for each block; no other code uses them or the tensor.
/// 3. `counter` is as its type requires.
#[kernel(
    max_threads = 128,
    instances(STAGES = 1, 2, 3, 4, 5, 6, 7, 8),
    shared_bytes = pipeline::bytes::<Tile<ItemTile, Swizzle64>>(STAGES, 1)
)]
pub unsafe fn drawn_tiles<const STAGES: u32>(
    output: *mut u32,
    #[grid_constant] input: &TileMap<ItemTile, Swizzle64>,
    counts: *mut u32,
    items: u32,
    counter: Counter,
) {
    // SAFETY: every thread gets here (1), and the tensor may be read (2).
    let block = unsafe { Block::converged() };
    let memory = shared::dynamic::<Tile<ItemTile, Swizzle64>, 512>();
    block.pipeline::<_, STAGES>(memory, 1).split(
        |mut fill| {
            for item in Items::drawn(block, 1, items, counter) {
                fill.next()
                    .with_item(item)
                    .load(input, [0, item as i32 * ROWS]);
            }
            fill.finish();
        },
        |workers, mut drain| {
            while let Some((item, stage)) = drain.next_item() {
                let mut index = workers.thread();
                while index < ITEM {
                    // SAFETY: the item exists (2).
                    unsafe {
                        *output.add((item * ITEM + index) as usize) = 3 * stage.get(index) + 1;
                    };
                    index += workers.threads();
                }
                stage.release();
            }
            if workers.elect() {
                // SAFETY: there is a number for each block (2).
                unsafe { *counts.add(block.index() as usize) = 1 };
            }
        },
    );
}

/// Writes `x + 2 * y` for the numbers `x` and `y` of each two neighbouring tiles, which a stage has together.
///
/// # Safety
/// 1. As for [`dealt_items`].
/// 2. `output` has `pairs` items; no other code uses it or the tensor.
#[kernel(
    max_threads = 128,
    shared_bytes = pipeline::bytes::<[Tile<ItemTile, Swizzle64>; 2]>(3, 1)
)]
pub unsafe fn pairs_of_tiles(
    output: *mut u32,
    #[grid_constant] input: &TileMap<ItemTile, Swizzle64>,
    pairs: u32,
) {
    // SAFETY: every thread gets here (1), and the tensor may be read (2).
    let block = unsafe { Block::converged() };
    let memory = shared::dynamic::<[Tile<ItemTile, Swizzle64>; 2], 512>();
    block.pipeline::<_, 3>(memory, 1).split(
        |mut fill| {
            for pair in block.items(pairs) {
                let at = |number| [0, (2 * pair + number) as i32 * ROWS];
                fill.next().load_all(input, at);
            }
        },
        |workers, mut drain| {
            for pair in block.items(pairs) {
                let stage = drain.next();
                let (first, second) = (stage.tile(0), stage.tile(1));
                let mut index = workers.thread();
                while index < ITEM {
                    let [of_vector, ..] = second.vector([index % 16 / 4, index / 16]);
                    assert!(of_vector == second.get(index / 4 * 4));
                    // SAFETY: the item is there (2).
                    unsafe {
                        *output.add((pair * ITEM + index) as usize) =
                            first.get(index) + 2 * second.get(index);
                    };
                    index += workers.threads();
                }
                stage.release();
            }
        },
    );
}

/// Works like [`drawn_tiles`], with results that are stored from the loaded tiles.
///
/// # Safety
/// The conditions of [`drawn_tiles`], for the tensor `output`.
#[kernel(
    max_threads = 128,
    instances(STAGES = 2, 3, 4, 5, 6, 7, 8),
    shared_bytes = pipeline::bytes::<Tile<ItemTile, Swizzle64>>(STAGES, 1)
)]
pub unsafe fn stored_tiles<const STAGES: u32>(
    #[grid_constant] output: &TileMap<ItemTile, Swizzle64>,
    #[grid_constant] input: &TileMap<ItemTile, Swizzle64>,
    counts: *mut u32,
    items: u32,
    counter: Counter,
) {
    // SAFETY: every thread gets here (1), and the tensors are this kernel's (2).
    let block = unsafe { Block::converged() };
    let memory = shared::dynamic::<Tile<ItemTile, Swizzle64>, 512>();
    block.storing_pipeline::<_, STAGES>(memory, 1).split(
        |mut fill| {
            for item in Items::drawn(block, 1, items, counter) {
                fill.next()
                    .with_item(item)
                    .load(input, [0, item as i32 * ROWS]);
            }
            fill.finish();
        },
        |workers, mut drain| {
            while let Some((item, stage)) = drain.next_item() {
                let mut index = workers.thread();
                while index < ITEM {
                    let number = stage.as_ptr().element(index);
                    // SAFETY: the stage is full, and each thread has its own numbers.
                    unsafe { number.write(3 * number.read() + 1) };
                    index += workers.threads();
                }
                // SAFETY: the tensor may be written there (2).
                drain.store(stage, |stores, stage| unsafe {
                    stores.tile(output, [0, item as i32 * ROWS], stage);
                });
            }
            drain.finish();
            if workers.elect() {
                // SAFETY: there is a number for each block (2).
                unsafe { *counts.add(block.index() as usize) = 1 };
            }
        },
    );
}

/// Copies items, which the blocks draw, or are dealt; each block writes 1 when it has no more.
///
/// # Safety
/// 1. Grid and blocks are one-dimensional, blocks of whole warps; the launch has the memory.
/// 2. (2) of [`dealt_items`].
/// 3. `counter` is as its type requires.
#[kernel(
    max_threads = 128,
    instances(STAGES = 2, 3, 4, 5, 6, 7, 8; IS_DRAWN = true, false),
    shared_bytes = pipeline::bytes::<u32>(STAGES, u64::from(ITEM))
)]
pub unsafe fn streamed_items<const STAGES: u32, const IS_DRAWN: bool>(
    output: *mut u32,
    input: *const u32,
    counts: *mut u32,
    items: u32,
    counter: Counter,
) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let from = if IS_DRAWN {
        Items::drawn(block, STAGES - 1, items, counter)
    } else {
        block.items(items)
    };
    block.stream::<_, STAGES>(
        shared::dynamic::<u32, 16>(),
        ITEM,
        from,
        // SAFETY: the item exists (2), a stage takes it, and the transaction ends with its arrival.
        |item, loads, stage| unsafe {
            let input = input.add((item * ITEM) as usize);
            loads.bulk(stage.cast(), input.cast(), ITEM_BYTES);
        },
        // SAFETY: the item exists (2), and copied bytes need no fence.
        |item, stores, stage| unsafe {
            let output = output.add((item * ITEM) as usize);
            stores.bulk(output.cast(), stage.cast(), ITEM_BYTES);
        },
    );
    if block.thread() == 0 {
        // SAFETY: there is a number for each block (2).
        unsafe { *counts.add(block.index() as usize) = 1 };
    }
}

/// Writes the numbers from `1000 * item` on as the tile of each item, through output tiles of the whole
/// block, or of all warps but the first.
///
/// # Safety
/// 1. Grid and blocks are one-dimensional, blocks of whole warps, two at least; the launch has the memory.
/// 2. No other code uses the tensor, which has `items` tiles, one below the other.
#[kernel(
    max_threads = 128,
    instances(TILES = 1, 2, 3, 4, 8; IS_PART = true, false),
    shared_bytes = u64::from(TILES) * size_of::<Tile<ItemTile>>() as u64
)]
pub unsafe fn output_tiles<const TILES: u32, const IS_PART: bool>(
    #[grid_constant] output: &TileMap<ItemTile>,
    items: u32,
) {
    // SAFETY: every thread gets here (1), and the tensor is this kernel's (2).
    let block = unsafe { Block::converged() };
    let memory = shared::dynamic::<Tile<ItemTile>, 128>();
    if IS_PART {
        block.split(
            |_| {},
            |others| {
                let mut outputs = Outputs::<ItemTile, Unswizzled, _, TILES>::new(others, memory);
                for item in block.items(items) {
                    let mut tile = outputs.next();
                    tile.write(|index| 1000 * item + index);
                    tile.store(output, [0, item as i32 * ROWS]);
                }
                outputs.finish();
            },
        );
    } else {
        let mut outputs = Outputs::<ItemTile, Unswizzled, _, TILES>::new(block, memory);
        for item in block.items(items) {
            let mut tile = outputs.next();
            tile.write(|index| 1000 * item + index);
            tile.store(output, [0, item as i32 * ROWS]);
        }
        outputs.finish();
    }
}

const _: () = assert!(ItemTile::ELEMS == ITEM);
