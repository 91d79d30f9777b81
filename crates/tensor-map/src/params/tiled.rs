use super::tensor::tensor_setters;
use crate::{
    DataType, Dims, Interleave, L2Promotion, OobFill, Params, Swizzle, Target, Tensor, TensorMap,
    Violations,
};

/// A tensor that is copied in boxes, one rectangle of elements at a time.
///
/// Dimensions, strides and boxes are innermost first. Parameters are checked when the map is built.
///
/// ```
/// use tensor_map::{DataType, Swizzle, TensorMap};
///
/// // An image of f16 in [H][W][C] order: 94 rows of 162 pixels of 32 channels.
/// let (h, w, c) = (94, 162, 32);
/// let map = TensorMap::tiled(DataType::F16, &[c, w, h])
///     .strides_bytes(&[c * 2, w * c * 2])
///     .box_dims(&[32, 2, 2])
///     .swizzle(Swizzle::B64)
///     .build(0x7f00_0000_0000)?;
///
/// // The same, written outermost first.
/// let same = TensorMap::tiled_outermost_first(DataType::F16, &[h, w, c])
///     .box_dims_outermost_first(&[2, 2, 32])
///     .swizzle(Swizzle::B64)
///     .build(0x7f00_0000_0000)?;
/// assert_eq!(map, same);
/// # Ok::<(), tensor_map::Violations>(())
/// ```
#[doc(alias = "cuTensorMapEncodeTiled")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiled {
    /// The tensor in global memory that the map describes.
    pub tensor: Tensor,
    /// Length of the box in each dimension, in elements; those that element strides skip counted.
    #[doc(alias = "boxDim")]
    pub box_dims: Dims<u32>,
}

impl Tiled {
    /// Returns a tensor of `dims` elements per dimension, innermost first, without padding, read in boxes
    /// of one element.
    pub const fn new(data_type: DataType, dims: &[u64]) -> Self {
        Self::of(Tensor::packed(data_type, Dims::<u64>::new(dims)))
    }

    /// Returns the same from dimensions that are written outermost first, as in `[H][W][C]`.
    pub const fn new_outermost_first(data_type: DataType, dims: &[u64]) -> Self {
        Self::of(Tensor::packed(data_type, Dims::<u64>::reversed(dims)))
    }

    const fn of(tensor: Tensor) -> Self {
        Self {
            tensor,
            box_dims: Dims::<u32>::filled(1, tensor.rank()),
        }
    }

    /// Length of the box in each dimension in elements, innermost first.
    #[doc(alias = "boxDim")]
    #[must_use]
    pub const fn box_dims(mut self, box_dims: &[u32]) -> Self {
        self.box_dims = Dims::<u32>::new(box_dims);
        self
    }

    /// Length of the box in each dimension in elements, outermost first.
    #[must_use]
    pub const fn box_dims_outermost_first(mut self, box_dims: &[u32]) -> Self {
        self.box_dims = Dims::<u32>::reversed(box_dims);
        self
    }

    tensor_setters!();

    /// Returns these as parameters of any map.
    pub const fn params(&self) -> Params {
        Params::Tiled(*self)
    }

    /// Returns the number of elements of one box in a dimension, those that its element stride skips left out.
    ///
    /// In interleaved tensors the number is 1 for the dimension of channels, the last but one: a copy
    /// takes one slice, whatever the length of the box. In others the element stride of dimension 0 is
    /// ignored. Both were seen on an H100.
    pub const fn box_elements(&self, dim: usize) -> u64 {
        let interleaved = !matches!(self.tensor.interleave, Interleave::None);
        if interleaved && dim + 2 == self.tensor.rank() {
            return 1;
        }
        let elements = self.box_dims.at(dim) as u64;
        let stride = self.tensor.element_strides.at(dim);
        if stride == 0 || dim == 0 && !interleaved {
            return elements;
        }
        elements.div_ceil(stride as u64)
    }

    /// Returns the number of bytes that one load of the box delivers to its barrier.
    pub const fn box_bytes(&self) -> u64 {
        let mut bytes = match self.tensor.interleave.slice_bytes() {
            Some(slice) => slice.saturating_mul(self.box_elements(0)),
            None => self.tensor.data_type.shared_bytes(self.box_elements(0)),
        };
        let mut dim = 1;
        while dim < self.tensor.rank() {
            bytes = bytes.saturating_mul(self.box_elements(dim));
            dim += 1;
        }
        bytes
    }
}
