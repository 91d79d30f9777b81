//! Walks of copies that need compute capability 10.0, against a step-by-step reading of PTX ISA 9.1,
//! sections 5.5.3.4 (rows) and 5.5.5 (wide im2col).

use tensor_map::{
    DataType, Interleave, Params, TensorMap, WideMode,
    walk::{Direction, NoWalk},
};

/// The rows of a copy: the shared offset of each, the global byte at which it begins, and which of its bytes
/// are in bounds.
type Rows = Vec<(u64, i64, std::ops::Range<u64>)>;

fn walked(walk: tensor_map::walk::Walk) -> Rows {
    walk.map(|row| (row.shared_offset, row.global_offset, row.inside))
        .collect()
}

/// A tensor of f16: channels, W, H, images, without padding.
const DIMS: [i64; 4] = [16, 9, 7, 6];

struct Reference {
    lower: i64,
    upper: i64,
    stride: i64,
    channels: i64,
}

impl Reference {
    /// The pixels of one load, as W and image, by taking one step after the other.
    fn pixels(&self, w: i64, image: i64, groups: &[(i64, i64)], offset: i64) -> Vec<(i64, i64)> {
        let (lower, end) = (self.lower + offset, DIMS[1] + self.upper + offset);
        let step = |(w, image): (i64, i64)| {
            if w + self.stride < end {
                (w + self.stride, image)
            } else {
                (lower, image + 1)
            }
        };
        let mut at = (w + offset, image);
        let mut pixels = Vec::new();
        for (main, halo) in groups {
            for _ in 0..*main {
                pixels.push(at);
                at = step(at);
            }
            let mut beyond = at;
            for _ in 0..*halo {
                pixels.push(beyond);
                beyond = step(beyond);
            }
        }
        pixels
    }

    fn rows(&self, start: [i64; 4], groups: &[(i64, i64)], offset: i64) -> Rows {
        let [c, w, h, n] = start;
        let pixels = self.pixels(w, n, groups, offset);
        let row = |(number, (w, image)): (u64, (i64, i64))| {
            let bytes = 2 * self.channels as u64;
            let global = 2 * (c + DIMS[0] * (w + DIMS[1] * (h + DIMS[2] * image)));
            let there = (0..DIMS[1]).contains(&w)
                && (0..DIMS[2]).contains(&h)
                && (0..DIMS[3]).contains(&image);
            let first = (-c).clamp(0, self.channels) as u64 * 2;
            let last = (DIMS[0] - c).clamp(0, self.channels) as u64 * 2;
            let inside = if there && first < last {
                first..last
            } else {
                0..0
            };
            (number * bytes, global, inside)
        };
        (0..).zip(pixels).map(row).collect()
    }
}

fn wide(reference: &Reference, pixels: u32, mode: WideMode) -> tensor_map::Im2colWide {
    TensorMap::im2col_wide(DataType::F16, &DIMS.map(|dim| dim as u64))
        .pixel_box(reference.lower as i32, reference.upper as i32)
        .element_strides(&[1, reference.stride as u32, 1, 1])
        .channels_per_pixel(reference.channels as u32)
        .pixels_per_column(pixels)
        .mode(mode)
}

#[test]
fn wide_loads_go_along_w_and_then_to_the_next_image() {
    let mut loads = 0;
    for (lower, upper, stride) in [(0, 0, 1), (-1, 0, 1), (-1, -1, 3), (-1, 0, 2), (2, -3, 1)] {
        let reference = Reference {
            lower,
            upper,
            stride,
            channels: 8,
        };
        for (start, halo, offset) in [
            ([0, 2, 3, 0], 2, 0),
            ([8, lower, 0, 4], 0, 1),
            ([-8, lower - 3, -1, 1], 1, 2),
            ([16, 5, 6, 0], 5, 0),
            ([0, 0, 7, -2], 3, 4),
        ] {
            let coordinates = start.map(|number| number as i32);
            for pixels in [1, 20, 128] {
                let map = wide(&reference, pixels, WideMode::W);
                let walk = map
                    .params()
                    .walk(&coordinates, &[halo, offset], Direction::Load);
                let groups = [(i64::from(pixels), i64::from(halo))];
                let rows = reference.rows(start, &groups, offset.into());
                assert_eq!(
                    walked(walk.unwrap()),
                    rows,
                    "{start:?} {pixels} {halo} {offset}"
                );
                assert_eq!(map.load_bytes(halo.into()), 16 * rows.len() as u64);
            }
            let map = wide(&reference, 3, WideMode::W128);
            let walk = map
                .params()
                .walk(&coordinates, &[halo, offset], Direction::Load);
            let rows = reference.rows(start, &[(32, i64::from(halo)); 4], offset.into());
            assert_eq!(walked(walk.unwrap()), rows, "{start:?} {halo} {offset}");
            assert_eq!(map.load_bytes(halo.into()), 16 * rows.len() as u64);
            loads += 4;
        }
    }
    assert_eq!(loads, 100);
}

/// The example of section 5.5.5.3: 128 pixels and two of the halo.
#[test]
fn the_halo_is_behind_the_pixels() {
    let map = TensorMap::im2col_wide(DataType::F16, &[128, 9, 7, 64])
        .channels_per_pixel(64)
        .pixels_per_column(128);
    let at = |mode, halo| -> Vec<i64> {
        let params = map.mode(mode).params();
        let walk = params.walk(&[0, 2, 3, 0], &[halo, 0], Direction::Load);
        walk.unwrap().map(|row| row.global_offset / 256).collect()
    };
    // Pixels are numbered along W, H and the images; a row of pixels is 9, an image 63.
    let numbers = at(WideMode::W, 2);
    assert_eq!(numbers.len(), 130);
    assert_eq!(numbers[..8], [29, 30, 31, 32, 33, 34, 35, 27 + 63]);
    assert_eq!(
        numbers[127..],
        [27 + 3, 27 + 4, 27 + 5].map(|n| n + 14 * 63)
    );
    let numbers = at(WideMode::W128, 2);
    assert_eq!(numbers.len(), 136);
    assert_eq!(numbers[32..34], numbers[34..36]);
    assert_eq!(numbers[31] + 1, numbers[32]);
}

#[test]
fn wide_loads_have_limits_and_stores_are_none() {
    let reference = Reference {
        lower: -1,
        upper: -1,
        stride: 1,
        channels: 8,
    };
    let walk = |mode, w, numbers: &[u16], direction| {
        let params = wide(&reference, 8, mode).params();
        params.walk(&[0, w, 0, 0], numbers, direction).map(drop)
    };
    use WideMode::{W, W128};
    assert_eq!(walk(W, 0, &[511, 31], Direction::Load), Ok(()));
    assert_eq!(walk(W128, 0, &[31, 31], Direction::Load), Ok(()));
    let range = |what, value, max| Err(NoWalk::WideRange { what, value, max });
    let halo = walk(W, 0, &[512, 0], Direction::Load);
    assert_eq!(halo, range("halo", 512, 511));
    let halo = walk(W128, 0, &[32, 0], Direction::Load);
    assert_eq!(halo, range("halo", 32, 31));
    let offset = walk(W, 0, &[0, 32], Direction::Load);
    assert_eq!(offset, range("offset along W", 32, 31));
    assert!(matches!(
        walk(W, 0, &[0], Direction::Load),
        Err(NoWalk::Length { needed: 2, .. })
    ));
    assert!(matches!(
        walk(W, 0, &[0, 0], Direction::Store),
        Err(NoWalk::Unfit(_))
    ));
    // The box ends before pixel 8; to its left a load may begin.
    assert_eq!(walk(W, -100, &[0, 0], Direction::Load), Ok(()));
    assert_eq!(
        walk(W, 8, &[0, 0], Direction::Load),
        Err(NoWalk::OutsidePixelBox {
            dim: 1,
            coordinate: 8
        })
    );
    let im2col = wide(&reference, 8, W128).as_im2col();
    assert_eq!(im2col.as_wide(W128), wide(&reference, 8, W128));
}

#[test]
fn four_rows_are_four_boxes_of_one_row() {
    const STRIDE: u64 = 48;
    let params = |box_dims: &[u32]| {
        TensorMap::tiled(DataType::U32, &[10, 6])
            .strides_bytes(&[STRIDE])
            .box_dims(box_dims)
            .params()
    };
    let mut copies = 0;
    for direction in [Direction::Load, Direction::Store] {
        for column in [-8, -4, 0, 4, 8, 12] {
            for rows in [[0, 1, 2, 3], [5, 5, 0, 6], [-1, 3, 100, 2]] {
                let walk = params(&[8, 1]).walk_rows(column, rows, direction);
                let negative = column < 0 || rows.iter().any(|row| *row < 0);
                if direction == Direction::Store && negative {
                    assert!(matches!(walk, Err(NoWalk::NegativeStore { .. })));
                    continue;
                }
                // Loads end with the tenth element, stores with the 16 bytes that it is in.
                let end = if direction == Direction::Load { 40 } else { 48 };
                let expected = (0..).zip(rows).map(|(number, row)| {
                    let start = 4 * i64::from(column);
                    let first = (-start).clamp(0, 32);
                    let last = (end - start).clamp(0, 32);
                    let inside = if (0..6).contains(&row) && first < last {
                        first as u64..last as u64
                    } else {
                        0..0
                    };
                    (number * 32, start + i64::from(row) * STRIDE as i64, inside)
                });
                assert_eq!(walked(walk.unwrap()), expected.collect::<Rows>());
                copies += 1;
            }
        }
    }
    assert_eq!(copies, 18 + 4 * 2);
    let refused = |params: Params| params.walk_rows(0, [0; 4], Direction::Load).unwrap_err();
    assert!(matches!(refused(params(&[8, 2])), NoWalk::Unfit(_)));
    let unaligned = params(&[8, 1]).walk_rows(1, [0; 4], Direction::Load);
    let error = unaligned.unwrap_err().to_string();
    let fix = "; begin at 0, widen the box from 8 to 12 elements, and skip the first 1";
    assert!(
        error.contains("a multiple of 16 bytes, 4 elements"),
        "{error}"
    );
    assert!(error.ends_with(fix), "{error}");
    let negative = params(&[8, 1]).walk_rows(-1, [0; 4], Direction::Load);
    let fix = "; begin at -4, widen the box from 8 to 12 elements, and skip the first 3";
    let error = negative.unwrap_err().to_string();
    assert!(error.ends_with(fix), "{error}");
    let stored = params(&[8, 1]).walk_rows(6, [0; 4], Direction::Store);
    let error = stored.unwrap_err().to_string();
    assert!(error.ends_with("; begin at a multiple of 4"), "{error}");
    let deep = TensorMap::tiled(DataType::U32, &[8, 8, 8]).box_dims(&[8, 1, 1]);
    assert!(matches!(
        refused(deep.params()),
        NoWalk::Length {
            given: 3,
            needed: 2,
            ..
        }
    ));
    let slices = TensorMap::tiled(DataType::U16, &[8, 8, 8])
        .interleave(Interleave::B16)
        .box_dims(&[8, 1, 1]);
    assert!(matches!(refused(slices.params()), NoWalk::Length { .. }));
    let column = TensorMap::im2col(DataType::F16, &[16, 9, 7, 6]).channels_per_pixel(8);
    assert!(matches!(refused(column.params()), NoWalk::Unfit(_)));
}
