//! The locations that a query samples, and their weights.

use core::num::NonZero;

use tma::{
    halves::{F16, F16x2},
    math::{floor, fma},
};

use super::{CHANNELS, LEVELS, POINTS};

/// Eight halves: the channels of a lane.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Chunk(pub(super) [F16x2; 4]);

/// Chunks of a pixel, and lanes of a query.
pub(super) const CHUNKS: u32 = CHANNELS / 8;
/// Locations of two neighbouring samples.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Locations([F16x2; 2]);

/// The number of bytes of a pixel.
pub(super) const PIXEL_BYTES: u32 = CHANNELS * 2;

/// The operator's input; a warp takes `QUERIES` queries at a time.
pub(super) struct Problem<const QUERIES: u32> {
    pub(super) value: *const Chunk,
    locations: *const F16x2,
    weights: *const F16,
    output: *mut Chunk,
    pub(super) levels: Levels,
    pub(super) batches: u32,
    queries: NonZero<u32>,
}

/// A batch of the problem.
#[derive(Clone, Copy)]
pub(super) struct Batch(pub(super) u32);

/// A query of the problem, counted over all batches.
#[derive(Clone, Copy)]
pub(super) struct Query(u32);

impl<const QUERIES: u32> Problem<QUERIES> {
    /// [`QUERIES`](Self), to divide by.
    const GROUP: NonZero<u32> = NonZero::new(QUERIES).unwrap();

    /// # Safety
    /// 1. The inputs and the output are as long as the layout requires, and no thread writes the inputs.
    #[inline(always)]
    pub(super) unsafe fn new(
        value: *const Chunk,
        locations: *const F16x2,
        weights: *const F16,
        output: *mut Chunk,
        shapes: [u32; 4],
        batches: u32,
        queries: NonZero<u32>,
    ) -> Self {
        Self {
            value,
            locations,
            weights,
            output,
            levels: Levels::new(shapes),
            batches,
            queries,
        }
    }

    /// Groups of queries in a batch: a warp works on one at a time.
    #[inline(always)]
    pub(super) fn groups_of_batch(&self) -> NonZero<u32> {
        self.queries.div_ceil(Self::GROUP)
    }

    /// Returns the batch of a group, if there is one.
    #[inline(always)]
    pub(super) fn batch(&self, group: u32) -> Option<Batch> {
        let groups = self.groups_of_batch();
        (group < groups.get() * self.batches).then(|| Batch(group / groups))
    }

    /// Returns a query of a group and whether it exists; past the end of the batch, the last one.
    #[inline(always)]
    pub(super) fn query(&self, batch: Batch, group: u32, of_group: u32) -> (Query, bool) {
        let queries = self.queries.get();
        let group = group.wrapping_sub(batch.0 * self.groups_of_batch().get());
        let in_batch = group * QUERIES + of_group;
        let query = batch.0 * queries + in_batch.min(queries - 1);
        (Query(query), in_batch < queries)
    }

    /// Location and weight of a sample; levels and points are counted modulo how many there are.
    #[inline(always)]
    pub(super) fn sample(&self, query: Query, level: u32, point: u32) -> (F16x2, F16) {
        let (level, point) = (level % LEVELS, point % POINTS);
        let index = (query.0 as usize * LEVELS as usize + level as usize) * POINTS as usize
            + point as usize;
        // SAFETY: the query exists, and so does its sample: the inputs are long enough (1 of `new`).
        unsafe { (*self.locations.add(index), *self.weights.add(index)) }
    }

    /// Locations and weights of two neighbouring samples; levels and pairs wrap around.
    #[inline(always)]
    pub(super) fn samples(&self, query: Query, level: u32, pair: u32) -> [(F16x2, F16); 2] {
        let (level, pair) = (level % LEVELS, pair % (POINTS / 2));
        let index = (query.0 as usize * LEVELS as usize + level as usize) * (POINTS / 2) as usize
            + pair as usize;
        // SAFETY: `query` exists and level and pair wrap, so the inputs have this pair (1 of `new`); arrays begin
        // at multiples of 16 bytes, and pairs at multiples of their size.
        let (locations, weights) = unsafe {
            (
                *self.locations.cast::<Locations>().add(index),
                *self.weights.cast::<F16x2>().add(index),
            )
        };
        let [first, second] = locations.0;
        [(first, weights.low()), (second, weights.high())]
    }

    /// Writes the channels of a lane of a query.
    ///
    /// # Safety
    /// 1. The query has this chunk, which no other lane writes.
    #[inline(always)]
    pub(super) unsafe fn store(&self, query: Query, chunk: u32, sums: [f32; 8]) {
        let [a, b, c, d, e, f, g, h] = sums;
        let halves = [[a, b], [c, d], [e, f], [g, h]].map(F16x2::from_f32s);
        let index = query.0 as usize * CHUNKS as usize + chunk as usize;
        // SAFETY: the query exists, and the output is long enough (1 of `new`); the channels are this lane's (1).
        unsafe { *self.output.add(index) = Chunk(halves) };
    }
}

/// An image with its border.
#[derive(Clone, Copy)]
pub(super) struct Level {
    pub(super) width: u32,
    pub(super) height: u32,
    /// The first pixel in its batch.
    pub(super) first: u32,
}

/// The images of a batch.
pub(super) struct Levels(pub(super) [Level; 4]);

impl Levels {
    #[inline(always)]
    pub(super) fn new(shapes: [u32; 4]) -> Self {
        let [a, b, c, d] = shapes.map(|shape| (shape & 0xffff, shape >> 16));
        let starts = [0, a.0 * a.1, a.0 * a.1 + b.0 * b.1];
        let last = starts[2] + c.0 * c.1;
        let level = |(width, height), first| Level {
            width,
            height,
            first,
        };
        Self([
            level(a, starts[0]),
            level(b, starts[1]),
            level(c, starts[2]),
            level(d, last),
        ])
    }

    /// Pixels of a batch.
    #[inline(always)]
    pub(super) fn pixels(&self) -> u32 {
        let last = &self.0[3];
        last.first + last.width * last.height
    }

    /// One of them, chosen without a table in memory.
    #[inline(always)]
    pub(super) fn pick(&self, level: u32) -> Level {
        let [a, b, c, d] = self.0;
        Level {
            width: pick(level, [a.width, b.width, c.width, d.width]),
            height: pick(level, [a.height, b.height, c.height, d.height]),
            first: pick(level, [a.first, b.first, c.first, d.first]),
        }
    }
}

#[inline(always)]
fn pick(index: u32, [a, b, c, d]: [u32; 4]) -> u32 {
    let [even, odd] = if index & 2 == 0 { [a, b] } else { [c, d] };
    if index & 1 == 0 { even } else { odd }
}

/// A sample: the upper left of the four pixels around it, the weights of both rows, and the right column's share of them.
pub(super) struct Around {
    pub(super) column: u32,
    pub(super) row: u32,
    pub(super) upper: f32,
    pub(super) lower: f32,
    pub(super) right: f32,
}

/// The four pixels around a sample, by the upper left one, and the weight of each.
pub(super) struct Corners {
    pub(super) column: u32,
    pub(super) row: u32,
    /// Upper left, upper right, lower left, lower right.
    pub(super) weights: [f32; 4],
}

impl Level {
    /// Returns the pixels around a location in the image with its border.
    ///
    /// A sample outside the image, or at a NaN, has the weight 0.
    #[inline(always)]
    pub(super) fn around(&self, location: F16x2, weight: F16) -> Around {
        let [x, y] = f32s(location);
        // Pixel centres are at halves of the image; the border moves them by one.
        let x = fma(x, (self.width - 2) as f32, 0.5);
        let y = fma(y, (self.height - 2) as f32, 0.5);
        let (end_x, end_y) = ((self.width - 1) as f32, (self.height - 1) as f32);
        let inside = x > 0.0 && y > 0.0 && x < end_x && y < end_y;
        let weight = if inside { weight.to_f32() } else { 0.0 };
        let (x, y) = if inside { (x, y) } else { (0.0, 0.0) };
        let (left, top) = (floor(x), floor(y));
        let (right, down) = (x - left, y - top);
        // SAFETY: both are 0, or greater and below a `u32`.
        let (column, row) = unsafe { (left.to_int_unchecked(), top.to_int_unchecked()) };
        Around {
            column,
            row,
            upper: weight - weight * down,
            lower: weight * down,
            right,
        }
    }

    /// Works like [`around`](Self::around), and returns the weight of each pixel.
    #[inline(always)]
    pub(super) fn corners(&self, location: F16x2, weight: F16) -> Corners {
        let Around {
            column,
            row,
            upper,
            lower,
            right,
        } = self.around(location, weight);
        Corners {
            column,
            row,
            weights: [
                upper - upper * right,
                upper * right,
                lower - lower * right,
                lower * right,
            ],
        }
    }
}

/// Returns the values of two halves, converted one after the other.
#[inline(always)]
fn f32s(halves: F16x2) -> [f32; 2] {
    [halves.low().to_f32(), halves.high().to_f32()]
}

/// Adds a pixel's channels, multiplied by its weight.
#[inline(always)]
pub(super) fn accumulate(sums: &mut [f32; 8], pixel: [F16x2; 4], weight: f32) {
    let [a, b, c, d] = pixel.map(f32s);
    // Spelled out: a loop over the array would keep it in memory.
    let [s0, s1, s2, s3, s4, s5, s6, s7] = *sums;
    *sums = [
        fma(a[0], weight, s0),
        fma(a[1], weight, s1),
        fma(b[0], weight, s2),
        fma(b[1], weight, s3),
        fma(c[0], weight, s4),
        fma(c[1], weight, s5),
        fma(d[0], weight, s6),
        fma(d[1], weight, s7),
    ];
}
