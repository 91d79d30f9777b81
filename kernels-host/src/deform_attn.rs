use launch::{Launch, Violations};
use tensor_map::{DataType, L2Promotion, TensorMap, Tiled};

use crate::conditions::{Conditions, product};

/// Multi-scale deformable attention, forward, on halves.
///
/// `value` has for each batch the four images one behind the other, `[H][W][32]`, with a border of
/// one pixel of zeros around each; `locations` has two halves (X, then Y) and `weights` one half for
/// `[batch][query][image][8 points]`; `output` is `[batch][query][32]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeformAttn {
    /// How pixels are fetched.
    pub form: DeformAttnForm,
    /// Height and width of each image, the border counted.
    pub shapes: [[u32; 2]; 4],
    /// Batches.
    pub batches: u32,
    /// Queries of a batch.
    pub queries: u32,
    /// The images' buffer.
    pub value: usize,
    /// The buffer of the locations.
    pub locations: usize,
    /// The buffer of the weights.
    pub weights: usize,
    /// The buffer that is written.
    pub output: usize,
    /// Blocks.
    pub blocks: u32,
    /// Warps of a block.
    pub warps: u32,
    /// Parts that the batches are worked on in, one after the other, so that a part stays in the
    /// L2 cache; of the forms with tiles.
    pub waves: u32,
}

/// How pixels are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeformAttnForm {
    /// By ordinary loads.
    Gather,
    /// As tiles, with 1, 2 or 4 stages in each warp.
    Tiles {
        /// The stages.
        stages: u32,
    },
    /// As tiles of the first two images, the others being in shared memory; with 1 or 2 stages in
    /// each warp.
    Resident {
        /// The stages.
        stages: u32,
    },
}

impl DeformAttn {
    /// Channels of a pixel.
    pub const CHANNELS: u32 = 32;
    /// Places that a query looks at in each image.
    pub const POINTS: u32 = 8;

    const PIXEL_BYTES: u32 = 2 * Self::CHANNELS;

    /// Pixels of a batch.
    pub fn pixels(&self) -> u64 {
        self.pixels_before(4)
    }

    fn pixels_before(&self, image: usize) -> u64 {
        let shapes = self.shapes.iter().take(image);
        shapes
            .map(|[height, width]| u64::from(*height) * u64::from(*width))
            .fold(0, u64::saturating_add)
    }

    fn value_bytes(&self) -> u64 {
        let pixels = self.pixels().saturating_mul(self.batches.into());
        pixels.saturating_mul(Self::PIXEL_BYTES.into())
    }

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        for (image, [height, width]) in self.shapes.into_iter().enumerate() {
            let reason = "a pixel and its border, and halves of a word:";
            conditions.within(
                &format!("height of image {image}"),
                height,
                3..=65535,
                reason,
            );
            conditions.within(&format!("width of image {image}"), width, 3..=65535, reason);
        }
        let reason = "bytes of a batch are counted in 32 bits:";
        let most = u64::from(u32::MAX / Self::PIXEL_BYTES);
        conditions.within("pixels of a batch", self.pixels(), 0..=most, reason);
        let reason = "numbers of queries fit in 32 bits: batches times queries of";
        let all = u64::from(self.batches) * u64::from(self.queries).next_multiple_of(8);
        conditions.within(
            "queries of all batches",
            all,
            1..=u64::from(u32::MAX),
            reason,
        );
        let most_warps = match self.form {
            DeformAttnForm::Resident { .. } => 28,
            _ => 8,
        };
        conditions.within("warps of a block", self.warps, 1..=most_warps, "there are");
        let threads = self.warps.saturating_mul(32);
        let launch = |entry: &str| Launch::new(entry, self.blocks, threads);
        let launch = match self.form {
            DeformAttnForm::Gather => {
                launch("deform_attn_gather").buffer_of(self.value, self.value_bytes())
            }
            DeformAttnForm::Tiles { stages } => {
                conditions.one_of("stages", stages, &[1, 2, 4], "there are kernels for");
                let shared_bytes = self.warps.saturating_mul(stages).saturating_mul(8960 + 8);
                let entry = launch(&format!("deform_attn_tiles_{stages}"));
                self.with_maps(entry.shared_bytes(shared_bytes), 4)
            }
            DeformAttnForm::Resident { stages } => {
                conditions.one_of("stages", stages, &[1, 2], "there are kernels for");
                let images = self.pixels() - self.pixels_before(2);
                let images = images.saturating_mul(u64::from(Self::PIXEL_BYTES));
                let stages_bytes = self.warps.saturating_mul(stages).saturating_mul(4864 + 8);
                let stages_bytes = stages_bytes.saturating_add(8);
                let shared_bytes = images
                    .checked_next_multiple_of(128)
                    .and_then(|images| u32::try_from(images).ok())
                    .map_or(u32::MAX, |images| images.saturating_add(stages_bytes));
                let entry = launch(&format!("deform_attn_resident_{stages}"));
                self.with_maps(entry.shared_bytes(shared_bytes), 2)
                    .buffer_of(self.value, self.value_bytes())
            }
        };
        let queries = product(&[self.batches, self.queries]);
        let places = u64::from(4 * Self::POINTS);
        let launch = launch
            .buffer_of(self.locations, queries.saturating_mul(4 * places))
            .buffer_of(self.weights, queries.saturating_mul(2 * places))
            .buffer_of(
                self.output,
                queries.saturating_mul(Self::PIXEL_BYTES.into()),
            );
        let launch = self
            .shapes
            .iter()
            .fold(launch, |launch, [height, width]| {
                launch.scalar((height << 16) | (width & 0xffff))
            })
            .scalar(self.batches)
            .scalar(self.queries);
        if self.form == DeformAttnForm::Gather {
            return conditions.launch(launch);
        }
        conditions.within(
            "waves",
            self.waves,
            1..=self.batches,
            "parts of the batches:",
        );
        conditions.launch(launch.scalar(self.waves))
    }

    fn with_maps(&self, launch: Launch, images: usize) -> Launch {
        (0..images).fold(launch, |launch, image| {
            let pixels = self.pixels_before(image);
            let offset_bytes = pixels.saturating_mul(Self::PIXEL_BYTES.into());
            launch.tensor_map_at(self.map(image), self.value, offset_bytes)
        })
    }

    /// The image of all batches as matrices whose columns are the channels of all pixels of a row: a
    /// tile of 2 x 2 pixels is two runs of 128 bytes. Small tiles at random places want no promotion
    /// in L2.
    fn map(&self, image: usize) -> Tiled {
        let [height, width] = self.shapes[image];
        let columns = u64::from(width) * u64::from(Self::CHANNELS);
        let batch_bytes = self.pixels().saturating_mul(Self::PIXEL_BYTES.into());
        TensorMap::tiled(
            DataType::F16,
            &[columns, u64::from(height), u64::from(self.batches)],
        )
        .strides_bytes(&[2 * columns, batch_bytes])
        .box_dims(&[2 * Self::CHANNELS, 2, 1])
        .l2_promotion(L2Promotion::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_memory_of_the_shapes_that_were_measured_fits_an_h100() {
        let attention = DeformAttn {
            form: DeformAttnForm::Resident { stages: 1 },
            shapes: [[94, 162], [48, 82], [25, 42], [14, 22]],
            batches: 48,
            queries: 1000,
            value: 0,
            locations: 1,
            weights: 2,
            output: 3,
            blocks: 132,
            warps: 28,
            waves: 1,
        };
        assert_eq!(attention.pixels(), 20522);
        let launch = attention.launch().unwrap();
        assert_eq!(launch.shape.shared_bytes, 86912 + 28 * 4872 + 8);
        assert!(u64::from(launch.shape.shared_bytes) <= launch::Limits::SM_90.shared_bytes);
        let wrong = DeformAttn {
            form: DeformAttnForm::Resident { stages: 3 },
            shapes: [[94, 162], [2, 82], [25, 42], [14, 22]],
            warps: 32,
            waves: 49,
            ..attention
        };
        assert_eq!(
            wrong.launch().unwrap_err().to_string(),
            "kernel-condition: height of image 1 is 2; a pixel and its border, and halves of a word: \
             3 to 65535; take 3\n\
             kernel-condition: warps of a block is 32; there are 1 to 28; take 28\n\
             kernel-condition: stages is 3; there are kernels for 1, 2; take 2\n\
             kernel-condition: waves is 49; parts of the batches: 1 to 48; take 48"
        );
    }
}
