//! Pixels of the finer images by tiles of 2 x 2 that the copy engine fetches, of the coarser ones from shared memory.

use core::num::NonZero;

use tma::{
    BarrierArray, Block, SharedPtr, Tile, TileMap,
    halves::{F16, F16x2},
    ptx::mbarrier::Mbarrier,
    ring::Cursor,
    shared,
};

use super::{
    LEVELS, POINTS, Pixels, QUERIES,
    geometry::{Batch, CHUNKS, Corners, Level, PIXEL_BYTES, Problem, accumulate},
    images::{self, Images},
    parts::each_batch,
};

/// Images that are fetched in tiles.
const TILED: u32 = 2;
const TILE_BYTES: u32 = 4 * PIXEL_BYTES;
const WEIGHTS_BYTES: u32 = 32 * size_of::<[u32; 4]>() as u32;
const SAMPLES_BYTES: u32 = 32 * size_of::<u64>() as u32;

/// # Safety
/// 1. The conditions of [`deform_attn_resident`](super::deform_attn_resident).
#[inline(always)]
pub(super) unsafe fn run<const STAGES: u32>(
    problem: &Problem<QUERIES>,
    maps: [&TileMap<Pixels>; TILED as usize],
    waves: NonZero<u32>,
) {
    // SAFETY: every thread gets here, and no thread writes the images (1).
    let block = unsafe { Block::converged() };
    let warps = block.warps();
    let warp_index = block.warp().index();

    // The coarser images, the warps' stages, the warps' barriers, the barrier of the images.
    let smem = shared::dynamic::<u8, 128>();
    let resident_bytes = images::bytes(TILED, problem);
    let stages = smem.byte_add(resident_bytes.next_multiple_of(128));
    let warp_bytes = STAGES * STAGE_BYTES;
    let barriers = stages.byte_add(warps.get() * warp_bytes).cast::<Mbarrier>();
    let images_barrier = barriers.add(warps.get() * STAGES);
    // SAFETY: the launch has this memory, for this warp alone (1).
    let mut warp = unsafe {
        Warp::<STAGES>::new(
            block,
            problem,
            stages.byte_add(warp_index * warp_bytes),
            barriers.add(warp_index * STAGES),
            smem,
        )
    };
    // SAFETY: the launch has this memory (1).
    let mut images = unsafe { Images::new(block, TILED, smem, images_barrier) };
    each_batch(block, problem, waves, |batch, group, end| {
        images.load(block, problem, batch).wait();
        let work = Work {
            batch,
            group: group + warp_index,
            end,
            step: warps,
        };
        warp.attend(problem, &maps, work);
    });
}

/// The tiles, weights and samples of a round of a warp.
const STAGE_BYTES: u32 = QUERIES * TILED * TILE_BYTES + WEIGHTS_BYTES + SAMPLES_BYTES;

/// Shared memory of a block: the images that are not fetched in tiles, the warps' stages and barriers,
/// the barrier of the images.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn shared_bytes(stages: u32, threads: u64, shapes: [u32; 4]) -> u64 {
    let barrier_bytes = size_of::<Mbarrier>() as u64;
    let stages = threads / 32 * u64::from(stages);
    images::shared_bytes(TILED as usize, shapes)
        + stages * (u64::from(STAGE_BYTES) + barrier_bytes)
        + barrier_bytes
}

/// A warp's groups of queries in one batch.
struct Work {
    batch: Batch,
    group: u32,
    end: u32,
    step: NonZero<u32>,
}

/// A warp with the shared memory that is its own.
///
/// In each round it works on one sample of each query in each image. A stage has, for one round,
/// the tiles, the weights of all 32 samples, and where these are: a tile's first element for those
/// that are fetched, an address for those in shared memory.
struct Warp<const STAGES: u32> {
    warp: tma::Warp,
    lane: u32,
    /// Query of the lane within the warp.
    query: u32,
    /// The image that it works out samples in, and the channels that it adds up.
    own: u32,
    level: Level,
    stages: SharedPtr<u8>,
    barriers: BarrierArray<STAGES>,
    /// The shared address of the images that are not fetched in tiles.
    images: SharedPtr<u8>,
    fill: Cursor<STAGES>,
    drain: Cursor<STAGES>,
}

/// The round that is filled next: a point of a group.
struct Next {
    group: u32,
    point: u32,
    location: F16x2,
    weight: F16,
}

impl<const STAGES: u32> Warp<STAGES> {
    /// # Safety
    /// 1. `stages` and `barriers` are this warp's alone, as large as [`shared_bytes`] returns, and `images` has
    ///    the images of the current batch.
    /// 2. The problem and the maps are the ones of [`run`]. All lanes call `attend` together, with existing groups.
    #[inline(always)]
    unsafe fn new(
        block: Block,
        problem: &Problem<QUERIES>,
        stages: SharedPtr<u8>,
        barriers: SharedPtr<Mbarrier>,
        images: SharedPtr<u8>,
    ) -> Self {
        let warp = block.warp();
        let lane = warp.lane();
        let own = lane % CHUNKS;
        Self {
            warp,
            lane,
            query: lane / CHUNKS,
            own,
            level: problem.levels.pick(own),
            stages,
            // In each phase one lane arrives, with the bytes of the round's tiles.
            barriers: warp.barrier_array(barriers, 1),
            images,
            fill: Cursor::new(),
            drain: Cursor::new(),
        }
    }

    #[inline(always)]
    fn tiles(&self, cursor: Cursor<STAGES>) -> SharedPtr<u8> {
        self.stages.byte_add(cursor.stage() * STAGE_BYTES)
    }

    /// Returns the weights of the corners of each lane's sample.
    #[inline(always)]
    fn weights(&self, cursor: Cursor<STAGES>) -> SharedPtr<[u32; 4]> {
        let tiles = QUERIES * TILED * TILE_BYTES;
        self.tiles(cursor).byte_add(tiles).cast()
    }

    /// Returns the address of each lane's sample.
    #[inline(always)]
    fn samples(&self, cursor: Cursor<STAGES>) -> SharedPtr<u64> {
        self.weights(cursor).byte_add(WEIGHTS_BYTES).cast()
    }

    #[inline(always)]
    fn attend(
        &mut self,
        problem: &Problem<QUERIES>,
        maps: &[&TileMap<Pixels>; TILED as usize],
        work: Work,
    ) {
        let groups = work
            .end
            .saturating_sub(work.group)
            .div_ceil(work.step.get());
        let rounds = groups * POINTS;
        let mut next = Next {
            group: work.group,
            point: 0,
            location: F16x2::default(),
            weight: F16::default(),
        };
        if rounds == 0 {
            return;
        }
        self.look(problem, &work, &mut next);
        let mut filled = 0;
        while filled < STAGES && filled < rounds {
            self.fill(problem, maps, &work, &mut next);
            filled += 1;
        }
        let mut group = work.group;
        while group < work.end {
            let mut sums = [0.0; 8];
            for _ in 0..POINTS {
                self.drain(problem, &mut sums);
                if filled < rounds {
                    self.fill(problem, maps, &work, &mut next);
                    filled += 1;
                }
            }
            let (query, is_there) = problem.query(work.batch, group, self.query);
            if is_there {
                // SAFETY: this lane alone has these channels.
                unsafe { problem.store(query, self.own, sums) };
            }
            group += work.step.get();
        }
    }

    /// Loads the lane's sample of the next round.
    #[inline(always)]
    fn look(&self, problem: &Problem<QUERIES>, work: &Work, next: &mut Next) {
        if next.group < work.end {
            let (query, _) = problem.query(work.batch, next.group, self.query);
            (next.location, next.weight) = problem.sample(query, self.own, next.point);
        }
    }

    /// Works out the next round's samples and starts its tiles.
    #[inline(always)]
    fn fill(
        &mut self,
        problem: &Problem<QUERIES>,
        maps: &[&TileMap<Pixels>; TILED as usize],
        work: &Work,
        next: &mut Next,
    ) {
        let Corners {
            column,
            row,
            weights: [a, b, c, d],
        } = self.level.corners(next.location, next.weight);
        let is_tiled = self.own < TILED;
        // Two queries read pixels at the same time: one left before right, the other right before
        // left, so that they use different banks.
        let swap = (self.query & 1) ^ if is_tiled { 0 } else { column & 1 };
        let weights = if swap == 0 {
            [a, b, c, d]
        } else {
            [b, a, d, c]
        };
        let sample = if is_tiled {
            // The first element of the tile: columns of the map are channels.
            u64::from(column * super::CHANNELS) | u64::from(row) << 32
        } else {
            // The pixel that is read first, and in the lowest bit, whether it is the right one.
            let first = problem.levels.pick(TILED).first;
            let pixel = self.level.first - first + row * self.level.width + column + swap;
            u64::from((self.images.address() + pixel * PIXEL_BYTES) | swap)
        };
        let at = self.fill;
        // SAFETY: the stage is this warp's, and empty (1); each lane has an address of its own.
        unsafe {
            self.weights(at)
                .add(self.lane)
                .write(weights.map(f32::to_bits));
            self.samples(at).add(self.lane).write(sample);
        }
        self.warp.sync();
        if self.warp.elect() {
            let bar = self.barriers.at(at);
            let mut load = bar.transaction();
            for image in 0..TILED {
                let map = match image {
                    0 => maps[0],
                    _ => maps[1],
                };
                // The lanes only read the stage before: `sync` orders that before the copies.
                // SAFETY: the lanes wrote their samples and synchronised. A pixel begins at a multiple of
                // 64 bytes, and the stage is empty (1).
                unsafe {
                    // Read all before the first copy: no read can move past a copy.
                    let samples = [0, 1, 2, 3, 4, 5, 6, 7]
                        .map(|query| self.samples(at).add(query * CHUNKS + image).read());
                    for query in 0..QUERIES {
                        let sample = samples[query as usize];
                        let coords = [sample as i32, (sample >> 32) as i32, work.batch.0 as i32];
                        let tile = self
                            .tiles(at)
                            .byte_add((image * QUERIES + query) * TILE_BYTES);
                        load.tile(tile.cast::<Tile<Pixels>>(), map, coords);
                    }
                }
            }
            let _ = load.arrive();
        }
        self.fill.advance();
        next.point = (next.point + 1) % POINTS;
        if next.point == 0 {
            next.group += work.step.get();
        }
        self.look(problem, work, next);
    }

    /// Waits for a round and adds its samples.
    #[inline(always)]
    fn drain(&mut self, problem: &Problem<QUERIES>, sums: &mut [f32; 8]) {
        let at = self.drain;
        self.barriers.at(at).wait_parity(at.parity());
        let offset = self.own * size_of::<[u32; 4]>() as u32;
        let weights = |image: u32| {
            let weights = self.weights(at).add(self.query * CHUNKS + image);
            // SAFETY: the lane that worked the sample out wrote it, and all synchronised.
            unsafe { weights.read() }.map(f32::from_bits)
        };
        let mut pixel = |pixel: SharedPtr<u8>, weight| {
            // SAFETY: the pixel is in a tile that has arrived, or in an image in shared memory.
            let chunk = unsafe { pixel.cast::<[u32; 4]>().read() };
            accumulate(sums, chunk.map(F16x2::from_bits), weight);
        };
        for image in 0..TILED {
            let [a, b, c, d] = weights(image);
            let tile = (image * QUERIES + self.query) * TILE_BYTES + offset;
            let tile = self.tiles(at).byte_add(tile).address();
            let first = SharedPtr::from_address(tile ^ ((self.query & 1) * PIXEL_BYTES));
            let second = SharedPtr::from_address(first.address() ^ PIXEL_BYTES);
            pixel(first, a);
            pixel(second, b);
            pixel(first.byte_add(2 * PIXEL_BYTES), c);
            pixel(second.byte_add(2 * PIXEL_BYTES), d);
        }
        for image in TILED..LEVELS {
            let [a, b, c, d] = weights(image);
            let sample = self.samples(at).add(self.query * CHUNKS + image);
            // SAFETY: the lane that worked the sample out wrote it, and all synchronised.
            let sample = unsafe { sample.cast::<u32>().read() };
            let swap = sample & 1;
            let first = SharedPtr::<u8>::from_address((sample ^ swap) + offset);
            let second = first.byte_add(PIXEL_BYTES.wrapping_sub(2 * PIXEL_BYTES * swap));
            let below = problem.levels.pick(image).width * PIXEL_BYTES;
            pixel(first, a);
            pixel(second, b);
            pixel(first.byte_add(below), c);
            pixel(second.byte_add(below), d);
        }
        self.drain.advance();
        // The stage is empty when all lanes have read it.
        self.warp.sync();
    }
}
