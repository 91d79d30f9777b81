use launch::{Launch, Violations};
use tensor_map::{DataType, TensorMap, Tiled};

use crate::conditions::Conditions;

/// Columns and rows of a tile of [`Tile2d`].
pub const TILE_2D: [u32; 2] = [64, 16];

/// A matrix of 4-byte elements, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// From the first element of a row to that of the next, in elements.
    pub pitch: usize,
}

impl Matrix {
    /// Rows without padding.
    pub const fn packed(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pitch: width,
        }
    }

    /// Elements of its buffer.
    pub const fn len_elems(self) -> usize {
        self.pitch * self.height
    }

    /// The map of its tiles of these columns and rows, of `i32`.
    pub fn map(self, tile: [u32; 2]) -> Tiled {
        TensorMap::tiled(DataType::I32, &[self.width as u64, self.height as u64])
            .strides_bytes(&[self.pitch_bytes()])
            .box_dims(&tile)
    }

    pub(crate) const fn pitch_bytes(self) -> u64 {
        (self.pitch as u64).saturating_mul(4)
    }

    pub(crate) fn check(self, name: &str, conditions: &mut Conditions) {
        let of = |what: &str| format!("{what} of {name}");
        let reason = "elements whose coordinates have 31 bits:";
        conditions.within(&of("width"), self.width as u64, 1..=1 << 31, reason);
        conditions.within(&of("height"), self.height as u64, 1..=1 << 31, reason);
        conditions.pitch(&of("pitch"), self.pitch, self.width);
    }
}

/// Where the map comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapPlace {
    /// A grid constant.
    #[doc(alias = "__grid_constant__")]
    Parameter,
    /// The constant `TILE_2D_MAP`: a buffer [in this variable](launch::Buffer::in_variable) holds
    /// the map.
    #[doc(alias = "__constant__")]
    Constant,
    /// The start of this buffer.
    Global(usize),
}

/// Adds its number to each element of a tile; the tiles of a grid of blocks, in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile2d {
    /// Where the map comes from.
    pub map: MapPlace,
    /// The matrix.
    pub matrix: Matrix,
    /// Its buffer.
    pub data: usize,
    /// Column and row of the first tile.
    pub origin: [i32; 2],
    /// Tiles along the columns and rows.
    pub blocks: [u32; 2],
    /// Threads of a block.
    pub threads: u32,
}

impl Tile2d {
    /// The variable of [`MapPlace::Constant`].
    pub const VARIABLE: &'static str = "TILE_2D_MAP";

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        self.matrix.check("the matrix", &mut conditions);
        let [x, y] = self.origin;
        check_load(x, &mut conditions);
        check_store([x, y], &mut conditions);
        check_last([x, y], TILE_2D, self.blocks, &mut conditions);
        let launch = |entry| Launch::new(entry, (self.blocks[0], self.blocks[1]), self.threads);
        let launch = match self.map {
            MapPlace::Parameter => {
                launch("tile_2d").tensor_map(self.matrix.map(TILE_2D), self.data)
            }
            MapPlace::Constant => launch("tile_2d_constant"),
            MapPlace::Global(buffer) => launch("tile_2d_global").buffer_of(buffer, 128),
        };
        conditions.launch(launch.scalar(x).scalar(y))
    }
}

/// As [`Tile2d`], from one matrix to another: the load may begin anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile2dTo {
    /// The matrix that is read.
    pub source: Matrix,
    /// Its buffer.
    pub source_data: usize,
    /// Column and row of the first tile that is read.
    pub source_origin: [i32; 2],
    /// The matrix that is written.
    pub target: Matrix,
    /// Its buffer.
    pub target_data: usize,
    /// Column and row of the first tile that is written.
    pub target_origin: [i32; 2],
    /// Tiles along the columns and rows.
    pub blocks: [u32; 2],
    /// Threads of a block.
    pub threads: u32,
}

impl Tile2dTo {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        self.source.check("the source", &mut conditions);
        self.target.check("the target", &mut conditions);
        check_load(self.source_origin[0], &mut conditions);
        check_store(self.target_origin, &mut conditions);
        for origin in [self.source_origin, self.target_origin] {
            check_last(origin, TILE_2D, self.blocks, &mut conditions);
        }
        conditions.launch(
            Launch::new("tile_2d_to", (self.blocks[0], self.blocks[1]), self.threads)
                .tensor_map(self.source.map(TILE_2D), self.source_data)
                .tensor_map(self.target.map(TILE_2D), self.target_data)
                .scalar(self.source_origin[0])
                .scalar(self.source_origin[1])
                .scalar(self.target_origin[0])
                .scalar(self.target_origin[1]),
        )
    }
}

pub(crate) fn check_load(x: i32, conditions: &mut Conditions) {
    conditions.multiple(
        "distance of the first column",
        x.unsigned_abs().into(),
        4,
        "a box begins at a multiple of 16 bytes: a multiple of",
    );
}

/// The last tile, too, must begin at a coordinate.
pub(crate) fn check_last(
    origin: [i32; 2],
    tile: [u32; 2],
    blocks: [u32; 2],
    conditions: &mut Conditions,
) {
    let names = [
        "first column of the last tile",
        "first row of the last tile",
    ];
    for (axis, name) in names.into_iter().enumerate() {
        let before = i64::from(blocks[axis].saturating_sub(1)) * i64::from(tile[axis]);
        let last = i64::from(origin[axis]) + before;
        let all = i64::from(i32::MIN)..=i64::from(i32::MAX);
        conditions.within(name, last, all, "coordinates have 32 bits:");
    }
}

fn check_store([x, y]: [i32; 2], conditions: &mut Conditions) {
    let reason = "a store begins at no negative coordinate: at least";
    conditions.at_least("first column that is stored", x, 0, reason);
    conditions.at_least("first row that is stored", y, 0, reason);
    if x >= 0 {
        conditions.multiple(
            "first column that is stored",
            u64::from(x.unsigned_abs()),
            4,
            "a box begins at a multiple of 16 bytes: a multiple of",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_trap_on_a_gpu_is_refused() {
        let tile = Tile2d {
            map: MapPlace::Parameter,
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
            "kernel-condition: pitch of the matrix is 102; rows begin at multiples of 16 bytes: a \
             multiple of 4, at least the width, 101; take 104\n\
             kernel-condition: first column that is stored is -4; a store begins at no negative \
             coordinate: at least 0; take 0 or more\n\
             kernel-condition: first row that is stored is -1; a store begins at no negative \
             coordinate: at least 0; take 0 or more"
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
        assert_eq!(refused.0[0].fix, "take 4 or 8");
        let good = Tile2dTo {
            source_origin: [-8, -5],
            ..tile
        };
        assert_eq!(good.launch().unwrap().arguments.len(), 6);
    }
}
