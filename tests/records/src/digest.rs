//! Digests that distinguish results of the current launches from others: FNV-1a of 128 bits, by words of
//! 8 bytes.

use std::fmt::{self, Display, Formatter};

/// A digest of the bytes so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u128);

impl Digest {
    /// The digest of no bytes.
    pub const EMPTY: Self = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);

    /// Adds these bytes.
    #[must_use]
    pub fn and(self, bytes: &[u8]) -> Self {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let add = |digest: u128, word: u64| (digest ^ u128::from(word)).wrapping_mul(PRIME);
        let mut digest = add(self.0, bytes.len() as u64);
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            digest = add(digest, u64::from_le_bytes(word));
        }
        Self(digest)
    }
}

impl Display for Digest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
