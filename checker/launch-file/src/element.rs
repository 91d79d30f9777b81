//! Element types: sizes and comparisons.

use bytemuck::{AnyBitPattern, NoUninit};
use half::{bf16, f16};
use tensor_map::DataType;
use tma_launch::{
    Buffer,
    compare::{self, Float, Mismatch, Tolerance},
};

use super::{
    reader::{Number, Value, choice},
    violations::Invalid,
};

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// `u8`
    U8,
    /// `i8`
    I8,
    /// `u16`
    U16,
    /// `i16`
    I16,
    /// `u32`
    U32,
    /// `i32`
    I32,
    /// `u64`
    U64,
    /// `i64`
    I64,
    /// IEEE half precision
    F16,
    /// The upper half of an `f32`
    Bf16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl ElementType {
    /// All element types.
    pub const ALL: [Self; 12] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
    ];

    /// Returns the type's name in launch files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Returns the size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Returns whether this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// Returns the smallest and the largest integer; `None` for floating-point types.
    pub(super) fn bounds(self) -> Option<(i128, i128)> {
        let bits = 8 * self.bytes() as u32;
        match self {
            _ if self.is_float() => None,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
            }
            _ => Some((0, (1 << bits) - 1)),
        }
    }

    /// Returns the element type of tensor maps over a buffer of this type; integers of one or two bytes are
    /// unsigned in tensor maps.
    pub(super) const fn data_type(self) -> DataType {
        match self {
            Self::U8 | Self::I8 => DataType::U8,
            Self::U16 | Self::I16 => DataType::U16,
            Self::U32 => DataType::U32,
            Self::I32 => DataType::I32,
            Self::U64 => DataType::U64,
            Self::I64 => DataType::I64,
            Self::F16 => DataType::F16,
            Self::Bf16 => DataType::Bf16,
            Self::F32 => DataType::F32,
            Self::F64 => DataType::F64,
        }
    }

    /// Returns the type that shows elements of a tensor; `None` for elements of less than a byte.
    pub(super) fn of(data_type: DataType) -> Option<Self> {
        Some(match data_type {
            DataType::U8 => Self::U8,
            DataType::U16 => Self::U16,
            DataType::U32 => Self::U32,
            DataType::I32 => Self::I32,
            DataType::U64 => Self::U64,
            DataType::I64 => Self::I64,
            DataType::F16 => Self::F16,
            DataType::Bf16 => Self::Bf16,
            DataType::F32 | DataType::F32Ftz | DataType::Tf32 | DataType::Tf32Ftz => Self::F32,
            DataType::F64 => Self::F64,
            _ => return None,
        })
    }

    /// Returns an element's bytes as text, little-endian.
    pub fn text(self, bytes: &[u8]) -> String {
        let bits = bytes
            .iter()
            .rev()
            .fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        // A number far from 1 has an exponent.
        let text = match self {
            Self::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Self::F16 => format!("{:?}", f16::from_bits(bits as u16).to_f32()),
            Self::Bf16 => format!("{:?}", bf16::from_bits(bits as u16).to_f32()),
            _ => self.number(bits).to_string(),
        };
        text.strip_suffix(".0").unwrap_or(&text).to_owned()
    }

    pub(super) fn read(value: &Value<'_>) -> Result<Self, Invalid> {
        choice(value, &Self::ALL, Self::name)
    }

    /// Returns the bits of a number in the file. An integer must fit; a number with a decimal point requires a
    /// floating-point type and is rounded to nearest.
    pub(super) fn exact_bits(self, value: &Value<'_>) -> Result<u64, Invalid> {
        let number = value.number()?;
        match (self.bounds(), number) {
            (None, Number::Integer(integer)) => Ok(self.float_bits(integer as f64)),
            (None, Number::Float(float)) => Ok(self.float_bits(float)),
            (Some((least, most)), Number::Integer(integer)) => {
                if (least..=most).contains(&integer) {
                    return Ok(self.integer_bits(integer));
                }
                let name = self.name();
                Err(value.wrong(format!(
                    "{integer} must be a {name}, from {least} to {most}"
                )))
            }
            (Some(_), Number::Float(_)) => Err(value.wrong(format!(
                "{number} must be an integer for the type {}",
                self.name()
            ))),
        }
    }

    /// Returns the bits of the nearest floating-point number, or the low bits of an integer.
    pub(super) fn integer_bits(self, value: i128) -> u64 {
        match self.bytes() {
            _ if self.is_float() => self.float_bits(value as f64),
            8 => value as u64,
            bytes => value as u64 & ((1 << (8 * bytes)) - 1),
        }
    }

    /// Returns the bits of the nearest number of the type.
    pub(super) fn float_bits(self, value: f64) -> u64 {
        match self {
            Self::F16 => f16::from_f64(value).to_bits().into(),
            Self::Bf16 => bf16::from_f64(value).to_bits().into(),
            Self::F32 => (value as f32).to_bits().into(),
            Self::F64 => value.to_bits(),
            _ => self.integer_bits(value as i128),
        }
    }

    /// Returns the number with these bits.
    pub(super) fn number(self, bits: u64) -> Number {
        match self {
            Self::I8 => Number::Integer((bits as i8).into()),
            Self::I16 => Number::Integer((bits as i16).into()),
            Self::I32 => Number::Integer((bits as i32).into()),
            Self::I64 => Number::Integer((bits as i64).into()),
            Self::F16 => Number::Float(f16::from_bits(bits as u16).to_f64()),
            Self::Bf16 => Number::Float(bf16::from_bits(bits as u16).to_f64()),
            Self::F32 => Number::Float(f32::from_bits(bits as u32).into()),
            Self::F64 => Number::Float(f64::from_bits(bits)),
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Number::Integer(bits.into()),
        }
    }

    /// Compares elements; `dims`, innermost first, turns their indices into coordinates.
    pub(super) fn compare(
        self,
        expected: &[u8],
        got: &[u8],
        tolerance: Option<Tolerance>,
    ) -> Result<(), Mismatch> {
        fn exact<T: AnyBitPattern + NoUninit + std::fmt::Debug>(
            expected: &[u8],
            got: &[u8],
        ) -> Result<(), Mismatch> {
            compare::exact(&elements::<T>(expected), &elements::<T>(got))
        }
        fn close<T: AnyBitPattern + NoUninit, F: Float>(
            expected: &[u8],
            got: &[u8],
            tolerance: Tolerance,
            float: impl Fn(T) -> F,
        ) -> Result<(), Mismatch> {
            let floats = |bytes| elements::<T>(bytes).into_iter().map(&float).collect();
            let (expected, got): (Vec<F>, Vec<F>) = (floats(expected), floats(got));
            compare::close(&expected, &got, tolerance)
        }
        match (self, tolerance) {
            (Self::F16, Some(tolerance)) => close(expected, got, tolerance, F16),
            (Self::Bf16, Some(tolerance)) => close(expected, got, tolerance, Bf16),
            (Self::F32, Some(tolerance)) => close(expected, got, tolerance, |x: f32| x),
            (Self::F64, Some(tolerance)) => close(expected, got, tolerance, |x: f64| x),
            (Self::U8, _) => exact::<u8>(expected, got),
            (Self::I8, _) => exact::<i8>(expected, got),
            (Self::U16, _) => exact::<u16>(expected, got),
            (Self::I16, _) => exact::<i16>(expected, got),
            (Self::U32, _) => exact::<u32>(expected, got),
            (Self::I32, _) => exact::<i32>(expected, got),
            (Self::U64, _) => exact::<u64>(expected, got),
            (Self::I64, _) => exact::<i64>(expected, got),
            (Self::F16, None) => exact::<f16>(expected, got),
            (Self::Bf16, None) => exact::<bf16>(expected, got),
            (Self::F32, None) => exact::<f32>(expected, got),
            (Self::F64, None) => exact::<f64>(expected, got),
        }
    }
}

fn elements<T: AnyBitPattern + NoUninit>(bytes: &[u8]) -> Vec<T> {
    Buffer::new("", bytes).to_vec().unwrap_or_default()
}

macro_rules! narrow {
    ($($name:ident $inner:ty,)*) => {
        $(
            /// A 16-bit floating-point number, comparable by its distance in ulps.
            #[derive(Clone, Copy)]
            struct $name($inner);

            impl std::fmt::Debug for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    std::fmt::Debug::fmt(&self.0, f)
                }
            }

            impl From<$name> for f64 {
                fn from(value: $name) -> Self {
                    value.0.to_f64()
                }
            }

            impl Float for $name {
                fn ulps(a: Self, b: Self) -> u64 {
                    let ordered = |value: Self| {
                        let bits = value.0.to_bits() as i16;
                        i64::from(if bits < 0 { i16::MIN.wrapping_sub(bits) } else { bits })
                    };
                    ordered(a).abs_diff(ordered(b))
                }
            }
        )*
    };
}

narrow! { F16 f16, Bf16 bf16, }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_their_bits() {
        for ty in ElementType::ALL {
            let (least, most) = ty.bounds().unwrap_or((-1024, 1024));
            for value in [least, 0, 1, most] {
                let number = ty.number(ty.integer_bits(value));
                let expected = match ty.is_float() {
                    true => Number::Float(value as f64),
                    false => Number::Integer(value),
                };
                assert_eq!(number, expected, "{}", ty.name());
            }
        }
        assert_eq!(ElementType::F16.float_bits(1.5), 0x3e00);
        assert_eq!(ElementType::Bf16.float_bits(-2.0), 0xc000);
        assert_eq!(ElementType::U8.integer_bits(257), 1);
    }

    #[test]
    fn narrow_floats_are_counted_across_zero() {
        let (tiny, minus) = (f16::from_bits(1), f16::from_bits(0x8001));
        assert_eq!(F16::ulps(F16(minus), F16(tiny)), 2);
        let (one, next) = (bf16::from_bits(0x3f80), bf16::from_bits(0x3f81));
        assert_eq!(Bf16::ulps(Bf16(next), Bf16(one)), 1);
    }

    #[test]
    fn floats_are_compared_within_a_tolerance() {
        let bytes = |value: f64| ElementType::F16.float_bits(value).to_le_bytes()[..2].to_vec();
        let (a, b) = (bytes(1.0), bytes(1.002));
        let exact = ElementType::F16.compare(&a, &b, None).unwrap_err();
        let text = "element 0: expected 1.0, got 1.002; 1 of 1 elements differ";
        assert!(exact.to_string().starts_with(&text[..28]), "{exact}");
        let near = Tolerance::ulps(2);
        assert_eq!(ElementType::F16.compare(&a, &b, Some(near)), Ok(()));
        assert!(
            ElementType::F16
                .compare(&a, &bytes(1.01), Some(near))
                .is_err()
        );
    }
}
