//! `tensormap.replace`, on the bytes of a map.
//!
//! The instruction changes only one field: neither the bytes of a box nor its alignment
//! follow. The instruction exists for tiled maps, on targets with an `a` or `f` (`sm_90a`, `sm_100a`, ...).
//! Its effect for 9.0 was compared with an H100; the rest follows from the code that `ptxas` 13.0
//! makes of it.
//!
//! Numbers are PTX's, not the driver's: [`element_type`] returns the number of a
//! [`DataType`].
//!
//! Source: PTX ISA 9.7.9.27, "tensormap.replace".

use core::{
    error::Error,
    fmt::{self, Display, Formatter},
};

use crate::{DataType, TensorMap, encode::set_stride, layout};

/// One `tensormap.replace`: the field, which dimension, and the new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// `.global_address`
    GlobalAddress(u64),
    /// `.rank`: the number of dimensions, less one.
    Rank(u32),
    /// `.box_dim`: a dimension, and the length of the box in elements.
    BoxDim(usize, u32),
    /// `.global_dim`: a dimension, and its length in elements; 0 means 2^32.
    GlobalDim(usize, u32),
    /// `.global_stride`: a stride, numbered from 0 for dimension 1, in bytes.
    GlobalStride(usize, u64),
    /// `.element_stride`: a dimension, and its element stride.
    ElementStride(usize, u32),
    /// `.elemtype`, numbered as [`element_type`] does.
    ///
    /// The instruction sets the bit that rounds to TensorFloat-32 for types 11 and 12, and never clears it: a map
    /// of tf32 stays one that rounds when it is made f32. Seen on an H100.
    ElemType(u32),
    /// `.interleave_layout`: 0 for none, 1 for 16 bytes, 2 for 32 bytes.
    InterleaveLayout(u32),
    /// `.swizzle_mode`: 0 for none, 1 for 32, 2 for 64, 3 for 128, 4 for 96 bytes.
    SwizzleMode(u32),
    /// `.swizzle_atomicity`: 0 for 16, 1 for 32, 2 for 32 with 8 flipped, 3 for 64 bytes.
    SwizzleAtomicity(u32),
    /// `.fill_mode`: 0 for zeros, 1 for NaN.
    FillMode(u32),
}

/// A dimension or a number that the assembler refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The field, as PTX writes it.
    pub field: &'static str,
    /// The value that is out of range.
    pub value: u64,
    /// The largest value that the instruction accepts for the field.
    pub max: u64,
}

impl Display for OutOfRange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { field, value, max } = self;
        write!(
            f,
            "operand {value} of tensormap.replace.{field} must be 0 to {max}"
        )
    }
}

impl Error for OutOfRange {}

/// Returns the number of a type in `tensormap.replace.elemtype`.
///
/// ```
/// use tensor_map::{DataType, replace::element_type};
///
/// assert_eq!(element_type(DataType::Bf16), 10);
/// assert_eq!(DataType::Bf16 as u32, 9);
/// ```
pub const fn element_type(data_type: DataType) -> u32 {
    match data_type {
        DataType::U8 => 0,
        DataType::U16 => 1,
        DataType::U32 => 2,
        DataType::I32 => 3,
        DataType::U64 => 4,
        DataType::I64 => 5,
        DataType::F16 => 6,
        DataType::F32 => 7,
        DataType::F32Ftz => 8,
        DataType::F64 => 9,
        DataType::Bf16 => 10,
        DataType::Tf32 => 11,
        DataType::Tf32Ftz => 12,
        DataType::U4x16Align8 => 13,
        DataType::U4x16Align16 => 14,
        DataType::U6x16Align16 => 15,
    }
}

impl TensorMap {
    /// Replaces a field as `tensormap.replace` does. Values that do not fit their field lose their high bits.
    ///
    /// ```
    /// use tensor_map::{TensorMap, replace::Replacement};
    ///
    /// let mut map = TensorMap::from_words([0; 16]);
    /// map.replace(Replacement::GlobalDim(0, 64)).unwrap();
    /// assert_eq!(map.words()[4], 63);
    /// ```
    ///
    /// # Errors
    /// The dimension or the number of a kind is out of range. The map is as before.
    #[doc(alias = "tensormap.replace")]
    pub const fn replace(&mut self, replacement: Replacement) -> Result<(), OutOfRange> {
        if let Err(error) = check(replacement) {
            return Err(error);
        }
        let words = self.words_mut();
        match replacement {
            Replacement::GlobalAddress(address) => layout::GLOBAL_ADDRESS.set(words, address),
            Replacement::Rank(rank) => layout::RANK.set(words, rank as u64),
            Replacement::BoxDim(dim, length) => less_one(words, layout::BOX[dim], length),
            Replacement::GlobalDim(dim, length) => less_one(words, layout::DIM[dim], length),
            Replacement::GlobalStride(stride, bytes) => set_stride(words, stride, bytes),
            Replacement::ElementStride(dim, stride) => {
                less_one(words, layout::ELEMENT_STRIDE[dim], stride)
            }
            Replacement::ElemType(number) => {
                let mut i = 0;
                while i < DataType::ALL.len() {
                    if element_type(DataType::ALL[i]) == number {
                        let (code, tf32) = layout::type_code(DataType::ALL[i]);
                        layout::DATA_TYPE.set(words, code);
                        layout::TF32.set(words, layout::TF32.get(words) | tf32);
                    }
                    i += 1;
                }
            }
            Replacement::InterleaveLayout(number) => layout::INTERLEAVE.set(words, number as u64),
            Replacement::SwizzleMode(number) => {
                layout::SWIZZLE.set(words, if number < 4 { number as u64 } else { 0 });
                layout::SWIZZLE_96.set(words, (number == 4) as u64);
            }
            Replacement::SwizzleAtomicity(number) => {
                layout::SWIZZLE_ATOM.set(words, number as u64);
                layout::LARGE_TENSOR.set(words, 0);
            }
            Replacement::FillMode(number) => layout::OOB_FILL.set(words, number as u64),
        }
        Ok(())
    }
}

const fn less_one(words: &mut [u64; TensorMap::WORDS], field: layout::Field, value: u32) {
    field.set(words, value.wrapping_sub(1) as u64);
}

const fn check(replacement: Replacement) -> Result<(), OutOfRange> {
    let (field, value, max) = match replacement {
        Replacement::GlobalAddress(_) | Replacement::Rank(_) => return Ok(()),
        Replacement::BoxDim(dim, _) => ("box_dim", dim as u64, 4),
        Replacement::GlobalDim(dim, _) => ("global_dim", dim as u64, 4),
        Replacement::GlobalStride(stride, _) => ("global_stride", stride as u64, 3),
        Replacement::ElementStride(dim, _) => ("element_stride", dim as u64, 4),
        Replacement::ElemType(number) => ("elemtype", number as u64, 15),
        Replacement::InterleaveLayout(number) => ("interleave_layout", number as u64, 2),
        Replacement::SwizzleMode(number) => ("swizzle_mode", number as u64, 4),
        Replacement::SwizzleAtomicity(number) => ("swizzle_atomicity", number as u64, 3),
        Replacement::FillMode(number) => ("fill_mode", number as u64, 1),
    };
    if value > max {
        Err(OutOfRange { field, value, max })
    } else {
        Ok(())
    }
}
