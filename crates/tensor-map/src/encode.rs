//! Parameters that keep all rules into the 128 bytes.

use crate::{Im2col, Params, Swizzle, Target, Tensor, TensorMap, Tiled, layout};

type Words = [u64; TensorMap::WORDS];

/// Returns the map of parameters that keep all rules; of others it makes no sense, but does not panic.
pub(crate) const fn encode(params: &Params, address: u64, target: Target) -> TensorMap {
    let mut words = [0; TensorMap::WORDS];
    tensor(&mut words, params.tensor(), address, target);
    match params {
        Params::Tiled(params) => tiled(&mut words, params),
        Params::Im2col(params) => im2col(&mut words, params),
        Params::Im2colWide(params) => im2col(&mut words, &params.as_im2col()),
    }
    TensorMap::from_words(words)
}

const fn tensor(words: &mut Words, tensor: &Tensor, address: u64, target: Target) {
    let rank = tensor.rank();
    layout::GLOBAL_ADDRESS.set(words, address);
    layout::RANK.set(words, rank.saturating_sub(1) as u64);
    let (code, tf32) = layout::type_code(tensor.data_type);
    layout::DATA_TYPE.set(words, code);
    layout::TF32.set(words, tf32);
    layout::INTERLEAVE.set(words, tensor.interleave as u64);
    layout::OOB_FILL.set(words, tensor.oob_fill as u64);
    layout::L2_PROMOTION.set(words, tensor.l2_promotion as u64);
    let (span, atom) = swizzle_codes(tensor.swizzle);
    layout::SWIZZLE.set(words, span);
    layout::SWIZZLE_ATOM.set(words, atom);
    layout::LARGE_TENSOR.set(words, is_large(tensor, target) as u64);
    layout::BOX_ALIGN.set(words, counted_align(tensor));
    let mut dim = 0;
    while dim < rank && dim < layout::DIM.len() {
        layout::DIM[dim].set(words, tensor.dims.at(dim).wrapping_sub(1));
        let element_stride = tensor.element_strides.at(dim).wrapping_sub(1);
        layout::ELEMENT_STRIDE[dim].set(words, element_stride as u64);
        if dim + 1 < rank && dim < layout::STRIDE_LOW.len() {
            set_stride(words, dim, tensor.strides_bytes.at(dim));
        }
        dim += 1;
    }
}

/// Reserved on Hopper; from 128 KiB on for later GPUs, where older drivers have it wrong
/// (NVIDIA bug 5736804, see `layout::LARGE_TENSOR`).
pub(crate) const fn is_large(tensor: &Tensor, target: Target) -> bool {
    target.is_blackwell() && tensor.span_bytes() >= 128 * 1024
}

/// Returns the alignment of a box as drivers count it.
pub(crate) const fn counted_align(tensor: &Tensor) -> u64 {
    match tensor.swizzle.span_bytes() {
        Some(span) => span * 8,
        None => 16,
    }
}

/// Puts the stride of dimension `stride + 1` into a map.
pub(crate) const fn set_stride(words: &mut Words, stride: usize, bytes: u64) {
    layout::STRIDE_LOW[stride].set(words, bytes >> 4);
    layout::STRIDE_HIGH[stride].set(words, bytes >> 36);
}

/// Returns the codes of a swizzle in the fields for span and atom.
pub(crate) const fn swizzle_codes(swizzle: Swizzle) -> (u64, u64) {
    match swizzle {
        Swizzle::None => (0, 0),
        Swizzle::B32 => (1, 0),
        Swizzle::B64 => (2, 0),
        Swizzle::B128 => (3, 0),
        Swizzle::B128Atom32 => (3, 1),
        Swizzle::B128Atom32Flip8 => (3, 2),
        Swizzle::B128Atom64 => (3, 3),
    }
}

const fn tiled(words: &mut Words, tiled: &Tiled) {
    let mut dim = 0;
    while dim < tiled.tensor.rank() && dim < layout::BOX.len() {
        layout::BOX[dim].set(words, tiled.box_dims.at(dim).wrapping_sub(1) as u64);
        dim += 1;
    }
    layout::BOX_BYTES.set(words, counted_box_bytes(tiled));
}

/// Returns the bytes of a box as drivers count them: whole element strides only, in dimension 0 too, so
/// that a box of 16 elements with a stride of 5 counts as 3, though 4 are copied.
pub(crate) const fn counted_box_bytes(tiled: &Tiled) -> u64 {
    let mut elements: u64 = 1;
    let mut dim = 0;
    while dim < tiled.tensor.rank() {
        let length = tiled.box_dims.at(dim) as u64;
        let stride = tiled.tensor.element_strides.at(dim) as u64;
        let counted = if stride > 1 { length / stride } else { length };
        elements = elements.saturating_mul(counted);
        dim += 1;
    }
    tiled.tensor.data_type.shared_bytes(elements)
}

/// Returns the bytes of a column as drivers count them: all channels, even of interleaved tensors.
pub(crate) const fn counted_column_bytes(im2col: &Im2col) -> u64 {
    let pixel = im2col
        .tensor
        .data_type
        .shared_bytes(im2col.channels_per_pixel as u64);
    pixel.saturating_mul(im2col.pixels_per_column as u64)
}

const fn im2col(words: &mut Words, im2col: &Im2col) {
    layout::IM2COL.set(words, 1);
    let spatial = im2col.tensor.rank().saturating_sub(2);
    let mut dim = 0;
    while dim < spatial && dim < 3 {
        let lower = im2col.lower_corner.at(dim) as i64 as u64;
        layout::corner(false, spatial, dim).set(words, lower);
        let upper = im2col.upper_corner.at(dim) as i64 as u64;
        layout::corner(true, spatial, dim).set(words, upper);
        dim += 1;
    }
    layout::CHANNELS.set(words, im2col.channels_per_pixel.wrapping_sub(1) as u64);
    layout::PIXELS.set(words, im2col.pixels_per_column.wrapping_sub(1) as u64);
    layout::BOX_BYTES.set(words, counted_column_bytes(im2col));
}
