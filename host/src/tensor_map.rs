use std::{
    fmt::{self, Display, Formatter},
    marker::PhantomData,
};

use cuda_driver::{
    DriverError,
    tensor_map::{self as driver, Tensor},
};
use launch::{Failure, Stage, check::first_outside};
use tensor_map::Tiled;

/// A tensor map that does not outlive its tensor.
///
/// Pass it to a kernel whose parameter is a grid constant.
#[doc(alias = "CUtensorMap")]
#[derive(Clone, Copy, Debug)]
pub struct TensorMap<'buffer> {
    map: tensor_map::TensorMap,
    buffer: PhantomData<&'buffer ()>,
}

impl TensorMap<'_> {
    pub(crate) fn new(map: tensor_map::TensorMap) -> Self {
        Self {
            map,
            buffer: PhantomData,
        }
    }

    /// The map itself.
    pub fn map(&self) -> &tensor_map::TensorMap {
        &self.map
    }
}

/// A map of the tensor at `address` on the device, as the driver encodes it.
///
/// The driver does not look at the memory there. A map that no one uses any more when the memory
/// is freed comes from [`DeviceBuffer::tensor_map`](crate::DeviceBuffer::tensor_map).
#[doc(alias = "cuTensorMapEncodeTiled")]
pub fn encode_tiled(tiled: &Tiled, address: u64) -> Result<tensor_map::TensorMap, EncodeError> {
    let tensor = Tensor {
        data_type: tiled.data_type() as u32,
        rank: tiled.rank() as u32,
        global_address: std::ptr::without_provenance_mut(address as usize),
        global_dim_elems: tiled.global_dim(),
        global_strides_bytes: tiled.global_strides_bytes(),
        element_strides: tiled.get_element_strides(),
        interleave: tiled.get_interleave() as u32,
        swizzle: tiled.get_swizzle() as u32,
        l2_promotion: tiled.get_l2_promotion() as u32,
        oob_fill: tiled.get_oob_fill() as u32,
    };
    // SAFETY: `Tiled` has as many dimensions, box dimensions and element strides as its rank, and
    // one stride less (1).
    let map = unsafe { driver::encode_tiled(&tensor, tiled.get_box_dim()) };
    let map = map.map_err(|error| EncodeError::Refused {
        tiled: Box::new(tiled.clone()),
        address,
        error,
    })?;
    let (words, _) = map.bytes.as_chunks::<8>();
    let word = |index| {
        words
            .get(index)
            .map_or(0, |word: &[u8; 8]| u64::from_le_bytes(*word))
    };
    Ok(tensor_map::TensorMap::from_words(std::array::from_fn(word)))
}

/// Why there is no tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The driver refuses the parameters, and does not say which.
    Refused {
        /// The parameters.
        tiled: Box<Tiled>,
        /// The device address of the tensor.
        address: u64,
        /// What the driver returned.
        error: DriverError,
    },
    /// The tensor does not lie in its buffer.
    Outside {
        /// The parameters.
        tiled: Box<Tiled>,
        /// Length of the buffer in bytes.
        buffer_bytes: u64,
        /// Where in the buffer the tensor begins.
        offset_bytes: u64,
        /// The first element outside, innermost coordinate first.
        element: Vec<u64>,
    },
}

impl EncodeError {
    /// An error if the tensor does not lie in a buffer of `buffer_bytes`.
    pub(crate) fn outside(tiled: &Tiled, buffer_bytes: u64, offset_bytes: u64) -> Result<(), Self> {
        let element = match buffer_bytes.checked_sub(offset_bytes) {
            Some(room_bytes) => first_outside(tiled, room_bytes),
            None => Some(vec![0; tiled.rank()]),
        };
        element.map_or(Ok(()), |element| {
            let tiled = Box::new(tiled.clone());
            Err(Self::Outside {
                tiled,
                buffer_bytes,
                offset_bytes,
                element,
            })
        })
    }
}

impl Display for EncodeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { tiled, address, .. } => {
                writeln!(f, "the driver refuses a tensor map with")?;
                writeln!(f, "  address          {address:#x}")?;
                parameters(f, tiled)
            }
            Self::Outside {
                tiled,
                buffer_bytes,
                offset_bytes,
                element,
            } => {
                write!(f, "a tensor of {} bytes ", tiled.span_bytes())?;
                write!(
                    f,
                    "from byte {offset_bytes} does not fit a buffer of {buffer_bytes}: "
                )?;
                writeln!(f, "element {element:?} is the first outside, with")?;
                parameters(f, tiled)
            }
        }
    }
}

fn parameters(f: &mut Formatter<'_>, tiled: &Tiled) -> fmt::Result {
    writeln!(f, "  data type        {:?}", tiled.data_type())?;
    writeln!(
        f,
        "  dimensions       {:?} elements, innermost first",
        tiled.global_dim()
    )?;
    writeln!(
        f,
        "  strides          {:?} bytes",
        tiled.global_strides_bytes()
    )?;
    writeln!(f, "  box              {:?} elements", tiled.get_box_dim())?;
    writeln!(f, "  element strides  {:?}", tiled.get_element_strides())?;
    writeln!(f, "  interleave       {:?}", tiled.get_interleave())?;
    writeln!(f, "  swizzle          {:?}", tiled.get_swizzle())?;
    writeln!(f, "  L2 promotion     {:?}", tiled.get_l2_promotion())?;
    write!(f, "  fill             {:?}", tiled.get_oob_fill())
}

impl std::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused { error, .. } => Some(error),
            Self::Outside { .. } => None,
        }
    }
}

impl From<EncodeError> for Failure {
    fn from(error: EncodeError) -> Self {
        let failure = Failure::new(Stage::Encode, error.to_string());
        match error {
            EncodeError::Refused { error, .. } => {
                failure.error_name(error.name()).hint(error.sentence())
            }
            EncodeError::Outside { .. } => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_driver::Origin;
    use tensor_map::DataType;

    const PARAMETERS: &str = "
  data type        I32
  dimensions       [100, 64] elements, innermost first
  strides          [416] bytes
  box              [32, 8] elements
  element strides  [1, 1]
  interleave       None
  swizzle          None
  L2 promotion     None
  fill             Zeros";

    fn tiled() -> Tiled {
        Tiled::new(DataType::I32, &[100, 64])
            .strides_bytes(&[416])
            .box_dim(&[32, 8])
    }

    #[test]
    fn a_refused_map_shows_its_parameters() {
        let error = DriverError {
            function: "f",
            code: 1,
            origin: Origin::Driver,
        };
        let error = EncodeError::Refused {
            tiled: Box::new(tiled()),
            address: 0x7f00,
            error,
        };
        let expected = "the driver refuses a tensor map with\n  address          0x7f00";
        assert_eq!(error.to_string(), format!("{expected}{PARAMETERS}"));
        assert_eq!(
            Failure::from(error).to_string(),
            format!("encode: {expected}{PARAMETERS} (CUDA_ERROR_INVALID_VALUE): invalid argument")
        );
    }

    #[test]
    fn a_tensor_stays_in_its_buffer() {
        let span = 63 * 416 + 400;
        assert_eq!(EncodeError::outside(&tiled(), span + 16, 16), Ok(()));
        let error = EncodeError::outside(&tiled(), span + 15, 16).unwrap_err();
        let expected = "a tensor of 26608 bytes from byte 16 does not fit a buffer of 26623: \
                        element [99, 63] is the first outside, with";
        assert_eq!(error.to_string(), format!("{expected}{PARAMETERS}"));
        let error = EncodeError::outside(&tiled(), 8, 16).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("element [0, 0] is the first outside"),
            "{error}"
        );
    }
}
