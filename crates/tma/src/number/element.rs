//! Numbers in shared memory, and elements of tiles.

use core::mem;

use tensor_map::DataType;

use super::{
    float8::E4m3,
    halves::{Bf16, Bf16x2, F16, F16x2},
};
use crate::ptx;

/// A value that one `ld.shared` or `st.shared` moves.
///
/// # Safety
/// 1. `load` and `store` move exactly the bytes of the value.
/// 2. Any bytes are a valid value: tiles, stages and buffers hold the bytes of copies.
pub unsafe trait SharedValue: Copy {
    /// Loads from the shared window.
    ///
    /// # Safety
    /// The conditions of [`SharedPtr::read`](crate::SharedPtr::read).
    unsafe fn load(address: u32) -> Self;

    /// Stores to the shared window.
    ///
    /// # Safety
    /// The conditions of [`SharedPtr::write`](crate::SharedPtr::write).
    unsafe fn store(address: u32, value: Self);
}

macro_rules! shared_values {
    ($($type:ty: $bits:ident, $load:expr, $store:expr;)*) => {$(
        // SAFETY: the instruction has the width of the type (1), which is made of numbers (2).
        unsafe impl SharedValue for $type {
            #[inline(always)]
            unsafe fn load(address: u32) -> Self {
                // SAFETY: the address is aligned and shared (1 of `SharedPtr::read`); a value was written there (2).
                let bits = unsafe { ptx::ld_shared::$bits(address) };
                $load(bits)
            }

            #[inline(always)]
            unsafe fn store(address: u32, value: Self) {
                let bits = $store(value);
                // SAFETY: the address is aligned and shared (1 of `SharedPtr::write`); no other thread uses it (2).
                unsafe { ptx::st_shared::$bits(address, bits) }
            }
        }
    )*};
}

shared_values! {
    u8: b8, |bits| bits, |value| value;
    i8: b8, |bits| bits as i8, |value| value as u8;
    u16: b16, |bits| bits, |value| value;
    i16: b16, |bits| bits as i16, |value| value as u16;
    F16: b16, F16::from_bits, F16::to_bits;
    Bf16: b16, Bf16::from_bits, Bf16::to_bits;
    E4m3: b8, E4m3::from_bits, E4m3::to_bits;
    u32: b32, |bits| bits, |value| value;
    i32: b32, |bits| bits as i32, |value| value as u32;
    f32: b32, f32::from_bits, f32::to_bits;
    u64: b64, |bits| bits, |value| value;
    i64: b64, |bits| bits as i64, |value| value as u64;
    F16x2: b32, F16x2::from_bits, F16x2::to_bits;
    Bf16x2: b32, Bf16x2::from_bits, Bf16x2::to_bits;
    f64: b64, f64::from_bits, f64::to_bits;
    [u32; 4]: v4_b32, |bits| bits, |value| value;
    [i32; 4]: v4_b32, |bits: [u32; 4]| bits.map(u32::cast_signed), |value: Self| value.map(i32::cast_unsigned);
    [f32; 4]: v4_b32, |bits: [u32; 4]| bits.map(f32::from_bits), |value: Self| value.map(f32::to_bits);
}

#[cfg(feature = "half")]
shared_values! {
    half::f16: b16, half::f16::from_bits, half::f16::to_bits;
    half::bf16: b16, half::bf16::from_bits, half::bf16::to_bits;
}

macro_rules! shared_vectors {
    ($($type:ty)*) => { shared_values! {$(
        $type: v4_b32,
            // SAFETY: both are 16 bytes, and any bits are valid numbers.
            |bits: [u32; 4]| unsafe { mem::transmute::<[u32; 4], Self>(bits) },
            // SAFETY: both are 16 bytes, and any bits are valid words.
            |value: Self| unsafe { mem::transmute::<Self, [u32; 4]>(value) };
    )*} };
}

shared_vectors! { [u8; 16] [i8; 16] [E4m3; 16] [u16; 8] [F16; 8] [Bf16; 8] [u64; 2] [i64; 2] [f64; 2] }

#[cfg(feature = "half")]
shared_vectors! { [half::f16; 8] [half::bf16; 8] }

/// An element type of tiles in shared memory.
pub trait Element: SharedValue + crate::sealed::Sealed {
    /// The type in a tensor map; an unsigned integer stands for every type of its size.
    #[doc(hidden)]
    const TYPE: DataType;
    /// 16 bytes of them: `[f32; 4]` for `f32`.
    type Vector: SharedValue;
}

macro_rules! elements {
    ($($type:ty = $name:ident)*) => {$(
        impl Element for $type {
            const TYPE: DataType = DataType::$name;
            type Vector = [$type; 16 / size_of::<$type>()];
        }
    )*};
}

impl crate::sealed::Sealed for i8 {}
impl crate::sealed::Sealed for E4m3 {}

elements! {
    u8 = U8 i8 = U8 E4m3 = U8 u16 = U16 F16 = F16 Bf16 = Bf16 u32 = U32 i32 = I32 f32 = F32 u64 = U64 i64 = I64 f64 = F64
}

#[cfg(feature = "half")]
elements! { half::f16 = F16 half::bf16 = Bf16 }

impl tensor_map::Element for F16 {
    const DATA_TYPE: DataType = DataType::F16;
}

impl tensor_map::Element for Bf16 {
    const DATA_TYPE: DataType = DataType::Bf16;
}
