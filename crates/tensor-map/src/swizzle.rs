//! Positions of bytes in shared memory with a swizzle.
//!
//! The pattern follows the absolute shared address, not the offset in the box: bits of the address
//! from bit 7 up are added without carry to lower ones. So a box that is not at a multiple of
//! [`Tensor::shared_align_bytes`](crate::Tensor::shared_align_bytes) begins in the middle of it.
//!
//! Source: PTX ISA 5.5.7, "Swizzling Modes". Seen on an H100 for pieces of 16 bytes; no GPU was at
//! hand for the others.

use crate::Swizzle;

impl Swizzle {
    /// Returns the place of the byte that would be at this shared address without swizzle. The way back is
    /// the same.
    ///
    /// ```
    /// use tensor_map::Swizzle;
    ///
    /// // The second row of 128 bytes has the pieces of 16 bytes of each pair swapped.
    /// assert_eq!(Swizzle::B128.apply(128), 128 + 16);
    /// assert_eq!(Swizzle::B128.apply(128 + 16), 128);
    /// ```
    pub const fn apply(self, shared_address: u32) -> u32 {
        let row = shared_address >> 7;
        shared_address
            ^ match self {
                Self::None => 0,
                Self::B32 => (row & 1) << 4,
                Self::B64 => (row & 3) << 4,
                Self::B128 => (row & 7) << 4,
                Self::B128Atom32 => (row & 3) << 5,
                Self::B128Atom32Flip8 => (row & 3) << 5 | (row & 1) << 3,
                Self::B128Atom64 => (row & 1) << 6,
            }
    }

    /// Returns the number of bytes that stay together.
    pub const fn piece_bytes(self) -> u32 {
        match self {
            Self::None | Self::B32 | Self::B64 | Self::B128 => 16,
            Self::B128Atom32 => 32,
            Self::B128Atom32Flip8 => 8,
            Self::B128Atom64 => 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swizzle_is_its_own_inverse_and_moves_whole_pieces_within_its_span() {
        for swizzle in Swizzle::ALL {
            let span = swizzle.span_bytes().unwrap_or(16) as u32;
            for address in 0..4096 {
                let moved = swizzle.apply(address);
                assert_eq!(swizzle.apply(moved), address);
                assert_eq!(moved / span, address / span, "{swizzle:?}");
                let piece = swizzle.piece_bytes();
                assert_eq!(moved % piece, address % piece, "{swizzle:?}");
            }
        }
    }

    /// The tables of the PTX manual: the pieces of each row of 128 bytes.
    #[test]
    fn rows_are_permuted_as_the_manual_shows() {
        let row = |swizzle: Swizzle, row: u32, piece: u32| -> [u32; 8] {
            core::array::from_fn(|i| {
                (swizzle.apply(row * 128 + i as u32 * piece) - row * 128) / piece
            })
        };
        assert_eq!(row(Swizzle::B128, 3, 16), [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(row(Swizzle::B64, 2, 16), [2, 3, 0, 1, 6, 7, 4, 5]);
        assert_eq!(row(Swizzle::B32, 5, 16), [1, 0, 3, 2, 5, 4, 7, 6]);
        assert_eq!(row(Swizzle::B128Atom32, 1, 32)[..4], [1, 0, 3, 2]);
        assert_eq!(row(Swizzle::B128Atom64, 1, 64)[..2], [1, 0]);
        assert_eq!(
            row(Swizzle::B128Atom32Flip8, 1, 8),
            [5, 4, 7, 6, 1, 0, 3, 2]
        );
    }
}
