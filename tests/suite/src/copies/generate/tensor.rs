//! The parameters that tiled and im2col maps have in common.

use tensor_map::{DataType, Dims, Interleave, L2Promotion, Swizzle, Tensor};

use super::super::{Action, tensor_align_bytes};
use super::{data_type, oob_fill};
use crate::maps::generate::Random;

/// A tensor that has no dimensions yet.
pub(super) fn kinds(random: &mut Random, action: Action, rank: usize) -> Tensor {
    let mut tensor = Tensor::packed(data_type(random, action), Dims::<u64>::filled(1, rank));
    if rank >= 3 && random.once_in(3) {
        tensor.interleave = random.pick(&[Interleave::B16, Interleave::B32]);
    }
    tensor.swizzle = random.pick(&Swizzle::ALL[..4]);
    tensor.l2_promotion = random.pick(&L2Promotion::ALL);
    tensor.oob_fill = oob_fill(random, tensor.data_type);
    if random.once_in(3) {
        let strides: [u32; 5] = std::array::from_fn(|_| random.pick(&[1, 1, 2, 3, 4, 5, 6, 7, 8]));
        tensor.element_strides = Dims::<u32>::new(&strides[..rank]);
    }
    tensor
}

/// Elements of 16 bytes.
pub(super) fn unit(data_type: DataType) -> u64 {
    16 / data_type.bytes()
}

/// Returns the length of a box's row in elements: whole units of 16 bytes, within the swizzle's limit,
/// and at most `most_bytes`.
pub(super) fn row_elements(random: &mut Random, tensor: &Tensor, most_bytes: u64) -> u64 {
    let bytes = tensor.data_type.bytes();
    let most_bytes = match (tensor.interleave, tensor.swizzle.span_bytes()) {
        (Interleave::None, Some(span)) => most_bytes.min(span),
        _ => most_bytes,
    };
    let most = (most_bytes / 16).min(256 * bytes / 16).max(1);
    let units = match random.below(3) {
        0 => most,
        1 => 1 + random.below(most.min(4)),
        _ => 1 + random.below(most),
    };
    units * unit(tensor.data_type)
}

/// A length between 1 and `room`, mostly small.
pub(super) fn length(random: &mut Random, room: u64) -> u64 {
    let any = [1, 2, 3, room, 1 + random.below(room), 1 + random.below(8)];
    random.pick(&any).clamp(1, room.max(1))
}

/// Returns the length of a tensor's dimension, near the reach of a box.
pub(super) fn dim(random: &mut Random, reach: u64) -> u64 {
    match random.below(8) {
        0 => 1,
        1 => reach,
        2 => reach + 1,
        3 => reach.saturating_sub(1),
        4 => 1 + random.below(reach),
        5 => reach * 2 + random.below(3),
        _ => reach + random.below(reach + 8),
    }
    .max(1)
}

/// Cuts dimensions to fit into `room` bytes of global memory, and places them in any order, padded or not.
///
/// Loads may also have dimensions that overlap or have a stride of zero, with
/// one of the lengths in `stays`.
pub(super) fn lay_out(
    random: &mut Random,
    tensor: &mut Tensor,
    wanted: &[u64],
    action: Action,
    (room, stays): (u64, &[u64]),
) {
    let align = tensor_align_bytes(tensor);
    let element = tensor.step_bytes();
    let mut dims = [1; 5];
    dims[0] = wanted[0].min((room / element).max(1));
    let row_bytes = (dims[0] * element).next_multiple_of(align);
    let mut pitch = row_bytes + pad(random, align);
    let mut strides = [0; 5];
    for dim in any_order(random, tensor.rank()) {
        dims[dim] = wanted[dim].min((room / pitch).max(1));
        strides[dim - 1] = pitch;
        pitch = pitch * dims[dim] + pad(random, align);
    }
    if action == Action::Load && tensor.rank() > 1 && random.once_in(10) {
        let dim = 1 + random.below(tensor.rank() as u64 - 1) as usize;
        strides[dim - 1] = align * random.below(4).min(strides[dim - 1] / align);
        if strides[dim - 1] == 0 && !stays.is_empty() {
            dims[dim] = random.pick(stays);
        }
    }
    let rank = tensor.rank();
    tensor.dims = Dims::<u64>::new(&dims[..rank]);
    tensor.strides_bytes = Dims::<u64>::new(&strides[..rank - 1]);
}

/// The dimensions from 1 on, from the innermost in memory to the outermost.
fn any_order(random: &mut Random, rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (1..rank).collect();
    if random.once_in(3) {
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u64 + 1) as usize);
        }
    }
    order
}

fn pad(random: &mut Random, align: u64) -> u64 {
    match random.once_in(2) {
        true => align * random.below(5),
        false => 0,
    }
}
