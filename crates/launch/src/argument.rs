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
    /// A device address.
    Address(u64),
    /// A tensor map that was encoded before, passed as a grid constant.
    EncodedMap(Box<TensorMap>),
    /// A struct passed by value: its bytes in the order of the device.
    Bytes(Vec<u8>),
    /// A struct passed by value: its fields, laid out as in C.
    Struct(Vec<Self>),
}

impl Argument {
    /// How it looks to the kernel.
    pub fn form(&self) -> Form {
        match self {
            Self::Scalar(scalar) => Form::scalar(*scalar),
            Self::Buffer { .. } | Self::Address(_) => Form::ADDRESS,
            Self::TensorMap { .. } | Self::EncodedMap(_) => Form::TENSOR_MAP,
            Self::Bytes(_) | Self::Struct(_) => Form {
                name: "struct",
                size_bytes: self.layout().0,
                is_tensor_map: false,
            },
        }
    }

    /// It without structs: itself, or the fields of all structs in it, in order.
    pub fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::Struct(fields) => fields.iter().flat_map(Self::leaves).collect(),
            leaf => vec![leaf],
        }
    }

    /// Its bytes, for those of everything that is no struct; between them are zeros.
    ///
    /// # Errors
    /// Those of `leaf`.
    pub fn to_bytes<E>(
        &self,
        leaf: &mut impl FnMut(&Self) -> Result<Vec<u8>, E>,
    ) -> Result<Vec<u8>, E> {
        let Self::Struct(fields) = self else {
            return leaf(self);
        };
        let mut bytes = Vec::with_capacity(self.layout().0);
        for field in fields {
            bytes.resize(bytes.len().next_multiple_of(field.layout().1), 0);
            bytes.extend(field.to_bytes(leaf)?);
        }
        bytes.resize(bytes.len().next_multiple_of(self.layout().1), 0);
        Ok(bytes)
    }

    /// Size and alignment in bytes: numbers and addresses have that of their size, tensor maps 64.
    fn layout(&self) -> (usize, usize) {
        match self {
            Self::Scalar(scalar) => (scalar.size_bytes(), scalar.size_bytes()),
            Self::Buffer { .. } | Self::Address(_) => {
                (Form::ADDRESS.size_bytes, Form::ADDRESS.size_bytes)
            }
            Self::TensorMap { .. } | Self::EncodedMap(_) => (TensorMap::BYTES, 64),
            Self::Bytes(bytes) => (bytes.len(), 1),
            Self::Struct(fields) => {
                let (mut size, mut most) = (0_usize, 1);
                for (bytes, align) in fields.iter().map(Self::layout) {
                    size = size.next_multiple_of(align) + bytes;
                    most = most.max(align);
                }
                (size.next_multiple_of(most), most)
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_laid_out_as_in_c() {
        let inner = Argument::Struct(vec![
            Argument::Scalar(Scalar::U8(1)),
            Argument::Scalar(Scalar::U16(2)),
        ]);
        let outer = Argument::Struct(vec![
            Argument::Scalar(Scalar::U32(3)),
            Argument::Scalar(Scalar::U64(4)),
            inner,
        ]);
        assert_eq!(outer.form().to_string(), "struct of 24 bytes");
        assert_eq!(outer.leaves().len(), 4);
        let bytes = outer.to_bytes(&mut |leaf| match leaf {
            Argument::Scalar(scalar) => Ok(scalar.to_bytes()[..scalar.size_bytes()].to_vec()),
            other => Err(other.clone()),
        });
        let mut expected = [0; 24];
        (expected[0], expected[8], expected[16], expected[18]) = (3, 4, 1, 2);
        assert_eq!(bytes, Ok(expected.to_vec()));
    }
}
