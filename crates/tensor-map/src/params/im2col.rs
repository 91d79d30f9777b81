use super::tensor::tensor_setters;
use crate::{
    DataType, Dims, Im2colWide, Interleave, L2Promotion, OobFill, Params, Swizzle, Target, Tensor,
    TensorMap, Violations, WideMode,
};

/// A tensor of pixels that is copied a column of pixels at a time, as the rows of a convolution's
/// matrix.
///
/// The dimensions are C, W, N or C, W, H, N or C, W, H, D, N: channels, one to three spatial
/// dimensions, and the images. Interleaved tensors have the spatial dimensions first, then the
/// slices of channels, then the images. Corners are in the order W, H, D. Parameters are checked when
/// the map is built.
///
/// A copy begins at some pixel and goes along W, then H, then D, then N, within the box of pixels
/// that the corners leave of each image: from `lower` (included) to the dimension plus `upper`
/// (excluded).
///
/// ```
/// use tensor_map::{DataType, TensorMap};
///
/// // 8 images of 56 x 56 pixels of 64 channels, for a 3 x 3 filter with a padding of 1.
/// let map = TensorMap::im2col(DataType::F16, &[64, 56, 56, 8])
///     .pixel_box(&[-1, -1], &[-1, -1])
///     .channels_per_pixel(64)
///     .pixels_per_column(128)
///     .build(0x7f00_0000_0000)?;
/// # Ok::<(), tensor_map::Violations>(())
/// ```
#[doc(alias = "cuTensorMapEncodeIm2col")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Im2col {
    /// The tensor in global memory that the map describes.
    pub tensor: Tensor,
    /// First pixel of the box in each spatial dimension, counted from the tensor's first.
    #[doc(alias = "pixelBoxLowerCorner")]
    pub lower_corner: Dims<i32>,
    /// End of the box in each spatial dimension, counted from the tensor's end.
    #[doc(alias = "pixelBoxUpperCorner")]
    pub upper_corner: Dims<i32>,
    /// The number of elements of one pixel that a copy takes.
    #[doc(alias = "channelsPerPixel")]
    pub channels_per_pixel: u32,
    /// The number of pixels that a copy takes.
    #[doc(alias = "pixelsPerColumn")]
    pub pixels_per_column: u32,
}

impl Im2col {
    /// Returns a tensor of `dims` elements per dimension, innermost first, without padding. Its box of
    /// pixels is all of it, copied one element of one pixel at a time.
    pub const fn new(data_type: DataType, dims: &[u64]) -> Self {
        Self::of(Tensor::packed(data_type, Dims::<u64>::new(dims)))
    }

    /// Returns the same from dimensions that are written outermost first, as in `[N][H][W][C]`.
    pub const fn new_outermost_first(data_type: DataType, dims: &[u64]) -> Self {
        Self::of(Tensor::packed(data_type, Dims::<u64>::reversed(dims)))
    }

    const fn of(tensor: Tensor) -> Self {
        let corner = Dims::<i32>::filled(0, tensor.rank().saturating_sub(2));
        Self {
            tensor,
            lower_corner: corner,
            upper_corner: corner,
            channels_per_pixel: 1,
            pixels_per_column: 1,
        }
    }

    /// Returns the box of pixels: its first pixel counted from the tensor's first, and its end counted from
    /// the tensor's end, in the order W, H, D.
    #[doc(alias = "pixelBoxLowerCorner")]
    #[doc(alias = "pixelBoxUpperCorner")]
    #[must_use]
    pub const fn pixel_box(mut self, lower_corner: &[i32], upper_corner: &[i32]) -> Self {
        self.lower_corner = Dims::<i32>::new(lower_corner);
        self.upper_corner = Dims::<i32>::new(upper_corner);
        self
    }

    /// Returns the number of elements of one pixel that a copy takes.
    #[doc(alias = "channelsPerPixel")]
    #[must_use]
    pub const fn channels_per_pixel(mut self, channels: u32) -> Self {
        self.channels_per_pixel = channels;
        self
    }

    /// Sets the number of pixels that a copy takes.
    #[doc(alias = "pixelsPerColumn")]
    #[must_use]
    pub const fn pixels_per_column(mut self, pixels: u32) -> Self {
        self.pixels_per_column = pixels;
        self
    }

    tensor_setters!();

    /// Returns these as parameters of any map.
    pub const fn params(&self) -> Params {
        Params::Im2col(*self)
    }

    /// Returns the map as the loads `.im2col::w` and `.im2col::w::128` see it: its box along W.
    pub const fn as_wide(&self, mode: WideMode) -> Im2colWide {
        Im2colWide {
            tensor: self.tensor,
            lower_corner: self.lower_corner.at(0),
            upper_corner: self.upper_corner.at(0),
            channels_per_pixel: self.channels_per_pixel,
            pixels_per_column: self.pixels_per_column,
            mode,
        }
    }

    /// Returns the dimension of the tensor that is W, the first spatial one.
    pub const fn first_spatial(&self) -> usize {
        if matches!(self.tensor.interleave, Interleave::None) {
            1
        } else {
            0
        }
    }

    /// Returns the end of the box of pixels in a spatial dimension, counted from the tensor's first pixel.
    pub const fn pixel_end(&self, spatial: usize) -> i64 {
        let length = self.tensor.dims.at(self.first_spatial() + spatial);
        let length = if length > i64::MAX as u64 {
            i64::MAX
        } else {
            length as i64
        };
        length.saturating_add(self.upper_corner.at(spatial) as i64)
    }

    /// Returns the number of bytes that one load delivers to its barrier: of interleaved tensors one slice a pixel,
    /// for any channels per pixel, as observed on an H100.
    pub const fn box_bytes(&self) -> u64 {
        let pixel = match self.tensor.interleave.slice_bytes() {
            Some(slice) => slice,
            None => self
                .tensor
                .data_type
                .shared_bytes(self.channels_per_pixel as u64),
        };
        pixel.saturating_mul(self.pixels_per_column as u64)
    }
}
