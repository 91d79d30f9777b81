use launch::{Launch, Violations};
use tensor_map::{DataType, Im2col, TensorMap};

use crate::conditions::{Conditions, product};

/// Convolves images of 16 channels of `f32`, `[N][H][W][16]`, with eight filters of 3 x 3 pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvIm2col {
    /// Images.
    pub images: u32,
    /// Rows of an image.
    pub height: u32,
    /// Columns of an image.
    pub width: u32,
    /// Pixels of zeros around an image.
    pub padding: u32,
    /// The images' buffer.
    pub data: usize,
    /// The filters' buffer: `[8][3][3][16]`.
    pub filters: usize,
    /// The buffer that is written: `[N][rows][columns][8]`.
    pub output: usize,
}

impl ConvIm2col {
    /// Channels of a pixel.
    pub const CHANNELS: usize = 16;
    /// Channels of a result.
    pub const FILTERS: usize = 8;
    /// Columns and rows of a filter.
    pub const SIDE: usize = 3;

    /// Columns and rows of the result.
    pub fn result(&self) -> [u32; 2] {
        let padding = self.padding.saturating_mul(2);
        [self.width, self.height].map(|side| side.saturating_add(padding).saturating_sub(2))
    }

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        let reason = "a filter of 3 x 3 pixels sees at least one of the image:";
        conditions.within("padding", self.padding, 0..=2, reason);
        let least = 3_u32.saturating_sub(self.padding.saturating_mul(2)).max(1);
        let reason = "the filter fits in the image with its padding: at least";
        conditions.at_least("width", self.width, least, reason);
        conditions.at_least("height", self.height, least, reason);
        conditions.at_least(
            "images",
            self.images,
            1,
            "there is no empty tensor: at least",
        );
        let [width, height] = self.result();
        let pixels = product(&[width, height, self.images]);
        let reason = "results that are numbered in 32 bits:";
        conditions.within("results", pixels, 0..=u64::from(u32::MAX), reason);
        let results_bytes = pixels.saturating_mul(4 * Self::FILTERS as u64);
        let filters_bytes = 4 * Self::FILTERS * Self::SIDE * Self::SIDE * Self::CHANNELS;
        let pixels = pixels as u32;
        conditions.launch(
            Launch::new("conv_im2col", pixels.div_ceil(32).max(1), 256)
                .tensor_map(self.map(), self.data)
                .buffer_of(self.filters, filters_bytes as u64)
                .buffer_of(self.output, results_bytes)
                .scalar(width)
                .scalar(height)
                .scalar(pixels)
                .scalar(-self.border()),
        )
    }

    /// The padding, where it is one that the kernel takes.
    fn border(&self) -> i32 {
        self.padding.min(2) as i32
    }

    /// The box of pixels is where the first place of a filter can be; offsets go on from there.
    fn map(&self) -> Im2col {
        let dims = [Self::CHANNELS as u32, self.width, self.height, self.images].map(u64::from);
        let lower = -self.border();
        let upper = self.border() - (Self::SIDE as i32 - 1);
        TensorMap::im2col(DataType::F32, &dims)
            .pixel_box(&[lower; 2], &[upper; 2])
            .channels_per_pixel(Self::CHANNELS as u32)
            .pixels_per_column(32)
    }
}
