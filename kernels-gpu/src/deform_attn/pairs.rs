//! Pixels two at a time: finer images by ordinary loads, coarser ones from shared memory.
//!
//! Both pixels of a row are side by side, 128 bytes, which eight lanes load together. The L1 cache looks up one line
//! after the other, and finds them in one or two, where four lanes that load a pixel each look in four.

use core::num::NonZero;

use tma::{
    Block, SharedPtr,
    halves::{F16, F16x2},
    ptx::mbarrier::Mbarrier,
    shared,
};

use super::{
    Chunk, POINTS,
    geometry::{Around, CHUNKS, Level, PIXEL_BYTES, Problem, accumulate},
    images::{self, Images},
    parts::each_batch,
};

/// Lanes of a query: for each of two pixels its channels.
const LANES: u32 = 2 * CHUNKS;
/// The number of queries of a warp.
pub(super) const QUERIES: u32 = 32 / LANES;
/// The number of images in global memory, and images with samples in shared memory of a warp at a time.
const FINE: u32 = 2;
/// Bytes of a sample in shared memory: its upper left pixel, the weights of both rows, the right column's share.
const SAMPLE_BYTES: u32 = size_of::<[u32; 4]>() as u32;
/// Samples of a query that a warp has in shared memory at a time, and samples of all its queries.
const SAMPLES: u32 = FINE * POINTS;
const WARP_BYTES: u32 = QUERIES * SAMPLES * SAMPLE_BYTES;

/// # Safety
/// 1. The conditions of [`deform_attn_pairs`](super::deform_attn_pairs).
#[inline(always)]
pub(super) unsafe fn run(problem: &Problem<QUERIES>, waves: NonZero<u32>) {
    // SAFETY: every thread gets here, and no thread writes the images (1).
    let block = unsafe { Block::converged() };
    let (warp, warps) = (block.warp(), block.warps());
    let lane = warp.lane();

    // The coarser images, the warps' samples, the barrier of the images.
    let smem = shared::dynamic::<u8, 128>();
    let samples = smem.byte_add(images::bytes(FINE, problem).next_multiple_of(128));
    let barrier = samples
        .byte_add(warps.get() * WARP_BYTES)
        .cast::<Mbarrier>();
    // SAFETY: the launch has this memory (1).
    let mut coarse_images = unsafe { Images::new(block, FINE, smem, barrier) };
    let (query_of_warp, own) = (lane / LANES, lane % LANES);
    let lanes = Lanes {
        own,
        samples: samples
            .byte_add(warp.index() * WARP_BYTES + query_of_warp * SAMPLES * SAMPLE_BYTES),
        share: if own < CHUNKS {
            [1.0, -1.0]
        } else {
            [0.0, 1.0]
        },
    };

    each_batch(block, problem, waves, |batch, first, end| {
        let loading = coarse_images.load(block, problem, batch);
        let pixels = u64::from(batch.0) * u64::from(problem.levels.pixels());
        let value = problem
            .value
            .wrapping_add((pixels * u64::from(CHUNKS)) as usize);
        let coarse = smem
            .address()
            .wrapping_sub(problem.levels.pick(FINE).first * PIXEL_BYTES);
        let look = |group| {
            let (query, _) = problem.query(batch, group, query_of_warp);
            [0, FINE].map(|image| problem.samples(query, image + own / 4, own % 4))
        };
        let mut group = first + warp.index();
        if group >= end {
            return;
        }
        let mut next = look(group);
        while group < end {
            let [fine_samples, coarse_samples] = next;
            let (query, is_there) = problem.query(batch, group, query_of_warp);
            group += warps.get();
            if group < end {
                next = look(group);
            }
            let mut sums = [0.0; 8];
            lanes.place(problem.levels.pick(own / 4), 0, fine_samples);
            warp.sync();
            for image in 0..FINE {
                let below = problem.levels.pick(image).width * PIXEL_BYTES;
                lanes.add(&mut sums, image, |offset| {
                    let upper = value.wrapping_byte_add(offset as usize);
                    // SAFETY: the four pixels around a sample are in its image with its border (1).
                    unsafe { [*upper, *upper.wrapping_byte_add(below as usize)] }
                });
            }
            warp.sync();
            lanes.place(problem.levels.pick(FINE + own / 4), coarse, coarse_samples);
            loading.wait();
            warp.sync();
            for image in 0..FINE {
                let below = problem.levels.pick(FINE + image).width * PIXEL_BYTES;
                lanes.add(&mut sums, image, |address| {
                    let upper = SharedPtr::<[u32; 4]>::from_address(address);
                    // SAFETY: the four pixels around a sample are in its image with its border (1), which has been loaded.
                    let rows = unsafe { [upper.read(), upper.byte_add(below).read()] };
                    rows.map(|row| Chunk(row.map(F16x2::from_bits)))
                });
            }
            // The next samples replace these.
            warp.sync();
            let sums = sums.map(|sum| sum + warp.shuffle_xor(sum, CHUNKS));
            if is_there && own < CHUNKS {
                // SAFETY: this lane alone has these channels.
                unsafe { problem.store(query, own, sums) };
            }
        }
    });
}

/// A lane within its query: the left pixel's channels first, then the right one's.
struct Lanes {
    own: u32,
    /// The query's samples.
    samples: SharedPtr<u8>,
    /// The share of the lane's pixel in its row: a constant, and a factor of the right column's share.
    share: [f32; 2],
}

impl Lanes {
    /// Writes the positions of a lane's two samples in an image, from `origin` on, and the weights of their pixels.
    #[inline(always)]
    fn place(&self, level: Level, origin: u32, samples: [(F16x2, F16); 2]) {
        let to = self.samples.cast::<[u32; 4]>().add(2 * self.own);
        let place = |index: u32, (location, weight)| {
            let Around {
                column,
                row,
                upper,
                lower,
                right,
            } = level.around(location, weight);
            let pixel = level.first + row * level.width + column;
            let at = origin.wrapping_add(pixel * PIXEL_BYTES);
            let [upper, lower, right] = [upper, lower, right].map(f32::to_bits);
            // SAFETY: each lane has two samples of its own, which no thread reads before the warp has synchronised.
            unsafe { to.add(index).write([at, upper, lower, right]) };
        };
        let [first, second] = samples;
        place(0, first);
        place(1, second);
    }

    /// Adds the lane's samples in the image of this number among the placed images.
    #[inline(always)]
    fn add(&self, sums: &mut [f32; 8], image: u32, mut rows: impl FnMut(u32) -> [Chunk; 2]) {
        let mut add = |point: u32| {
            let sample = self.samples.cast::<[u32; 4]>().add(image * POINTS + point);
            // SAFETY: the lane that worked the sample out wrote it, and all synchronised.
            let [at, upper, lower, right] = unsafe { sample.read() };
            let [least, factor] = self.share;
            let share = least + factor * f32::from_bits(right);
            let [above, below] = rows(at + self.own * size_of::<Chunk>() as u32);
            accumulate(sums, above.0, f32::from_bits(upper) * share);
            accumulate(sums, below.0, f32::from_bits(lower) * share);
        };
        // Spelled out, so that the loads of several are in flight at once.
        add(0);
        add(1);
        add(2);
        add(3);
        add(4);
        add(5);
        add(6);
        add(7);
    }
}

/// Shared memory of a block: the coarser images, the warps' samples, the barrier of the images.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn shared_bytes(threads: u64, shapes: [u32; 4]) -> u64 {
    images::shared_bytes(FINE as usize, shapes)
        + threads / 32 * u64::from(WARP_BYTES)
        + size_of::<Mbarrier>() as u64
}
