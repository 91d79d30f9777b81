/// What one element of the tensor is.
///
/// The discriminants are those of the driver's `CUtensorMapDataType`.
#[doc(alias = "CUtensorMapDataType")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum DataType {
    /// `u8`, also for plain bytes.
    U8 = 0,
    /// `u16`.
    U16 = 1,
    /// `u32`.
    U32 = 2,
    /// `i32`.
    I32 = 3,
    /// `u64`.
    U64 = 4,
    /// `i64`.
    I64 = 5,
    /// IEEE half precision.
    F16 = 6,
    /// IEEE single precision.
    F32 = 7,
    /// IEEE double precision.
    F64 = 8,
    /// bfloat16.
    Bf16 = 9,
    /// `f32` whose subnormal numbers are flushed to zero.
    F32Ftz = 10,
    /// `f32` rounded to TensorFloat-32.
    Tf32 = 11,
    /// `f32` rounded to TensorFloat-32, subnormal numbers flushed to zero.
    Tf32Ftz = 12,
}

impl DataType {
    /// Size of one element in bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::I32 | Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

/// A Rust type that is an element of a tensor.
pub trait Element: Copy + 'static {
    /// Its type in a tensor map.
    const DATA_TYPE: DataType;
}

macro_rules! elements {
    ($($(#[$attribute:meta])* $rust:ty => $data_type:ident,)*) => {
        $($(#[$attribute])* impl Element for $rust {
            const DATA_TYPE: DataType = DataType::$data_type;
        })*
    };
}

elements! {
    u8 => U8,
    u16 => U16,
    u32 => U32,
    i32 => I32,
    u64 => U64,
    i64 => I64,
    f32 => F32,
    f64 => F64,
    #[cfg(feature = "half")] half::f16 => F16,
    #[cfg(feature = "half")] half::bf16 => Bf16,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees<T: Element>() -> bool {
        T::DATA_TYPE.bytes() == size_of::<T>() as u64
    }

    #[test]
    fn element_sizes_are_the_rust_types_sizes() {
        assert!(agrees::<u8>() && agrees::<u16>() && agrees::<u32>() && agrees::<u64>());
        assert!(agrees::<i32>() && agrees::<i64>() && agrees::<f32>() && agrees::<f64>());
    }

    #[cfg(feature = "half")]
    #[test]
    fn half_types_are_two_bytes() {
        assert!(agrees::<half::f16>() && agrees::<half::bf16>());
    }
}
