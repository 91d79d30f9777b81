//! A matrix that is loaded and stored tile by tile.

use tensor_map::{DataType, Swizzle, TensorMap, Tiled};
use tma_launch::Buffer;

use crate::Expected;
use crate::kernels::numbers;

/// A matrix whose rows are `pitch` elements apart, and its tiles.
#[derive(Clone, Copy)]
pub(crate) struct Tiles {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
    /// Columns and rows of a tile.
    pub(crate) tile: [usize; 2],
    /// Bytes of an element, 2 or 4.
    pub(crate) data_type: DataType,
    pub(crate) swizzle: Swizzle,
}

impl Tiles {
    /// Tiles of 4-byte numbers, without padding or swizzle.
    pub(crate) fn packed(width: usize, height: usize, tile: [usize; 2]) -> Self {
        Self {
            width,
            height,
            pitch: width,
            tile,
            data_type: DataType::I32,
            swizzle: Swizzle::None,
        }
    }

    pub(crate) fn columns(self) -> usize {
        self.width.div_ceil(self.tile[0])
    }

    pub(crate) fn tile_bytes(self) -> usize {
        self.tile[0] * self.tile[1] * self.element_bytes()
    }

    pub(crate) fn map(self) -> Tiled {
        TensorMap::tiled(self.data_type, &[self.width as u64, self.height as u64])
            .strides_bytes(&[(self.pitch * self.element_bytes()) as u64])
            .box_dims(&self.tile.map(|dim| dim as u32))
            .swizzle(self.swizzle)
    }

    /// Sets the number of tiles side by side in a patch.
    pub(crate) fn describe(self, side_by_side: u32) -> String {
        let Self {
            width,
            height,
            pitch,
            tile: [columns, rows],
            ..
        } = self;
        let (name, swizzle) = (self.data_type.name(), self.swizzle);
        let patch = match side_by_side {
            1 => String::new(),
            tiles => format!("_by_{tiles}"),
        };
        format!("{width}x{height}_pitch_{pitch}_{name}_tiles_{columns}x{rows}{patch}_{swizzle:?}")
    }

    /// Poison, and the matrix.
    pub(crate) fn buffers(self) -> Vec<Buffer> {
        let source = self.source();
        vec![
            Buffer::new("destination", &vec![-1_i32; source.len()]),
            Buffer::new("source", &source),
        ]
    }

    /// The two buffers after every tile was loaded, had `change` done to each of its elements, and
    /// was stored.
    ///
    /// Elements outside the matrix are loaded as zero. A store cuts rows at the next multiple of 16
    /// bytes, so padding that begins in the middle of one is overwritten.
    pub(crate) fn expected(self, change: impl Fn(u32) -> u32) -> Vec<Expected> {
        let source = self.source();
        let bytes = self.element_bytes();
        let from: &[u8] = bytemuck::cast_slice(&source);
        let mut to = vec![0xff_u8; from.len()];
        let stored_width = (self.width * bytes).next_multiple_of(16) / bytes;
        let covered = (self.columns() * self.tile[0]).min(stored_width);
        for y in 0..self.height {
            for x in 0..covered {
                let at = (y * self.pitch + x) * bytes;
                let mut word = [0; 4];
                if x < self.width {
                    word[..bytes].copy_from_slice(&from[at..at + bytes]);
                }
                let changed = change(u32::from_le_bytes(word)).to_le_bytes();
                to[at..at + bytes].copy_from_slice(&changed[..bytes]);
            }
        }
        vec![Expected::of(0, &to), Expected::of(1, &source)]
    }

    fn source(self) -> Vec<i32> {
        numbers((self.pitch * self.height * self.element_bytes()).div_ceil(4))
    }

    fn element_bytes(self) -> usize {
        self.data_type.bytes() as usize
    }
}

/// Sizes that are not multiples of a tile of 4-byte numbers, padded rows, rows that end in the middle of
/// 16 bytes.
pub(crate) fn ragged(tile: [usize; 2], swizzle: Swizzle) -> Vec<Tiles> {
    let [columns, rows] = tile;
    let sizes = [
        (4, 1, 0),
        (columns, rows, 0),
        (2 * columns + 4, 3 * rows - 1, 0),
        (3 * columns - 3, rows + 1, 3),
        (columns + 1, 2 * rows, columns + 7),
    ];
    let of = |(width, height, padding)| Tiles {
        pitch: width + padding,
        swizzle,
        ..Tiles::packed(width, height, tile)
    };
    sizes.map(of).into()
}
