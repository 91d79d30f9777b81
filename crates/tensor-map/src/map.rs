/// The 128 bytes that a tensor copy takes by address.
///
/// Their layout belongs to the hardware. The address must be a multiple of 64 and lie in kernel
/// parameter, constant or global memory; a copy in local memory cannot be used.
///
/// Source: CUDA driver API, "Tensor Map Object Management"; PTX ISA 5.5.8, "Tensor-map".
#[doc(alias = "CUtensorMap")]
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct TensorMap {
    words: [u64; 16],
}

impl TensorMap {
    /// Size in bytes.
    pub const BYTES: usize = 128;

    /// A map of these sixteen little-endian words.
    pub const fn from_words(words: [u64; 16]) -> Self {
        Self { words }
    }

    /// The sixteen little-endian words.
    pub const fn words(&self) -> &[u64; 16] {
        &self.words
    }

    /// The bytes as they lie in memory.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

impl core::fmt::Debug for TensorMap {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("TensorMap(")?;
        for byte in self.to_bytes() {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

const _: () = assert!(size_of::<TensorMap>() == TensorMap::BYTES);
const _: () = assert!(align_of::<TensorMap>() == 64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_words_in_little_endian_order() {
        let mut words = [0; 16];
        words[1] = 0x0102_0304_0506_0708;
        let bytes = TensorMap::from_words(words).to_bytes();
        assert_eq!(&bytes[8..16], &[8, 7, 6, 5, 4, 3, 2, 1]);
        assert!(bytes[16..].iter().all(|byte| *byte == 0));
    }
}
