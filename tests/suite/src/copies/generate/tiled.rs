//! Boxes of tiled maps.

use tensor_map::{Dims, Interleave, Tiled};

use super::super::{Action, CopyCase, row_pitch_bytes};
use super::coordinates::{Extent, Mood};
use super::tensor::{dim, kinds, lay_out, length, row_elements, unit};
use crate::maps::generate::Random;

/// Lengths of huge dimensions, whose elements all share one region.
const HUGE: [u64; 4] = [70_000, (1 << 31) - 1, 1 << 31, 1 << 32];

pub(super) fn case(random: &mut Random, action: Action) -> CopyCase {
    let rank = 1 + random.below(5) as usize;
    let mut tensor = kinds(random, action, rank);
    let is_plain = tensor.interleave == Interleave::None;
    let room = random.pick(&[256, 1024, 4096, 8192, 16384]);
    let row = row_elements(random, &tensor, room);
    let mut box_dims = [1; 5];
    box_dims[0] = row;
    let row_bytes = row * tensor.data_type.bytes();
    let mut left = match tensor.interleave.slice_bytes() {
        Some(slice) => {
            let channels = channels(random, slice / tensor.data_type.bytes());
            box_dims[rank - 2] = channels;
            let channels_bytes = channels * tensor.data_type.bytes();
            room / (channels_bytes.next_multiple_of(slice) * row)
        }
        None => room / row_pitch_bytes(tensor.interleave, tensor.swizzle, row_bytes),
    };
    for (dim, slot) in box_dims.iter_mut().enumerate().take(rank).skip(1) {
        if !is_plain && dim == rank - 2 {
            continue;
        }
        let stride = u64::from(tensor.element_strides.at(dim));
        let taken = length(random, left.min(256 / stride));
        left /= taken;
        // Elements after the last copied one do not affect the result.
        *slot = ((taken - 1) * stride + 1 + random.below(stride)).min(256);
    }
    let reach: [u64; 5] = std::array::from_fn(|dim| match dim {
        0 if is_plain => row,
        _ if !is_plain && dim + 2 == rank => 1,
        _ => box_dims[dim],
    });
    let wanted: [u64; 5] = std::array::from_fn(|d| dim(random, reach[d]));
    let room = random.pick(&[512, 2048, 4096, 8192, 16384, 32768]);
    lay_out(random, &mut tensor, &wanted[..rank], action, (room, &HUGE));
    let box_dims = box_dims.map(|length| length as u32);
    let tiled = Tiled {
        tensor,
        box_dims: Dims::<u32>::new(&box_dims[..rank]),
    };
    let mood = Mood::new(random, rank);
    let coordinates = (0..rank).map(|dim| {
        let extent = Extent {
            dim,
            tensor: tensor.dims.at(dim),
            reach: reach[dim],
            multiple: match dim {
                0 if is_plain => unit(tensor.data_type),
                _ => 1,
            },
        };
        extent.coordinate(random, mood, action)
    });
    let coordinates = coordinates.collect();
    super::region(random, action, tiled.params(), coordinates, Vec::new())
}

/// The box's length in channels, of an interleaved tensor.
fn channels(random: &mut Random, of_slice: u64) -> u64 {
    match random.below(24) {
        0 => of_slice + 1 + random.below(of_slice * 2),
        1..8 => of_slice,
        8..16 => 1,
        _ => 1 + random.below(of_slice),
    }
}
