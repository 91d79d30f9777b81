//! The inputs of the guide's kernels besides the source.

use anyhow::Result;
use kernels_gpu::{encode_map::map_fields, hwc_tile::Image};
use tensor_map::{DataType, TensorMap};

use super::{
    buffers::{A, B, CENTER, COORDS, FILTERS, INDICES, LEFT, MAP_TENSOR_BYTES, RIGHT, Sizes},
    products,
};
use crate::pattern::hash;

/// The image with the tiles, at the start of the source.
pub(super) const IMAGE: Image = Image {
    height: 94,
    width: 162,
    channels: 32,
};

/// Returns the `f32` at an index of an input buffer; it is small, so that sums are exact.
pub(super) fn small(buffer: usize, index: u64) -> f32 {
    let most = if buffer == FILTERS { 15 } else { 255 };
    (hash(index + ((buffer as u64) << 40)) & most) as f32
}

/// Returns the row of the table that is gathered to an index.
pub(super) fn row(sizes: Sizes, index: u64) -> u64 {
    u64::from(hash(index + ((INDICES as u64) << 40))) % sizes.table_rows
}

/// Returns the column and row of a tile's first element.
pub(super) fn tile(index: u64) -> [u64; 2] {
    let along = |index: u64, len: usize| {
        u64::from(hash(index + ((COORDS as u64) << 40))) % (len as u64 - 1)
    };
    [
        along(2 * index, IMAGE.width),
        along(2 * index + 1, IMAGE.height),
    ]
}

/// Returns the buffers from [`FIRST_INPUT`](super::buffers::FIRST_INPUT) on.
pub(crate) fn inputs(bytes: u64) -> Result<Vec<Vec<u8>>> {
    let sizes = Sizes::of(bytes);
    let blocks = u64::from(sizes.blocks);
    let pixels = u64::from(sizes.images) * u64::from(sizes.image_side).pow(2);
    let numbers = |buffer: usize, count: u64| -> Vec<u8> {
        let numbers = (0..count).map(|index| small(buffer, index));
        numbers.flat_map(f32::to_le_bytes).collect()
    };
    let words = |words: &mut dyn Iterator<Item = u64>| -> Vec<u8> {
        words.flat_map(|word| (word as u32).to_le_bytes()).collect()
    };
    let tiled = TensorMap::tiled(DataType::U8, &[256, 8]).box_dims(&[128, 4]);
    let mut fields = Vec::new();
    for map in 0..u64::from(sizes.maps) {
        let of_map = map_fields(&tiled, map * MAP_TENSOR_BYTES);
        let of_map = of_map.map_err(|refused| anyhow::anyhow!("{refused}"))?;
        fields.extend_from_slice(bytemuck::bytes_of(&of_map));
    }
    Ok(vec![
        numbers(LEFT, 8 * blocks),
        numbers(CENTER, (32 * blocks).max(16 * pixels)),
        numbers(RIGHT, 8 * blocks),
        numbers(FILTERS, 8 * 9 * 16),
        words(&mut (0..sizes.rows.into()).map(|index| row(sizes, index))),
        words(&mut (0..sizes.tiles.into()).flat_map(tile)),
        fields,
        vec![0; 128 * sizes.maps as usize],
        products::matrix(A, sizes.product_side),
        products::matrix(B, sizes.product_side),
    ])
}
