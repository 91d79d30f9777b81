//! The numbers in the source, and in the destination after a run.

/// The expected words of the destination: `hash(index) * factor + addend` in each of the first `words`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub(crate) words: u64,
    pub(crate) factor: u32,
    pub(crate) addend: u32,
    /// Columns of the matrix and of a tile, and rows of a tile, all powers of two; if set, a number's index in its
    /// tile is added.
    pub(crate) tiles: Option<[u32; 3]>,
    /// True if the destination contains the source's numbers beforehand.
    pub(crate) in_place: bool,
}

impl Pattern {
    /// Returns the pattern of `bytes` bytes with `addend` added to each number.
    pub(crate) fn plus(bytes: u64, addend: u32) -> Self {
        Self {
            words: bytes / 4,
            factor: 1,
            addend,
            tiles: None,
            in_place: false,
        }
    }
}

/// Returns the word at an index of the source, as in the helper kernel.
pub(crate) fn hash(index: u64) -> u32 {
    let mut word = (index as u32).wrapping_mul(0x9e37_79b1) ^ (index >> 32) as u32;
    word ^= word >> 15;
    word = word.wrapping_mul(0x85eb_ca77);
    word ^ (word >> 13)
}
