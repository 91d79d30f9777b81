//! Descriptors of matrices in shared memory, as `wgmma` takes them. PTX ISA 9.7.15.5.1.2, "Matrix descriptor
//! format".

use core::fmt::{self, Display, Formatter};

use crate::Swizzle;

/// A matrix in shared memory: where it begins and how far apart its core matrices, of eight rows of 16 bytes or of
/// eight lines of a swizzle, are.
///
/// ```
/// use tensor_map::{MatrixDescriptor, Swizzle};
///
/// let descriptor = MatrixDescriptor {
///     start_bytes: 2048,
///     leading_bytes: 16,
///     stride_bytes: 1024,
///     base_offset: 0,
///     swizzle: Swizzle::B128,
/// };
/// let bits = descriptor.encode();
/// assert_eq!(bits, 0x4000_0040_0001_0080);
/// assert_eq!(MatrixDescriptor::decode(bits), descriptor);
/// ```
#[doc(alias("GmmaDescriptor", "smem_desc"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixDescriptor {
    /// Address in shared memory, in bytes: a multiple of 16 below 2^18.
    pub start_bytes: u32,
    /// Leading dimension byte offset: a multiple of 16 below 2^18. The hardware ignores it where K is contiguous
    /// and is swizzled.
    pub leading_bytes: u32,
    /// Stride dimension byte offset: a multiple of 16 below 2^18.
    pub stride_bytes: u32,
    /// Lines of 128 bytes from the pattern's start to the line where the matrix begins, less than 8.
    pub base_offset: u32,
    /// The layout; 16-byte pieces of a span of 32, 64 or 128 bytes, or none.
    pub swizzle: Swizzle,
}

/// A field has 14 bits, and counts 16 bytes.
const FIELD: u64 = (1 << 14) - 1;

const fn field_of(bytes: u32, at: u32) -> u64 {
    (bytes as u64 >> 4 & FIELD) << at
}

const fn bytes_of(bits: u64, at: u32) -> u32 {
    ((bits >> at & FIELD) << 4) as u32
}

impl MatrixDescriptor {
    /// Returns the 64 bits. Numbers are truncated to their fields.
    #[inline]
    pub const fn encode(self) -> u64 {
        let mode = match self.swizzle {
            Swizzle::B128 => 1,
            Swizzle::B64 => 2,
            Swizzle::B32 => 3,
            _ => 0,
        };
        field_of(self.start_bytes, 0)
            | field_of(self.leading_bytes, 16)
            | field_of(self.stride_bytes, 32)
            | (self.base_offset as u64 & 7) << 49
            | mode << 62
    }

    /// Returns the descriptor of the 64 bits; the hardware ignores bits outside the fields.
    pub const fn decode(bits: u64) -> Self {
        let swizzle = match bits >> 62 {
            1 => Swizzle::B128,
            2 => Swizzle::B64,
            3 => Swizzle::B32,
            _ => Swizzle::None,
        };
        Self {
            start_bytes: bytes_of(bits, 0),
            leading_bytes: bytes_of(bits, 16),
            stride_bytes: bytes_of(bits, 32),
            base_offset: (bits >> 49 & 7) as u32,
            swizzle,
        }
    }
}

/// The number of bytes that a swizzle moves as a whole.
const CHUNK_BYTES: u64 = 16;

impl MatrixDescriptor {
    /// Returns the address of a byte of a matrix with contiguous K: byte `k_byte` along K of row `line` of A, or of
    /// column `line` of B.
    ///
    /// The addresses were observed on an H200.
    #[inline]
    pub fn k_major_address(self, line: u64, k_byte: u64) -> u64 {
        let span = self.span_bytes();
        let within = k_byte / span * u64::from(self.leading_bytes) + k_byte % span;
        self.swizzled(line % 8 * span + line / 8 * u64::from(self.stride_bytes) + within)
    }

    /// Returns the address of a byte of a matrix with contiguous rows of A, or columns of B: byte `line_byte` along
    /// them at element `k` along K.
    #[inline]
    pub fn mn_major_address(self, line_byte: u64, k: u64) -> u64 {
        let span = self.span_bytes();
        let (along, depth) = match span {
            CHUNK_BYTES => (self.stride_bytes, self.leading_bytes),
            _ => (self.leading_bytes, self.stride_bytes),
        };
        let line = line_byte / span * u64::from(along) + line_byte % span;
        self.swizzled(line + k % 8 * span + k / 8 * u64::from(depth))
    }

    /// Returns the address without swizzle of the byte that is at this address with it.
    #[inline]
    pub fn unswizzled(self, address: u64) -> u64 {
        self.exchanged(address)
    }

    /// Returns the number of bytes of a line of the swizzle; 16 without one.
    #[inline]
    fn span_bytes(self) -> u64 {
        self.swizzle.span_bytes().unwrap_or(CHUNK_BYTES)
    }

    #[inline]
    fn swizzled(self, offset: u64) -> u64 {
        self.exchanged(u64::from(self.start_bytes) + offset)
    }

    /// The swizzle takes the bits of the address itself, and those that it changes are not among them: the way back
    /// is the same.
    #[inline]
    fn exchanged(self, address: u64) -> u64 {
        let mask = self.span_bytes() / CHUNK_BYTES - 1;
        address ^ ((address >> 7).wrapping_sub(self.base_offset.into()) & mask) << 4
    }
}

impl Display for MatrixDescriptor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            start_bytes,
            leading_bytes,
            stride_bytes,
            base_offset,
            swizzle,
        } = self;
        writeln!(f, "start address         {start_bytes} bytes")?;
        writeln!(f, "leading byte offset   {leading_bytes} bytes")?;
        writeln!(f, "stride byte offset    {stride_bytes} bytes")?;
        writeln!(f, "base offset           {base_offset} lines of 128 bytes")?;
        match swizzle.span_bytes() {
            Some(span) => write!(f, "swizzle               spans of {span} bytes"),
            None => f.write_str("swizzle               none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_comes_back() {
        for (index, swizzle) in [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128]
            .into_iter()
            .enumerate()
        {
            let at = index as u32 * 16;
            let descriptor = MatrixDescriptor {
                start_bytes: (1 << 18) - 16 - at,
                leading_bytes: 1024 + at,
                stride_bytes: 4096 * (1 + at),
                base_offset: 7 - index as u32,
                swizzle,
            };
            assert_eq!(MatrixDescriptor::decode(descriptor.encode()), descriptor);
        }
    }

    #[test]
    fn a_line_without_its_swizzle_lies_behind_the_one_before() {
        for base_offset in [0, 3] {
            let matrix = MatrixDescriptor {
                start_bytes: 1024,
                leading_bytes: 16,
                stride_bytes: 1024,
                base_offset,
                swizzle: Swizzle::B128,
            };
            for line in 0..24 {
                let at = matrix.k_major_address(line, 48);
                assert_eq!(matrix.unswizzled(at), 1024 + 128 * line + 48);
            }
        }
    }

    /// The canonical layouts of PTX ISA 9.7.15.5.1 for matrices with contiguous M or N, in bytes.
    #[test]
    fn lines_of_contiguous_rows_are_strides_apart() {
        let (leading_bytes, stride_bytes) = (4096, 65536);
        for (swizzle, span, along, depth) in [
            (Swizzle::None, 16, stride_bytes, leading_bytes),
            (Swizzle::B32, 32, leading_bytes, stride_bytes),
            (Swizzle::B64, 64, leading_bytes, stride_bytes),
            (Swizzle::B128, 128, leading_bytes, stride_bytes),
        ] {
            let matrix = MatrixDescriptor {
                start_bytes: 1024,
                leading_bytes,
                stride_bytes,
                base_offset: 0,
                swizzle,
            };
            for (part, byte, group, k) in [(0, 0, 0, 0), (0, 6, 0, 5), (1, 2, 0, 7), (2, 14, 3, 1)]
            {
                let address = matrix.mn_major_address(part * span + byte, group * 8 + k);
                let strides = part * u64::from(along) + group * u64::from(depth);
                let expected = 1024 + strides + k * span + byte;
                assert_eq!(matrix.unswizzled(address), expected, "{swizzle:?}");
            }
        }
    }

    /// The patterns of PTX ISA 9.7.15.5.1: a piece of 16 bytes changes place with the piece at its number XOR the
    /// number of the 128 bytes that it is in.
    #[test]
    fn pieces_lie_where_the_pattern_has_them() {
        let at = |swizzle, base_offset, line, byte| {
            let matrix = MatrixDescriptor {
                start_bytes: 1024,
                leading_bytes: 16,
                stride_bytes: 4096,
                base_offset,
                swizzle,
            };
            matrix.k_major_address(line, byte) - 1024
        };
        for (swizzle, base_offset, line, byte, address) in [
            (Swizzle::B128, 0, 0, 48, 48),
            (Swizzle::B128, 0, 1, 0, 128 + 16),
            (Swizzle::B128, 0, 2, 16, 256 + 48),
            (Swizzle::B128, 0, 7, 35, 896 + 80 + 3),
            (Swizzle::B128, 0, 9, 0, 4096 + 128 + 16),
            (Swizzle::B128, 1, 1, 0, 128),
            (Swizzle::B128, 3, 1, 0, 128 + 96),
            (Swizzle::B64, 0, 1, 16, 64 + 16),
            (Swizzle::B64, 0, 2, 16, 128),
            (Swizzle::B64, 0, 7, 0, 448 + 48),
            (Swizzle::B32, 0, 3, 16, 96 + 16),
            (Swizzle::B32, 0, 4, 0, 128 + 16),
            (Swizzle::None, 0, 7, 15, 112 + 15),
        ] {
            assert_eq!(
                at(swizzle, base_offset, line, byte),
                address,
                "{swizzle:?}, base offset {base_offset}, line {line}, byte {byte}"
            );
        }
    }

    #[test]
    fn bits_of_no_field_are_ignored() {
        let junk = 0b11 << 14 | 0b11 << 30 | 0b111 << 46 | 0x3ff << 52;
        assert_eq!(MatrixDescriptor::decode(junk), MatrixDescriptor::decode(0));
    }
}
