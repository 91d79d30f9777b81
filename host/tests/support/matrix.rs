//! Kernels, and a matrix with boxes for them to copy.

use tensor_map::{DataType, TensorMap, Tiled};
use tma_launch::Ptx;

pub(crate) const PTX: Ptx<'static> = Ptx {
    name: "kernels.ptx",
    text: include_str!("kernels.ptx"),
};

/// A matrix of 64 rows of 100 elements, in rows of 416 bytes; each element is its index there.
pub(crate) fn matrix() -> (Vec<i32>, Tiled) {
    let tiled = TensorMap::tiled(DataType::I32, &[100, 64])
        .strides_bytes(&[416])
        .box_dims(&[16, 16]);
    ((0..104 * 64).collect(), tiled)
}

/// The box at `(x, y)`, zero outside of the matrix.
pub(crate) fn boxed(x: i32, y: i32) -> Vec<i32> {
    let element = |x, y| match (x, y) {
        (0..100, 0..64) => y * 104 + x,
        _ => 0,
    };
    (0..256).map(|i| element(x + i % 16, y + i / 16)).collect()
}
