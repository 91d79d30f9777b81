//! Tensor maps: the driver's encoders.
//!
//! Arrays run from the innermost dimension to the outermost. Enumerations are the driver's numbers. Values are not
//! checked here; the driver returns an error for invalid ones. Before `cuInit` it is `CUDA_ERROR_NOT_INITIALIZED`,
//! and without a current context `CUDA_ERROR_INVALID_CONTEXT`.

use std::ffi::{c_int, c_void};

use crate::{DriverError, forward::checked};

/// A tensor map: 128 opaque bytes at a multiple of 64.
#[doc(alias = "CUtensorMap")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct TensorMap {
    /// The bytes, in the order in which the device reads them.
    pub bytes: [u8; 128],
}

const _: () = assert!(size_of::<TensorMap>() == 128 && align_of::<TensorMap>() == 64);

impl TensorMap {
    /// 128 zero bytes, which is not a usable tensor map.
    pub const ZERO: Self = Self { bytes: [0; 128] };
}

/// The parameters that all encoders share.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'a> {
    /// The element type, a `CUtensorMapDataType`.
    #[doc(alias = "CUtensorMapDataType")]
    pub data_type: u32,
    /// The number of dimensions of the tensor.
    pub rank: u32,
    /// The device address of element zero.
    pub global_address: *mut c_void,
    /// The length of each of the `rank` dimensions, in elements.
    pub global_dim_elems: &'a [u64],
    /// The distance between neighbours in each dimension but the innermost (`rank - 1` of them), in
    /// bytes.
    pub global_strides_bytes: &'a [u64],
    /// The step in each of the `rank` dimensions, in elements.
    pub element_strides: &'a [u32],
    /// The interleave, a `CUtensorMapInterleave`.
    #[doc(alias = "CUtensorMapInterleave")]
    pub interleave: u32,
    /// The swizzle, a `CUtensorMapSwizzle`.
    #[doc(alias = "CUtensorMapSwizzle")]
    pub swizzle: u32,
    /// The L2 promotion, a `CUtensorMapL2promotion`.
    #[doc(alias = "CUtensorMapL2promotion")]
    pub l2_promotion: u32,
    /// The fill out of bounds, a `CUtensorMapFloatOOBfill`.
    #[doc(alias = "CUtensorMapFloatOOBfill")]
    pub oob_fill: u32,
}

/// The pixels of an im2col map.
#[derive(Clone, Copy, Debug)]
pub struct Pixels<Corner> {
    /// `pixelBoxLowerCorner`: the offset of the box of pixels from the tensor's lower corner.
    pub lower_corner: Corner,
    /// `pixelBoxUpperCorner`: the offset of the box of pixels from the tensor's upper corner.
    pub upper_corner: Corner,
    /// Elements of the innermost dimension in one pixel.
    pub channels_per_pixel: u32,
    /// The number of pixels in one column.
    pub pixels_per_column: u32,
}

checked! {
    fn cuTensorMapEncodeTiled(
        tensor_map: *mut TensorMap, data_type: u32, rank: u32, global_address: *mut c_void,
        global_dim: *const u64, global_strides: *const u64, box_dim: *const u32,
        element_strides: *const u32, interleave: u32, swizzle: u32, l2_promotion: u32, oob_fill: u32,
    );
    fn cuTensorMapEncodeIm2col(
        tensor_map: *mut TensorMap, data_type: u32, rank: u32, global_address: *mut c_void,
        global_dim: *const u64, global_strides: *const u64, pixel_box_lower_corner: *const c_int,
        pixel_box_upper_corner: *const c_int, channels_per_pixel: u32, pixels_per_column: u32,
        element_strides: *const u32, interleave: u32, swizzle: u32, l2_promotion: u32, oob_fill: u32,
    );
    fn cuTensorMapEncodeIm2colWide(
        tensor_map: *mut TensorMap, data_type: u32, rank: u32, global_address: *mut c_void,
        global_dim: *const u64, global_strides: *const u64, pixel_box_lower_corner_width: c_int,
        pixel_box_upper_corner_width: c_int, channels_per_pixel: u32, pixels_per_column: u32,
        element_strides: *const u32, interleave: u32, mode: u32, swizzle: u32, l2_promotion: u32,
        oob_fill: u32,
    );
    fn cuTensorMapReplaceAddress(tensor_map: *mut TensorMap, global_address: *mut c_void);
}

/// Encodes a map of boxes of `box_dim_elems`, the length in each of the `rank` dimensions in
/// elements.
///
/// # Safety
/// 1. `tensor.global_dim_elems`, `tensor.element_strides` and `box_dim_elems` have at least
///    `tensor.rank` elements, and `tensor.global_strides_bytes` at least `tensor.rank - 1`.
#[doc(alias = "cuTensorMapEncodeTiled")]
pub unsafe fn encode_tiled(
    tensor: &Tensor<'_>,
    box_dim_elems: &[u32],
) -> Result<TensorMap, DriverError> {
    let mut map = TensorMap::ZERO;
    // SAFETY: the signature is the driver's (an enumeration being an `int`-sized integer). The arrays
    // are long enough by condition 1, `map` is aligned and valid for writes, and the driver does not
    // follow the global address.
    unsafe {
        cuTensorMapEncodeTiled(
            &raw mut map,
            tensor.data_type,
            tensor.rank,
            tensor.global_address,
            tensor.global_dim_elems.as_ptr(),
            tensor.global_strides_bytes.as_ptr(),
            box_dim_elems.as_ptr(),
            tensor.element_strides.as_ptr(),
            tensor.interleave,
            tensor.swizzle,
            tensor.l2_promotion,
            tensor.oob_fill,
        )
    }?;
    Ok(map)
}

/// Encodes an im2col map. The corners of `pixels` have an offset for each of the `rank - 2` spatial
/// dimensions, handed on in the order given.
///
/// # Safety
/// 1. `tensor.global_dim_elems` and `tensor.element_strides` have at least `tensor.rank` elements,
///    and `tensor.global_strides_bytes` at least `tensor.rank - 1`.
/// 2. Each corner has at least `tensor.rank - 2` elements.
#[doc(alias = "cuTensorMapEncodeIm2col")]
pub unsafe fn encode_im2col(
    tensor: &Tensor<'_>,
    pixels: &Pixels<&[i32]>,
) -> Result<TensorMap, DriverError> {
    let mut map = TensorMap::ZERO;
    // SAFETY: the signature is the driver's (an enumeration being an `int`-sized integer). The arrays
    // are long enough by conditions 1 and 2, `map` is aligned and valid for writes, and the driver
    // does not follow the global address.
    unsafe {
        cuTensorMapEncodeIm2col(
            &raw mut map,
            tensor.data_type,
            tensor.rank,
            tensor.global_address,
            tensor.global_dim_elems.as_ptr(),
            tensor.global_strides_bytes.as_ptr(),
            pixels.lower_corner.as_ptr(),
            pixels.upper_corner.as_ptr(),
            pixels.channels_per_pixel,
            pixels.pixels_per_column,
            tensor.element_strides.as_ptr(),
            tensor.interleave,
            tensor.swizzle,
            tensor.l2_promotion,
            tensor.oob_fill,
        )
    }?;
    Ok(map)
}

/// Encodes an im2col map with elements loaded along W only. The corners of `pixels` are offsets along W, and `mode`
/// is a `CUtensorMapIm2ColWideMode`. Since CUDA 12.8.
///
/// # Safety
/// 1. `tensor.global_dim_elems` and `tensor.element_strides` have at least `tensor.rank` elements,
///    and `tensor.global_strides_bytes` at least `tensor.rank - 1`.
#[doc(alias = "cuTensorMapEncodeIm2colWide")]
#[doc(alias = "CUtensorMapIm2ColWideMode")]
pub unsafe fn encode_im2col_wide(
    tensor: &Tensor<'_>,
    pixels: &Pixels<i32>,
    mode: u32,
) -> Result<TensorMap, DriverError> {
    let mut map = TensorMap::ZERO;
    // SAFETY: the signature is the driver's (an enumeration being an `int`-sized integer). The arrays
    // are long enough by condition 1, `map` is aligned and valid for writes, and the driver does not
    // follow the global address.
    unsafe {
        cuTensorMapEncodeIm2colWide(
            &raw mut map,
            tensor.data_type,
            tensor.rank,
            tensor.global_address,
            tensor.global_dim_elems.as_ptr(),
            tensor.global_strides_bytes.as_ptr(),
            pixels.lower_corner,
            pixels.upper_corner,
            pixels.channels_per_pixel,
            pixels.pixels_per_column,
            tensor.element_strides.as_ptr(),
            tensor.interleave,
            mode,
            tensor.swizzle,
            tensor.l2_promotion,
            tensor.oob_fill,
        )
    }?;
    Ok(map)
}

/// Replaces the global address of a map.
///
/// # Safety
/// 1. `map` was made by one of the encoders.
#[doc(alias = "cuTensorMapReplaceAddress")]
pub unsafe fn replace_address(
    map: &mut TensorMap,
    global_address: *mut c_void,
) -> Result<(), DriverError> {
    // SAFETY: the signature is the driver's, `map` is a tensor map by condition 1, aligned and valid
    // for reads and writes, and the driver does not follow the global address.
    unsafe { cuTensorMapReplaceAddress(map, global_address) }
}
