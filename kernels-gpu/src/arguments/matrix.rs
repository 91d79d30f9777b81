use tensor_map::{DataType, L2Promotion, TensorMap, Tiled};
use tma_launch::Conditions;

/// A matrix of 4-byte elements, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// Distance from the first element of a row to the first of the next, in elements.
    pub pitch: usize,
}

impl Matrix {
    /// Returns a matrix without padding.
    pub const fn packed(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pitch: width,
        }
    }

    /// Returns the number of elements of its buffer.
    pub const fn len_elems(self) -> usize {
        self.pitch * self.height
    }

    /// Returns the map of its tiles of these columns and rows, of `i32`.
    pub fn map(self, tile: [u32; 2]) -> Tiled {
        self.map_of(DataType::I32, tile)
    }

    /// Works like [`map`](Self::map), of other numbers of 4 bytes. Tiles side by side are all fetched, 128 bytes at a time.
    pub(crate) fn map_of(self, element: DataType, tile: [u32; 2]) -> Tiled {
        TensorMap::tiled(element, &[self.width as u64, self.height as u64])
            .strides_bytes(&[self.pitch_bytes()])
            .box_dims(&tile)
            .l2_promotion(L2Promotion::B128)
    }

    const fn pitch_bytes(self) -> u64 {
        (self.pitch as u64).saturating_mul(4)
    }

    pub(crate) fn check(self, name: &str, conditions: &mut Conditions) {
        let of = |what: &str| format!("{what} of {name}");
        let reason = "coordinates have 31 bits";
        conditions.within(&of("width"), self.width as u64, 1..=1 << 31, reason);
        conditions.within(&of("height"), self.height as u64, 1..=1 << 31, reason);
        self.check_pitch(&of("pitch"), conditions);
    }

    fn check_pitch(self, parameter: &str, conditions: &mut Conditions) {
        let Self { width, pitch, .. } = self;
        if pitch.is_multiple_of(4) && pitch >= width {
            return;
        }
        let below = pitch / 4 * 4;
        let above = pitch.max(width).checked_next_multiple_of(4);
        let fixes = [Some(below).filter(|below| *below >= width), above];
        let fixes: Vec<String> = fixes.iter().flatten().map(usize::to_string).collect();
        let limit = format!(
            "must be a multiple of 4 and at least the width, {width} (rows start at multiples of 16 bytes)"
        );
        conditions.refuse(
            parameter,
            pitch,
            limit,
            format!("use {}", fixes.join(" or ")),
        );
    }
}

/// A box begins at a multiple of 16 bytes.
pub(crate) fn check_load(x: i32, conditions: &mut Conditions) {
    conditions.multiple(
        "distance of the first column",
        x.unsigned_abs().into(),
        4,
        "boxes start at multiples of 16 bytes",
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
        conditions.within(name, last, all, "coordinates have 32 bits");
    }
}

/// A store begins at no negative coordinate, either.
pub(crate) fn check_store([x, y]: [i32; 2], conditions: &mut Conditions) {
    let reason = "store coordinates must not be negative";
    conditions.at_least("first column that is stored", x, 0, reason);
    conditions.at_least("first row that is stored", y, 0, reason);
    if x >= 0 {
        conditions.multiple(
            "first column that is stored",
            u64::from(x.unsigned_abs()),
            4,
            "boxes start at multiples of 16 bytes",
        );
    }
}
