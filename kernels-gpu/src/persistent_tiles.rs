//! A persistent loop over tiles: one warp loads into a ring of stages, the others compute and store
//! through two output tiles, so that loads, work and stores overlap.

use core::hint::assert_unchecked;

use tma::{
    Ring, Stores, TensorMap, kernel,
    ptx::{barrier_cta, cp_async_bulk, fence, mbarrier::Mbarrier},
    ring::Cursor,
    shared,
    thread::{block_dim, block_idx, grid_dim, sync_threads, thread_idx},
    warp,
};

/// Columns and rows of a tile.
pub const TILE: [usize; 2] = [64, 32];

const TILE_ELEMS: u32 = (TILE[0] * TILE[1]) as u32;
const TILE_BYTES: u32 = TILE_ELEMS * size_of::<f32>() as u32;
/// Output tiles: one is stored while the next is written.
const OUTPUTS: u32 = 2;
/// The hardware barrier at which the computing warps synchronise.
const WORKERS: u32 = 1;

/// Writes `2 * x + 1` for each element `x` of a matrix of `f32`, in tiles of which each block takes
/// every `gridDim.x`-th.
///
/// Entries `persistent_tiles_2` to `persistent_tiles_4` have so many stages.
///
/// # Safety
/// 1. `source` and `target` are two-dimensional maps of `f32` with boxes of [`TILE`] and no swizzle,
///    over matrices of the same size that nobody else uses while the kernel runs; `tiles` is the
///    number of tiles along the columns and along the rows.
/// 2. Grid and blocks are one-dimensional; blocks have at least 64 threads, in whole warps.
/// 3. The launch has the shared memory.
#[cfg_attr(doc, doc = concat!("\n# PTX of `persistent_tiles_4`\n```text\n", include_str!("../../tests/golden/ptx/persistent_tiles_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 288,
    instances(STAGES = 2, 3, 4),
    shared_bytes = (u64::from(STAGES) + u64::from(OUTPUTS)) * u64::from(TILE_BYTES)
        + u64::from(STAGES) * size_of::<[Mbarrier; 2]>() as u64
)]
pub unsafe fn persistent_tiles<const STAGES: u32>(
    #[grid_constant] source: &TensorMap,
    #[grid_constant] target: &TensorMap,
    tiles_x: u32,
    tiles_y: u32,
) {
    // Stages, then output tiles, then barriers.
    let smem = shared::dynamic::<f32, 128>();
    let stage_data = |stage: u32| smem.add(stage * TILE_ELEMS);
    let output = |number: u32| smem.add((STAGES + number) * TILE_ELEMS);
    let barriers = smem.add((STAGES + OUTPUTS) * TILE_ELEMS).cast::<Mbarrier>();
    let workers = block_dim().x - 32;

    if thread_idx().x == 0 {
        // A stage is full when the loading thread has arrived and its bytes are there, and empty when
        // every worker has read it.
        // SAFETY: one thread does so, before any other uses the barriers.
        unsafe { Ring::<STAGES>::init(barriers, 1, workers) };
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: `sync_threads` orders the initialisation before; the loading thread fills and the
    // workers empty each stage in order.
    let ring = unsafe { Ring::<STAGES>::assume_init(barriers) };
    let mut cursor = Cursor::new();
    let tiles = tiles_x * tiles_y;
    let coords = |tile: u32| {
        // SAFETY: there is a tile, so there are columns of tiles.
        unsafe { assert_unchecked(tiles_x != 0) };
        [
            (tile % tiles_x * TILE[0] as u32) as i32,
            (tile / tiles_x * TILE[1] as u32) as i32,
        ]
    };

    // SAFETY: every thread is here, and blocks are one-dimensional (2).
    let warp_index = unsafe { warp::index() };
    if warp_index == 0 {
        // SAFETY: the whole warp is here.
        if unsafe { warp::is_elected() } {
            let mut tile = block_idx().x;
            while tile < tiles {
                ring.acquire(cursor);
                let full = ring.full(cursor);
                let mut load = full.transaction();
                // The workers only read the stage: their arrivals order that before the copy.
                // SAFETY: the map has this box (1), which begins at a multiple of 256 bytes, and the
                // stage is empty.
                unsafe {
                    let stage = stage_data(cursor.stage());
                    load.tensor(stage.cast(), source, coords(tile), TILE_BYTES)
                };
                let _ = load.arrive();
                cursor.advance();
                tile += grid_dim().x;
            }
        }
    } else {
        let worker = thread_idx().x - 32;
        // The same lane every time (PTX ISA 9.7.13.14): the groups of stores belong to it.
        // SAFETY: whole warps come here together (2).
        let stores_tiles = || warp_index == 1 && unsafe { warp::is_elected() };
        let mut number = 0;
        let mut tile = block_idx().x;
        while tile < tiles {
            // The store before the last has read this output tile: its thread says so to the others.
            if stores_tiles() {
                // SAFETY: the groups are this thread's.
                unsafe { cp_async_bulk::wait_group_read::<{ OUTPUTS - 1 }>() };
            }
            // SAFETY: all workers and no others come here, whole warps (2).
            unsafe { barrier_cta::sync_aligned_count(WORKERS, workers) };

            ring.wait(cursor);
            let stage = stage_data(cursor.stage());
            let mut i = worker;
            while i < TILE_ELEMS {
                // SAFETY: the index is in bounds, the copy wrote the stage, nobody else has the
                // buffer in the output tile.
                unsafe { output(number).add(i).write(2.0 * stage.add(i).read() + 1.0) };
                i += workers;
            }
            ring.release(cursor);

            // Make each worker's writes visible to the copy engine, then synchronise.
            // SAFETY: a fence only orders.
            unsafe { fence::proxy_async_shared_cta() };
            // SAFETY: all workers and no others come here, whole warps (2).
            unsafe { barrier_cta::sync_aligned_count(WORKERS, workers) };
            if stores_tiles() {
                let mut stores = Stores::new();
                // SAFETY: the map has this box (1), no coordinate is negative, and fences and
                // `sync_threads` order the writes before.
                unsafe { stores.tensor(target, coords(tile), output(number).cast()) };
                // The next rounds wait for it.
                let _ = stores.commit();
            }
            number = (number + 1) % OUTPUTS;
            cursor.advance();
            tile += grid_dim().x;
        }
        if stores_tiles() {
            // Shared memory ends with the block.
            // SAFETY: the groups are this thread's.
            unsafe { cp_async_bulk::wait_group_read::<0>() };
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::PersistentTiles;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, TensorMap, Tiled};
    use tma_launch::{Conditions, Launch, MapRef, Shape, Violations};

    use super::{TILE, persistent_tiles};
    use crate::arguments::{Matrix, product};

    /// Writes `2 * x + 1` for each element of a matrix of `f32`, by blocks that stay.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PersistentTiles {
        /// Stages of the ring: 2 to 4.
        pub stages: u32,
        /// Both matrices.
        pub matrix: Matrix,
        /// The buffer that is read.
        pub source: usize,
        /// The buffer that is written.
        pub target: usize,
        /// Blocks.
        pub blocks: u32,
        /// Threads of a block: one warp loads, the others compute.
        pub threads: u32,
    }

    impl PersistentTiles {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            let reasons = [
                "a warp that loads and one to eight that compute:",
                "warps have a role each: a multiple of",
            ];
            conditions.warps(self.threads, 64..=288, reasons);
            self.matrix.check("the matrix", &mut conditions);
            let along = |length: usize, side: usize| length.div_ceil(side) as u32;
            let tiles_x = along(self.matrix.width, TILE[0]);
            let tiles_y = along(self.matrix.height, TILE[1]);
            let most = u64::from(u32::MAX - self.blocks);
            let reason = "tiles that are counted in 32 bits, and those of the next round:";
            conditions.within("tiles", product(&[tiles_x, tiles_y]), 0..=most, reason);
            let map = self.map();
            let (source, target) = (MapRef::new(map, self.source), MapRef::new(map, self.target));
            let call = persistent_tiles(self.stages, source, target, tiles_x, tiles_y);
            conditions.launch(call, Shape::new(self.blocks, self.threads))
        }

        fn map(&self) -> Tiled {
            let dims = [self.matrix.width as u64, self.matrix.height as u64];
            TensorMap::tiled(DataType::F32, &dims)
                .strides_bytes(&[self.matrix.pitch_bytes()])
                .box_dims(&TILE.map(|side| side as u32))
        }
    }
}
