use std::{
    error::Error,
    fmt::{self, Display, Formatter},
};

use cuda_driver::DriverError;
use tensor_map::{DataType, Params, Violations};
use tma_launch::{Failure, Stage};

/// The reason why a tensor map cannot be created.
#[derive(Clone, Debug, PartialEq)]
pub enum EncodeError {
    /// The parameters break rules of tensor maps.
    Refused(Box<Violations>),
    /// The driver refuses parameters that break no known rule, without a reason.
    Driver {
        /// The parameters of the refused map.
        params: Box<Params>,
        /// The device address of the tensor.
        address: u64,
        /// The error that the driver returned.
        error: DriverError,
    },
    /// The tensor does not fit in its buffer.
    Outside {
        /// The parameters of the refused map.
        params: Box<Params>,
        /// Length of the buffer in bytes.
        buffer_bytes: u64,
        /// The offset in the buffer where the tensor begins.
        offset_bytes: u64,
        /// The device address where the tensor begins.
        address: u64,
        /// The first element out of bounds, innermost coordinate first.
        element: Vec<u64>,
    },
    /// The element type of the tensor differs from the buffer's.
    Element {
        /// The element type of the buffer.
        buffer: &'static str,
        /// The element type of the tensor.
        data_type: DataType,
    },
    /// The address is not, or no longer, in a GPU's memory.
    NoMemory {
        /// The address that the parameters contain.
        address: u64,
        /// The driver's error if it does not know the address.
        error: Option<DriverError>,
    },
    /// The memory at the address belongs to another context.
    OtherContext {
        /// The address that the parameters contain.
        address: u64,
    },
    /// The GPU's context is unusable.
    Context(Failure),
    /// The errors of several maps.
    Several(Vec<Self>),
}

impl EncodeError {
    /// Combines these errors into one, if there are any.
    pub(crate) fn all(errors: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut errors: Vec<Self> = errors.into_iter().collect();
        match errors.len() {
            0 | 1 => errors.pop(),
            _ => Some(Self::Several(errors)),
        }
    }

    /// Returns an error if the tensor does not fit in a buffer of `buffer_bytes`.
    pub(crate) fn outside(
        params: &Params,
        buffer_bytes: u64,
        offset_bytes: u64,
        address: u64,
    ) -> Result<(), Self> {
        let tensor = params.tensor();
        let element = match buffer_bytes.checked_sub(offset_bytes) {
            Some(room_bytes) => tensor.first_outside(room_bytes).map(|dims| dims.to_vec()),
            None => Some(vec![0; tensor.rank()]),
        };
        element.map_or(Ok(()), |element| {
            Err(Self::Outside {
                params: Box::new(*params),
                buffer_bytes,
                offset_bytes,
                address,
                element,
            })
        })
    }
}

impl Display for EncodeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Driver {
                params, address, ..
            } => {
                let function = params.function();
                writeln!(
                    f,
                    "{function} refuses these parameters, which break no known rule:"
                )?;
                write!(f, "{}", params.explain(*address))
            }
            Self::Outside {
                params,
                buffer_bytes,
                offset_bytes,
                address,
                element,
            } => {
                let bytes = params.tensor().span_bytes();
                write!(f, "a tensor of {bytes} bytes from byte {offset_bytes} ")?;
                write!(f, "exceeds a buffer of {buffer_bytes} bytes: ")?;
                writeln!(f, "element {element:?} is the first out of bounds, with")?;
                write!(f, "{}", params.explain(*address))
            }
            Self::Element { buffer, data_type } => {
                let name = data_type.name();
                write!(f, "a buffer of {buffer} cannot hold a tensor of {name}; ")?;
                write!(f, "use a buffer of that element type, or of bytes")
            }
            Self::NoMemory { address, .. } => {
                write!(f, "{address:#x} is not an address of GPU memory: ")?;
                write!(
                    f,
                    "it was never allocated, was freed, or belongs to the host"
                )
            }
            Self::OtherContext { address } => {
                write!(f, "the memory at {address:#x} belongs to another context; ")?;
                write!(f, "allocate it on the GPU that runs the kernel")
            }
            Self::Context(failure) => failure.fmt(f),
            Self::Several(errors) => {
                let lines: Vec<String> = errors.iter().map(Self::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
        }
    }
}

impl Error for EncodeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Driver { error, .. } => Some(error),
            Self::NoMemory { error, .. } => error.as_ref().map(|error| error as _),
            _ => None,
        }
    }
}

impl From<EncodeError> for Failure {
    fn from(error: EncodeError) -> Self {
        let failure = Failure::new(Stage::Encode, error.to_string());
        match error {
            EncodeError::Driver { error, .. }
            | EncodeError::NoMemory {
                error: Some(error), ..
            } => failure.error_name(error.name()).hint(error.sentence()),
            EncodeError::Context(failure) => failure,
            _ => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_driver::Origin;
    use tensor_map::{TensorMap, Tiled};

    fn tiled() -> Tiled {
        TensorMap::tiled(DataType::I32, &[100, 64])
            .strides_bytes(&[416])
            .box_dims(&[32, 8])
    }

    #[test]
    fn a_map_that_only_the_driver_refuses_shows_its_parameters() {
        let error = DriverError {
            function: "f",
            code: 1,
            origin: Origin::Driver,
        };
        let error = EncodeError::Driver {
            params: Box::new(tiled().params()),
            address: 0x7f00,
            error,
        };
        let text = error.to_string();
        assert!(text.starts_with("cuTensorMapEncodeTiled refuses"), "{text}");
        assert!(text.contains("0x7f00") && text.contains("416"), "{text}");
        let text = Failure::from(error).to_string();
        assert!(text.contains("(CUDA_ERROR_INVALID_VALUE)"), "{text}");
    }

    #[test]
    fn a_tensor_stays_in_its_buffer() {
        let (params, span) = (tiled().params(), 63 * 416 + 400);
        assert_eq!(EncodeError::outside(&params, span + 16, 16, 0x7f10), Ok(()));
        let error = EncodeError::outside(&params, span + 15, 16, 0x7f10).unwrap_err();
        let expected = "a tensor of 26608 bytes from byte 16 exceeds a buffer of 26623 bytes: \
                        element [99, 63] is the first out of bounds, with";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(
            error.to_string().contains("address          0x7f10"),
            "{error}"
        );
        let error = EncodeError::outside(&params, 8, 16, 0x7f10)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("element [0, 0] is the first out of bounds"),
            "{error}"
        );
    }

    #[test]
    fn several_errors_are_reported_together() {
        assert_eq!(EncodeError::all([]), None);
        let other = EncodeError::OtherContext { address: 0x20 };
        assert_eq!(EncodeError::all([other.clone()]), Some(other.clone()));
        let element = EncodeError::Element {
            buffer: "u16",
            data_type: DataType::I32,
        };
        let text = EncodeError::all([element, other]).unwrap().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("a buffer of u16 cannot hold"),
            "{text}"
        );
        assert!(lines[1].starts_with("the memory at 0x20"), "{text}");
    }

    #[test]
    fn addresses_that_hold_no_tensor_are_named() {
        let error = EncodeError::NoMemory {
            address: 0x10,
            error: None,
        };
        assert!(
            error
                .to_string()
                .starts_with("0x10 is not an address of GPU memory: ")
        );
        let error = EncodeError::OtherContext { address: 0x20 };
        assert!(
            error
                .to_string()
                .starts_with("the memory at 0x20 belongs to another context; ")
        );
    }
}
