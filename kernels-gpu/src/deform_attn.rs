//! Multi-scale deformable attention, forward, with halves in and out and sums in `f32`.
//!
//! A query looks at [`POINTS`] places in each of [`LEVELS`] images of the same batch, and adds up
//! what it sees there, each place with its weight. A place is a location in the image, 0 to 1 in
//! each direction, and what is seen there is interpolated between the four pixels around it.
//!
//! # Layout
//! - `value`: for each batch the images one behind the other, each `[H][W][CHANNELS]`, halves. Every
//!   image has a border of one pixel of zeros on each side, which H and W count; locations are those
//!   of the image without it.
//! - `locations`: `[batch][query][level][point]`, X in the lower and Y in the upper half of a word.
//! - `weights`: `[batch][query][level][point]`, halves.
//! - `output`: `[batch][query][CHANNELS]`, halves.
//!
//! # The kernels
//! - [`deform_attn_gather`] reads pixels with ordinary loads.
//! - [`deform_attn_tiles`] has the copy engine fetch the 2 x 2 pixels of each place. Images are seen
//!   as matrices of `W * CHANNELS` columns, so that a tile is two runs of 128 bytes; the border
//!   keeps tiles from running over the end of a row.
//! - [`deform_attn_resident`] does so for the two finer images and keeps the coarser two of its
//!   batch in shared memory.
//!
//! All of them give four lanes to a query, each with eight channels, and eight queries to a warp.

mod gather;
mod geometry;
mod tiles;

use tma::{TensorMap, kernel};

pub use geometry::Chunk;
use geometry::{Levels, Problem};

/// Images of a batch.
pub const LEVELS: u32 = 4;
/// Places that a query looks at in each image.
pub const POINTS: u32 = 8;
/// Channels of a pixel.
pub const CHANNELS: u32 = 32;
/// Queries of a warp.
pub const QUERIES: u32 = 8;

/// Deformable attention by ordinary loads.
///
/// `shapes` are heights (upper half of the word) and widths (lower half) of the images with their
/// borders. Warps of the grid take eight queries at a time.
///
/// # Safety
/// 1. `value`, `locations`, `weights` and `output` are as long as the layout says for `batches`,
///    `queries` and the shapes, at multiples of 16 bytes; nobody else writes the inputs or uses the
///    output while the kernel runs.
/// 2. Heights and widths are at least 3, and borders are zero.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps.
#[allow(clippy::too_many_arguments, reason = "the operator has so many")]
#[kernel(max_threads = 256)]
pub unsafe fn deform_attn_gather(
    value: *const Chunk,
    locations: *const u32,
    weights: *const u16,
    output: *mut Chunk,
    shape_0: u32,
    shape_1: u32,
    shape_2: u32,
    shape_3: u32,
    batches: u32,
    queries: u32,
) {
    let problem = Problem {
        value,
        locations,
        weights,
        output,
        levels: Levels::new([shape_0, shape_1, shape_2, shape_3]),
        batches,
        queries,
    };
    // SAFETY: the conditions are this kernel's own.
    unsafe { gather::run(&problem) }
}

/// Deformable attention with tiles of all four images, `STAGES` rounds of 32 tiles on their way in
/// each warp: entries `deform_attn_tiles_1`, `_2` and `_4`.
///
/// The batches are worked on in `waves` parts, one after the other, so that the pixels of a part
/// stay in the L2 cache. The launch asks for `warps * STAGES * (8960 + 8)` bytes of shared memory.
///
/// # Safety
/// 1. As for [`deform_attn_gather`], (1) and (2).
/// 2. `map_0` to `map_3` are maps of halves over the images of all batches: dimensions
///    `W * CHANNELS`, H and batches, boxes of 64, 2 and 1, no swizzle.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps; `waves` is 1 to `batches`.
/// 4. The launch has the shared memory.
#[allow(clippy::too_many_arguments, reason = "the operator has so many")]
#[kernel(max_threads = 256, instances(STAGES = 1, 2, 4))]
pub unsafe fn deform_attn_tiles<const STAGES: u32>(
    #[grid_constant] map_0: &TensorMap,
    #[grid_constant] map_1: &TensorMap,
    #[grid_constant] map_2: &TensorMap,
    #[grid_constant] map_3: &TensorMap,
    locations: *const u32,
    weights: *const u16,
    output: *mut Chunk,
    shape_0: u32,
    shape_1: u32,
    shape_2: u32,
    shape_3: u32,
    batches: u32,
    queries: u32,
    waves: u32,
) {
    let problem = Problem {
        value: core::ptr::null(),
        locations,
        weights,
        output,
        levels: Levels::new([shape_0, shape_1, shape_2, shape_3]),
        batches,
        queries,
    };
    // SAFETY: the conditions are this kernel's own.
    unsafe { tiles::run::<STAGES, 4>(&problem, [map_0, map_1, map_2, map_3], waves) }
}

/// As [`deform_attn_tiles`], for the two finer images; the coarser two of a block's batch lie in
/// shared memory, brought by one bulk copy: entries `deform_attn_resident_1` and `_2`, with `STAGES`
/// rounds of 16 tiles in each warp.
///
/// The launch asks for the bytes of the two coarser images of a batch, made a multiple of 128, and
/// `8 + warps * STAGES * (4864 + 8)` more.
///
/// # Safety
/// 1. As for [`deform_attn_tiles`], with maps of the first two images.
/// 2. `value` is as for [`deform_attn_gather`].
#[allow(clippy::too_many_arguments, reason = "the operator has so many")]
#[kernel(max_threads = 896, instances(STAGES = 1, 2))]
pub unsafe fn deform_attn_resident<const STAGES: u32>(
    #[grid_constant] map_0: &TensorMap,
    #[grid_constant] map_1: &TensorMap,
    value: *const Chunk,
    locations: *const u32,
    weights: *const u16,
    output: *mut Chunk,
    shape_0: u32,
    shape_1: u32,
    shape_2: u32,
    shape_3: u32,
    batches: u32,
    queries: u32,
    waves: u32,
) {
    let problem = Problem {
        value,
        locations,
        weights,
        output,
        levels: Levels::new([shape_0, shape_1, shape_2, shape_3]),
        batches,
        queries,
    };
    // SAFETY: the conditions are this kernel's own.
    unsafe { tiles::run::<STAGES, 2>(&problem, [map_0, map_1], waves) }
}
