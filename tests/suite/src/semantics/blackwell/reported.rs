//! Boxes with something to report in them, and without.

use tensor_map::{DataType, Params, TensorMap};

use super::{
    super::{bulk::report_pattern, plan::Plan},
    Box,
};

/// Tiles, and pixels of images.
pub(super) fn plans(opcode: &str) -> Vec<Plan> {
    let rank = (1..=5).find(|rank| opcode.contains(&format!(".{rank}d.")));
    let rank = rank.unwrap_or(1);
    let pattern = report_pattern(opcode).unwrap_or_default();
    let plans = [false, true].map(|is_reported| {
        let word = |at: usize| match is_reported {
            true => u32::from_le_bytes([0, 1, 2, 3].map(|byte| pattern[4 * (at % 4) + byte])),
            // Neither -0 of any width nor 0xff.
            false => at as u32 & 0x7777_7777 | 0x1111_1111,
        };
        let memory: Vec<u32> = (0..1024).map(word).collect();
        let loaded = match opcode.contains(".im2col.") {
            true => pixels(rank, &memory),
            false => tile(rank, &memory),
        };
        Box {
            is_reported,
            memory,
            ..loaded
        }
        .plans(opcode, "reported")
    });
    plans.concat()
}

/// Four words of one row after the other, from a corner of the tensor on.
fn tile(rank: usize, memory: &[u32]) -> Box {
    let dims = &[8, 4, 3, 2, 2][..rank];
    let lengths = [4, 2, 2, 1, 2];
    let first = &[4, 1, 0, 1, 0][..rank];
    let params = TensorMap::tiled(DataType::U32, dims)
        .box_dims(&lengths[..rank])
        .params();
    let elements: u32 = lengths[..rank].iter().product();
    let loaded = (0..elements).map(|element| {
        let (mut rest, mut index, mut stride) = (element, 0, 1);
        for dim in 0..rank {
            index += (first[dim] as u32 + rest % lengths[dim]) * stride;
            rest /= lengths[dim];
            stride *= dims[dim] as u32;
        }
        memory[index as usize]
    });
    of(params, first, Vec::new(), loaded.collect())
}

/// Seven pixels of four channels, contiguous.
fn pixels(rank: usize, memory: &[u32]) -> Box {
    let dims: Vec<u64> = [&[4, 5, 3, 2][..rank - 1], &[3]].concat();
    let corners = vec![0; rank - 2];
    let params = TensorMap::im2col(DataType::U32, &dims)
        .pixel_box(&corners, &corners)
        .channels_per_pixel(4)
        .pixels_per_column(7)
        .params();
    let mut first = vec![0; rank];
    first[1] = 2;
    // Without corners and offsets all pixels are contiguous.
    let loaded = memory[4 * 2..][..4 * 7].to_vec();
    of(params, &first, vec![0; rank - 2], loaded)
}

fn of(params: Params, at: &[i32], offsets: Vec<u16>, loaded: Vec<u32>) -> Box {
    Box {
        params,
        at: at.to_vec(),
        offsets,
        memory: Vec::new(),
        loaded,
        is_reported: false,
    }
}
