/// The layout of slices of channels in global memory.
///
/// Interleaved tensors are laid out `NC/8HWC8` and the like: the innermost dimension is the width, and
/// each of its steps is a slice of 16 or 32 bytes of channels.
///
/// Source: CUDA driver API, `cuTensorMapEncodeTiled`, `interleave`.
#[doc(alias = "CUtensorMapInterleave")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Interleave {
    /// Elements are stored in plain rows, without slices of channels.
    #[default]
    None = 0,
    /// Channels are stored in slices of 16 bytes.
    B16 = 1,
    /// Channels are stored in slices of 32 bytes.
    B32 = 2,
}

impl Interleave {
    /// All variants, in the driver's order.
    pub const ALL: [Self; 3] = [Self::None, Self::B16, Self::B32];

    /// Returns the name in messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::B16 => "16b",
            Self::B32 => "32b",
        }
    }

    /// Returns the number of bytes of one slice; none where rows are plain.
    pub const fn slice_bytes(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::B16 => Some(16),
            Self::B32 => Some(32),
        }
    }
}

/// The permutation of a row's pieces in shared memory, see [`swizzle`](mod@crate::swizzle).
///
/// Source: CUDA driver API, `cuTensorMapEncodeTiled`, `swizzle`; PTX ISA 5.5.7, "Swizzling Modes".
#[doc(alias = "CUtensorMapSwizzle")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Swizzle {
    /// Bytes of the box keep their order in shared memory.
    #[default]
    None = 0,
    /// Pieces of 16 bytes within spans of 32 bytes.
    B32 = 1,
    /// Pieces of 16 bytes within spans of 64 bytes.
    B64 = 2,
    /// Pieces of 16 bytes within spans of 128 bytes.
    B128 = 3,
    /// Pieces of 32 bytes within spans of 128 bytes. Compute capability 10.0.
    #[doc(alias = "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B")]
    B128Atom32 = 4,
    /// Pieces of 32 bytes within spans of 128 bytes, the halves of each 16 bytes swapped in every
    /// other row. Compute capability 10.0.
    #[doc(alias = "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B")]
    B128Atom32Flip8 = 5,
    /// Pieces of 64 bytes within spans of 128 bytes. Compute capability 10.0.
    #[doc(alias = "CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B")]
    B128Atom64 = 6,
}

impl Swizzle {
    /// All variants, in the driver's order.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::B32,
        Self::B64,
        Self::B128,
        Self::B128Atom32,
        Self::B128Atom32Flip8,
        Self::B128Atom64,
    ];

    /// Returns the name in messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::B32 => "32b",
            Self::B64 => "64b",
            Self::B128 => "128b",
            Self::B128Atom32 => "128b-atom-32b",
            Self::B128Atom32Flip8 => "128b-atom-32b-flip-8b",
            Self::B128Atom64 => "128b-atom-64b",
        }
    }

    /// Returns the number of bytes within which pieces change places: the row of a box must not be longer. None without
    /// swizzle.
    pub const fn span_bytes(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::B32 => Some(32),
            Self::B64 => Some(64),
            _ => Some(128),
        }
    }

    /// Returns whether it is a 128-byte swizzle of pieces other than 16 bytes.
    pub(crate) const fn is_atom(self) -> bool {
        matches!(
            self,
            Self::B128Atom32 | Self::B128Atom32Flip8 | Self::B128Atom64
        )
    }
}

/// The number of bytes that the L2 cache fetches from memory at once.
///
/// Source: CUDA driver API, `cuTensorMapEncodeTiled`, `l2Promotion`.
#[doc(alias = "CUtensorMapL2promotion")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum L2Promotion {
    /// Only the bytes that are requested.
    #[default]
    None = 0,
    /// The L2 cache fetches 64 bytes at once.
    B64 = 1,
    /// The L2 cache fetches 128 bytes at once.
    B128 = 2,
    /// The L2 cache fetches 256 bytes at once.
    B256 = 3,
}

impl L2Promotion {
    /// All variants, in the driver's order.
    pub const ALL: [Self; 4] = [Self::None, Self::B64, Self::B128, Self::B256];

    /// Returns the name in messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::B64 => "64b",
            Self::B128 => "128b",
            Self::B256 => "256b",
        }
    }
}

/// The value that a load writes for elements outside the tensor.
///
/// Source: CUDA driver API, `cuTensorMapEncodeTiled`, `oobFill`.
#[doc(alias = "CUtensorMapFloatOOBfill")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum OobFill {
    /// Elements out of bounds are loaded as zeros.
    #[default]
    Zeros = 0,
    /// A NaN of 16 bits, 0x7FF7, repeated; for floating-point types.
    #[doc(alias = "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA")]
    NanRequestZeroFma = 1,
}

impl OobFill {
    /// All variants, in the driver's order.
    pub const ALL: [Self; 2] = [Self::Zeros, Self::NanRequestZeroFma];

    /// Returns the name in messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zeros => "zeros",
            Self::NanRequestZeroFma => "nan",
        }
    }
}

/// The number of pixels that a wide im2col copy takes along W.
///
/// Source: CUDA driver API, `cuTensorMapEncodeIm2colWide`, `mode`.
#[doc(alias = "CUtensorMapIm2ColWideMode")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum WideMode {
    /// The map's pixels per column.
    #[default]
    #[doc(alias = "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W")]
    W = 0,
    /// A copy takes 128 pixels along W, from any map.
    #[doc(alias = "CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128")]
    W128 = 1,
}

impl WideMode {
    /// All variants, in the driver's order.
    pub const ALL: [Self; 2] = [Self::W, Self::W128];

    /// Returns the name in messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::W => "w",
            Self::W128 => "w128",
        }
    }
}
