//! Gathers small boxes at scattered positions, as deformable attention and grid sampling do: 2 by 2
//! pixels of 32 half-precision channels, 256 bytes, many in flight.

use tma::{
    Barrier, BarrierArray, Block, GlobalMut, PerThread, SharedPtr, TensorMap, Warp, kernel,
    ptx::{cp_async_bulk_tensor, mbarrier::Mbarrier},
    ring::Cursor,
    shared,
};

/// The number of boxes that a warp requests at once.
const ROUND_TILES: u32 = 8;
/// The number of channels of a pixel.
const CHANNELS: u32 = 32;

const TILE_BYTES: u32 = 256;
const ROUND_BYTES: u32 = ROUND_TILES * TILE_BYTES;
const VECTOR_BYTES: u32 = 16;

/// The factor of a thread's sums before each addition, so that the order counts.
const FACTOR: u32 = 31;

/// Shared memory of a block: for each stage of its warps a round and a barrier.
#[cfg(not(target_arch = "nvptx64"))]
const fn shared_bytes(stages: u32, threads: u64) -> u64 {
    let stage_bytes = ROUND_BYTES as u64 + size_of::<Mbarrier>() as u64;
    threads / Warp::LANES as u64 * stages as u64 * stage_bytes
}

/// Gathers eight boxes of 2 by 2 pixels of 32 channels of 2 bytes for each round, and adds them up.
///
/// The eight positions of a round follow each other; a position is the column of the first pixel in
/// the lower half and its row in the upper half, both signed. Pixels outside the tensor read as the
/// map defines. Warps take turns with the rounds, and each has `STAGES` rounds in flight: `tile_gather_1`
/// to `tile_gather_4`.
///
/// The 2048 bytes of a round are 128 vectors of four numbers. Lane `l` has the vectors `l`, `l + 32`,
/// `l + 64`, `l + 96`; it adds each number of a vector to 31 times its sum for that index,
/// and writes its four sums to `sums` in the end, in the order of the threads of the grid.
///
/// # Safety
/// 1. `map` is a three-dimensional map, without swizzle, of 2-byte elements with boxes of 32, 2 and
///    2: channel, column, row. No thread writes the tensor while the kernel runs.
/// 2. `positions` points to `8 * rounds` numbers of global memory that no thread writes while the kernel
///    runs.
/// 3. `sums` are as their type requires.
/// 4. `rounds`, and `STAGES + 1` for each warp of the grid, are fewer than 2^32.
/// 5. Grid and blocks are one-dimensional, blocks of a multiple of 32 threads, and the launch has the
///    shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `tile_gather_2`\n```text\n", include_str!("../../tests/golden/ptx/tile_gather_2.ptx"), "\n```"))]
#[kernel(
    max_threads = 1024,
    instances(STAGES = 1, 2, 4),
    shared_bytes = |threads| shared_bytes(STAGES, threads)
)]
pub unsafe fn tile_gather<const STAGES: u32>(
    #[grid_constant] map: &TensorMap,
    positions: *const u32,
    rounds: u32,
    sums: GlobalMut<Sums, PerThread>,
) {
    let boxes = Boxes {
        map,
        coords: channels_columns_rows,
        positions,
        rounds,
    };
    // SAFETY: (1) to (5) of `tile_gather` hold for the map (1); a box begins at a pixel, which has 64 bytes (2).
    unsafe { gather::<STAGES, _>(Issue::Elected, boxes, sums) };
}

/// Works like [`tile_gather`], through a map of the tensor as a matrix of `32 * columns` by `rows` elements
/// with boxes of 64 by 2: half the pieces for a box.
///
/// # Safety
/// The conditions of [`tile_gather`], with this map for (1).
/// 6. No box crosses the first or last column: a matrix has no pixels to fill there.
#[kernel(
    max_threads = 1024,
    instances(STAGES = 1, 2, 4),
    shared_bytes = |threads| shared_bytes(STAGES, threads)
)]
pub unsafe fn tile_gather_view<const STAGES: u32>(
    #[grid_constant] map: &TensorMap,
    positions: *const u32,
    rounds: u32,
    sums: GlobalMut<Sums, PerThread>,
) {
    let coords = |position| {
        let [x, y] = pixel(position);
        [x * CHANNELS as i32, y]
    };
    let boxes = Boxes {
        map,
        coords,
        positions,
        rounds,
    };
    // SAFETY: (1) to (5) of `tile_gather` hold for the map (1); a box begins at a pixel, which has 64 bytes (2).
    unsafe { gather::<STAGES, _>(Issue::Elected, boxes, sums) };
}

/// Works like [`tile_gather`], but eight lanes request a box each, instead of one lane for all of them.
///
/// # Safety
/// The conditions of [`tile_gather`].
#[kernel(
    max_threads = 1024,
    instances(STAGES = 1, 2, 4),
    shared_bytes = |threads| shared_bytes(STAGES, threads)
)]
pub unsafe fn tile_gather_lanes<const STAGES: u32>(
    #[grid_constant] map: &TensorMap,
    positions: *const u32,
    rounds: u32,
    sums: GlobalMut<Sums, PerThread>,
) {
    let boxes = Boxes {
        map,
        coords: channels_columns_rows,
        positions,
        rounds,
    };
    // SAFETY: (1) to (5) of `tile_gather` hold for the map (1); a box begins at a pixel, which has 64 bytes (2).
    unsafe { gather::<STAGES, _>(Issue::EightLanes, boxes, sums) };
}

/// A thread's four sums.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub struct Sums(#[expect(dead_code, reason = "it is only written")] [u32; 4]);

/// Returns the start of the box at a position.
#[inline(always)]
fn channels_columns_rows(position: u32) -> [i32; 3] {
    let [x, y] = pixel(position);
    [0, x, y]
}

/// Column and row.
#[inline(always)]
fn pixel(position: u32) -> [i32; 2] {
    [i32::from(position as i16), position as i32 >> 16]
}

/// The lanes that issue the copies of a round.
#[derive(Clone, Copy)]
enum Issue {
    /// One lane, which `elect.sync` chooses.
    Elected,
    /// The first eight lanes.
    EightLanes,
}

/// The boxes of all rounds.
struct Boxes<'a, C> {
    map: &'a TensorMap,
    /// Returns the address of the box at a position.
    coords: C,
    positions: *const u32,
    rounds: u32,
}

/// The rounds of a warp that are still to be requested. The positions of the next one are read ahead,
/// one by each of eight lanes, so that ptxas waits for them when they are passed round and not before.
struct Queue<'a, C> {
    warp: Warp,
    boxes: Boxes<'a, C>,
    round: u32,
    step: u32,
    ahead: u32,
}

impl<'a, const RANK: usize, C: Fn(u32) -> [i32; RANK]> Queue<'a, C> {
    /// Returns every `step`-th round from `round` on.
    ///
    /// # Safety
    /// 1. The boxes are the boxes of [`gather`].
    /// 2. `round` is less than the rounds, which with `step` are fewer than 2^32.
    #[inline(always)]
    unsafe fn new(warp: Warp, boxes: Boxes<'a, C>, round: u32, step: u32) -> Self {
        let mut queue = Self {
            warp,
            boxes,
            round,
            step,
            ahead: 0,
        };
        queue.read();
        queue
    }

    /// Reads the positions of the round, which must exist.
    #[inline(always)]
    fn read(&mut self) {
        let first = u64::from(self.round) * u64::from(ROUND_TILES);
        let own = first + u64::from(self.warp.lane() % ROUND_TILES);
        // SAFETY: eight numbers of the round (1 and 2 of `new`).
        self.ahead = unsafe { self.boxes.positions.add(own as usize).read() };
    }

    /// Requests the boxes of the next round, if there is one.
    ///
    /// # Safety
    /// 1. No thread uses the buffer, and the barrier's phase takes an arrival and the bytes of a
    ///    round.
    #[inline(always)]
    unsafe fn ask(&mut self, issue: Issue, buffer: SharedPtr<u8>, bar: &Barrier) {
        let Boxes {
            map,
            coords,
            rounds,
            ..
        } = &self.boxes;
        if self.round >= *rounds {
            return;
        }
        let copy = |tile: u32, position: u32| {
            let (to, coords) = (buffer.byte_add(tile * TILE_BYTES), coords(position));
            // SAFETY: the map has this box (1 of `new`), for which there is room (1).
            unsafe {
                cp_async_bulk_tensor::shared_cluster_global_tile(to, *map, coords, bar.address());
            }
        };
        match issue {
            Issue::Elected => {
                // The round is the same for the whole warp.
                let position = |tile| self.warp.shuffle(self.ahead, tile);
                let positions: [u32; ROUND_TILES as usize] = [
                    position(0),
                    position(1),
                    position(2),
                    position(3),
                    position(4),
                    position(5),
                    position(6),
                    position(7),
                ];
                if self.warp.elect() {
                    let _ = bar.arrive_expect_tx(ROUND_BYTES);
                    for tile in 0..ROUND_TILES {
                        copy(tile, positions[tile as usize]);
                    }
                }
            }
            Issue::EightLanes => {
                let lane = self.warp.lane();
                if lane == 0 {
                    let _ = bar.arrive_expect_tx(ROUND_BYTES);
                }
                if lane < ROUND_TILES {
                    copy(lane, self.ahead);
                }
            }
        }
        self.round += self.step;
        if self.round < *rounds {
            self.read();
        }
    }
}

/// # Safety
/// 1. (1) to (5) of [`tile_gather`] hold, for this map.
/// 2. The coordinates belong to a box with its first byte at a multiple of 16.
#[inline(always)]
unsafe fn gather<const STAGES: u32, const RANK: usize>(
    issue: Issue,
    boxes: Boxes<'_, impl Fn(u32) -> [i32; RANK]>,
    sums: GlobalMut<Sums, PerThread>,
) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let lanes = block.warp();
    let (warp, lane, rounds) = (lanes.index(), lanes.lane(), boxes.rounds);
    let block_warps = block.warps().get();
    let warps = block.blocks().get() * block_warps;

    // The stages of all warps are one after another, the barriers after them.
    let smem = shared::dynamic::<u8, 128>();
    let data = |at: Cursor<STAGES>| smem.byte_add((warp * STAGES + at.stage()) * ROUND_BYTES);
    let bars = smem
        .byte_add(block_warps * STAGES * ROUND_BYTES)
        .cast::<Mbarrier>();
    // A phase has the one arrival and the bytes of a round.
    let bars: BarrierArray<STAGES> = lanes.barrier_array(bars.add(warp * STAGES), 1);

    let mut round = block.index() * block_warps + warp;
    if round >= rounds {
        // This thread's lanes have no numbers to add up.
        return sums.write(block, Sums([0; 4]));
    }
    // SAFETY: the boxes exist (1, 2), and so does the first round.
    let mut queue = unsafe { Queue::new(lanes, boxes, round, warps) };
    let mut at = Cursor::new();
    for _ in 0..STAGES {
        // SAFETY: no copy has used this stage yet.
        unsafe { queue.ask(issue, data(at), &bars.at(at)) };
        at.advance();
    }

    let mut at = Cursor::new();
    let mut sum = [0_u32; 4];
    while round < rounds {
        bars.at(at).wait_parity(at.parity());
        let first = data(at).cast::<[u32; 4]>().add(lane);
        // SAFETY: the copies wrote all vectors of the round.
        let vector = |turn| unsafe { first.add(turn * Warp::LANES).read() };
        // All are loaded before the first is added, so that no load waits for an addition.
        let vectors = [vector(0), vector(1), vector(2), vector(3)];
        for turn in 0..ROUND_BYTES / VECTOR_BYTES / Warp::LANES {
            let vector = vectors[turn as usize];
            let add = |index: usize| sum[index].wrapping_mul(FACTOR).wrapping_add(vector[index]);
            sum = [add(0), add(1), add(2), add(3)];
        }
        // All lanes have read before the stage is filled again.
        lanes.sync();
        // SAFETY: all lanes have read the stage (`sync`).
        unsafe { queue.ask(issue, data(at), &bars.at(at)) };
        round += warps;
        at.advance();
    }
    sums.write(block, Sums(sum));
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{TileGather, TileGatherForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, L2Promotion, TensorMap, Tiled};
    use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

    use super::{
        CHANNELS, ROUND_TILES, VECTOR_BYTES, tile_gather, tile_gather_lanes, tile_gather_view,
    };
    use crate::arguments::product;

    /// Gathers boxes of 2 by 2 pixels of 32 channels of 2 bytes, eight in a round, and adds them up.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct TileGather {
        /// The lanes that issue the copies, and the kind of map.
        pub form: TileGatherForm,
        /// The number of rounds that a warp has in flight: 1, 2 or 4.
        pub stages: u32,
        /// The tensor's buffer, `[height][width][32]`.
        pub tensor: usize,
        /// The number of columns of pixels.
        pub width: u32,
        /// The number of rows of pixels.
        pub height: u32,
        /// The buffer of positions, eight for each round: a column in the lower half of a `u32`, a row in
        /// the upper one, both signed.
        pub positions: usize,
        /// The number of rounds.
        pub rounds: u32,
        /// The buffer of the sums, four `u32` for each thread of the grid.
        pub sums: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    /// The lanes that issue the copies, and the kind of map.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TileGatherForm {
        /// One lane, boxes of channels, columns and rows.
        Boxes,
        /// One lane, the tensor seen as a matrix with the channels of all pixels of a row as columns.
        /// No box may cross the first or last column.
        View,
        /// Eight lanes, boxes of channels, columns and rows.
        EightLanes,
    }

    impl TileGather {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            let warps = self.threads / tma::Warp::LANES;
            let ahead = product(&[self.blocks, warps, self.stages.min(4) + 1]);
            let most = u64::from(u32::MAX).saturating_sub(ahead);
            let reason = "rounds, with those of the next turns, are counted in 32 bits";
            conditions.within("rounds", self.rounds.into(), 0..=most, reason);
            let round_positions = ROUND_TILES * size_of::<u32>() as u32;
            conditions.reads(Region::tensor(self.map(), self.tensor));
            let positions_bytes = product(&[self.rounds, round_positions]);
            conditions.reads(Region::bytes(self.positions, positions_bytes));
            let sums_bytes = product(&[self.blocks, self.threads, VECTOR_BYTES]);
            conditions.writes(Region::bytes(self.sums, sums_bytes));
            let kernel = match self.form {
                TileGatherForm::Boxes => tile_gather,
                TileGatherForm::View => tile_gather_view,
                TileGatherForm::EightLanes => tile_gather_lanes,
            };
            let map = MapRef::new(self.map(), self.tensor);
            let (positions, sums) = (BufferRef::new(self.positions), BufferRef::new(self.sums));
            let call = kernel(self.stages, map, positions, self.rounds, sums);
            (call, Shape::new(self.blocks, self.threads))
        }

        /// Small boxes at random places need no promotion in L2, which would fetch more than the box.
        fn map(&self) -> Tiled {
            let [width, height] = [self.width, self.height].map(u64::from);
            let channels = u64::from(CHANNELS);
            let tiled = match self.form {
                TileGatherForm::View => {
                    TensorMap::tiled(DataType::F16, &[channels * width, height])
                        .box_dims(&[2 * CHANNELS, 2])
                }
                _ => TensorMap::tiled(DataType::F16, &[channels, width, height])
                    .box_dims(&[CHANNELS, 2, 2]),
            };
            tiled.l2_promotion(L2Promotion::None)
        }
    }
}
