/// The type of a tensor's elements.
///
/// The discriminants equal the driver's `CUtensorMapDataType`; `tensormap.replace` numbers
/// them differently, see [`replace`](crate::replace).
///
/// Source: CUDA driver API, `cuTensorMapEncodeTiled`, `tensorDataType`.
#[doc(alias = "CUtensorMapDataType")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum DataType {
    /// Unsigned bytes, also for data of no number type (`u8`).
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_UINT8")]
    U8 = 0,
    /// `u16`.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_UINT16")]
    U16 = 1,
    /// `u32`.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_UINT32")]
    U32 = 2,
    /// `i32`.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_INT32")]
    I32 = 3,
    /// `u64`.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_UINT64")]
    U64 = 4,
    /// `i64`.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_INT64")]
    I64 = 5,
    /// Floating-point numbers of 16 bits, IEEE half precision.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_FLOAT16")]
    F16 = 6,
    /// Floating-point numbers of 32 bits, IEEE single precision.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_FLOAT32")]
    F32 = 7,
    /// Floating-point numbers of 64 bits, IEEE double precision.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_FLOAT64")]
    F64 = 8,
    /// bfloat16: 16 bits with the exponent range of `f32`.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16")]
    Bf16 = 9,
    /// `f32`; tensor reductions flush its subnormal numbers to zero.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ")]
    F32Ftz = 10,
    /// `f32` rounded to TensorFloat-32 by loads.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32")]
    Tf32 = 11,
    /// `f32` rounded to TensorFloat-32, subnormal numbers flushed to zero.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ")]
    Tf32Ftz = 12,
    /// Groups of 16 numbers of 4 bits, 8 bytes a group in shared memory. Compute capability 10.0.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B")]
    #[doc(alias = "b4x16")]
    U4x16Align8 = 13,
    /// Groups of 16 numbers of 4 bits, 16 bytes a group in shared memory. Compute capability 10.0.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B")]
    #[doc(alias = "b4x16_p64")]
    U4x16Align16 = 14,
    /// Groups of 16 numbers of 6 bits, 16 bytes a group in shared memory. Compute capability 10.0.
    #[doc(alias = "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B")]
    #[doc(alias = "b6x16_p32")]
    U6x16Align16 = 15,
}

impl DataType {
    /// `i8`: tensor maps have one type for integers of 8 bits.
    pub const I8: Self = Self::U8;

    /// All types, in the driver's order.
    pub const ALL: [Self; 16] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F16,
        Self::F32,
        Self::F64,
        Self::Bf16,
        Self::F32Ftz,
        Self::Tf32,
        Self::Tf32Ftz,
        Self::U4x16Align8,
        Self::U4x16Align16,
        Self::U6x16Align16,
    ];

    /// Returns the name in messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Bf16 => "bf16",
            Self::F32Ftz => "f32-ftz",
            Self::Tf32 => "tf32",
            Self::Tf32Ftz => "tf32-ftz",
            Self::U4x16Align8 => "u4x16-align8",
            Self::U4x16Align16 => "u4x16-align16",
            Self::U6x16Align16 => "u6x16-align16",
        }
    }

    /// Bits of one element in global memory, where elements are without gaps.
    pub const fn global_bits(self) -> u64 {
        match self {
            Self::U4x16Align8 | Self::U4x16Align16 => 4,
            Self::U6x16Align16 => 6,
            _ => self.bytes() * 8,
        }
    }

    /// Bits that one element takes in shared memory, gaps between groups counted in.
    pub const fn shared_bits(self) -> u64 {
        match self {
            Self::U4x16Align8 => 4,
            Self::U4x16Align16 | Self::U6x16Align16 => 8,
            _ => self.bytes() * 8,
        }
    }

    /// Size of one element in bytes; 1 for the types of 4 and 6 bits.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::U4x16Align8 | Self::U4x16Align16 | Self::U6x16Align16 => 1,
            Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::I32 | Self::F32 | Self::F32Ftz | Self::Tf32 | Self::Tf32Ftz => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Returns the number of bytes of `elements` neighbours in global memory.
    pub const fn global_bytes(self, elements: u64) -> u64 {
        Self::bytes_of(elements, self.global_bits())
    }

    /// Returns the number of bytes of `elements` neighbours in shared memory.
    pub const fn shared_bytes(self, elements: u64) -> u64 {
        Self::bytes_of(elements, self.shared_bits())
    }

    const fn bytes_of(elements: u64, bits: u64) -> u64 {
        if bits.is_multiple_of(8) {
            elements.saturating_mul(bits / 8)
        } else {
            elements.saturating_mul(bits).div_ceil(8)
        }
    }

    /// Returns whether it is a floating-point type, which alone can be filled with NaN.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F16
                | Self::F32
                | Self::F64
                | Self::Bf16
                | Self::F32Ftz
                | Self::Tf32
                | Self::Tf32Ftz
        )
    }

    /// Returns whether its elements are of 4 or 6 bits.
    pub const fn is_packed(self) -> bool {
        matches!(
            self,
            Self::U4x16Align8 | Self::U4x16Align16 | Self::U6x16Align16
        )
    }

    /// Returns whether groups of 16 elements are spread to 16 bytes in shared memory.
    pub(crate) const fn is_align16(self) -> bool {
        matches!(self, Self::U4x16Align16 | Self::U6x16Align16)
    }
}

/// A Rust type that is an element of a tensor.
pub trait Element: Copy + 'static {
    /// The data type of a tensor map whose elements are of this Rust type.
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
    i8 => I8,
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
        assert!(
            agrees::<u8>()
                && agrees::<i8>()
                && agrees::<u16>()
                && agrees::<u32>()
                && agrees::<u64>()
        );
        assert!(agrees::<i32>() && agrees::<i64>() && agrees::<f32>() && agrees::<f64>());
    }

    #[cfg(feature = "half")]
    #[test]
    fn half_types_are_two_bytes() {
        assert!(agrees::<half::f16>() && agrees::<half::bf16>());
    }

    #[test]
    fn all_is_in_the_order_of_the_discriminants() {
        for (number, data_type) in DataType::ALL.into_iter().enumerate() {
            assert_eq!(data_type as usize, number);
        }
    }

    #[test]
    fn packed_types_have_gaps_in_shared_memory_only() {
        assert_eq!(DataType::U4x16Align8.shared_bytes(128), 64);
        assert_eq!(DataType::U4x16Align16.global_bytes(128), 64);
        assert_eq!(DataType::U4x16Align16.shared_bytes(128), 128);
        assert_eq!(DataType::U6x16Align16.global_bytes(128), 96);
        assert_eq!(DataType::U6x16Align16.shared_bytes(128), 128);
    }
}
