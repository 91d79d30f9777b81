use std::fmt::{self, Display, Formatter};

use tensor_map::{Params, TensorMap};

use crate::Scalar;

/// What a kernel parameter gets, in terms of a job's buffers.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number.
    Scalar(Scalar),
    /// The address of a buffer, or of a place in it.
    Buffer {
        /// Which of the job's buffers.
        index: usize,
        /// Where in the buffer.
        offset_bytes: u64,
    },
    /// A tensor map, passed as a grid constant.
    #[doc(alias = "__grid_constant__")]
    TensorMap {
        /// The map's parameters.
        params: Box<Params>,
        /// Which of the job's buffers holds the tensor.
        index: usize,
        /// Where in the buffer the tensor begins.
        offset_bytes: u64,
    },
}

impl Argument {
    /// How it looks to the kernel.
    pub fn form(&self) -> Form {
        match self {
            Self::Scalar(scalar) => Form::scalar(*scalar),
            Self::Buffer { .. } => Form::ADDRESS,
            Self::TensorMap { .. } => Form::TENSOR_MAP,
        }
    }
}

/// How an argument looks to the kernel: what it is called and how many bytes it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// What it is called in messages.
    pub name: &'static str,
    /// Its size in bytes.
    pub size_bytes: usize,
    /// Whether it is a tensor map.
    pub is_tensor_map: bool,
}

impl Form {
    /// A device address.
    pub const ADDRESS: Self = Self {
        name: "address",
        size_bytes: 8,
        is_tensor_map: false,
    };
    /// A tensor map.
    pub const TENSOR_MAP: Self = Self {
        name: "tensor map",
        size_bytes: TensorMap::BYTES,
        is_tensor_map: true,
    };

    /// A number.
    pub const fn scalar(scalar: Scalar) -> Self {
        Self {
            name: scalar.type_name(),
            size_bytes: scalar.size_bytes(),
            is_tensor_map: false,
        }
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.name, self.size_bytes)
    }
}
