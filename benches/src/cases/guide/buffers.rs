//! The buffers of the guide's kernels.

/// Indices of the buffers in launches.
pub(crate) const SRC: usize = 0;
pub(crate) const DST: usize = 1;
pub(crate) const FIRST_INPUT: usize = 2;
/// Small numbers of `f32`: halos and centres of a stencil, images, filters.
pub(super) const LEFT: usize = 2;
pub(super) const CENTER: usize = 3;
pub(super) const RIGHT: usize = 4;
pub(super) const FILTERS: usize = 5;
/// Rows of a table, and coordinates in an image.
pub(super) const INDICES: usize = 6;
pub(super) const COORDS: usize = 7;
/// The fields of tensor maps to make, and the memory for the maps.
pub(super) const FIELDS: usize = 8;
pub(super) const MAPS: usize = 9;
/// A and the transpose of B.
pub(super) const A: usize = 10;
pub(super) const B: usize = 11;
pub(crate) const BUFFERS: usize = 12;
pub(crate) const INPUTS: usize = BUFFERS - FIRST_INPUT;

/// The sizes of the inputs, given the size of source and destination in bytes.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// Number of blocks of a stencil.
    pub(super) blocks: u32,
    pub(super) images: u32,
    pub(super) image_side: u32,
    pub(super) table_rows: u64,
    pub(super) rows: u32,
    pub(super) tiles: u32,
    pub(super) maps: u32,
    /// Rows and columns of the largest product.
    pub(super) product_side: u32,
}

impl Sizes {
    pub(super) fn of(bytes: u64) -> Self {
        Self {
            blocks: (bytes / 4096) as u32,
            images: (bytes >> 24).max(1) as u32,
            image_side: 56,
            table_rows: bytes / 256,
            rows: (bytes / 1024) as u32,
            tiles: (bytes / 2048) as u32,
            maps: (bytes / MAP_TENSOR_BYTES).min(16384) as u32,
            product_side: if bytes >> 27 == 0 { 256 } else { 8192 },
        }
    }
}

/// A tensor of 256 by 8 bytes for each map, as in the guide, stored consecutively.
pub(super) const MAP_TENSOR_BYTES: u64 = 2048;
