use std::ops::Range;

use tensor_map::Params;

use crate::TileShape;

/// The store of a tensor copy ends rows at a multiple of this.
const STORED_BYTES: u64 = 16;

/// A use of memory by a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The memory that the kernel uses.
    pub region: Region,
    /// The kind of use: reads, writes or both.
    pub access: Access,
}

impl Use {
    /// Returns the index of the job's buffer and the used bytes; the bytes of a written tensor end at a multiple of
    /// 16. `None` if the memory is a variable.
    pub fn bytes(&self) -> Option<(usize, Range<u64>)> {
        let (index, start, len_bytes) = match &self.region {
            Region::Bytes {
                index,
                offset_bytes,
                len_bytes,
            } => (*index, *offset_bytes, *len_bytes),
            Region::Tensor {
                params,
                index,
                offset_bytes,
            } => {
                let span = params.tensor().span_bytes();
                let stored = span.checked_next_multiple_of(STORED_BYTES);
                let len = if self.access.writes() {
                    stored.unwrap_or(span)
                } else {
                    span
                };
                (*index, *offset_bytes, len)
            }
            Region::Variable(_) => return None,
        };
        Some((index, start..start.saturating_add(len_bytes)))
    }
}

/// A part of the memory of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// Consecutive bytes of a buffer.
    Bytes {
        /// The index of the job's buffer.
        index: usize,
        /// The offset of the bytes in their buffer.
        offset_bytes: u64,
        /// The number of bytes.
        len_bytes: u64,
    },
    /// The tensor that a tensor map describes.
    Tensor {
        /// The parameters from which the map is encoded.
        params: Box<Params>,
        /// The index of the job's buffer that holds the tensor.
        index: usize,
        /// The offset in the buffer where the tensor begins.
        offset_bytes: u64,
    },
    /// All bytes of the buffer stored in this variable of the module.
    Variable(String),
}

/// A kernel's use of memory, and the required contents before the launch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Access {
    /// Unspecified use: only the length is checked.
    Used,
    /// Read, and written by no other part of the launch meanwhile.
    Read,
    /// Written, and not used otherwise meanwhile.
    Written,
    /// Read and written in place, and not used otherwise meanwhile.
    Updated,
    /// Zero before the launch, then as [`Updated`](Self::Updated).
    Zeroed,
    /// Contains `u32` numbers that do not decrease; otherwise as [`Read`](Self::Read).
    Ascending,
    /// Contains consecutive tensor maps with this tile, of tensors in the job's buffers that are read.
    Maps(TileShape),
    /// Contains the map of this tensor.
    MapOf {
        /// The parameters from which the map is encoded.
        params: Box<Params>,
        /// The index of the job's buffer that begins with the tensor.
        index: usize,
    },
}

impl Region {
    /// Returns bytes from the start of the job's buffer `index`.
    pub const fn bytes(index: usize, len_bytes: u64) -> Self {
        Self::Bytes {
            index,
            offset_bytes: 0,
            len_bytes,
        }
    }

    /// Returns the tensor at the start of the job's buffer `index`.
    pub fn tensor(params: impl Into<Params>, index: usize) -> Self {
        Self::Tensor {
            params: Box::new(params.into()),
            index,
            offset_bytes: 0,
        }
    }

    /// Moves the region `bytes` bytes later in its buffer.
    #[must_use]
    pub fn skip(mut self, bytes: u64) -> Self {
        if let Self::Bytes { offset_bytes, .. } | Self::Tensor { offset_bytes, .. } = &mut self {
            *offset_bytes = offset_bytes.saturating_add(bytes);
        }
        self
    }
}

impl Access {
    /// Returns whether the kernel writes.
    pub(crate) const fn writes(&self) -> bool {
        matches!(self, Self::Written | Self::Updated | Self::Zeroed)
    }

    /// Returns the name in messages.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Read | Self::Ascending | Self::Maps(_) | Self::MapOf { .. } => "read",
            Self::Written => "written",
            Self::Updated => "read and written",
            Self::Zeroed => "counted in",
        }
    }
}
