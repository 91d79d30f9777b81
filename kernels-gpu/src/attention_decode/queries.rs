//! The queries of a warpgroup in shared memory.

use super::{ELEMENTS, Row};

/// The vectors of 16 bytes of a warpgroup's queries, row by row.
#[derive(Clone, Copy)]
pub(super) struct Vectors {
    /// The first row of the head of keys, which exists.
    pub(super) first: Row,
    /// The first row of the warpgroup.
    pub(super) first_row: u32,
}

impl Vectors {
    /// The number of elements of a vector.
    pub(super) const ELEMENTS: u32 = 8;
    pub(super) const OF_ROW: u32 = ELEMENTS / Self::ELEMENTS;

    /// Returns the number in the row, and the row.
    #[inline(always)]
    pub(super) const fn place(number: u32) -> [u32; 2] {
        [number % Self::OF_ROW, number / Self::OF_ROW]
    }
}
