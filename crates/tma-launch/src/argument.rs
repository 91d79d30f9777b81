use std::fmt::{self, Display, Formatter};

use tensor_map::{Params, TensorMap};

use crate::{Failure, Scalar, Stage};

/// The value of a kernel parameter: existing memory, or memory of a job's buffers.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number, passed by value.
    Scalar(Scalar),
    /// The address of a buffer plus an offset.
    Buffer {
        /// The index of the job's buffer.
        index: usize,
        /// The offset of the address in its buffer.
        offset_bytes: u64,
    },
    /// A tensor map, passed as a grid constant.
    #[doc(alias = "__grid_constant__")]
    TensorMap {
        /// The parameters from which the map is encoded.
        params: Box<Params>,
        /// The index of the job's buffer that holds the tensor.
        index: usize,
        /// The offset in the buffer where the tensor begins.
        offset_bytes: u64,
    },
    /// An address in device memory, passed as it is.
    Address(u64),
    /// An encoded tensor map, passed as a grid constant.
    EncodedMap(Box<TensorMap>),
    /// An address or a map that is valid on one device only.
    OnDevice {
        /// The unique number of the device.
        device: u64,
        /// The address or the map, valid on that device.
        argument: Box<Self>,
    },
    /// A struct passed by value: its bytes in the order of the device.
    Bytes(Vec<u8>),
    /// A struct passed by value: its fields, laid out as in C.
    Struct(Vec<Self>),
}

impl Argument {
    /// Returns a number as an argument.
    pub fn scalar(scalar: impl Into<Scalar>) -> Self {
        Self::Scalar(scalar.into())
    }

    /// Returns the argument's name and size as seen by the kernel.
    pub fn form(&self) -> Form {
        match self {
            Self::Scalar(scalar) => Form::scalar(*scalar),
            Self::Buffer { .. } | Self::Address(_) => Form::ADDRESS,
            Self::TensorMap { .. } | Self::EncodedMap(_) => Form::TENSOR_MAP,
            Self::OnDevice { argument, .. } => argument.form(),
            Self::Bytes(_) | Self::Struct(_) => Form {
                name: "struct",
                size_bytes: self.layout().0,
                is_tensor_map: false,
            },
        }
    }

    /// Returns the argument itself, or the fields of all structs in it, in order, without their devices.
    pub fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::Struct(fields) => fields.iter().flat_map(Self::leaves).collect(),
            Self::OnDevice { argument, .. } => argument.leaves(),
            leaf => vec![leaf],
        }
    }

    /// Returns false if a part of the argument is valid only on another device.
    pub fn is_good_on(&self, here: u64) -> bool {
        match self {
            Self::Struct(fields) => fields.iter().all(|field| field.is_good_on(here)),
            Self::OnDevice { device, argument } => *device == here && argument.is_good_on(here),
            _ => true,
        }
    }

    /// Replaces a job's buffers by addresses, and parameters of maps by encoded maps.
    ///
    /// # Errors
    /// Any error of `address`, which returns the address of a buffer, and of `encode`, which returns the map of the
    /// tensor at an address.
    pub fn placed<E>(
        &self,
        address: &mut impl FnMut(usize) -> Result<u64, E>,
        encode: &mut impl FnMut(&Params, u64) -> Result<TensorMap, E>,
    ) -> Result<Self, E> {
        Ok(match self {
            Self::Buffer {
                index,
                offset_bytes,
            } => Self::Address(address(*index)?.wrapping_add(*offset_bytes)),
            Self::TensorMap {
                params,
                index,
                offset_bytes,
            } => {
                let tensor = address(*index)?.wrapping_add(*offset_bytes);
                Self::EncodedMap(Box::new(encode(params, tensor)?))
            }
            Self::Struct(fields) => {
                let fields = fields.iter().map(|field| field.placed(address, encode));
                Self::Struct(fields.collect::<Result<_, _>>()?)
            }
            Self::Scalar(_)
            | Self::Address(_)
            | Self::EncodedMap(_)
            | Self::OnDevice { .. }
            | Self::Bytes(_) => self.clone(),
        })
    }

    /// Returns the bytes in the order of the device; padding between the fields of a struct is zero.
    ///
    /// # Errors
    /// The argument refers to a buffer of a job, which has an address only after the argument is
    /// [placed](Self::placed).
    pub fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        Ok(match self {
            Self::Scalar(scalar) => scalar.to_bytes()[..scalar.size_bytes()].to_vec(),
            Self::Address(address) => address.to_le_bytes().to_vec(),
            Self::EncodedMap(map) => map.to_bytes().to_vec(),
            Self::OnDevice { argument, .. } => argument.to_bytes()?,
            Self::Bytes(bytes) => bytes.clone(),
            Self::Struct(fields) => {
                let (size_bytes, _) = self.layout();
                let mut bytes = Vec::with_capacity(size_bytes);
                for field in fields {
                    bytes.resize(bytes.len().next_multiple_of(field.layout().1), 0);
                    bytes.extend(field.to_bytes()?);
                }
                bytes.resize(size_bytes, 0);
                bytes
            }
            Self::Buffer { index, .. } | Self::TensorMap { index, .. } => {
                let what =
                    format!("an argument refers to buffer {index} of a job, but there is no job");
                return Err(Failure::new(Stage::Check, what)
                    .hint("pass the address of a buffer, or the tensor map itself"));
            }
        })
    }

    /// Returns size and alignment in bytes: numbers and addresses are aligned to their size, tensor maps to 64.
    fn layout(&self) -> (usize, usize) {
        match self {
            Self::Scalar(scalar) => (scalar.size_bytes(), scalar.size_bytes()),
            Self::Buffer { .. } | Self::Address(_) => {
                (Form::ADDRESS.size_bytes, Form::ADDRESS.size_bytes)
            }
            Self::TensorMap { .. } | Self::EncodedMap(_) => (TensorMap::BYTES, 64),
            Self::OnDevice { argument, .. } => argument.layout(),
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

/// The name and size of an argument as seen by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The noun that messages use for the type.
    pub name: &'static str,
    /// The size of the type in bytes.
    pub size_bytes: usize,
    /// True for a tensor map, which a kernel takes by reference.
    pub is_tensor_map: bool,
}

impl Form {
    /// The type of a device address.
    pub const ADDRESS: Self = Self {
        name: "address",
        size_bytes: 8,
        is_tensor_map: false,
    };
    /// The type of a tensor map.
    pub const TENSOR_MAP: Self = Self {
        name: "tensor map",
        size_bytes: TensorMap::BYTES,
        is_tensor_map: true,
    };

    /// Returns the form of a number.
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
    use tensor_map::Target;

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
        let bytes = outer.to_bytes();
        let mut expected = [0; 24];
        (expected[0], expected[8], expected[16], expected[18]) = (3, 4, 1, 2);
        assert_eq!(bytes, Ok(expected.to_vec()));
    }

    #[test]
    fn arguments_are_good_on_their_device_alone() {
        let scalar = Argument::Scalar(Scalar::U32(3));
        let on = |device, argument: &Argument| Argument::OnDevice {
            device,
            argument: Box::new(argument.clone()),
        };
        let fields = |fields: [&Argument; 2]| Argument::Struct(fields.map(Clone::clone).to_vec());
        let here = on(7, &scalar);
        for argument in [
            &scalar,
            &here,
            &fields([&scalar, &here]),
            &on(7, &fields([&here, &here])),
        ] {
            assert!(argument.is_good_on(7), "{argument:?}");
        }
        let there = on(8, &scalar);
        for argument in [
            &there,
            &fields([&here, &there]),
            &fields([&there, &here]),
            &on(7, &there),
            &on(8, &here),
        ] {
            assert!(!argument.is_good_on(7), "{argument:?}");
        }
    }

    #[test]
    fn what_names_a_buffer_has_bytes_once_it_is_placed() {
        let params = TensorMap::tiled_of::<f32>(&[64]).box_dims(&[64]);
        let argument = Argument::Struct(vec![
            Argument::Scalar(Scalar::U32(3)),
            Argument::Buffer {
                index: 2,
                offset_bytes: 8,
            },
            Argument::TensorMap {
                params: Box::new(params.into()),
                index: 1,
                offset_bytes: 0,
            },
        ]);
        let error = argument.to_bytes().unwrap_err().to_string();
        assert_eq!(
            error,
            "check: an argument refers to buffer 2 of a job, but there is no job: pass the address of a \
             buffer, or the tensor map itself"
        );
        let mut address = |index: usize| Ok::<_, Failure>(0x1000 * index as u64);
        let mut encode = |params: &Params, address: u64| {
            let map = params.build_for(address, Target::SM_90);
            map.map_err(|refused| Failure::new(Stage::Encode, refused.to_string()))
        };
        let bytes = argument.placed(&mut address, &mut encode).unwrap();
        let bytes = bytes.to_bytes().unwrap();
        assert_eq!(bytes[8..16], 0x2008_u64.to_le_bytes());
        assert_eq!(bytes[64..], params.build(0x1000).unwrap().to_bytes());
    }
}
