use crate::{DataType, Element, Im2col, Im2colWide, Tiled};

/// The 128 bytes that a tensor copy takes by address.
///
/// Their layout belongs to the hardware, see [`layout`](crate::layout). The address must be a
/// multiple of 64 and are in kernel parameter, constant or global memory; a copy in local memory
/// cannot be used.
///
/// Source: CUDA driver API, "Tensor Map Object Management"; PTX ISA 5.5.8, "Tensor-map".
#[doc(alias = "CUtensorMap")]
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct TensorMap {
    words: [u64; Self::WORDS],
}

impl TensorMap {
    /// The size of an encoded tensor map in bytes.
    pub const BYTES: usize = 128;
    /// The number of 64-bit words in an encoded tensor map.
    pub const WORDS: usize = Self::BYTES / 8;

    /// Returns the parameters of a map of boxes; `dims` in elements, innermost first.
    #[doc(alias = "cuTensorMapEncodeTiled")]
    pub const fn tiled(data_type: DataType, dims: &[u64]) -> Tiled {
        Tiled::new(data_type, dims)
    }

    /// Returns the parameters of a map of boxes of elements of a Rust type; `dims` innermost first.
    ///
    /// ```
    /// use tensor_map::{DataType, TensorMap};
    ///
    /// let tiled = TensorMap::tiled_of::<f32>(&[64, 64]);
    /// assert_eq!(tiled, TensorMap::tiled(DataType::F32, &[64, 64]));
    /// ```
    pub const fn tiled_of<T: Element>(dims: &[u64]) -> Tiled {
        Tiled::new(T::DATA_TYPE, dims)
    }

    /// Returns the parameters of a map of boxes; `dims` in elements, outermost first as in `[H][W][C]`.
    pub const fn tiled_outermost_first(data_type: DataType, dims: &[u64]) -> Tiled {
        Tiled::new_outermost_first(data_type, dims)
    }

    /// Returns the parameters of a map of columns of pixels; `dims` in elements, innermost first: C, W, H, D,
    /// N.
    #[doc(alias = "cuTensorMapEncodeIm2col")]
    pub const fn im2col(data_type: DataType, dims: &[u64]) -> Im2col {
        Im2col::new(data_type, dims)
    }

    /// Returns the parameters of a map of runs of pixels along W; `dims` in elements, innermost first: C, W, H,
    /// D, N.
    #[doc(alias = "cuTensorMapEncodeIm2colWide")]
    pub const fn im2col_wide(data_type: DataType, dims: &[u64]) -> Im2colWide {
        Im2colWide::new(data_type, dims)
    }

    /// Returns a map of these sixteen little-endian words.
    pub const fn from_words(words: [u64; Self::WORDS]) -> Self {
        Self { words }
    }

    /// Returns the sixteen little-endian words.
    pub const fn words(&self) -> &[u64; Self::WORDS] {
        &self.words
    }

    pub(crate) const fn words_mut(&mut self) -> &mut [u64; Self::WORDS] {
        &mut self.words
    }

    /// Returns a map of these bytes, as they are in memory.
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let mut words = [0; Self::WORDS];
        let mut i = 0;
        while i < Self::BYTES {
            words[i / 8] |= (bytes[i] as u64) << (i % 8 * 8);
            i += 1;
        }
        Self { words }
    }

    /// Returns the bytes as they are in memory.
    pub const fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let mut i = 0;
        while i < Self::BYTES {
            bytes[i] = (self.words[i / 8] >> (i % 8 * 8)) as u8;
            i += 1;
        }
        bytes
    }
}

// SAFETY: a map is 128 plain bytes, `repr(C)` and aligned to 64, as a `__grid_constant__ const CUtensorMap` is laid out,
// and a launch copies the bytes into the kernel's parameters.
#[cfg(feature = "cudarc")]
unsafe impl cudarc::driver::DeviceRepr for TensorMap {}

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
        let map = TensorMap::from_words(words);
        let bytes = map.to_bytes();
        assert_eq!(&bytes[8..16], &[8, 7, 6, 5, 4, 3, 2, 1]);
        assert!(bytes[16..].iter().all(|byte| *byte == 0));
        assert_eq!(TensorMap::from_bytes(bytes), map);
    }
}
