use tma_launch::{Call, Conditions, Region, Shape};

use super::{
    EACH, MEDIUM, SHORT_BYTES, shared_bytes,
    short::{OF_WARP, VECTOR_BYTES, VECTORS},
};
use crate::arguments::{bulk, in_place_or_apart, product};

/// The number of threads that a multiprocessor has registers for, for every kernel that draws rows.
const RESIDENT: u32 = 576;
/// Shared memory of a multiprocessor, and the part that each block takes besides its own.
const SHARED_BYTES: u64 = 228 << 10;
const RESERVED_BYTES: u64 = 2 << 10;
/// The number of warps of a block that have a short row each.
const WARPS: u32 = 4;

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// `f32`.
    F32,
    /// `bf16`.
    Bf16,
}

impl Numbers {
    const fn bytes(self) -> u32 {
        match self {
            Self::F32 => 4,
            Self::Bf16 => 2,
        }
    }
}

/// Evaluates an expression with `$element` as the type of the numbers.
macro_rules! with_element {
    ($numbers:expr, $element:ident => $value:expr) => {
        match $numbers {
            $crate::rows::Numbers::F32 => {
                type $element = f32;
                $value
            }
            $crate::rows::Numbers::Bf16 => {
                type $element = tma::halves::Bf16;
                $value
            }
        }
    };
}
pub(crate) use with_element;

/// Rows that are stored one after the other, and where rows are made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The type of all elements.
    pub numbers: Numbers,
    /// The number of elements of a row: a multiple of 16 bytes, at most 32768.
    pub len: u32,
    /// The number of rows.
    pub rows: u32,
    /// The buffer that is written, which may be that which is read.
    pub dst: usize,
    /// The buffer that is read.
    pub src: usize,
    /// The buffer of the counter from which blocks draw their rows, a `u32` that is zero; short rows are not drawn.
    pub counter: usize,
    /// The number of multiprocessors.
    pub multiprocessors: u32,
}

impl Default for Rows {
    /// Rows of `bf16`, on the 132 multiprocessors of an H100 or H200.
    fn default() -> Self {
        Self {
            numbers: Numbers::Bf16,
            len: 0,
            rows: 0,
            dst: 0,
            src: 1,
            counter: 2,
            multiprocessors: 132,
        }
    }
}

/// The kernel that makes the rows.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// The kernel for short rows.
    Short,
    /// The kernel with blocks that draw rows from the counter.
    Ring {
        /// True if rows are long.
        is_long: bool,
    },
}

impl Rows {
    /// Makes the call of a kernel over the rows, which has a buffer for each parameter of a column; `call` gets the
    /// form.
    pub(crate) fn checked_call<'a>(
        &self,
        conditions: &mut Conditions,
        parameters: &[usize],
        call: impl FnOnce(Form) -> Call<'a>,
    ) -> (Call<'a>, Shape) {
        let Self { len, rows, .. } = *self;
        let row_bytes = product(&[len, self.numbers.bytes()]);
        let reason = "a row must fit in the shared memory of a block";
        conditions.within("len", len, 1..=2 * MEDIUM, reason);
        bulk(conditions, "bytes per row", row_bytes);
        let region = |buffer| Region::bytes(buffer, row_bytes.saturating_mul(rows.into()));
        in_place_or_apart(conditions, region(self.dst), region(self.src));
        for parameter in parameters {
            conditions.reads(Region::bytes(*parameter, row_bytes));
        }
        let is_long = len > MEDIUM;
        let ring = self.ring(is_long);
        let reason = "rows, and draws past the last row, are counted in 32 bits";
        let most = (u32::MAX - 512).saturating_sub(ring.grid.x);
        conditions.within("rows", rows, 1..=most, reason);
        let (form, shape) = if let Some(short) = self.short(row_bytes) {
            (Form::Short, short)
        } else {
            conditions.zeroed(Region::bytes(self.counter, size_of::<u32>() as u64));
            (Form::Ring { is_long }, ring)
        };
        (call(form), shape)
    }

    /// Returns the number of blocks of short rows, and their threads, which are counted in 32 bits.
    fn short(&self, row_bytes: u64) -> Option<Shape> {
        if row_bytes > SHORT_BYTES.into() {
            return None;
        }
        let vectors = (row_bytes as u32).div_ceil(VECTOR_BYTES);
        let (blocks, threads) = if vectors <= OF_WARP {
            (self.rows.div_ceil(WARPS), WARPS * 32)
        } else {
            (self.rows, vectors.div_ceil(VECTORS).next_multiple_of(32))
        };
        blocks.checked_mul(threads)?;
        Some(Shape::new(blocks, threads))
    }

    /// Returns the number of blocks that draw rows, which run at once, and their threads.
    fn ring(&self, is_long: bool) -> Shape {
        let len = self.len;
        let each = if is_long { 2 * EACH } else { EACH };
        let workers = len.min(2 * MEDIUM).div_ceil(each).next_multiple_of(32);
        let threads = 32 + workers;
        let shared_bytes = with_element!(self.numbers, T => shared_bytes::<T>(is_long, len));
        let fit = SHARED_BYTES / (shared_bytes + RESERVED_BYTES);
        let resident = u64::from(RESIDENT / threads).min(fit).max(1);
        let most_blocks = resident * u64::from(self.multiprocessors);
        let blocks = u64::from(self.rows).min(most_blocks.max(1)) as u32;
        Shape::new(blocks, threads)
    }
}
