use half::{bf16, f16};
use tensor_map::{Swizzle, TensorMap};
use tests_device::{self as kernels, Limits};
use tma::halves::{Bf16, F16};
use tma_launch::{Buffer, BufferRef, MapRef, Shape};

use super::launched;
use crate::{Expected, Scenario};

/// Columns and rows of the matrix, and from row to row.
const DIMS: [usize; 2] = [40, 6];
const PITCH: usize = 48;

pub(super) fn cases() -> Vec<Scenario> {
    [[0, 0], [8, 1], [24, 3]].map(mixed).into()
}

/// The crate `half` rounds its sums from `f32`, in which sums and products of two halves of similar size
/// are exact.
fn mixed([x, y]: [usize; 2]) -> Scenario {
    let matrix: Vec<f16> = (0..PITCH * DIMS[1])
        .map(|i| f16::from_f32(i as f32 / 97.0 - 1.3))
        .collect();
    let addends: [bf16; 128] = std::array::from_fn(|i| bf16::from_f32(2.71 - i as f32 / 31.0));
    let (factor, limits) = (
        f16::from_f32(-1.7),
        Limits {
            factor: f16::from_f32(0.3).into(),
            ends: [-1.9, 2.3].map(bf16::from_f32),
        },
    );
    let mut stored = matrix.clone();
    let mut output = vec![bf16::ZERO; 128];
    for i in 0..128 {
        let (column, row) = (x + i % 32, y + i / 32);
        let at = (column < DIMS[0] && row < DIMS[1]).then_some(row * PITCH + column);
        let element = at.map_or(f16::ZERO, |at| matrix[at]);
        let product = f16::from_f32(element.to_f32() * factor.to_f32());
        let product = f16::from_f32(product.to_f32() * f16::from(limits.factor).to_f32());
        if let Some(at) = at {
            stored[at] = product;
        }
        let sum = bf16::from_f32(product.to_f32()).to_f32() + addends[i].to_f32();
        let [least, greatest] = limits.ends.map(bf16::to_f32);
        output[i ^ 1] = bf16::from_f32(sum)
            .max(bf16::from_f32(least))
            .min(bf16::from_f32(greatest));
    }
    let map = TensorMap::tiled_of::<F16>(&[DIMS[0] as u64, DIMS[1] as u64])
        .strides_bytes(&[2 * PITCH as u64])
        .box_dims(&[32, 4])
        .swizzle(Swizzle::B64);
    let call = kernels::mixed_halves(
        BufferRef::<bf16>::new(0),
        BufferRef::<Bf16>::new(1),
        MapRef::new(map, 2),
        factor,
        limits,
        x as i32,
        y as i32,
    );
    Scenario {
        name: format!("mixed_halves_{x}_{y}"),
        buffers: vec![
            Buffer::new("output", &[0xffff_u16; 128]),
            Buffer::new("addends", &addends.map(Bf16::from)),
            Buffer::new("matrix", &matrix),
        ],
        launches: vec![launched(call, Shape::new(1, 128))],
        expected: vec![Expected::of(0, &output), Expected::of(2, &stored)],
    }
}
