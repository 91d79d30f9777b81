use launch::{Launch, Violations};
use tensor_map::{Swizzle, Tiled};

use crate::conditions::{Conditions, product, ring_bytes};

/// Copies a matrix tile by tile through tensor maps, in blocks of one warp that draw their tiles from
/// a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyTile {
    /// Tiles that a block keeps in shared memory: 2, 3, 4 or 6.
    pub stages: u32,
    /// Both matrices, each in a buffer of its own, with a tile as the box.
    pub map: Tiled,
    /// The buffer that is written.
    pub dst: usize,
    /// The buffer that is read.
    pub src: usize,
    /// The buffer of the counter, a `u32` that is zero.
    pub counter: usize,
    /// Blocks.
    pub blocks: u32,
}

impl CopyTile {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.one_of(
            "stages",
            self.stages,
            &[2, 3, 4, 6],
            "there are kernels for",
        );
        let tiles = Tiles::of(&self.map, &mut conditions);
        let launch = Launch::new(&format!("copy_tile_{}", self.stages), self.blocks, 32)
            .shared_bytes(ring_bytes(self.stages, tiles.bytes))
            .tensor_map(self.map, self.dst)
            .tensor_map(self.map, self.src);
        let launch = tiles.scalars(launch).scalar(tiles.bytes);
        conditions.launch(launch.buffer_of(self.counter, 4))
    }
}

/// Adds one to a matrix of 4-byte numbers, a tile for each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddOneTile {
    /// Vectors of four numbers that a thread has of a tile: 1, 2 or 4.
    pub vectors: u32,
    /// Both matrices, with a tile as the box.
    pub map: Tiled,
    /// The buffer that is written.
    pub dst: usize,
    /// The buffer that is read; it may be the same.
    pub src: usize,
}

impl AddOneTile {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.one_of("vectors", self.vectors, &[1, 2, 4], "there are kernels for");
        let tiles = Tiles::of(&self.map, &mut conditions);
        tiles.of_numbers(&self.map, &mut conditions);
        let threads = tiles.bytes / 16 / self.vectors.clamp(1, 4);
        conditions.whole_warps(threads);
        let launch = Launch::new(
            &format!("add_one_tile_{}", self.vectors),
            (tiles.columns, tiles.rows),
            threads,
        );
        conditions.launch(
            launch
                .shared_bytes(tiles.bytes)
                .tensor_map(self.map, self.dst)
                .tensor_map(self.map, self.src)
                .scalar(tiles.tile[0])
                .scalar(tiles.tile[1]),
        )
    }
}

/// Adds one to a matrix of 4-byte numbers in a pipeline: one warp loads, the others work, and blocks
/// draw their tiles from a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddOneTileRing {
    /// Tiles that a block keeps in shared memory: 2, 3 or 4.
    pub stages: u32,
    /// Both matrices, with a tile as the box.
    pub map: Tiled,
    /// The buffer that is written.
    pub dst: usize,
    /// The buffer that is read; it may be the same.
    pub src: usize,
    /// The buffer of the counter, a `u32` that is zero.
    pub counter: usize,
    /// Blocks.
    pub blocks: u32,
}

impl AddOneTileRing {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.one_of("stages", self.stages, &[2, 3, 4], "there are kernels for");
        let tiles = Tiles::of(&self.map, &mut conditions);
        tiles.of_numbers(&self.map, &mut conditions);
        let reason = "64 bytes for each thread of one to sixteen warps:";
        conditions.within("bytes of a tile", tiles.bytes, 2048..=32768, reason);
        let reason = "64 bytes for each thread of a warp: a multiple of";
        conditions.multiple("bytes of a tile", tiles.bytes.into(), 2048, reason);
        let entry = format!("add_one_tile_ring_{}", self.stages);
        let launch = Launch::new(&entry, self.blocks, 32 + tiles.bytes / 64)
            .shared_bytes(ring_bytes(self.stages, tiles.bytes))
            .tensor_map(self.map, self.dst)
            .tensor_map(self.map, self.src);
        conditions.launch(tiles.scalars(launch).buffer_of(self.counter, 4))
    }
}

/// The tiles of a matrix.
struct Tiles {
    tile: [u32; 2],
    /// Of a tile.
    bytes: u32,
    columns: u32,
    rows: u32,
}

impl Tiles {
    /// What the map says; what else is wrong with it is told when it is encoded.
    fn of(map: &Tiled, conditions: &mut Conditions) -> Self {
        let dims = &map.tensor.dims;
        let reason = "a matrix has";
        conditions.within("dimensions of the map", dims.len(), 2..=2, reason);
        let side = |index: usize| map.box_dims.get(index).copied().unwrap_or(1).max(1);
        let tile = [side(0), side(1)];
        let element_bytes = map.tensor.data_type.bytes() as u32;
        let bytes = product(&[tile[0], tile[1], element_bytes]);
        let swizzles = map.tensor.swizzle != Swizzle::None;
        let (align, reason) = match swizzles {
            true => (
                1024,
                "tiles follow each other, and the swizzle repeats: a multiple of",
            ),
            false => (128, "tiles follow each other, aligned: a multiple of"),
        };
        conditions.multiple("bytes of a tile", bytes, align, reason);
        let most = (1 << 20) - 16;
        let reason = "what one phase of a barrier counts:";
        conditions.within("bytes of a tile", bytes, 16..=most, reason);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);

        let mut along = |index: usize, name: &str| {
            let length = dims.get(index).copied().unwrap_or(1);
            let most = (i32::MAX as u64).saturating_sub(tile[index].into()).max(1);
            let reason = "coordinates have 31 bits:";
            conditions.within(name, length, 1..=most, reason);
            u32::try_from(length.div_ceil(tile[index].into())).unwrap_or(u32::MAX)
        };
        let (columns, rows) = (along(0, "columns"), along(1, "rows"));
        let reason = "tiles that are counted in 31 bits:";
        let tiles = product(&[columns, rows]);
        conditions.within("tiles", tiles, 1..=i32::MAX as u64, reason);
        Self {
            tile,
            bytes,
            columns,
            rows,
        }
    }

    /// Kernels that add take numbers of 4 bytes.
    fn of_numbers(&self, map: &Tiled, conditions: &mut Conditions) {
        let bytes = map.tensor.data_type.bytes();
        let reason = "the kernel adds to integers of 4 bytes:";
        conditions.within("bytes of an element", bytes, 4..=4, reason);
    }

    /// Tiles of a row, all of them, and their sides.
    fn scalars(&self, launch: Launch) -> Launch {
        launch
            .scalar(self.columns)
            .scalar(self.columns.saturating_mul(self.rows))
            .scalar(self.tile[0])
            .scalar(self.tile[1])
    }
}
