use std::sync::Arc;

use cuda_driver::tensor_map::{self as driver, Pixels, Tensor};
use tensor_map::{Params, Rule, Target, layout};
use tma_launch::{Failure, Stage};

use crate::{Device, EncodeError, device::Kind, memory::Memory};

/// A tensor map that does not outlive its tensor.
///
/// Pass it to a kernel parameter that is a grid constant, or store it in global memory with
/// [`Device::upload_tensor_maps`] or in constant memory with
/// [`Module::set_tensor_map`](crate::Module::set_tensor_map).
#[doc(alias = "CUtensorMap")]
#[derive(Clone, Copy, Debug)]
pub struct BufferTensorMap<'buffer> {
    map: tensor_map::TensorMap,
    device: u64,
    memory: &'buffer Arc<Memory>,
}

impl<'buffer> BufferTensorMap<'buffer> {
    /// Wraps a map of a tensor in this memory, on the device with this number.
    pub(crate) fn new(
        map: tensor_map::TensorMap,
        device: u64,
        memory: &'buffer Arc<Memory>,
    ) -> Self {
        Self {
            map,
            device,
            memory,
        }
    }

    /// Returns the memory of the tensor.
    pub(crate) fn memory(&self) -> &'buffer Arc<Memory> {
        self.memory
    }

    pub(crate) fn device_id(&self) -> u64 {
        self.device
    }

    /// Returns the 128 bytes that a kernel gets.
    pub fn encoded(&self) -> &tensor_map::TensorMap {
        &self.map
    }
}

/// Encodes a map of the tensor at `address` on this device. The memory at the address is not checked; see
/// [`Device::tensor_map`].
///
/// For compute capability 9.0, and so on the emulator, the `tensor-map` crate encodes the map; its output was
/// compared with the driver's. For other capabilities the rules are checked here and the driver encodes.
///
/// # Errors
/// The parameters break rules, and the error lists all of them; or the driver refuses them.
#[doc(alias = "cuTensorMapEncodeTiled")]
#[doc(alias = "cuTensorMapEncodeIm2col")]
#[doc(alias = "cuTensorMapEncodeIm2colWide")]
pub fn encode(
    device: &Device,
    params: impl Into<Params>,
    address: u64,
) -> Result<tensor_map::TensorMap, EncodeError> {
    let params = params.into();
    let target = target(device);
    match params.build_for(address, target) {
        Ok(map) if !target.is_blackwell() => Ok(map),
        Err(refused)
            if device.is_emulator()
                || refused
                    .violations()
                    .any(|v| v.rule != Rule::WideBitsUnknown) =>
        {
            Err(EncodeError::Refused(Box::new(refused)))
        }
        _ => Ok(mend(encode_with_driver(device, params, address)?, &params)),
    }
}

/// Returns the properties of a device that rules depend on.
pub fn target(device: &Device) -> Target {
    let capability = device.capability();
    Target::new(capability.major as u8, capability.minor as u8)
}

/// Encodes a map with the driver, without checks or changes.
///
/// # Errors
/// The driver refuses the parameters; or the device is the emulator, which has no driver.
pub fn encode_with_driver(
    device: &Device,
    params: impl Into<Params>,
    address: u64,
) -> Result<tensor_map::TensorMap, EncodeError> {
    let params = params.into();
    let refused = |error| EncodeError::Driver {
        params: Box::new(params),
        address,
        error,
    };
    let Kind::Gpu(gpu) = device.kind() else {
        let failure = Failure::new(Stage::Encode, "the emulator has no driver to encode maps");
        return Err(EncodeError::Context(failure));
    };
    gpu.enter(Stage::Encode).map_err(EncodeError::Context)?;
    let tensor = params.tensor();
    // The driver returns the same error for all ranks above 5.
    let rank = tensor.rank().min(ARRAY_LEN);
    let given = Tensor {
        data_type: tensor.data_type as u32,
        rank: rank as u32,
        global_address: std::ptr::without_provenance_mut(address as usize),
        global_dim_elems: &padded(tensor.dims.as_slice()),
        global_strides_bytes: &padded(tensor.strides_bytes.as_slice()),
        element_strides: &padded(tensor.element_strides.as_slice()),
        interleave: tensor.interleave as u32,
        swizzle: tensor.swizzle as u32,
        l2_promotion: tensor.l2_promotion as u32,
        oob_fill: tensor.oob_fill as u32,
    };
    let map = match params {
        Params::Tiled(tiled) => {
            let box_dims = padded(&tiled.box_dims);
            // SAFETY: the arrays are as long as the greatest rank passed (1, 2).
            unsafe { driver::encode_tiled(&given, &box_dims) }
        }
        Params::Im2col(im2col) => {
            let pixels = Pixels {
                lower_corner: &padded(&im2col.lower_corner)[..],
                upper_corner: &padded(&im2col.upper_corner)[..],
                channels_per_pixel: im2col.channels_per_pixel,
                pixels_per_column: im2col.pixels_per_column,
            };
            // SAFETY: the arrays of the tensor and the corners are as long as the greatest rank passed (1, 2).
            unsafe { driver::encode_im2col(&given, &pixels) }
        }
        Params::Im2colWide(wide) => {
            let pixels = Pixels {
                lower_corner: wide.lower_corner,
                upper_corner: wide.upper_corner,
                channels_per_pixel: wide.channels_per_pixel,
                pixels_per_column: wide.pixels_per_column,
            };
            // SAFETY: the arrays of the tensor are as long as the greatest rank passed (1, 2).
            unsafe { driver::encode_im2col_wide(&given, &pixels, wide.mode as u32) }
        }
    };
    let map = map.map_err(refused)?;
    Ok(tensor_map::TensorMap::from_bytes(map.bytes))
}

/// Length of each array that is passed to the driver.
const ARRAY_LEN: usize = 8;

/// Pads the values with zeros up to the length that the driver may read.
fn padded<T: Copy + Default>(values: &[T]) -> [T; ARRAY_LEN] {
    std::array::from_fn(|dim| values.get(dim).copied().unwrap_or_default())
}

/// Clears a bit that drivers before CUDA 13.2 set for small tensors too (NVIDIA bug 5736804).
fn mend(map: tensor_map::TensorMap, params: &Params) -> tensor_map::TensorMap {
    let mut words = *map.words();
    if params.tensor().span_bytes() < 128 * 1024 {
        layout::LARGE_TENSOR.set(&mut words, 0);
    }
    tensor_map::TensorMap::from_words(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_map::DataType;

    #[test]
    fn values_are_followed_by_zeros() {
        assert_eq!(padded(&[5_u32, 7]), [5, 7, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn the_bit_of_large_tensors_is_cleared_for_small_ones_only() {
        let large_bit = 1 << 21;
        let mut words = [0; 16];
        words[1] = large_bit;
        let map = tensor_map::TensorMap::from_words(words);
        let of = |elements| tensor_map::TensorMap::tiled(DataType::U8, &[elements]).params();
        assert_eq!(mend(map, &of(131_071)).words()[1], 0);
        assert_eq!(mend(map, &of(131_072)).words()[1], large_bit);
    }
}
