//! Boxes of tensor copies and matrices of products in shared memory.

use tensor_map::{DataType, Swizzle};

/// The box of a tensor copy, as it lies in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoxLayout {
    /// Where it begins.
    pub address: u64,
    /// The type of its elements.
    pub data_type: DataType,
    /// Its extents, innermost first, in elements, with 1 beyond its rank. Im2col has channels and pixels.
    pub extents: [u32; 5],
    /// How pieces of its rows are permuted.
    pub swizzle: Swizzle,
    /// The alignment of a box that begins with the swizzle's pattern.
    pub pattern_bytes: u32,
}

/// A matrix in shared memory that a product reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixRead {
    /// A, or else B.
    pub is_a: bool,
    /// The bits of its descriptor.
    pub descriptor: u64,
    /// Rows of A, or columns of B, lie together; or else elements along K.
    pub is_mn_major: bool,
    /// How many lie apart: rows of A or columns of B, or else elements along K.
    pub lines: u32,
    /// How many pieces of 16 bytes of each lie together.
    pub pieces: u32,
}
