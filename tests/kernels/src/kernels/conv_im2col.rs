use kernels_gpu::conv_im2col::{CHANNELS, ConvIm2col, ConvIm2colForm, FILTERS, SIDE};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "conv_im2col",
    summary: "a 3 x 3 convolution whose pixels are fetched by im2col loads",
    golden: &["conv_im2col"],
    showcase: || scenario(FORMS[0], [2, 16, 16], 1),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for form in FORMS {
        for padding in 0..=2 {
            for shape in [[1, 3, 3], [1, 8, 4], [2, 7, 9], [3, 5, 13]] {
                cases.push(scenario(form, shape, padding));
            }
        }
        cases.push(scenario(form, [5, 1, 1], 1));
        cases.push(scenario(form, [1, 33, 1], 2));
    }
    // Several blocks, whose pixels begin within a row.
    for padding in 0..=2 {
        cases.push(scenario(FORMS[1], [2, 19, 23], padding));
        cases.push(scenario(FORMS[1], [3, 17, 31], padding));
    }
    cases
}

const FORMS: [ConvIm2colForm; 2] = [ConvIm2colForm::Result, ConvIm2colForm::Results];

/// Images, rows and columns.
fn scenario(form: ConvIm2colForm, shape: [usize; 3], padding: usize) -> Scenario {
    let [images, height, width] = shape;
    // Sums of these are exact in any order.
    let small = |number: &i32| (number % 16) as f32;
    let all = numbers(images * height * width * CHANNELS + FILTERS * SIDE * SIDE * CHANNELS);
    let all: Vec<f32> = all.iter().map(small).collect();
    let (data, filters) = all.split_at(images * height * width * CHANNELS);
    let conv = ConvIm2col {
        form,
        images: images as u32,
        height: height as u32,
        width: width as u32,
        padding: padding as u32,
        data: 0,
        filters: 1,
        output: 2,
    };
    let [columns, rows] = [width, height].map(|side| side + 2 * padding - (SIDE - 1));
    let mut expected = Vec::new();
    for image in 0..images {
        for row in 0..rows {
            for column in 0..columns {
                for filter in filters.chunks(SIDE * SIDE * CHANNELS) {
                    let mut sum = 0.0;
                    for (tap, weights) in filter.chunks(CHANNELS).enumerate() {
                        let y = (row + tap / SIDE).wrapping_sub(padding);
                        let x = (column + tap % SIDE).wrapping_sub(padding);
                        if y < height && x < width {
                            let pixel = ((image * height + y) * width + x) * CHANNELS;
                            let pixel = &data[pixel..pixel + CHANNELS];
                            let products = pixel.iter().zip(weights).map(|(a, b)| a * b);
                            sum += products.sum::<f32>();
                        }
                    }
                    expected.push(sum);
                }
            }
        }
    }
    let dims = [FILTERS, columns, rows, images];
    // Memory after the last result stays unchanged.
    expected.extend([-1.0; FILTERS]);
    let launch = kept(conv.launch());
    Scenario {
        name: format!(
            "{}_{images}_images_of_{height}x{width}_padding_{padding}",
            launch.entry
        ),
        buffers: vec![
            Buffer::new("images", data),
            Buffer::new("filters", filters),
            Buffer::new("output", &vec![-1.0_f32; expected.len()]),
        ],
        launches: vec![launch],
        expected: vec![Expected::of(2, &expected).dims(&dims)],
    }
}
