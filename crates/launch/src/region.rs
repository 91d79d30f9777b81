use std::ops::Range;

use tensor_map::Params;

use crate::TileShape;

/// A store of a tensor copy ends rows at multiples of so many bytes.
const STORED_BYTES: u64 = 16;

/// Memory that a kernel uses, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The memory.
    pub region: Region,
    /// The use that the kernel makes of it.
    pub access: Access,
}

impl Use {
    /// The index of the job's buffer, and the bytes of it that are used: those of a tensor that is written end at a
    /// multiple of 16. `None` where the memory is a variable.
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

/// Memory of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// Bytes of a buffer.
    Bytes {
        /// The index of the job's buffer.
        index: usize,
        /// Where in the buffer.
        offset_bytes: u64,
        /// How many.
        len_bytes: u64,
    },
    /// The tensor that a map is of.
    Tensor {
        /// The map's parameters.
        params: Box<Params>,
        /// The index of the job's buffer that holds the tensor.
        index: usize,
        /// Where in the buffer the tensor begins.
        offset_bytes: u64,
    },
    /// All bytes of the buffer that lies in this variable of the module.
    Variable(String),
}

/// The use that a kernel makes of memory, and with it what must lie there before.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Access {
    /// It is used, and nothing is said of how: the length alone is checked.
    Used,
    /// It is read, and nobody writes it meanwhile.
    Read,
    /// It is written, and nobody else uses it meanwhile.
    Written,
    /// It is read and written in place, and nobody else uses it meanwhile.
    Updated,
    /// It is zero before the launch, and then as [`Updated`](Self::Updated).
    Zeroed,
    /// Numbers of `u32` lie there, none less than the one before; then as [`Read`](Self::Read).
    Ascending,
    /// Tensor maps lie there one behind the other, of tensors in the job's buffers that are read, and
    /// bring such tiles.
    Maps(TileShape),
    /// The map of this tensor lies there.
    MapOf {
        /// The map's parameters.
        params: Box<Params>,
        /// The index of the job's buffer that begins with the tensor.
        index: usize,
    },
}

impl Region {
    /// Bytes from the start of the job's buffer `index`.
    pub const fn bytes(index: usize, len_bytes: u64) -> Self {
        Self::Bytes {
            index,
            offset_bytes: 0,
            len_bytes,
        }
    }

    /// The tensor at the start of the job's buffer `index`.
    pub fn tensor(params: impl Into<Params>, index: usize) -> Self {
        Self::Tensor {
            params: Box::new(params.into()),
            index,
            offset_bytes: 0,
        }
    }

    /// As it is, so many bytes later in its buffer.
    #[must_use]
    pub fn skip(mut self, bytes: u64) -> Self {
        if let Self::Bytes { offset_bytes, .. } | Self::Tensor { offset_bytes, .. } = &mut self {
            *offset_bytes = offset_bytes.saturating_add(bytes);
        }
        self
    }
}

impl Access {
    /// True where the kernel writes.
    pub(crate) const fn writes(&self) -> bool {
        matches!(self, Self::Written | Self::Updated | Self::Zeroed)
    }

    /// In messages.
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
