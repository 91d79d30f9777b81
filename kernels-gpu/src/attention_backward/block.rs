//! The roles of the threads of a block.

use core::mem::offset_of;

use tma::{
    Accumulator, Block, Columns, Epilogue, GlobalPtr, Outputs, Rows, SharedPtr, Stores, Warpgroup,
    Warps,
    halves::Half,
    matrix::MatrixElement,
    memory,
    ptx::{Acquire, Gpu, Release, cp_async_bulk, fence, mbarrier::Mbarrier, wgmma::Sums},
    ring::Ring,
    shared,
};

use super::{
    BOX, Box2Tile, Box3, Extents, Map, Memory, Narrow, STAGE_BOXES, Stage, THREADS, elements, ends,
    extents::{KeyTile, SUMS_OF_HALF, Starts},
    slots::{BARRIERS, SLOTS, Slots},
    tile_queries,
    work::{Left, Work},
};
use crate::{attention::items::Positions, gemm::Identity};

/// Adds the gradients of a block: of 128 keys and their values, and the keys' part of those of queries.
///
/// # Safety
/// 1. The conditions of [`attention_backward_128`](super::attention_backward_128()), or of heads of another length.
#[inline(always)]
pub(super) unsafe fn add_gradients<
    T: MatrixElement + Half,
    S,
    L,
    const BOXES: usize,
    const CAUSAL: bool,
    const ORDERED: bool,
    const PACKED: bool,
>(
    [key_gradients, value_gradients]: [&Map<T>; 2],
    [queries, keys, values, result_gradients]: [&Map<T>; 4],
    extents: Extents,
    starts: Starts,
    [query_gradients, key_gradients_at, value_gradients_at]: [*mut T; 3],
    statistics: *const f32,
    (sums, counters): (*mut f32, *mut u32),
) where
    Narrow: Sums<T::Ptx, T::Ptx>,
    S: Columns + Rows + Sums<T::Ptx, T::Ptx>,
    L: Left<T, BOXES>,
{
    // SAFETY: every thread gets here (5), and the tensors may be used (1).
    let block = unsafe { Block::converged() };
    // SAFETY: the extents are not zero (2), and there are as many blocks (5).
    let item = unsafe { extents.item::<CAUSAL, ORDERED>(block.index()) };

    let memory = shared::dynamic::<Memory<T>, 1024>();
    let at = |offset: usize| memory.byte_add(offset as u32);
    let tiles: SharedPtr<Box2Tile<T>> = memory.cast();
    let stages: SharedPtr<Stage<T>> = at(offset_of!(Memory<T>, stages)).cast();
    let barriers: SharedPtr<Mbarrier> = at(offset_of!(Memory<T>, barriers)).cast();
    let barriers = [0, 1, 2, 3].map(|part| barriers.add(part * BARRIERS as u32));
    let tile: SharedPtr<u32> = at(offset_of!(Memory<T>, tile)).cast();
    if block.elect() {
        // SAFETY: there are heads (2), and no other thread uses the words.
        unsafe {
            extents
                .key_tile::<BOXES, CAUSAL, PACKED>(item.head, item.number, starts)
                .write::<PACKED>(tile)
        };
        let [stages @ .., sums] = barriers;
        for barriers in stages {
            // SAFETY: one thread initialises the barriers, before any other uses them, in memory that is for them alone
            // (3 of `Block::converged`). The loading thread fills a stage, and each warp that multiplies releases those of
            // queries.
            unsafe { Ring::<SLOTS>::init(barriers, 1, 2 * Warpgroup::WARPS) };
        }
        // SAFETY: see above. The warps of a warpgroup write its sums, and the adding thread releases them.
        unsafe { Ring::<SLOTS>::init(sums, Warpgroup::WARPS, 1) };
    }
    block.sync();
    // SAFETY: all threads have synchronised; each role counts the fills.
    let [loaded, of_queries, of_results, of_sums] =
        barriers.map(|barriers| unsafe { Slots::assume_init(barriers) });
    let shared_sums: SharedPtr<f32> = at(offset_of!(Memory<T>, sums)).cast();

    // SAFETY: the words were written before all threads synchronised, and are not written again.
    let tile = || unsafe { KeyTile::read::<PACKED>(tile, &extents) };

    let load_keys = || {
        let tile = tile();
        let own = extents.of::<BOXES, PACKED>(tile.positions);
        if tile.first_query_tile == own.query_tiles {
            return;
        }
        let mut part = 0;
        while part < 2 {
            let map = if part == 0 { keys } else { values };
            let full = loaded.full(part);
            let mut loads = full.transaction();
            let mut number = 0;
            while number < 2 * BOXES as u32 {
                let (rows, of_row) = (number / BOXES as u32, number % BOXES as u32);
                let at = [
                    tile.key_head * elements(BOXES) + of_row * BOX,
                    tile.positions.first[1] + tile.first_key + rows * BOX,
                    tile.positions.sequence,
                ];
                let to = tiles.add(2 * BOXES as u32 * part + number).cast();
                // SAFETY: no thread uses the memory before, and the tensor may be read (1).
                unsafe { loads.tile(to, map, at.map(|coord| coord as i32)) };
                number += 1;
            }
            let _ = loads.arrive();
            part += 1;
        }
    };
    let load_queries = || {
        let tile = tile();
        let own = extents.of::<BOXES, PACKED>(tile.positions);
        let mut filled = 0;
        let mut shared_by = 0;
        while shared_by < extents.sharing {
            let head = tile.key_head * extents.sharing + shared_by;
            let mut number = tile.first_query_tile;
            while number < own.query_tiles {
                let row = extents.row(tile.sequence, head, number) as usize;
                let mut part = 0;
                while part < 2 {
                    let (map, slots) = if part == 0 {
                        (queries, of_queries)
                    } else {
                        (result_gradients, of_results)
                    };
                    if part == 0 {
                        // Each warp releases both stages at once.
                        slots.acquire(filled);
                    }
                    let full = slots.full(filled);
                    let mut loads = full.transaction();
                    let stage = stages.add(SLOTS * part + filled % SLOTS);
                    let mut tile_number = 0;
                    while tile_number < STAGE_BOXES {
                        let (rows, of_row) =
                            (tile_number / BOXES as u32, tile_number % BOXES as u32);
                        let at = [
                            head * elements(BOXES) + of_row * BOX,
                            tile.positions.first[0] + number * tile_queries(BOXES) + rows * BOX,
                            tile.positions.sequence,
                        ];
                        let to = stage.cast().add(tile_number);
                        // SAFETY: the stage is empty, and the tensor may be read (1).
                        unsafe { loads.tile(to, map, at.map(|coord| coord as i32)) };
                        tile_number += 1;
                    }
                    let numbers = stage.byte_add(offset_of!(Stage<T>, numbers) as u32);
                    let from = (2 * row + part as usize) * tile_queries(BOXES) as usize;
                    let from = statistics.wrapping_add(from);
                    // SAFETY: the stage is empty, and these queries have their numbers (3).
                    unsafe { loads.bulk(numbers.cast(), from.cast(), 4 * tile_queries(BOXES)) };
                    let _ = loads.arrive();
                    part += 1;
                }
                filled += 1;
                number += 1;
            }
            shared_by += 1;
        }
    };
    let end_turn = |(counter, turn): (*mut u32, u32)| {
        fence::proxy_async_global();
        // SAFETY: it is this thread's turn to store the counter (4).
        unsafe { memory::store_ordered::<Release, Gpu, u32>(counter, turn + 1) };
    };
    let add = || {
        let tile = tile();
        let own = extents.of::<BOXES, PACKED>(tile.positions);
        let mut last = (counters, 0);
        let mut added = 0;
        let mut shared_by = 0;
        while shared_by < extents.sharing {
            let head = tile.key_head * extents.sharing + shared_by;
            let mut number = tile.first_query_tile;
            while number < own.query_tiles {
                let row = extents.row(tile.sequence, head, number) as usize;
                let to = sums.wrapping_add(2 * row * SUMS_OF_HALF as usize);
                let counter = counters.wrapping_add(row);
                let turn = own.turn::<BOXES, CAUSAL>(tile, number);
                if ORDERED {
                    // SAFETY: others store the counter in order, too (4).
                    while unsafe { memory::load_ordered::<Acquire, Gpu, u32>(counter) } != turn {}
                    fence::proxy_async_global();
                }
                let mut half = 0;
                while half < 2 {
                    of_sums.wait(added + half);
                    let mut stores = Stores::new();
                    let from = shared_sums.add(half * SUMS_OF_HALF);
                    let to = to.wrapping_add((half * SUMS_OF_HALF) as usize);
                    // SAFETY: all threads have written their sums, through a fence, which stay until the release; others
                    // only add to these sums (4).
                    unsafe { stores.add(to, from, 4 * SUMS_OF_HALF) };
                    let _ = stores.commit();
                    half += 1;
                }
                cp_async_bulk::wait_group_read::<1>();
                let _ = of_sums.empty(added).arrive();
                cp_async_bulk::wait_group_read::<0>();
                let _ = of_sums.empty(added + 1).arrive();
                if ORDERED && added > 0 {
                    // An addition takes longer than an iteration: the one before is complete by now.
                    cp_async_bulk::wait_group::<2>();
                    end_turn(last);
                }
                last = (counter, turn);
                added += 2;
                number += 1;
            }
            shared_by += 1;
        }
        // The blocks that finish the head's queries see the additions.
        cp_async_bulk::wait_group::<0>();
        if ORDERED && added > 0 {
            end_turn(last);
        }
        let head = tile.sequence * extents.key_heads + tile.key_head;
        let added = counters.wrapping_add((extents.all_query_tiles() + head) as usize);
        // SAFETY: each head of keys has a counter, to which others add, too (4).
        unsafe { GlobalPtr::from_ptr(added).fetch_add::<Release, Gpu>(1) };
    };
    let load_and_add = |warps: Warps| {
        if item.finishes {
            return;
        }
        let warp = warps.warp();
        if !warp.elect() {
            return;
        }
        match warp.index() {
            0 => load_keys(),
            1 => load_queries(),
            2 => add(),
            _ => (),
        }
    };
    let multiply = |warps: Warps| {
        if item.finishes {
            // SAFETY: this kernel has the conditions that `finish` requires (1).
            unsafe {
                let gradients = query_gradients;
                ends::finish::<T, BOXES, PACKED>(
                    warps, extents, starts, item, gradients, sums, counters,
                );
            };
            return;
        }
        // They are whole ones.
        let Some(warpgroup) = warps.warpgroup() else {
            return;
        };
        let index = warpgroup.index();
        let boxes = BOXES as u32;
        let work = Work::<T, BOXES> {
            warpgroup,
            keys: tiles.add(boxes * index).cast(),
            values: tiles.add(boxes * (2 + index)).cast(),
            all_keys: tiles,
            scores: tiles.add(4 * boxes),
            sums: shared_sums.add(index * SUMS_OF_HALF),
            stages,
        };
        let slots = [loaded, of_queries, of_results, of_sums];
        // SAFETY: the conditions of the kernel hold (1).
        let [key_sums, value_sums] = unsafe {
            let mut own = extents;
            if PACKED {
                own = extents.of::<BOXES, PACKED>(tile().positions);
            }
            work.gradients::<S, L, CAUSAL>(slots, own, tile)
        };
        let tile = tile();
        let Positions {
            sequence,
            first: [_, start],
            keys,
            ..
        } = tile.positions;
        let first_key = tile.first_key + BOX * index;
        let column = tile.key_head * elements(BOXES);
        let at = [column, start + first_key, sequence];
        // The next sequence follows the last key.
        let is_last = PACKED && first_key + BOX > keys;
        let store_last = |sums: &Accumulator<S>, to: *mut T, factor: f32| {
            let width = extents.key_heads as usize * elements(BOXES) as usize;
            let first = first_key + 16 * warpgroup.warp_index() + warpgroup.warp().lane() / 4;
            sums.each_pair(warpgroup, |below, element, pair| {
                let key = first + 8 * below as u32;
                if key < keys {
                    let at = (start + key) as usize * width + (column + element) as usize;
                    let pair = T::round(pair.map(|sum| factor * sum));
                    // SAFETY: the gradients have these elements, at an even number (1). They are this thread's, since no
                    // sequence has keys of another one: starts ascend (3).
                    unsafe { *to.add(at).cast::<u32>() = pair };
                }
            });
        };
        if is_last {
            store_last(&value_sums, value_gradients_at, 1.0);
            store_last(&key_sums, key_gradients_at, extents.factor);
            // Where the other warpgroup waits.
            warpgroup.sync_role();
            return;
        }
        let mut outputs = Outputs::<Box3<T>, _, _, 2>::new(warpgroup, work.values.cast());
        outputs.store_sums(&value_sums, value_gradients, at, &Identity);
        outputs.finish();
        // The other warpgroup multiplies with these keys, too.
        warpgroup.sync_role();
        let mut outputs = Outputs::<Box3<T>, _, _, 2>::new(warpgroup, work.keys.cast());
        outputs.store_sums(&key_sums, key_gradients, at, &Scaled(extents.factor));
        outputs.finish();
    };
    // SAFETY: `max_threads` and `min_blocks` allow 24 and 240 registers.
    unsafe { block.split_registers::<THREADS, 24, 240>(load_and_add, multiply) };
}

/// Multiplies by a factor.
struct Scaled(f32);

impl Epilogue for Scaled {
    #[inline(always)]
    fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
        sums.map(|sum| self.0 * sum)
    }
}
