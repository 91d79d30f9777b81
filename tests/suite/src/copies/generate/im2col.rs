//! Columns of im2col maps.

use tensor_map::{Dims, Im2col, Interleave};

use super::super::{Action, CopyCase, row_pitch_bytes};
use super::coordinates::{Extent, Mood};
use super::tensor::{dim, kinds, lay_out, length, row_elements, unit};
use crate::maps::generate::Random;

pub(super) fn case(random: &mut Random, action: Action) -> CopyCase {
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
    let room = random.pick(&[8192, 16384, 32768]);
    lay_out(random, &mut tensor, &wanted[..rank], action, (room, &[]));

    let limit = [1 << 15, 1 << 7, 1 << 4][spatial - 1];
    let (mut lower, mut upper, mut offsets) = ([0; 3], [0; 3], [0; 3]);
    let mut coordinates = vec![0; rank];
    // Boxes and offsets that go far beyond the image.
    let far = random.once_in(6);
    let starts_inside = !random.once_in(3);
    for dim in 0..spatial {
        let pixels = tensor.dims.at(first_spatial + dim) as i64;
        let (mut first, mut end) = pixel_box(random, pixels, limit, action, far);
        // A store whose box of pixels is not within the tensor is an illegal instruction.
        if action != Action::Load {
            first = first.clamp(0, pixels - 1);
            end = end.clamp(first + 1, pixels);
        }
        (lower[dim], upper[dim]) = (first as i32, (end - pixels) as i32);
        let stride = tensor.element_strides.at(first_spatial + dim);
        let inside = (first.max(0), end.min(pixels) - 1);
        coordinates[first_spatial + dim] = match inside.0 <= inside.1 && starts_inside {
            true => random.within(inside.0, inside.1) as i32,
            false => pixel(random, (first, end), stride.into(), action),
        };
        offsets[dim] = match random.below(if far { 8 } else { 6 }) {
            0..3 => 0,
            3..6 => random.below(3) as u16,
            6 => random.below(2 * limit as u64) as u16,
            _ => (2 * limit - 1) as u16,
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
    super::region(random, action, im2col.params(), coordinates, offsets)
}

/// The first pixel of the box in a dimension, and its end; a store's has a pixel that is not
/// negative.
fn pixel_box(
    random: &mut Random,
    pixels: i64,
    limit: i64,
    action: Action,
    far: bool,
) -> (i64, i64) {
    let first = match random.below(if far { 12 } else { 8 }) {
        0..4 => 0,
        4..8 => random.within(-4, 3),
        8..10 => -limit,
        _ => random.within(-limit, limit - 1),
    };
    // The distance to the tensor's end has as many bits as the distance to its start.
    let least = match action {
        Action::Load => first + 1,
        _ => (first + 1).max(1),
    };
    let (least, most) = (least.max(pixels - limit), pixels + limit - 1);
    let end = match random.below(if far { 12 } else { 8 }) {
        0..4 => pixels,
        4..8 => pixels + random.within(-4, 4),
        8 => least,
        9 => most,
        _ => random.within(least, most),
    };
    (first, end.clamp(least, most))
}

/// A pixel of the box.
fn pixel(random: &mut Random, (first, end): (i64, i64), stride: i64, action: Action) -> i32 {
    let any = match random.below(4) {
        0 => first,
        1 => end - 1,
        2 => random.within(first, end - 1),
        _ => first + stride * random.within(0, (end - first - 1) / stride),
    };
    let least = match action {
        Action::Load => first,
        _ => 0,
    };
    any.max(least) as i32
}
