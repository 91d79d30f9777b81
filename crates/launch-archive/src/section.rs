//! Sections: a name, the number of bytes, a digest of both and of the bytes, and the bytes.

/// The first bytes of an archive: a name and a version.
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
/// word that was altered is always noticed. Of the pieces of the bytes, all but the last have a multiple of eight.
pub(crate) fn digest<'a>(name: &[u8; 8], pieces: impl Iterator<Item = &'a [u8]> + Clone) -> u64 {
    let step = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ (hash >> 32)
    };
    let len: usize = pieces.clone().map(<[u8]>::len).sum();
    let mut hash = step(u64::from_le_bytes(*name), len as u64);
    for piece in pieces {
        let (words, rest) = piece.as_chunks::<8>();
        for word in words {
            hash = step(hash, u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            hash = step(hash, u64::from_le_bytes(last));
        }
    }
    hash
}
