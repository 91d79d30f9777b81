//! Ports the guide's "Using TMA to transfer multi-dimensional arrays", with the map in each of the
//! three sources that it can come from.

use tma::{
    Block, GlobalRef, TensorMap, Tile, TileMap, constant, kernel,
    ptx::{Sys, mbarrier::Mbarrier},
    shared,
    thread::block_idx,
};

/// The number of columns of the tile.
pub const SMEM_WIDTH: usize = 64;
/// The number of rows of the tile.
pub const SMEM_HEIGHT: usize = 16;

/// The box of the maps.
pub type Rows = [[i32; SMEM_WIDTH]; SMEM_HEIGHT];

constant! {
    /// The map of [`tile_2d_constant`].
    pub static TILE_2D_MAP: TensorMap;
}

/// Adds `i` to element `i` of the tile, counted row by row, and stores the tile back.
///
/// The tile's first element is at column `x + SMEM_WIDTH * blockIdx.x` and row
/// `y + SMEM_HEIGHT * blockIdx.y` of the matrix. Elements outside the matrix read as zero and are
/// not stored.
///
/// # Safety
/// 1. `map` is over a matrix that only this kernel uses while it runs.
/// 2. No tile starts at a negative coordinate, since a store cannot; `x` is a multiple of 4.
/// 3. Blocks are one-dimensional, of a multiple of 32 threads; tiles of different blocks do not
///    overlap.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/tile_2d.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn tile_2d(#[grid_constant] map: &TileMap<Rows>, x: i32, y: i32) {
    // SAFETY: every thread gets here (3); the tensor and the coordinates are as required (1, 2).
    let block = unsafe { Block::converged() };
    add(block, map, [x, y], map, [x, y]);
}

/// Works like [`tile_2d`], but the host has copied the map into the constant [`TILE_2D_MAP`].
///
/// # Safety
/// The conditions of [`tile_2d`]; the constant holds a map with boxes of [`Rows`], without swizzle.
#[kernel(max_threads = 1024)]
pub unsafe fn tile_2d_constant(x: i32, y: i32) {
    // SAFETY: every thread gets here (3); the tensor and the coordinates are as required (1, 2).
    let block = unsafe { Block::converged() };
    // SAFETY: the map exists, with this box.
    let map = unsafe { TileMap::from_ptr(TILE_2D_MAP::ptr()) };
    add(block, map, [x, y], map, [x, y]);
}

/// Works like [`tile_2d`], but the host has copied the map into global memory.
///
/// # Safety
/// The conditions of [`tile_2d`]; `map` is a multiple of 64.
#[kernel(max_threads = 1024)]
pub unsafe fn tile_2d_global(map: GlobalRef<TileMap<Rows>>, x: i32, y: i32) {
    // SAFETY: every thread gets here (3); the tensor and the coordinates are as required (1, 2).
    let block = unsafe { Block::converged() };
    // In global memory even a map that only the host wrote must be acquired (PTX ISA 8.9.4), in each
    // block; other threads may use it after they have synchronised.
    let map = map.acquire::<Sys>(block);
    add(block, map, [x, y], map, [x, y]);
}

/// Works like [`tile_2d`], but the tile is stored through another map and at coordinates of its own.
///
/// The load may thus start at negative coordinates.
///
/// # Safety
/// The conditions of [`tile_2d`], with (2) for the store only; `load_x` is a multiple of 4.
#[kernel(max_threads = 1024)]
pub unsafe fn tile_2d_to(
    #[grid_constant] load_map: &TileMap<Rows>,
    #[grid_constant] store_map: &TileMap<Rows>,
    load_x: i32,
    load_y: i32,
    store_x: i32,
    store_y: i32,
) {
    // SAFETY: every thread gets here (3); the tensors and the coordinates are as required (1, 2).
    let block = unsafe { Block::converged() };
    add(
        block,
        load_map,
        [load_x, load_y],
        store_map,
        [store_x, store_y],
    );
}

/// Adds its number to each element of a tile.
#[inline(always)]
fn add(
    block: Block,
    load_map: &TileMap<Rows>,
    load: [i32; 2],
    store_map: &TileMap<Rows>,
    store: [i32; 2],
) {
    shared! {
        static SMEM_BUFFER: Tile<Rows>;
        static BAR: Mbarrier;
    }
    // One thread starts the load.
    let tile = block.load_tile(SMEM_BUFFER::ptr(), BAR::ptr(), load_map, tile_at(load));
    // Wait for the data to have arrived, modify it in shared memory, make each thread's writes visible to
    // the copy engine, synchronise.
    let tile = tile.update(block, |i, number| number + i as i32);
    // One thread stores the tile and waits until it has been read: it ends with the block.
    tile.store(block, store_map, tile_at(store));
}

/// Coordinates of this block's tile, when block 0 has the one at `origin`.
#[inline(always)]
fn tile_at([x, y]: [i32; 2]) -> [i32; 2] {
    let block = block_idx();
    [
        x + (block.x * SMEM_WIDTH as u32) as i32,
        y + (block.y * SMEM_HEIGHT as u32) as i32,
    ]
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{MapSource, TILE, Tile2d, Tile2dTo};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma::TensorMap;
    use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

    use super::{SMEM_HEIGHT, SMEM_WIDTH, tile_2d, tile_2d_constant, tile_2d_global, tile_2d_to};
    use crate::arguments::{Matrix, check_last, check_load, check_store};

    /// Columns and rows of a tile.
    pub const TILE: [u32; 2] = [SMEM_WIDTH as u32, SMEM_HEIGHT as u32];

    /// The source of the map.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MapSource {
        /// A grid constant.
        #[doc(alias = "__grid_constant__")]
        Parameter,
        /// The constant `TILE_2D_MAP`: a buffer [in this variable](tma_launch::Buffer::in_variable) holds
        /// the map.
        #[doc(alias = "__constant__")]
        Constant,
        /// The start of this buffer.
        Global(usize),
    }

    /// Adds its number to each element of a tile; the tiles of a grid of blocks, in place.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Tile2d {
        /// The source of the map.
        pub map: MapSource,
        /// The matrix.
        pub matrix: Matrix,
        /// The buffer.
        pub data: usize,
        /// Column and row of the first tile.
        pub origin: [i32; 2],
        /// Tiles along the columns and rows.
        pub blocks: [u32; 2],
        /// The number of threads of a block.
        pub threads: u32,
    }

    impl Tile2d {
        /// The variable of [`MapSource::Constant`].
        pub const VARIABLE: &'static str = "TILE_2D_MAP";

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            self.matrix.check("the matrix", conditions);
            let [x, y] = self.origin;
            check_load(x, conditions);
            check_store([x, y], conditions);
            check_last([x, y], TILE, self.blocks, conditions);
            let map = self.matrix.map(TILE);
            conditions.updates(Region::tensor(map, self.data));
            let call = match self.map {
                MapSource::Parameter => tile_2d(MapRef::new(map, self.data), x, y),
                MapSource::Constant => {
                    let variable = Region::Variable(Self::VARIABLE.to_owned());
                    conditions.map_of(variable, map, self.data);
                    tile_2d_constant(x, y)
                }
                MapSource::Global(buffer) => {
                    let bytes = Region::bytes(buffer, TensorMap::BYTES as u64);
                    conditions.map_of(bytes, map, self.data);
                    tile_2d_global(BufferRef::new(buffer), x, y)
                }
            };
            let [columns, rows] = self.blocks;
            (call, Shape::new((columns, rows), self.threads))
        }
    }

    /// Works like [`Tile2d`], from one matrix to another: the load may begin anywhere.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Tile2dTo {
        /// The matrix that is read.
        pub source: Matrix,
        /// The buffer.
        pub source_data: usize,
        /// Column and row of the first tile that is read.
        pub source_origin: [i32; 2],
        /// The matrix that is written.
        pub target: Matrix,
        /// The buffer.
        pub target_data: usize,
        /// Column and row of the first tile that is written.
        pub target_origin: [i32; 2],
        /// Tiles along the columns and rows.
        pub blocks: [u32; 2],
        /// The number of threads of a block.
        pub threads: u32,
    }

    impl Tile2dTo {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            self.source.check("the source", conditions);
            self.target.check("the target", conditions);
            check_load(self.source_origin[0], conditions);
            check_store(self.target_origin, conditions);
            for origin in [self.source_origin, self.target_origin] {
                check_last(origin, TILE, self.blocks, conditions);
            }
            let (source, target) = (self.source.map(TILE), self.target.map(TILE));
            conditions.reads(Region::tensor(source, self.source_data));
            conditions.writes(Region::tensor(target, self.target_data));
            let call = tile_2d_to(
                MapRef::new(source, self.source_data),
                MapRef::new(target, self.target_data),
                self.source_origin[0],
                self.source_origin[1],
                self.target_origin[0],
                self.target_origin[1],
            );
            let [columns, rows] = self.blocks;
            (call, Shape::new((columns, rows), self.threads))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn what_would_trap_on_a_gpu_is_refused() {
            let tile = Tile2d {
                map: MapSource::Parameter,
                matrix: Matrix {
                    width: 101,
                    height: 3,
                    pitch: 102,
                },
                data: 0,
                origin: [-4, -1],
                blocks: [1, 1],
                threads: 32,
            };
            let refused = tile.launch().unwrap_err().to_string();
            assert_eq!(
                refused,
                "kernel-condition: pitch of the matrix is 102; must be a multiple of 4 and at least the width, 101 (rows start at multiples of 16 bytes); use 104\n\
             kernel-condition: first column that is stored is -4; must be at least 0 (store coordinates must not be negative); use 0 or more\n\
             kernel-condition: first row that is stored is -1; must be at least 0 (store coordinates must not be negative); use 0 or more"
            );
            let matrix = Matrix::packed(64, 64);
            let tile = Tile2dTo {
                source: matrix,
                source_data: 0,
                source_origin: [-6, -5],
                target: matrix,
                target_data: 1,
                target_origin: [0, 0],
                blocks: [1, 1],
                threads: 32,
            };
            let refused = tile.launch().unwrap_err();
            assert_eq!(refused.0.len(), 1);
            assert_eq!(refused.0[0].fix, "use 4 or 8");
            let good = Tile2dTo {
                source_origin: [-8, -5],
                ..tile
            };
            assert_eq!(good.launch().unwrap().arguments.len(), 6);
        }
    }
}
