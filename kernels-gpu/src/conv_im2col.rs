//! A small convolution whose rows of pixels are fetched by im2col loads: for each place of the filter
//! one copy brings the pixels under it, of 32 results that follow each other across rows and images.

use tma::{
    Barrier, TensorMap,
    float::fma,
    kernel,
    ptx::{cp_async_bulk_tensor, mbarrier::Mbarrier},
    shared,
    thread::{block_idx, is_elected, sync_threads, thread_idx},
};

/// Channels of a pixel.
pub const CHANNELS: usize = 16;
/// Channels of a result.
pub const FILTERS: usize = 8;
/// Columns and rows of the filter.
pub const SIDE: usize = 3;
/// Results that a block computes.
pub const PIXELS: usize = 32;

const TAPS: usize = SIDE * SIDE;
const COLUMN_ELEMS: u32 = (CHANNELS * PIXELS) as u32;
const COLUMN_BYTES: u32 = 4 * COLUMN_ELEMS;

/// Convolves images of `f32` in `[N][H][W][C]` order with filters of 3 x 3 pixels, in steps of one.
///
/// The result has `[N][height][width]` pixels of [`FILTERS`] channels. `first` is the column and row
/// of the pixel under the first place of the filter for the first result: minus the padding.
///
/// # Safety
/// 1. `images` is an im2col map of `f32` with dimensions [`CHANNELS`], W, H, N, whose box of pixels has
///    `width` by `height` pixels from `first` on, [`CHANNELS`] channels for each pixel and [`PIXELS`]
///    pixels for each column, no swizzle; nobody writes the images while the kernel runs.
/// 2. `filters` has `[FILTERS][SIDE][SIDE][CHANNELS]` numbers, `output` room for `pixels` pixels, which
///    is `width * height * N`; nobody else writes the one or uses the other.
/// 3. Grid and blocks are one-dimensional; there is a block of 256 threads for each [`PIXELS`] results.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/sm_90a/conv_im2col.ptx"), "\n```"))]
#[kernel(max_threads = 256)]
pub unsafe fn conv_im2col(
    #[grid_constant] images: &TensorMap,
    filters: *const f32,
    output: *mut f32,
    width: u32,
    height: u32,
    pixels: u32,
    first: i32,
) {
    // For each place of the filter, the pixels under it for all results.
    shared! {
        static COLUMNS: [f32; TAPS * CHANNELS * PIXELS] align 128;
        static BAR: Mbarrier;
    }
    let columns = COLUMNS::ptr();
    if thread_idx().x == 0 {
        // SAFETY: one thread does so, before any other uses the barrier.
        unsafe { Barrier::init(BAR::ptr(), 1) };
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: the meeting orders the initialisation before; one thread arrives, with the bytes.
    let bar = unsafe { Barrier::assume_init(BAR::ptr()) };

    // SAFETY: whole warps are here, and blocks are one-dimensional (3).
    if unsafe { is_elected() } {
        // The first result of this block; the copy goes on along W, H and N by itself.
        let result = block_idx().x * PIXELS as u32;
        let (column, row, image) = (
            result % width,
            result / width % height,
            result / width / height,
        );
        let coords = [0, column as i32 + first, row as i32 + first, image as i32];
        for tap in 0..TAPS as u32 {
            let offsets = [tap as u16 % SIDE as u16, tap as u16 / SIDE as u16];
            // SAFETY: the map has these columns (1), pixels begin at multiples of 64 bytes, and
            // nobody uses the place before the phase completes, which expects the bytes below.
            unsafe {
                cp_async_bulk_tensor::shared_cluster_global_im2col(
                    columns.at(tap * COLUMN_ELEMS).cast(),
                    images,
                    coords,
                    bar.address(),
                    offsets,
                );
            }
        }
        let _ = bar.arrive_expect_tx(TAPS as u32 * COLUMN_BYTES);
    }
    bar.wait_parity(0);

    // A thread has one channel of one result.
    let (pixel, filter) = (
        thread_idx().x / FILTERS as u32,
        thread_idx().x % FILTERS as u32,
    );
    let result = block_idx().x * PIXELS as u32 + pixel;
    let filter_of = filter as usize * TAPS * CHANNELS;
    let mut sum = 0.0;
    for tap in 0..TAPS as u32 {
        // Four channels at once, as far as they lie in shared memory.
        for channel in (0..CHANNELS as u32).step_by(4) {
            let index = tap * COLUMN_ELEMS + pixel * CHANNELS as u32 + channel;
            // SAFETY: the index is in bounds and a multiple of 4, and the copies wrote the pixels.
            let [a, b, c, d] = unsafe { columns.at(index).cast::<[u32; 4]>().read() };
            let weight = filter_of + (tap * CHANNELS as u32 + channel) as usize;
            // SAFETY: the index is in bounds (2).
            let weight = |next: usize| unsafe { *filters.add(weight + next) };
            sum = fma(f32::from_bits(a), weight(0), sum);
            sum = fma(f32::from_bits(b), weight(1), sum);
            sum = fma(f32::from_bits(c), weight(2), sum);
            sum = fma(f32::from_bits(d), weight(3), sum);
        }
    }
    if result < pixels {
        // SAFETY: the output has room for the result (2).
        unsafe { *output.add(result as usize * FILTERS + filter as usize) = sum };
    }
}
