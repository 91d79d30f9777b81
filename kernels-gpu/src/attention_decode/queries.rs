//! The queries of a warpgroup in shared memory.

use tma::{SharedPtr, halves::F16};

use super::{BOX, BOXES, Queries, ROWS, Row};

/// The vectors of 16 bytes of a warpgroup's queries, row by row.
#[derive(Clone, Copy)]
pub(super) struct Vectors {
    /// The first row of the head of keys, which exists.
    pub(super) first: Row,
    /// The first row of the warpgroup.
    pub(super) first_row: u32,
    pub(super) queries: SharedPtr<[u32; 4]>,
}

impl Vectors {
    /// The number of elements of a vector, and of vectors of a row of a box.
    pub(super) const ELEMENTS: u32 = 8;
    const OF_BOX: u32 = BOX / Self::ELEMENTS;
    const OF_ROW: u32 = BOXES as u32 * Self::OF_BOX;
    pub(super) const COUNT: u32 = ROWS * Self::OF_ROW;

    /// Returns the number in the row, and the row.
    #[inline(always)]
    pub(super) const fn place(number: u32) -> [u32; 2] {
        [number % Self::OF_ROW, number / Self::OF_ROW]
    }

    #[inline(always)]
    pub(super) fn store(self, number: u32, pairs: [u32; 4]) {
        let [column, row] = Self::place(number);
        // The boxes of all 16-bit numbers are alike.
        let queries: SharedPtr<Queries<F16>> = self.queries.cast();
        let to = queries
            .at(column / Self::OF_BOX)
            .vector([column % Self::OF_BOX, row]);
        // SAFETY: the tile has the vector, which is this thread's until the next barrier.
        unsafe { to.cast().write(pairs) };
    }
}
