//! Multi-scale deformable attention against the operator as its papers have it, in `f64` and on
//! images without a border.

use half::f16;
use kernels_gpu::deform_attn::{self, DeformAttn, DeformAttnForm};
use tma_launch::Buffer;

use super::{Kernel, kept};
use crate::{Expected, Format, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "deform_attn",
    summary: "multi-scale deformable attention on halves: ordinary loads, TMA tiles, coarse levels in shared memory",
    golden: &[
        "deform_attn_gather",
        "deform_attn_resident_1",
        "deform_attn_pairs",
    ],
    showcase: || scenario(SMALL, DeformAttnForm::Resident { stages: 1 }, Uniform),
    cases,
};

/// Cases at the sizes that were measured; every query of the first batch, and some of the others, are
/// compared.
pub(super) const LARGE: &[super::Large] = &[
    ("deform_attn_1000_gather", || large(1000, 0, Uniform)),
    ("deform_attn_1000_resident_1", || large(1000, 1, Uniform)),
    ("deform_attn_1000_pairs", || large(1000, 3, Uniform)),
    ("deform_attn_1000_local_gather", || large(1000, 0, Local)),
    ("deform_attn_1000_local_resident_1", || {
        large(1000, 1, Local)
    }),
    ("deform_attn_1000_local_pairs", || large(1000, 3, Local)),
    ("deform_attn_20522_gather", || large(20522, 0, Uniform)),
    ("deform_attn_20522_resident_1", || large(20522, 1, Uniform)),
    ("deform_attn_20522_pairs", || large(20522, 3, Uniform)),
    ("deform_attn_20522_local_gather", || large(20522, 0, Local)),
    ("deform_attn_20522_local_resident_1", || {
        large(20522, 1, Local)
    }),
    ("deform_attn_20522_local_pairs", || large(20522, 3, Local)),
];

const FORMS: [DeformAttnForm; 4] = [
    DeformAttnForm::Gather,
    DeformAttnForm::Resident { stages: 1 },
    DeformAttnForm::Resident { stages: 2 },
    DeformAttnForm::Pairs,
];

/// The accepted error against the operator: halves in and out, sums in `f32`.
const RELATIVE_L2: f64 = 1e-3;

const IMAGES: usize = 4;
const POINTS: usize = deform_attn::POINTS as usize;
const CHANNELS: usize = deform_attn::CHANNELS as usize;

/// The sizes of a case.
#[derive(Clone, Copy)]
struct Size {
    /// Heights and widths, the border not counted.
    shapes: [[usize; 2]; IMAGES],
    batches: usize,
    queries: usize,
    blocks: u32,
    warps: u32,
    waves: u32,
    /// After the first batch, one query of this many is compared.
    step: usize,
}

const SMALL: Size = Size {
    shapes: [[11, 16], [7, 9], [5, 4], [2, 3]],
    batches: 3,
    queries: 45,
    blocks: 2,
    warps: 3,
    waves: 2,
    step: 1,
};

/// The locations of the queries.
#[derive(Clone, Copy, Debug)]
enum Distribution {
    /// Anywhere, and up to a fifth of the image beyond its edges.
    Uniform,
    /// Around the query's own location, row by row.
    Local,
}

use Distribution::{Local, Uniform};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for form in FORMS {
        cases.push(scenario(SMALL, form, Uniform));
        cases.push(scenario(SMALL, form, Local));
        // Fewer queries than a warp's capacity, more blocks than groups; one image of one pixel.
        let few = Size {
            shapes: [[1, 1], [3, 1], [1, 5], [2, 2]],
            queries: 3,
            blocks: 9,
            warps: 2,
            waves: 3,
            ..SMALL
        };
        cases.push(scenario(few, form, Uniform));
        let single = Size {
            batches: 1,
            queries: 64,
            blocks: 1,
            warps: 1,
            waves: 1,
            ..SMALL
        };
        cases.push(scenario(single, form, Local));
    }
    cases
}

/// The form is the one with this number among all.
fn large(queries: usize, form: usize, distribution: Distribution) -> Scenario {
    let form = FORMS[form];
    let (blocks, warps) = match form {
        DeformAttnForm::Gather => (132 * 4, 8),
        DeformAttnForm::Resident { .. } => (132, 28),
        DeformAttnForm::Pairs => (132, 24),
    };
    let size = Size {
        shapes: [[92, 160], [46, 80], [23, 40], [12, 20]],
        batches: 48,
        queries,
        blocks,
        warps,
        waves: if queries > 10_000 { 2 } else { 1 },
        step: queries / 50,
    };
    scenario(size, form, distribution)
}

/// Numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn half(&mut self, low: f64, high: f64) -> f16 {
        f16::from_f64(low + (high - low) * self.next())
    }
}

/// The operator's input.
struct Input {
    size: Size,
    /// Images without a border for each batch: rows of pixels of channels.
    images: Vec<Vec<f16>>,
    locations: Vec<[f16; 2]>,
    weights: Vec<f16>,
}

impl Input {
    fn new(size: Size, distribution: Distribution) -> Self {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let shapes = (0..size.batches).flat_map(|_| size.shapes);
        let images = shapes.map(|[height, width]| {
            let count = height * width * CHANNELS;
            (0..count).map(|_| random.half(-1.0, 1.0)).collect()
        });
        let images = images.collect();
        let (mut locations, mut weights) = (Vec::new(), Vec::new());
        for query in 0..size.batches * size.queries {
            let query = query % size.queries;
            let sums: Vec<f64> = (0..IMAGES * POINTS).map(|_| 0.05 + random.next()).collect();
            let sum: f64 = sums.iter().sum();
            weights.extend(sums.iter().map(|weight| f16::from_f64(weight / sum)));
            for [height, width] in size.shapes {
                for _ in 0..POINTS {
                    locations.push(match distribution {
                        Uniform => [random.half(-0.2, 1.2), random.half(-0.2, 1.2)],
                        Local => {
                            let columns = (size.queries as f64).sqrt().ceil() as usize;
                            let along = |index: usize, length: usize, moved: f64| {
                                let centre = (index as f64 + 0.5) / columns as f64;
                                f16::from_f64(centre + (8.0 * moved - 4.0) / length as f64)
                            };
                            [
                                along(query % columns, width, random.next()),
                                along(query / columns, height, random.next()),
                            ]
                        }
                    });
                }
            }
        }
        Self {
            size,
            images,
            locations,
            weights,
        }
    }

    /// The images with a border of zeros, one after the other.
    fn value(&self) -> Vec<f16> {
        let mut value = Vec::new();
        let border = |value: &mut Vec<f16>, pixels: usize| {
            value.resize(value.len() + pixels * CHANNELS, f16::ZERO);
        };
        for (image, [_, width]) in self.images.iter().zip(self.size.shapes.iter().cycle()) {
            border(&mut value, width + 2);
            for row in image.chunks(width * CHANNELS) {
                border(&mut value, 1);
                value.extend(row);
                border(&mut value, 1);
            }
            border(&mut value, width + 2);
        }
        value
    }

    /// The result of the operator for a query.
    fn attend(&self, batch: usize, query: usize) -> [f64; CHANNELS] {
        let mut sums = [0.0; CHANNELS];
        for (image, [height, width]) in self.size.shapes.into_iter().enumerate() {
            let pixels = &self.images[batch * IMAGES + image];
            for point in 0..POINTS {
                let index = ((batch * self.size.queries + query) * IMAGES + image) * POINTS + point;
                let [x, y] = self.locations[index].map(f16::to_f64);
                let (x, y) = (x * width as f64 - 0.5, y * height as f64 - 0.5);
                if !(x > -1.0 && y > -1.0 && x < width as f64 && y < height as f64) {
                    continue;
                }
                let weight = self.weights[index].to_f64();
                let (left, top) = (x.floor(), y.floor());
                for (row, down) in [(top, 1.0 - (y - top)), (top + 1.0, y - top)] {
                    for (column, right) in [(left, 1.0 - (x - left)), (left + 1.0, x - left)] {
                        let inside = row >= 0.0
                            && column >= 0.0
                            && row < height as f64
                            && column < width as f64;
                        if !inside {
                            continue;
                        }
                        let pixel = (row as usize * width + column as usize) * CHANNELS;
                        for (channel, sum) in sums.iter_mut().enumerate() {
                            *sum += weight * down * right * pixels[pixel + channel].to_f64();
                        }
                    }
                }
            }
        }
        sums
    }

    fn output(&self) -> Vec<f64> {
        let mut output = Vec::new();
        for batch in 0..self.size.batches {
            for query in 0..self.size.queries {
                let number = batch * self.size.queries + query;
                let compared = self.size.step == 1
                    || (batch == 0 && query < 1000)
                    || number.is_multiple_of(self.size.step);
                if compared {
                    output.extend(self.attend(batch, query));
                } else {
                    output.extend([f64::NAN; CHANNELS]);
                }
            }
        }
        output
    }
}

fn scenario(size: Size, form: DeformAttnForm, distribution: Distribution) -> Scenario {
    let input = Input::new(size, distribution);
    let attention = DeformAttn {
        form,
        shapes: size.shapes.map(|shape| shape.map(|side| side as u32 + 2)),
        batches: size.batches as u32,
        queries: size.queries as u32,
        value: 0,
        locations: 1,
        weights: 2,
        output: 3,
        blocks: size.blocks,
        warps: size.warps,
        waves: size.waves,
    };
    let bits = |halves: &[f16]| -> Vec<u16> { halves.iter().map(|half| half.to_bits()).collect() };
    let locations: Vec<f16> = input.locations.iter().copied().flatten().collect();
    let output = input.output();
    let launch = kept(attention.launch());
    Scenario {
        name: format!(
            "{}_{distribution:?}_{}_batches_of_{}_queries",
            launch.entry, size.batches, size.queries
        )
        .to_lowercase(),
        buffers: vec![
            Buffer::new("value", &bits(&input.value())),
            Buffer::new("locations", &bits(&locations)),
            Buffer::new("weights", &bits(&input.weights)),
            // No half that is a number.
            Buffer::new("output", &vec![0xffff_u16; output.len()]),
        ],
        launches: vec![launch],
        expected: vec![Expected::near(3, Format::F16, output, RELATIVE_L2)],
    }
}
