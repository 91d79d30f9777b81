use std::fmt::{self, Display, Formatter};

macro_rules! scalars {
    ($($variant:ident $rust:ident,)*) => {
        /// A number passed to a kernel by value.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Scalar {
            $(
                #[doc = concat!("`", stringify!($rust), "`")]
                $variant($rust),
            )*
        }

        impl Scalar {
            /// Returns the Rust type's name.
            pub const fn type_name(self) -> &'static str {
                match self { $(Self::$variant(_) => stringify!($rust),)* }
            }

            /// Returns the size of the number in bytes.
            pub const fn size_bytes(self) -> usize {
                match self { $(Self::$variant(_) => size_of::<$rust>(),)* }
            }

            /// Returns the bytes in the order of the device (little-endian), followed by zeros.
            pub fn to_bytes(self) -> [u8; 8] {
                let mut bytes = [0; 8];
                match self {
                    $(Self::$variant(value) => {
                        bytes[..size_of::<$rust>()].copy_from_slice(&value.to_le_bytes());
                    })*
                }
                bytes
            }
        }

        impl Display for Scalar {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                match self { $(Self::$variant(value) => write!(f, "{value}_{}", stringify!($rust)),)* }
            }
        }

        $(impl From<$rust> for Scalar {
            fn from(value: $rust) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

scalars! {
    U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64,
}

/// Converts to the device's `usize`, which has 64 bits.
impl From<usize> for Scalar {
    fn from(value: usize) -> Self {
        Self::U64(value as u64)
    }
}

/// Converts to the device's `isize`, which has 64 bits.
impl From<isize> for Scalar {
    fn from(value: isize) -> Self {
        Self::I64(value as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_little_endian_and_padded() {
        let scalar = Scalar::from(0x0102_u16);
        assert_eq!(scalar.to_bytes(), [2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!((scalar.size_bytes(), scalar.type_name()), (2, "u16"));
        assert_eq!(
            Scalar::from(-1_i32).to_bytes()[..5],
            [255, 255, 255, 255, 0]
        );
        assert_eq!(Scalar::from(3_usize).to_string(), "3_u64");
    }
}
