//! A small attention: one query of 32 numbers, 16 keys and values. Warp 0 loads tiles of four keys and four values into a
//! ring of two stages. Warp 1 weighs: each lane knows the scores of a tile, and sums one dimension.

use tma::{
    Barrier, kernel,
    ptx::{cp_async_bulk, ex2, mbarrier::Mbarrier, shfl_sync},
    shared,
    thread::{sync_threads, thread_idx},
};

const ROUNDS: u32 = 4;

/// Sums a number over the lanes of the warp.
unsafe fn sum_of_lanes(mut x: f32) -> f32 {
    for mask in [16, 8, 4, 2, 1] {
        x += f32::from_bits(shfl_sync::bfly(u32::MAX, x.to_bits(), mask));
    }
    x
}

#[kernel(max_threads = 64)]
unsafe fn attention(
    output: *mut f32,
    query: *const f32,
    keys: *const f32,
    values: *const f32,
) {
    shared! {
        // For each stage four keys and four values of 32 numbers.
        static TILES: [[f32; 256]; 2] align 128;
        static FULL: [Mbarrier; 2];
        static EMPTY: [Mbarrier; 2];
    }
    let (thread, lane) = (thread_idx().x, thread_idx().x % 32);
    if thread == 0 {
        for stage in 0..2 {
            Barrier::init(FULL::ptr().at(stage), 1);
            Barrier::init(EMPTY::ptr().at(stage), 32);
        }
    }
    sync_threads();

    let query = *query.add(lane as usize);
    let (mut most, mut total, mut sum) = (f32::NEG_INFINITY, 0.0, 0.0);
    for round in 0..ROUNDS {
        let (stage, turn) = (round % 2, round / 2);
        let full = Barrier::assume_init(FULL::ptr().at(stage));
        let empty = Barrier::assume_init(EMPTY::ptr().at(stage));
        let tile = TILES::ptr().at(stage);
        // The loads: 512 bytes of keys, then 512 bytes of values.
        if thread == 0 {
            empty.wait_parity((turn + 1) % 2);
            let _ = full.arrive_expect_tx(1024);
            let first = 128 * round as usize;
            let [keys, values] = [keys, values].map(|all| all.add(first).cast());
            let to = tile.at(128).cast();
            cp_async_bulk::shared_cluster_global(tile.cast(), keys, 512, full.address());
            cp_async_bulk::shared_cluster_global(to, values, 512, full.address());
        }
        if thread >= 32 {
            full.wait_parity(turn % 2);
            // The scores: the products of query and key, summed over the lanes.
            let scores = [0, 1, 2, 3].map(|position| {
                sum_of_lanes(query * tile.at(32 * position + lane).read())
            });
            let _ = empty.arrive(); // only released_after_the_scores

            // The largest score so far; what was summed before is scaled to it.
            let new = scores.into_iter().fold(most, f32::max);
            let scale = ex2::approx_f32(most - new);
            (most, total, sum) = (new, total * scale, sum * scale);

            // The values of this lane's dimension by the weights of the positions.
            let weights = scores.map(|score| ex2::approx_f32(score - most));
            let values = [4, 5, 6, 7].map(|row| tile.at(32 * row + lane).read());
            let mut position = 0;
            while position < 4 {
                total += weights[position];
                sum += weights[position] * values[position];
                position += 1;
            }
            let _ = empty.arrive(); // not released_after_the_scores
        }
    }
    if thread >= 32 {
        *output.add(lane as usize) = sum / total;
    }
}
