//! Boxes of tensor copies and matrices of products in shared memory.

use tensor_map::{DataType, Swizzle};

/// Layout of a tensor copy's box in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoxLayout {
    /// Address of the first byte of the box.
    pub address: u64,
    /// Type of the box's elements.
    pub data_type: DataType,
    /// Extents in elements, innermost first, with 1 beyond the rank. Im2col boxes have channels and pixels.
    pub extents: [u32; 5],
    /// Permutation of the pieces of the rows.
    pub swizzle: Swizzle,
    /// The alignment of a box that begins with the swizzle's pattern.
    pub pattern_bytes: u32,
}

/// A matrix in shared memory that a product reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixRead {
    /// True for matrix A, false for matrix B.
    pub is_a: bool,
    /// Bits of the matrix descriptor.
    pub descriptor: u64,
    /// True if rows of A or columns of B are contiguous, false if elements along K are.
    pub is_mn_major: bool,
    /// Number of lines in the strided dimension: elements along K if `is_mn_major`, else rows of A or columns
    /// of B.
    pub lines: u32,
    /// Number of contiguous 16-byte pieces in each line.
    pub pieces: u32,
}
