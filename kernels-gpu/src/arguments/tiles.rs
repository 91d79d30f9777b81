use tensor_map::{Swizzle, Tiled};
use tma_launch::Conditions;

use super::product;
use crate::{patch::Patch, settings::Tile};

/// The tiles of a matrix, in patches that a block moves at once.
pub(crate) struct Tiles {
    /// The map with the boxes of the patch.
    pub(crate) map: Tiled,
    pub(crate) patch: Patch,
    /// The number of bytes of a patch.
    pub(crate) bytes: u32,
    /// Patches along the columns and rows.
    pub(crate) columns: u32,
    pub(crate) rows: u32,
}

impl Tiles {
    /// Makes the tiles from the boxes of a map, `tiles` side by side in a patch; other mistakes in the map are reported
    /// when it is encoded.
    pub(crate) fn of(map: &Tiled, tiles: u32, conditions: &mut Conditions) -> Self {
        let dims = &map.tensor.dims;
        let reason = "a matrix has two dimensions";
        conditions.within("dimensions of the map", dims.len(), 2..=2, reason);
        let side = |index: usize| map.box_dims.get(index).copied().unwrap_or(1).max(1);
        let tile = [side(0), side(1)];
        let element_bytes = map.tensor.data_type.bytes() as u32;
        if map.tensor.data_type.is_packed() {
            let limit = "must have whole bytes (the kernels do not unpack elements)";
            let fix = "pass the matrix as bytes";
            conditions.refuse("element type", map.tensor.data_type.name(), limit, fix);
        }
        let patch = Patch::new(tile, tile[0].saturating_mul(element_bytes), tiles.max(1));
        let swizzles = map.tensor.swizzle != Swizzle::None;
        let (align, reason) = match swizzles {
            true => (1024, "consecutive tiles start at repeats of the swizzle"),
            false => (128, "consecutive tiles are aligned"),
        };
        let tile_bytes = product(&[tile[0], tile[1], element_bytes]);
        conditions.multiple("bytes per tile", tile_bytes, align, reason);
        let most = (1 << 20) - 16;
        let reason = "bytes of one barrier phase";
        conditions.within("bytes per tile", tile_bytes, 16..=most, reason);
        let most_tiles = (most / tile_bytes.max(1)).max(1);
        conditions.within("tiles per patch", u64::from(tiles), 1..=most_tiles, reason);
        let bytes = tile_bytes.saturating_mul(patch.tiles.into());
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);

        let mut along = |index: usize, side: u32, name: &str| {
            let length = dims.get(index).copied().unwrap_or(1);
            let most = (i32::MAX as u64).saturating_sub(side.into()).max(1);
            let reason = "coordinates have 31 bits";
            conditions.within(name, length, 1..=most, reason);
            u32::try_from(length.div_ceil(side.into())).unwrap_or(u32::MAX)
        };
        let (columns, rows) = (
            along(0, tile[0].saturating_mul(patch.tiles), "columns"),
            along(1, tile[1], "rows"),
        );
        let reason = "patches are counted in 31 bits";
        let patches = product(&[columns, rows]);
        conditions.within("patches", patches, 1..=i32::MAX as u64, reason);
        Self {
            map: match patch.boxes {
                1 => *map,
                _ => map.box_dims(&[patch.width, patch.height]),
            },
            patch,
            bytes,
            columns,
            rows,
        }
    }

    /// Kernels that add take numbers of 4 bytes.
    pub(crate) fn of_numbers(&self, map: &Tiled, conditions: &mut Conditions) {
        let bytes = map.tensor.data_type.bytes();
        let reason = "the kernel adds to 4-byte integers";
        conditions.within("element size", bytes, 4..=4, reason);
    }

    /// Returns the number of patches.
    pub(crate) fn count(&self) -> u32 {
        self.columns.saturating_mul(self.rows)
    }
}

/// Returns the tile of a map that has not been checked yet.
pub(crate) fn tile_of(map: &Tiled) -> Tile {
    let element = map.tensor.data_type;
    let bytes = product(&map.box_dims).saturating_mul(element.bytes());
    Tile {
        element,
        bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
    }
}

/// Returns the bytes of all tiles of a map, with the cut tiles at its ends as whole ones.
pub(crate) fn tiled_bytes(map: &Tiled) -> u64 {
    let sides = map.tensor.dims.iter().zip(&map.box_dims[..]);
    let along = sides.map(|(length, side)| length.div_ceil((*side).max(1).into()));
    let tiles = along.fold(1, u64::saturating_mul);
    tiles.saturating_mul(tile_of(map).bytes.into())
}
