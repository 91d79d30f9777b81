//! Pixels by ordinary loads.

use tma::Block;

use super::{
    LEVELS, POINTS, QUERIES,
    geometry::{CHUNKS, Corners, Problem, accumulate},
};

/// # Safety
/// 1. The conditions of [`deform_attn_gather`](super::deform_attn_gather).
#[inline(always)]
pub(super) unsafe fn run(problem: &Problem<QUERIES>) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let warp = block.warp();
    let lane = warp.lane();
    // A lane works out every fourth sample of its query; for the sums, it has eight channels.
    let (query_of_warp, own) = (lane / CHUNKS, lane % CHUNKS);
    let pixels = problem.levels.pixels();

    let warps_of_block = block.warps().get();
    let warps = block.blocks().get() * warps_of_block;
    let mut group = block.index() * warps_of_block + warp.index();
    while let Some(batch) = problem.batch(group) {
        let (query, is_there) = problem.query(batch, group, query_of_warp);
        let first_pixel = u64::from(batch.0) * u64::from(pixels);

        let mut sums = [0.0; 8];
        // Image by image: while warps are at the coarser ones, these stay in L1.
        for image in 0..LEVELS {
            let level = problem.levels.pick(image);
            for first in (0..POINTS).step_by(CHUNKS as usize) {
                let (location, weight) = problem.sample(query, image, first + own);
                let Corners {
                    column,
                    row,
                    weights,
                } = level.corners(location, weight);
                let pixel = level.first + row * level.width + column;
                let mut look = |other| {
                    let from = query_of_warp * CHUNKS + other;
                    let [a, b, c, d] = warp.shuffle(weights, from);
                    let pixel = warp.shuffle(pixel, from);
                    let chunk = (first_pixel + u64::from(pixel)) * u64::from(CHUNKS);
                    let upper = problem.value.wrapping_add(chunk as usize + own as usize);
                    let mut add = |offset: u32, weight| {
                        // SAFETY: the four pixels around a sample are in its image with its border (1).
                        let pixel = unsafe { *upper.add((offset * CHUNKS) as usize) };
                        accumulate(&mut sums, pixel.0, weight);
                    };
                    add(0, a);
                    add(1, b);
                    add(level.width, c);
                    add(level.width + 1, d);
                };
                // Spelled out, so that the loads of all four are in flight at once.
                look(0);
                look(1);
                look(2);
                look(3);
            }
        }
        if is_there {
            // SAFETY: this lane alone has these channels.
            unsafe { problem.store(query, own, sums) };
        }
        group += warps;
    }
}
