//! Multi-scale deformable attention, forward, with halves in and out and sums in `f32`.
//!
//! A query takes [`POINTS`] samples in each of [`LEVELS`] images of the same batch, and adds up
//! the interpolated pixels, each sample with its weight. A sample has a location in the image, 0 to 1 in
//! each direction, and is interpolated between the four pixels around it.
//!
//! # Layout
//! - `value`: for each batch the images one after the other, each `[H][W][CHANNELS]`, halves. Every
//!   image has a border of one pixel of zeros on each side, which H and W count; locations are those
//!   of the image without it.
//! - `locations`: `[batch][query][level][point]`, X in the lower and Y in the upper half of a word.
//! - `weights`: `[batch][query][level][point]`, halves.
//! - `output`: `[batch][query][CHANNELS]`, halves.
//!
//! # The kernels
//! - [`deform_attn_gather`] reads pixels with ordinary loads.
//! - [`deform_attn_resident`] has the copy engine fetch the 2 x 2 pixels of each sample in the two finer images, and keeps
//!   the coarser two of its batch in shared memory. Images are seen as matrices of `W * CHANNELS` columns, so that a tile is
//!   two runs of 128 bytes; the border keeps tiles from running over the end of a row.
//! - [`deform_attn_pairs`] keeps those there, too, and reads the two finer images with ordinary loads.
//!
//! A lane has eight channels. Four lanes have a query, and a warp eight queries; in [`deform_attn_pairs`] eight lanes:
//! four have a left pixel and four the right one, and a warp has four queries.

mod gather;
mod geometry;
mod images;
mod pairs;
mod parts;
mod tiles;

use core::num::NonZero;

use tma::{
    TileMap,
    halves::{F16, F16x2},
    kernel,
};

pub use geometry::Chunk;
use geometry::Problem;

/// The number of images of a batch.
pub const LEVELS: u32 = 4;
/// Samples that a query takes in each image.
pub const POINTS: u32 = 8;
/// The number of channels of a pixel.
pub const CHANNELS: u32 = 32;
/// The box of the maps: 2 x 2 pixels of an image that is seen as a matrix.
pub type Pixels = [[[F16; 2 * CHANNELS as usize]; 2]; 1];
/// The number of queries of a warp.
pub const QUERIES: u32 = 8;

/// Deformable attention by ordinary loads.
///
/// `shapes` are heights (upper half of the word) and widths (lower half) of the images with their
/// borders. Warps of the grid take eight queries at a time.
///
/// # Safety
/// 1. `value`, `locations`, `weights` and `output` are as long as the layout requires for `batches`,
///    `queries` and the shapes, at multiples of 16 bytes. No other code writes the inputs or uses the
///    output while the kernel runs.
/// 2. Heights and widths are at least 3, and borders are zero.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps.
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the operator"
)]
// Four blocks: ptxas then uses 64 registers for loads that are in flight, and not 48.
#[kernel(max_threads = 256, min_blocks = 4)]
pub unsafe fn deform_attn_gather(
    value: *const Chunk,
    locations: *const F16x2,
    weights: *const F16,
    output: *mut Chunk,
    shape_0: u32,
    shape_1: u32,
    shape_2: u32,
    shape_3: u32,
    batches: u32,
    queries: NonZero<u32>,
) {
    let shapes = [shape_0, shape_1, shape_2, shape_3];
    // SAFETY: inputs and output are as long as the layout requires (1); `run` has the conditions of this kernel.
    unsafe {
        let problem = Problem::new(value, locations, weights, output, shapes, batches, queries);
        gather::run(&problem);
    }
}

/// Deformable attention with tiles of the two finer images; the coarser two of a block's batch are in
/// shared memory, brought by one bulk copy: entries `deform_attn_resident_1` and `_2`, with `STAGES`
/// rounds of 16 tiles in flight in each warp.
///
/// The batches are worked on in `waves` parts, one after the other, so that the pixels of a part
/// stay in the L2 cache.
///
/// # Safety
/// 1. As for [`deform_attn_gather`], (1) and (2).
/// 2. `map_0` and `map_1` are over the first two images of all batches: dimensions `W * CHANNELS`, H and batches.
/// 3. Grid and blocks are one-dimensional; blocks are whole warps; `waves` is at most `batches`.
/// 4. The launch has the shared memory.
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the operator"
)]
#[kernel(
    max_threads = 896,
    instances(STAGES = 1, 2),
    shared_bytes = |threads| {
        tiles::shared_bytes(STAGES, threads, [shape_0, shape_1, shape_2, shape_3])
    }
)]
pub unsafe fn deform_attn_resident<const STAGES: u32>(
    #[grid_constant] map_0: &TileMap<Pixels>,
    #[grid_constant] map_1: &TileMap<Pixels>,
    value: *const Chunk,
    locations: *const F16x2,
    weights: *const F16,
    output: *mut Chunk,
    shape_0: u32,
    shape_1: u32,
    shape_2: u32,
    shape_3: u32,
    batches: u32,
    queries: NonZero<u32>,
    waves: NonZero<u32>,
) {
    let shapes = [shape_0, shape_1, shape_2, shape_3];
    // SAFETY: inputs and output are as long as the layout requires (1); `run` has the conditions of this kernel.
    unsafe {
        let problem = Problem::new(value, locations, weights, output, shapes, batches, queries);
        tiles::run::<STAGES>(&problem, [map_0, map_1], waves);
    }
}

/// Works like [`deform_attn_resident`], with the finer images read by ordinary loads, both pixels of a row at once.
///
/// # Safety
/// 1. As for [`deform_attn_gather`], (1) and (2).
/// 2. As for [`deform_attn_resident`], (3) and (4).
#[allow(
    clippy::too_many_arguments,
    reason = "each is an argument of the operator"
)]
#[kernel(
    max_threads = 768,
    shared_bytes = |threads| pairs::shared_bytes(threads, [shape_0, shape_1, shape_2, shape_3])
)]
pub unsafe fn deform_attn_pairs(
    value: *const Chunk,
    locations: *const F16x2,
    weights: *const F16,
    output: *mut Chunk,
    shape_0: u32,
    shape_1: u32,
    shape_2: u32,
    shape_3: u32,
    batches: u32,
    queries: NonZero<u32>,
    waves: NonZero<u32>,
) {
    let shapes = [shape_0, shape_1, shape_2, shape_3];
    // SAFETY: inputs and output are as long as the layout requires (1); `run` has the conditions of this kernel.
    unsafe {
        let problem = Problem::new(value, locations, weights, output, shapes, batches, queries);
        pairs::run(&problem, waves);
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{DeformAttn, DeformAttnForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, L2Promotion, TensorMap};
    use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

    use super::{
        CHANNELS, F16, F16x2, LEVELS, POINTS, deform_attn_gather, deform_attn_pairs,
        deform_attn_resident, geometry::PIXEL_BYTES,
    };
    use crate::arguments::{divisor, product};

    /// Multi-scale deformable attention, forward, on halves.
    ///
    /// `value` has for each batch the four images one after the other, `[H][W][32]`, with a border of
    /// one pixel of zeros around each; `locations` has two halves (X, then Y) and `weights` one half for
    /// `[batch][query][image][8 points]`; `output` is `[batch][query][32]`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct DeformAttn {
        /// The way in which pixels are fetched.
        pub form: DeformAttnForm,
        /// Height and width of each image, the border counted.
        pub shapes: [[u32; 2]; 4],
        /// The number of batches.
        pub batches: u32,
        /// The number of queries of a batch.
        pub queries: u32,
        /// The images' buffer.
        pub value: usize,
        /// The buffer of the locations.
        pub locations: usize,
        /// The buffer of the weights.
        pub weights: usize,
        /// The buffer that is written.
        pub output: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of warps of a block.
        pub warps: u32,
        /// Parts that the batches are worked on in, one after the other, so that a part stays in the
        /// L2 cache; of all forms but `Gather`.
        pub waves: u32,
    }

    /// The way in which pixels are fetched.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DeformAttnForm {
        /// Pixels are fetched by ordinary loads.
        Gather,
        /// Tiles of the first two images, with the others in shared memory; with 1 or 2 stages in
        /// each warp.
        Resident {
            /// The stages.
            stages: u32,
        },
        /// Works like [`Resident`](Self::Resident), with the first two images by ordinary loads, both pixels of a row at once.
        Pairs,
    }

    impl DeformAttn {
        /// Pixels of a batch.
        pub fn pixels(&self) -> u64 {
            self.pixels_before(4)
        }

        fn pixels_before(&self, image: usize) -> u64 {
            let shapes = self.shapes.iter().take(image);
            shapes
                .map(|[height, width]| u64::from(*height) * u64::from(*width))
                .fold(0, u64::saturating_add)
        }

        fn value_bytes(&self) -> u64 {
            let pixels = self.pixels().saturating_mul(self.batches.into());
            pixels.saturating_mul(PIXEL_BYTES.into())
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            for (image, [height, width]) in self.shapes.into_iter().enumerate() {
                let reason = "a pixel with its border; sides have 16 bits";
                conditions.within(
                    &format!("height of image {image}"),
                    height,
                    3..=65535,
                    reason,
                );
                conditions.within(&format!("width of image {image}"), width, 3..=65535, reason);
            }
            let reason = "bytes of a batch are counted in 32 bits";
            let most = u64::from(u32::MAX / PIXEL_BYTES);
            conditions.within("pixels of a batch", self.pixels(), 0..=most, reason);
            let reason = "query numbers have 32 bits";
            let all = u64::from(self.batches) * u64::from(self.queries).next_multiple_of(8);
            conditions.within(
                "queries of all batches",
                all,
                1..=u64::from(u32::MAX),
                reason,
            );
            let most_warps = match self.form {
                DeformAttnForm::Resident { .. } => 28,
                DeformAttnForm::Pairs => 24,
                _ => 8,
            };
            conditions.within("warps per block", self.warps, 1..=most_warps, "");
            if self.form == DeformAttnForm::Gather {
                let groups = all.min(u32::MAX.into()) as u32 / 8;
                let most = (u32::MAX - groups) / self.warps.max(1);
                let reason =
                    "groups of queries, with those of the next turn, are counted in 32 bits";
                conditions.within("blocks", self.blocks, 0..=most, reason);
            }
            let queries = product(&[self.batches, self.queries]);
            let samples = queries.saturating_mul((LEVELS * POINTS).into());
            let bytes = |count: u64, of: usize| count.saturating_mul(of as u64);
            let mut reads = |buffer, bytes| conditions.reads(Region::bytes(buffer, bytes));
            reads(self.value, self.value_bytes());
            reads(self.locations, bytes(samples, size_of::<F16x2>()));
            reads(self.weights, bytes(samples, size_of::<F16>()));
            let output_bytes = bytes(queries, PIXEL_BYTES as usize);
            conditions.writes(Region::bytes(self.output, output_bytes));
            if self.form != DeformAttnForm::Gather {
                let reason = "each wave has at least one batch";
                conditions.within("waves", self.waves, 1..=self.batches, reason);
            }
            (
                self.call(),
                Shape::new(self.blocks, self.warps.saturating_mul(32)),
            )
        }

        fn call(&self) -> Call<'static> {
            let value = BufferRef::new(self.value);
            let locations = BufferRef::new(self.locations);
            let weights = BufferRef::new(self.weights);
            let output = BufferRef::new(self.output);
            let [a, b, c, d] = self
                .shapes
                .map(|[height, width]| (height << 16) | (width & 0xffff));
            let (batches, queries, waves) =
                (self.batches, divisor(self.queries), divisor(self.waves));
            let [first, second] = [0, 1].map(|image| self.map(image));
            match self.form {
                DeformAttnForm::Gather => deform_attn_gather(
                    value, locations, weights, output, a, b, c, d, batches, queries,
                ),
                DeformAttnForm::Resident { stages } => deform_attn_resident(
                    stages, first, second, value, locations, weights, output, a, b, c, d, batches,
                    queries, waves,
                ),
                DeformAttnForm::Pairs => deform_attn_pairs(
                    value, locations, weights, output, a, b, c, d, batches, queries, waves,
                ),
            }
        }

        /// Returns the image of all batches as matrices; their columns are the channels of all pixels of a row: a
        /// tile of 2 x 2 pixels is two runs of 128 bytes. Small tiles at random coordinates need no
        /// promotion in L2.
        fn map(&self, image: usize) -> MapRef {
            let [height, width] = self.shapes[image];
            let columns = u64::from(width) * u64::from(CHANNELS);
            let batch_bytes = self.pixels().saturating_mul(PIXEL_BYTES.into());
            let dims = [columns, height.into(), self.batches.into()];
            let tiled = TensorMap::tiled(DataType::F16, &dims)
                .strides_bytes(&[2 * columns, batch_bytes])
                .box_dims(&[2 * CHANNELS, 2, 1])
                .l2_promotion(L2Promotion::None);
            let before = self.pixels_before(image);
            MapRef::new(tiled, self.value).skip(before.saturating_mul(PIXEL_BYTES.into()))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_shared_memory_of_the_shapes_that_were_measured_fits_an_h100() {
            let attention = DeformAttn {
                form: DeformAttnForm::Resident { stages: 1 },
                shapes: [[94, 162], [48, 82], [25, 42], [14, 22]],
                batches: 48,
                queries: 1000,
                value: 0,
                locations: 1,
                weights: 2,
                output: 3,
                blocks: 132,
                warps: 28,
                waves: 1,
            };
            assert_eq!(attention.pixels(), 20522);
            let launch = attention.launch().unwrap();
            assert_eq!(launch.shape.shared_bytes, 86912 + 28 * 4872 + 8);
            assert!(u64::from(launch.shape.shared_bytes) <= tma_launch::Limits::SM_90.shared_bytes);
            let wrong = DeformAttn {
                form: DeformAttnForm::Resident { stages: 3 },
                shapes: [[94, 162], [2, 82], [25, 42], [14, 22]],
                warps: 32,
                waves: 49,
                ..attention
            };
            assert_eq!(
                wrong.launch().unwrap_err().to_string(),
                "kernel-condition: stages is 3; must be one of 1, 2 (compiled instances); use 2\n\
             kernel-condition: height of image 1 is 2; must be 3 to 65535 (a pixel with its border; sides have 16 bits); use 3\n\
             kernel-condition: warps per block is 32; must be 1 to 28; use 28\n\
             kernel-condition: waves is 49; must be 1 to 48 (each wave has at least one batch); use 48"
            );
        }
    }
}
