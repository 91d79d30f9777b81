use tma_launch::{Call, Conditions, Region, Shape};

use super::{LONG, MOST_BYTES, OF_WARP, SHORT, SHORT_BYTES, VECTOR_BYTES};
use crate::arguments::{bulk, in_place_or_apart, product};

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
    /// The number of elements of a row: a multiple of 16 bytes, at most [`super::MOST_BYTES`] bytes.
    pub len: u32,
    /// The number of rows.
    pub rows: u32,
    /// The buffer that is written, which may be that which is read.
    pub dst: usize,
    /// The buffer that is read.
    pub src: usize,
}

impl Default for Rows {
    /// Rows of `bf16`.
    fn default() -> Self {
        Self {
            numbers: Numbers::Bf16,
            len: 0,
            rows: 0,
            dst: 0,
            src: 1,
        }
    }
}

impl Rows {
    /// Makes the call of a kernel over the rows, which has a buffer for each parameter of a column; `call` learns whether
    /// rows are short.
    pub(crate) fn checked_call<'a>(
        &self,
        conditions: &mut Conditions,
        parameters: &[usize],
        call: impl FnOnce(bool) -> Call<'a>,
    ) -> (Call<'a>, Shape) {
        let Self { len, rows, .. } = *self;
        let row_bytes = product(&[len, self.numbers.bytes()]);
        let reason =
            "rows are made of units of 16 bytes, and must fit in the shared memory of a block";
        let lens = [VECTOR_BYTES, MOST_BYTES].map(|bytes| bytes / self.numbers.bytes());
        conditions.within("len", len, lens[0]..=lens[1], reason);
        bulk(conditions, "bytes per row", row_bytes);
        let region = |buffer| Region::bytes(buffer, row_bytes.saturating_mul(rows.into()));
        in_place_or_apart(conditions, region(self.dst), region(self.src));
        for parameter in parameters {
            conditions.reads(Region::bytes(*parameter, row_bytes));
        }
        let reason = "a grid has at most 2^31 - 1 blocks";
        conditions.within("rows", rows, 1..=i32::MAX as u32, reason);
        let vectors = (row_bytes.min(MOST_BYTES.into()) as u32).div_ceil(VECTOR_BYTES);
        let is_short = row_bytes <= SHORT_BYTES.into();
        let shape = if vectors <= OF_WARP {
            Shape::new(rows.div_ceil(WARPS), WARPS * 32)
        } else {
            let of_thread = if is_short { SHORT } else { LONG } as u32;
            Shape::new(rows, vectors.div_ceil(of_thread).next_multiple_of(32))
        };
        (call(is_short), shape)
    }
}
