//! Columns of im2col maps.

use tensor_map::{Dims, Im2col, Interleave};

use super::super::{Action, Case, row_pitch_bytes};
use super::coordinates::{Extent, Mood};
use super::tensor::{dim, kinds, lay_out, length, row_elements, unit};
use crate::maps::generate::Random;

pub(super) fn case(random: &mut Random, action: Action) -> Case {
    let rank = 3 + random.below(3) as usize;
    let spatial = rank - 2;
    let mut tensor = kinds(random, action, rank);
    let is_plain = tensor.interleave == Interleave::None;
    let room = random.pick(&[256, 1024, 4096, 8192, 16384]);
    let channels = match tensor.interleave.slice_bytes() {
        // A slice or half of one; mostly not more.
        Some(slice) if !random.once_in(24) => row_elements(random, &tensor, slice),
        _ => row_elements(random, &tensor, room),
    };
    let bytes = channels * tensor.data_type.bytes();
    let pitch = row_pitch_bytes(tensor.interleave, tensor.swizzle, bytes).max(bytes);
    let pixels = length(random, (room / pitch).min(1024)).max(random.below(room / pitch).min(1024));
    let channel_dim = if is_plain { 0 } else { spatial };
    let first_spatial = if is_plain { 1 } else { 0 };
    let wanted: [u64; 5] = std::array::from_fn(|d| match d {
        _ if d == channel_dim && is_plain => dim(random, channels),
        _ if d == channel_dim => 1 + random.below(4),
        _ if d == rank - 1 => 1 + random.below(4),
        _ => 1 + random.below(12),
    });
    lay_out(random, &mut tensor, &wanted[..rank], action, &[]);

    let limit = [1 << 15, 1 << 7, 1 << 4][spatial - 1];
    let (mut lower, mut upper, mut offsets) = ([0; 3], [0; 3], [0; 3]);
    let mut coordinates = vec![0; rank];
    for dim in 0..spatial {
        let pixels = tensor.dims.at(first_spatial + dim) as i64;
        let (first, end) = pixel_box(random, pixels, limit, action);
        (lower[dim], upper[dim]) = (first as i32, (end - pixels) as i32);
        let stride = tensor.element_strides.at(first_spatial + dim);
        coordinates[first_spatial + dim] = pixel(random, first, end, stride.into(), action);
        offsets[dim] = match random.below(24) {
            0 => random.below(2 * limit as u64) as u16,
            1 => (2 * limit - 1) as u16,
            _ => random.below(4) as u16,
        };
    }
    let mood = Mood::new(random, rank);
    for dim in [channel_dim, rank - 1] {
        let is_row = dim == 0 && is_plain;
        let extent = Extent {
            dim,
            tensor: tensor.dims.at(dim),
            reach: if is_row { channels } else { 1 },
            multiple: if is_row { unit(tensor.data_type) } else { 1 },
        };
        coordinates[dim] = extent.coordinate(random, mood, action);
    }
    let im2col = Im2col {
        tensor,
        lower_corner: Dims::<i32>::new(&lower[..spatial]),
        upper_corner: Dims::<i32>::new(&upper[..spatial]),
        channels_per_pixel: channels as u32,
        pixels_per_column: pixels as u32,
    };
    let offsets = match action {
        Action::Load => offsets[..spatial].to_vec(),
        _ => Vec::new(),
    };
    super::place(random, action, im2col.params(), coordinates, offsets)
}

/// The first pixel of the box in a dimension, and its end; a store's has a pixel that is not
/// negative.
fn pixel_box(random: &mut Random, pixels: i64, limit: i64, action: Action) -> (i64, i64) {
    let first = match random.below(12) {
        0..4 => 0,
        4..10 => random.within(-4, 3),
        10 => -limit,
        _ => random.within(-limit, limit - 1),
    };
    let least = match action {
        Action::Load => first + 1,
        _ => (first + 1).max(1),
    };
    // The distance from the tensor's end has as many bits as the distance from its start.
    let (least, most) = (least.max(pixels - limit), pixels + limit - 1);
    let end = match random.below(12) {
        0..3 => pixels,
        3..9 => pixels + random.within(-4, 4),
        9 => least,
        10 => most,
        _ => random.within(least, most),
    };
    (first, end.clamp(least, most))
}

/// A pixel of the box, mostly at a multiple of the element stride from its first.
fn pixel(random: &mut Random, first: i64, end: i64, stride: i64, action: Action) -> i32 {
    let any = match random.below(6) {
        0 | 1 => first,
        2 => end - 1,
        3 => random.within(first, end - 1),
        _ => {
            let steps = (end - first - 1) / stride;
            first + stride * random.within(0, steps)
        }
    };
    let least = match action {
        Action::Load => first,
        _ => 0,
    };
    any.max(least) as i32
}
