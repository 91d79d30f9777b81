use super::tensor::tensor_setters;
use crate::{
    DataType, Dims, Im2col, Interleave, L2Promotion, OobFill, Params, Swizzle, Target, Tensor,
    TensorMap, Violations, WideMode,
};

/// A tensor of pixels that is copied a run of pixels along W at a time.
///
/// Dimensions are as in [`Im2col`]. The instructions that use such maps need compute capability
/// 10.0. A driver on an H100 makes an ordinary im2col map of the same parameters, with corners of 0 in
/// H and D, and so does this crate for [`Target::SM_90`]; for later GPUs the bits of the mode
/// are not known, and [`build_for`](Self::build_for) returns an error.
#[doc(alias = "cuTensorMapEncodeIm2colWide")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Im2colWide {
    /// The tensor in global memory that the map describes.
    pub tensor: Tensor,
    /// First pixel of the box along W, counted from the tensor's first.
    #[doc(alias = "pixelBoxLowerCornerWidth")]
    pub lower_corner: i32,
    /// End of the box along W, counted from the tensor's end.
    #[doc(alias = "pixelBoxUpperCornerWidth")]
    pub upper_corner: i32,
    /// The number of elements of one pixel that a copy takes.
    #[doc(alias = "channelsPerPixel")]
    pub channels_per_pixel: u32,
    /// The number of pixels that a copy takes in mode [`WideMode::W`].
    #[doc(alias = "pixelsPerColumn")]
    pub pixels_per_column: u32,
    /// The number of pixels that a copy takes.
    pub mode: WideMode,
}

impl Im2colWide {
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
        Self {
            tensor,
            lower_corner: 0,
            upper_corner: 0,
            channels_per_pixel: 1,
            pixels_per_column: 1,
            mode: WideMode::W,
        }
    }

    /// Returns the box along W: its first pixel counted from the tensor's first, and its end counted from
    /// the tensor's end.
    #[doc(alias = "pixelBoxLowerCornerWidth")]
    #[doc(alias = "pixelBoxUpperCornerWidth")]
    #[must_use]
    pub const fn pixel_box(mut self, lower_corner: i32, upper_corner: i32) -> Self {
        self.lower_corner = lower_corner;
        self.upper_corner = upper_corner;
        self
    }

    /// Returns the number of elements of one pixel that a copy takes.
    #[doc(alias = "channelsPerPixel")]
    #[must_use]
    pub const fn channels_per_pixel(mut self, channels: u32) -> Self {
        self.channels_per_pixel = channels;
        self
    }

    /// Pixels that a copy takes in mode [`WideMode::W`].
    #[doc(alias = "pixelsPerColumn")]
    #[must_use]
    pub const fn pixels_per_column(mut self, pixels: u32) -> Self {
        self.pixels_per_column = pixels;
        self
    }

    /// The number of pixels that a copy takes.
    #[must_use]
    pub const fn mode(mut self, mode: WideMode) -> Self {
        self.mode = mode;
        self
    }

    tensor_setters!();

    /// Returns these as parameters of any map.
    pub const fn params(&self) -> Params {
        Params::Im2colWide(*self)
    }

    /// Returns the pixels that a copy takes: 128 in mode [`WideMode::W128`], for any
    /// [`pixels_per_column`](Self::pixels_per_column) is.
    pub const fn pixels(&self) -> u32 {
        match self.mode {
            WideMode::W => self.pixels_per_column,
            WideMode::W128 => 128,
        }
    }

    /// Returns the number of bytes that one load with a halo of `halo` pixels delivers to its barrier: the halo comes
    /// once, or in mode [`WideMode::W128`] after each 32 pixels.
    pub const fn load_bytes(&self, halo: u32) -> u64 {
        let halos = match self.mode {
            WideMode::W => 1,
            WideMode::W128 => 4,
        };
        let pixels = self.pixels().saturating_add(halo.saturating_mul(halos));
        self.as_im2col().pixels_per_column(pixels).box_bytes()
    }

    /// Returns the number of bytes that one load without a halo delivers to its barrier.
    pub const fn box_bytes(&self) -> u64 {
        self.as_im2col()
            .pixels_per_column(self.pixels())
            .box_bytes()
    }

    /// Returns the ordinary im2col map that a driver on an H100 makes: with the same box along W, the same
    /// pixels per column whatever the mode, and all of H and D. Wide copies have a box of one pixel
    /// along H and D.
    pub const fn as_im2col(&self) -> Im2col {
        let spatial = self.tensor.rank().saturating_sub(2);
        let mut lower_corner = Dims::<i32>::filled(0, spatial);
        lower_corner.put(0, self.lower_corner);
        let mut upper_corner = Dims::<i32>::filled(0, spatial);
        upper_corner.put(0, self.upper_corner);
        Im2col {
            tensor: self.tensor,
            lower_corner,
            upper_corner,
            channels_per_pixel: self.channels_per_pixel,
            pixels_per_column: self.pixels_per_column,
        }
    }
}
