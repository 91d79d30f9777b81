//! Tiles that the blocks of a cluster load for each other.

use tma::{
    Block, GlobalMut, PerBlock, Tile, TileMap, Unswizzled, kernel,
    pipeline::{MulticastPipeline, multicast_bytes},
    ptx::mbarrier::Mbarrier,
    shared,
};

/// Columns and rows of a part: 240 bytes, which a tile fills up to 256.
pub const PART: [usize; 2] = [20, 3];

/// A part of a stage.
pub type Part = [[u32; PART[0]]; PART[1]];

/// Elements of a part.
const ELEMS: u32 = (PART[0] * PART[1]) as u32;

/// Each block writes all parts of the `items` of its cluster: item `i` is at column 8 and from row
/// `3 * i * BLOCKS - 2` on, one part below the other.
///
/// # Safety
/// 1. Grid and blocks are one-dimensional, blocks of whole warps, two at least; the cluster has `BLOCKS` blocks.
/// 2. `output` has the parts of all items for each block, and no other code uses it or writes the tensor.
#[kernel(
    max_threads = 128,
    instances(STAGES = 1, 2, 3, 4; BLOCKS = 1, 2, 4),
    shared_bytes = multicast_bytes::<Part, Unswizzled>(STAGES, BLOCKS)
)]
pub unsafe fn multicast_parts<const STAGES: u32, const BLOCKS: u32>(
    output: *mut u32,
    #[grid_constant] map: &TileMap<Part>,
    items: u32,
) {
    // SAFETY: every thread gets here (1), and the tensor may be read (2).
    let block = unsafe { Block::converged() };
    let memory = shared::dynamic::<_, 128>();
    let of_cluster = || MulticastPipeline::<Part, Unswizzled, STAGES, BLOCKS>::items(block, items);
    MulticastPipeline::<Part, Unswizzled, STAGES, BLOCKS>::new(block, memory).split(
        |mut fill| {
            for item in of_cluster() {
                let row = |part| 3 * (item * BLOCKS + part) as i32 - 2;
                fill.next().load(map, |part| [8, row(part)]);
            }
        },
        |workers, mut drain| {
            for item in of_cluster() {
                let stage = drain.next();
                let of_block = item * BLOCKS + block.cluster().rank();
                let mut index = workers.thread();
                while index < BLOCKS * ELEMS {
                    let number = stage.get(index / ELEMS, index % ELEMS);
                    // SAFETY: the item exists (2).
                    unsafe { *output.add((of_block * BLOCKS * ELEMS + index) as usize) = number };
                    index += workers.threads();
                }
                stage.release();
            }
        },
    );
}

/// The tile of [`multicast_once`].
pub type Slice = [[u32; 16]; 2];

/// Each block of a cluster of three writes the six rows from row `y` and column `x` on; each has loaded
/// two of them for all.
///
/// # Safety
/// 1. Grid and blocks are one-dimensional, blocks of whole warps.
/// 2. `output` is as its type requires, no thread writes the tensor, and `x` is a multiple of 4.
#[kernel(max_threads = 128, cluster = 3)]
pub unsafe fn multicast_once(
    output: GlobalMut<[u32; 96], PerBlock>,
    #[grid_constant] map: &TileMap<Slice>,
    x: i32,
    y: i32,
) {
    shared! {
        static TILES: [Tile<Slice>; 3];
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (1), and the tensor may be read (2).
    let block = unsafe { Block::converged() };
    let tiles = block
        .cluster()
        .load_tiles(block, TILES::ptr(), BAR::ptr(), map, |rank| {
            [x, y + 2 * rank as i32]
        })
        .wait();
    output.write(block, |index| tiles.get(index));
}
