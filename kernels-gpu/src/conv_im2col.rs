//! A small convolution that fetches rows of pixels by im2col loads: for each buffer of the
//! filter one copy brings the pixels under it, of 32 results that follow each other across rows and
//! images.

use core::{array, num::NonZero};

use tma::{
    Block, GlobalRef, Swizzle64, TensorMap, Tile, kernel,
    math::fma,
    memory,
    ptx::{Wb, mbarrier::Mbarrier},
    shared,
};

/// The number of channels of a pixel.
pub const CHANNELS: usize = 16;
/// The number of channels of a result.
pub const FILTERS: usize = 8;
/// The number of columns and rows of the filter.
pub const SIDE: usize = 3;
/// Results that a block computes.
pub const PIXELS: usize = 32;

const TAPS: usize = SIDE * SIDE;

/// All filters: for each the channels of its buffer, row by row.
pub type Filters = [[[f32; CHANNELS]; TAPS]; FILTERS];

const COLUMN_ELEMS: u32 = (CHANNELS * PIXELS) as u32;
const COLUMN_BYTES: u32 = 4 * COLUMN_ELEMS;

/// Convolves images of `f32` in `[N][H][W][C]` order with filters of 3 x 3 pixels, in steps of one.
///
/// The result has `[N][height][width]` pixels of [`FILTERS`] channels. `first` is the column and row
/// of the pixel under the first buffer of the filter for the first result: minus the padding.
///
/// # Safety
/// 1. `images` is an im2col map of `f32` with dimensions [`CHANNELS`], W, H, N. Its box of pixels has
///    `width` by `height` pixels from `first` on, [`CHANNELS`] channels for each pixel and [`PIXELS`]
///    pixels for each column, no swizzle. No thread writes the images while the kernel runs.
/// 2. `filters` is as its type requires; `output` has room for `pixels` pixels, which is
///    `width * height * N`, and no other code uses it.
/// 3. Grid and blocks are one-dimensional; there is a block of 256 threads for each [`PIXELS`] results.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/conv_im2col.ptx"), "\n```"))]
#[kernel(max_threads = 256)]
pub unsafe fn conv_im2col(
    #[grid_constant] images: &TensorMap,
    filters: GlobalRef<Filters>,
    output: *mut f32,
    width: NonZero<u32>,
    height: NonZero<u32>,
    pixels: u32,
    first: i32,
) {
    // For each buffer of the filter, the pixels under it for all results.
    shared! {
        static COLUMNS: [f32; TAPS * CHANNELS * PIXELS] align 128;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let vectors = (TAPS * CHANNELS * PIXELS / 4) as u32;
    let columns = block.load_buffer(
        COLUMNS::ptr().cast(),
        vectors,
        BAR::ptr(),
        |loads, columns| {
            // The first result of this block; the copy continues along W, H and N by itself.
            let result = block.index() * PIXELS as u32;
            let (column, row, image) = (
                result % width,
                result / width % height,
                result / width / height,
            );
            let coords = [0, column as i32 + first, row as i32 + first, image as i32];
            for tap in 0..TAPS as u32 {
                let offsets = [tap as u16 % SIDE as u16, tap as u16 / SIDE as u16];
                let to = columns.cast().byte_add(tap * COLUMN_BYTES);
                // SAFETY: the map has these columns (1), pixels begin at multiples of 64 bytes, and
                // no thread uses the buffer before it is loaded.
                unsafe { loads.im2col(to, images, coords, offsets, COLUMN_BYTES) };
            }
        },
    );
    let columns = columns.wait();

    // A thread has one channel of one result.
    let (pixel, filter) = (
        block.thread() / FILTERS as u32 % PIXELS as u32,
        block.thread() % FILTERS as u32,
    );
    let result = block.index() * PIXELS as u32 + pixel;
    let filter_of = &filters[filter as usize];
    let mut sum = 0.0;
    // Row by row, since three buffers are few enough for the compiler to unroll their loop.
    for row in 0..SIDE {
        for column in 0..SIDE {
            let tap = row * SIDE + column;
            // Four channels at once, as far as they are in shared memory.
            for channel in (0..CHANNELS).step_by(4) {
                let index = tap as u32 * COLUMN_ELEMS + pixel * CHANNELS as u32 + channel as u32;
                let [a, b, c, d]: [u32; 4] = columns.get(index / 4);
                let weights = &filter_of[tap];
                sum = fma(f32::from_bits(a), weights[channel], sum);
                sum = fma(f32::from_bits(b), weights[channel + 1], sum);
                sum = fma(f32::from_bits(c), weights[channel + 2], sum);
                sum = fma(f32::from_bits(d), weights[channel + 3], sum);
            }
        }
    }
    if result < pixels {
        // SAFETY: the output has room for the result (2).
        unsafe { *output.add(result as usize * FILTERS + filter as usize) = sum };
    }
}

/// Results that a thread of [`conv_im2col_padded`] computes.
pub const EACH: usize = 3;
/// The number of threads of a block of [`conv_im2col_padded`].
pub const THREADS: u32 = 128;
/// The number of pixels that one load of [`conv_im2col_padded`] brings.
pub const COLUMN: u32 = 128;
/// The most columns of an image with its padding that [`conv_im2col_padded`] takes.
pub const MOST_WIDTH: u32 = 1024;

const PIXELS_OF_BLOCK: u32 = EACH as u32 * THREADS;

/// Pixels in shared memory; a swizzle spreads their rows of 64 bytes over the banks.
type Pixels = Tile<[[f32; CHANNELS]; COLUMN as usize], Swizzle64>;

/// Loads of a block.
const fn loads(width: u32) -> u32 {
    let (rows, columns) = (SIDE as u32 - 1, SIDE as u32 - 1);
    (PIXELS_OF_BLOCK + rows * width + columns).div_ceil(COLUMN)
}

/// Works like [`conv_im2col`], with all channels of [`EACH`] results for each thread, and each pixel loaded once for a block.
///
/// The images with their padding are one sequence of pixels, in the order in which im2col loads of all of it bring
/// them. There the pixels under a filter are at the same distances from its first one everywhere. Each pixel of
/// the sequence has a result, but results of the last columns and rows of an image, where the filter does not fit, are
/// left out.
///
/// # Safety
/// 1. `images` is an im2col map of `f32` with dimensions [`CHANNELS`], W, H, N. Its box of pixels has the image with
///    its padding, `width` by `height` pixels from `first` on, [`CHANNELS`] channels for each pixel and [`COLUMN`]
///    pixels for each column, with a 64-byte swizzle. No thread writes the images while the kernel runs.
/// 2. `filters` has all filters at a multiple of 16 bytes, which no thread writes; `output` has room for
///    `(width - 2) * (height - 2) * N` pixels at a multiple of 16 bytes, and no other code uses it.
/// 3. `pixels` is `width * height * N`; `width` is [`MOST_WIDTH`] at most.
/// 4. Grid and blocks are one-dimensional; there is a block of [`THREADS`] threads for each `EACH * THREADS` pixels,
///    and the launch has the shared memory.
#[kernel(
    max_threads = 128,
    shared_bytes = u64::from(loads(width.get())) * size_of::<Pixels>() as u64
)]
pub unsafe fn conv_im2col_padded(
    #[grid_constant] images: &TensorMap,
    filters: *const Filters,
    output: *mut f32,
    width: NonZero<u32>,
    height: NonZero<u32>,
    pixels: u32,
    first: i32,
) {
    shared! {
        static WEIGHTS: Filters align 16;
        static LOADED: Mbarrier;
    }
    let buffer = shared::dynamic::<Pixels, 1024>();
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    let start = block.index() * PIXELS_OF_BLOCK;
    let position = |pixel: u32| {
        [
            pixel % width,
            pixel / width % height,
            pixel / width / height,
        ]
    };
    let loading = block.load(LOADED::ptr(), |transaction| {
        // SAFETY: the filters exist (2), and shared memory has room for them.
        unsafe {
            transaction.bulk(
                WEIGHTS::ptr().cast(),
                filters.cast(),
                size_of::<Filters>() as u32,
            )
        };
        for load in 0..loads(width.get()) {
            let [column, row, image] = position(start + load * COLUMN).map(|number| number as i32);
            let coords = [0, column + first, row + first, image];
            let to = buffer.add(load).cast();
            // SAFETY: the map has this column (1), for which there is room (4) that no thread uses before it is loaded.
            unsafe { transaction.im2col(to, images, coords, [0, 0], size_of::<Pixels>() as u32) };
        }
    });
    loading.wait();

    let (pixels_in, weights) = (buffer, WEIGHTS::ptr().cast::<[f32; 4]>());
    let mut sums = [[0.0; FILTERS]; EACH];
    for tap in 0..TAPS as u32 {
        let ahead = tap / SIDE as u32 * width.get() + tap % SIDE as u32;
        for vector in 0..CHANNELS as u32 / 4 {
            let seen: [[f32; 4]; EACH] = array::from_fn(|number| {
                let pixel = block.thread() + number as u32 * THREADS + ahead;
                // SAFETY: the pixel has been loaded.
                unsafe { pixels_in.vector([vector, pixel]).read() }
            });
            let weights: [[f32; 4]; FILTERS] = array::from_fn(|filter| {
                let index =
                    (filter * TAPS * CHANNELS) as u32 / 4 + tap * CHANNELS as u32 / 4 + vector;
                // SAFETY: the weights have been loaded.
                unsafe { weights.add(index).read() }
            });
            sums = array::from_fn(|number| {
                array::from_fn(|filter| {
                    let ([a, b, c, d], [e, f, g, h]) = (seen[number], weights[filter]);
                    fma(d, h, fma(c, g, fma(b, f, fma(a, e, sums[number][filter]))))
                })
            });
        }
    }
    let beyond = SIDE as u32 - 1;
    for (number, sums) in sums.iter().enumerate() {
        let pixel = start + number as u32 * THREADS + block.thread();
        let [column, row, image] = position(pixel);
        if pixel < pixels && column + beyond < width.get() && row + beyond < height.get() {
            let rows = image as usize * (height.get() - beyond) as usize + row as usize;
            let result = rows * (width.get() - beyond) as usize + column as usize;
            let [a, b, c, d, e, f, g, h] = *sums;
            // SAFETY: the output has room for the result (2).
            unsafe {
                let to = output.add(result * FILTERS).cast::<[f32; 4]>();
                memory::store::<Wb, _>(to, [a, b, c, d]);
                memory::store::<Wb, _>(to.add(1), [e, f, g, h]);
            }
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{ConvIm2col, ConvIm2colForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, Im2col, Swizzle, TensorMap};
    use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

    use super::{
        CHANNELS, COLUMN, FILTERS, MOST_WIDTH, PIXELS, PIXELS_OF_BLOCK, SIDE, THREADS, conv_im2col,
        conv_im2col_padded,
    };
    use crate::arguments::{divisor, product};

    /// Convolves images of 16 channels of `f32`, `[N][H][W][16]`, with eight filters of 3 x 3 pixels.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ConvIm2col {
        /// The results of a thread.
        pub form: ConvIm2colForm,
        /// The number of images.
        pub images: u32,
        /// The number of rows of an image.
        pub height: u32,
        /// The number of columns of an image.
        pub width: u32,
        /// The number of pixels of zeros around an image.
        pub padding: u32,
        /// The images' buffer.
        pub data: usize,
        /// The filters' buffer: `[8][3][3][16]`.
        pub filters: usize,
        /// The buffer that is written: `[N][rows][columns][8]`.
        pub output: usize,
    }

    /// The results of a thread.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ConvIm2colForm {
        /// One channel of one result.
        Result,
        /// All channels of three results.
        Results,
    }

    impl ConvIm2col {
        /// Returns the columns and rows of the result.
        pub fn result(&self) -> [u32; 2] {
            let padding = self.padding.saturating_mul(2);
            [self.width, self.height].map(|side| side.saturating_add(padding).saturating_sub(2))
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let reason = "the 3 x 3 filter must cover at least one pixel of the image";
            conditions.within("padding", self.padding, 0..=2, reason);
            let least = 3_u32.saturating_sub(self.padding.saturating_mul(2)).max(1);
            let reason = "the filter must fit in the padded image";
            conditions.at_least("width", self.width, least, reason);
            conditions.at_least("height", self.height, least, reason);
            conditions.at_least("images", self.images, 1, "a tensor must not be empty");
            let [width, height] = self.result();
            let pixels = product(&[width, height, self.images]);
            let reason = "results, with those past the last, are numbered in 32 bits";
            let most = u32::MAX - PIXELS as u32;
            conditions.within("results", pixels, 0..=u64::from(most), reason);
            conditions.reads(Region::tensor(self.map(), self.data));
            let number_bytes = size_of::<f32>() as u64;
            let filters = (FILTERS * SIDE * SIDE * CHANNELS) as u64;
            conditions.reads(Region::bytes(self.filters, filters * number_bytes));
            let results_bytes = FILTERS as u64 * number_bytes;
            let output_bytes = pixels.saturating_mul(results_bytes);
            conditions.writes(Region::bytes(self.output, output_bytes));
            if self.form == ConvIm2colForm::Results {
                return self.padded(conditions);
            }
            let pixels = pixels as u32;
            let call = conv_im2col(
                MapRef::new(self.map(), self.data),
                BufferRef::new(self.filters),
                BufferRef::new(self.output),
                divisor(width),
                divisor(height),
                pixels,
                -self.border(),
            );
            let blocks = pixels.div_ceil(PIXELS as u32).max(1);
            (call, Shape::new(blocks, 256))
        }

        fn padded(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let padding = self.padding.saturating_mul(2);
            let [width, height] =
                [self.width, self.height].map(|side| side.saturating_add(padding));
            let reason = "columns of the padded image that fit in shared memory";
            conditions.within("width", width, 0..=MOST_WIDTH, reason);
            let pixels = product(&[width, height, self.images]);
            // Pixels that a block loads after its own are numbered, too.
            let most = u32::MAX - PIXELS_OF_BLOCK - 3 * MOST_WIDTH;
            let reason = "padded pixels, with those past the last, are numbered in 32 bits";
            conditions.within("pixels", pixels, 0..=u64::from(most), reason);
            let pixels = pixels as u32;
            let map = self
                .map()
                .pixel_box(&[-self.border(); 2], &[self.border(); 2])
                .pixels_per_column(COLUMN)
                .swizzle(Swizzle::B64);
            let call = conv_im2col_padded(
                MapRef::new(map, self.data),
                BufferRef::new(self.filters),
                BufferRef::new(self.output),
                divisor(width.min(MOST_WIDTH)),
                divisor(height),
                pixels,
                -self.border(),
            );
            let blocks = pixels.div_ceil(PIXELS_OF_BLOCK).max(1);
            (call, Shape::new(blocks, THREADS))
        }

        /// Returns the padding, where it is one that the kernel takes.
        fn border(&self) -> i32 {
            self.padding.min(2) as i32
        }

        /// The box of pixels contains all positions of a filter's first buffer; offsets go on from
        /// there.
        fn map(&self) -> Im2col {
            let dims = [CHANNELS as u32, self.width, self.height, self.images].map(u64::from);
            let lower = -self.border();
            let upper = self.border() - (SIDE as i32 - 1);
            TensorMap::im2col(DataType::F32, &dims)
                .pixel_box(&[lower; 2], &[upper; 2])
                .channels_per_pixel(CHANNELS as u32)
                .pixels_per_column(PIXELS as u32)
        }
    }
}
