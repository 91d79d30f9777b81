use tensor_map::{Swizzle, Tiled};
use tma_launch::Conditions;

use super::product;
use crate::settings::Tile;

/// The tiles of a matrix.
pub(crate) struct Tiles {
    /// Columns and rows of a tile.
    pub(crate) tile: [u32; 2],
    /// Of a tile.
    pub(crate) bytes: u32,
    /// Tiles along the columns and rows.
    pub(crate) columns: u32,
    pub(crate) rows: u32,
}

impl Tiles {
    /// The tiles of a map; any other mistake in the map is reported when it is encoded.
    pub(crate) fn of(map: &Tiled, conditions: &mut Conditions) -> Self {
        let dims = &map.tensor.dims;
        let reason = "a matrix has";
        conditions.within("dimensions of the map", dims.len(), 2..=2, reason);
        let side = |index: usize| map.box_dims.get(index).copied().unwrap_or(1).max(1);
        let tile = [side(0), side(1)];
        let element_bytes = map.tensor.data_type.bytes() as u32;
        if map.tensor.data_type.is_packed() {
            let limit = "the kernels count whole bytes for an element";
            let fix = "take the matrix as bytes";
            conditions.refuse("elements", map.tensor.data_type.name(), limit, fix);
        }
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
    pub(crate) fn of_numbers(&self, map: &Tiled, conditions: &mut Conditions) {
        let bytes = map.tensor.data_type.bytes();
        let reason = "the kernel adds to integers of 4 bytes:";
        conditions.within("bytes of an element", bytes, 4..=4, reason);
    }

    /// All of them.
    pub(crate) fn count(&self) -> u32 {
        self.columns.saturating_mul(self.rows)
    }
}

/// The tile of a map that has not been checked yet.
pub(crate) fn tile_of(map: &Tiled) -> Tile {
    let element = map.tensor.data_type;
    let bytes = product(&map.box_dims).saturating_mul(element.bytes());
    Tile {
        element,
        bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
    }
}

/// The bytes of all tiles of such a map, those at its ends as whole ones.
pub(crate) fn tiled_bytes(map: &Tiled) -> u64 {
    let sides = map.tensor.dims.iter().zip(&map.box_dims[..]);
    let along = sides.map(|(length, side)| length.div_ceil((*side).max(1).into()));
    let tiles = along.fold(1, u64::saturating_mul);
    tiles.saturating_mul(tile_of(map).bytes.into())
}
