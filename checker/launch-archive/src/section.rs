//! Sections: a name, the number of bytes, a digest of everything, and the bytes.

/// The first bytes of an archive, with a name and a version.
pub(crate) const MAGIC: &[u8; 16] = b"tma launch v2\n\0\0";

/// Size of a section header in bytes.
pub(crate) const HEAD_BYTES: usize = 24;

/// Memory is stored in parts of this size; the last one of a region may be smaller.
pub const PART_BYTES: usize = 2 << 20;

/// The sections of an archive in order; memory sections repeat for each part of a region.
pub(crate) mod names {
    pub(crate) const LAUNCH: &[u8; 8] = b"launch  ";
    pub(crate) const PTX: &[u8; 8] = b"ptx     ";
    pub(crate) const BEFORE: &[u8; 8] = b"before  ";
    pub(crate) const CHANGES: &[u8; 8] = b"changes ";
    pub(crate) const END: &[u8; 8] = b"end     ";
}

/// Returns a digest that other contents have only by chance. Each step is invertible, so that a single altered word
/// is always detected. All pieces of the bytes except the last must have a length that is a multiple of eight.
///
/// The digest also depends on the index of the section. Words are distributed over several lanes, which a processor
/// computes in parallel, and combined at the end.
pub(crate) fn digest<'a>(
    name: &[u8; 8],
    index: u64,
    pieces: impl Iterator<Item = &'a [u8]> + Clone,
) -> u64 {
    const LANES: usize = 8;
    let step = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ (hash >> 32)
    };
    let len: usize = pieces.clone().map(<[u8]>::len).sum();
    let first = step(step(u64::from_le_bytes(*name), index), len as u64);
    // The first lane belongs to the next word.
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| step(first, lane as u64));
    for piece in pieces {
        let (words, rest) = piece.as_chunks::<8>();
        let (rounds, others) = words.as_chunks::<LANES>();
        for round in rounds {
            for (lane, word) in lanes.iter_mut().zip(round) {
                *lane = step(*lane, u64::from_le_bytes(*word));
            }
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let others = others.iter().chain((!rest.is_empty()).then_some(&last));
        let mut count = 0;
        for (lane, word) in lanes.iter_mut().zip(others) {
            *lane = step(*lane, u64::from_le_bytes(*word));
            count += 1;
        }
        lanes.rotate_left(count);
    }
    lanes.into_iter().fold(first, step)
}
