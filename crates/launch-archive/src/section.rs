//! Sections: a name, the number of bytes, a digest of both and of the bytes, and the bytes.

/// What an archive begins with: a name and a version.
pub(crate) const MAGIC: &[u8; 16] = b"tma launch v1\n\0\0";

/// The bytes before those of a section.
pub(crate) const HEAD_BYTES: usize = 24;

/// The sections of an archive, in their order; the memory's stand once for each region.
pub(crate) mod names {
    pub(crate) const LAUNCH: &[u8; 8] = b"launch  ";
    pub(crate) const PTX: &[u8; 8] = b"ptx     ";
    pub(crate) const BEFORE: &[u8; 8] = b"before  ";
    pub(crate) const CHANGES: &[u8; 8] = b"changes ";
    pub(crate) const END: &[u8; 8] = b"end     ";
}

/// A number that another number of bytes, or other bytes, have by chance alone. Every step can be undone, so that one
/// word that was altered is always noticed.
pub(crate) fn digest(name: &[u8; 8], bytes: &[u8]) -> u64 {
    let step = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ (hash >> 32)
    };
    let start = step(u64::from_le_bytes(*name), bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words
        .iter()
        .fold(start, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    step(hash, u64::from_le_bytes(last))
}
