//! Values that instructions move or reduce, by their Rust type.

/// A number that an instruction has a type for.
pub trait Value: Copy + crate::sealed::Sealed {
    /// The PTX type of the value, which the opcode names.
    #[doc(hidden)]
    const TYPE: Type;

    /// Returns the bits of a value of 16 bits or fewer.
    #[doc(hidden)]
    fn bits16(self) -> u16;

    /// Returns the bits of a value of 32 bits or fewer.
    #[doc(hidden)]
    fn bits32(self) -> u32;

    /// Returns the bits, with zeros above the value's own.
    #[doc(hidden)]
    fn bits64(self) -> u64;
}

/// A type, as an opcode names it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    U8,
    U16,
    U32,
    U64,
    S32,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

macro_rules! values {
    ($($type:ty = $name:ident, $value:ident => $bits:expr;)+) => {$(
        impl crate::sealed::Sealed for $type {}
        impl Value for $type {
            const TYPE: Type = Type::$name;

            #[inline(always)]
            fn bits16(self) -> u16 {
                let $value = self;
                $bits as u16
            }

            #[inline(always)]
            fn bits32(self) -> u32 {
                let $value = self;
                $bits as u32
            }

            #[inline(always)]
            fn bits64(self) -> u64 {
                let $value = self;
                $bits as u64
            }
        }
    )+};
}
pub(crate) use values;

values! {
    u8 = U8, value => value;
    u16 = U16, value => value;
    u32 = U32, value => value;
    u64 = U64, value => value;
    i32 = S32, value => value;
    i64 = S64, value => value;
    f32 = F32, value => value.to_bits();
    f64 = F64, value => value.to_bits();
}
