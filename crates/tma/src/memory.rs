//! Global memory with control over caches, and with an order.
//!
//! A raw pointer's own reads and writes are `ld.global` and `st.global` of one value. The functions here move
//! vectors of up to 16 bytes with one instruction, and select the caches that keep the bytes. For threads that agree
//! on something through memory there are [`load_ordered`] and [`store_ordered`], and [`atomic`].

// Public as `tma::atomic` and `tma::shared`.
#[doc(hidden)]
pub mod atomic;
#[doc(hidden)]
pub mod shared;

use crate::number::halves::{Bf16, Bf16x2, F16, F16x2};
use crate::ptx::{self, ArriveSem, LoadOperator, Scope, StoreOperator, WaitSem};

/// A value that one instruction loads or stores.
///
/// # Safety
/// 1. The functions move exactly the bytes of the value, and any bytes are a valid one.
pub unsafe trait GlobalValue: Copy {
    #[doc(hidden)]
    unsafe fn load<O: LoadOperator>(address: *const Self) -> Self;
    #[doc(hidden)]
    unsafe fn load_nc(address: *const Self) -> Self;
    #[doc(hidden)]
    unsafe fn load_nc_no_allocate(address: *const Self) -> Self;
    #[doc(hidden)]
    unsafe fn store<O: StoreOperator>(address: *mut Self, value: Self);
    #[doc(hidden)]
    unsafe fn store_no_allocate(address: *mut Self, value: Self);
}

macro_rules! global_values {
    ($($load:ident $nc:ident $nc_no_allocate:ident $no_allocate:ident {
        $($type:ty, $from:expr, $to:expr;)+
    })+) => {$($(
        // SAFETY: the instruction has the size of the type, which is made of numbers (1).
        unsafe impl GlobalValue for $type {
            #[inline(always)]
            unsafe fn load<O: LoadOperator>(address: *const Self) -> Self {
                // SAFETY: the address is aligned and global (1 of `load`); its bytes were written, and are not now (2).
                $from(unsafe { ptx::ld_global::$load::<O>(address.cast()) })
            }

            #[inline(always)]
            unsafe fn load_nc(address: *const Self) -> Self {
                // SAFETY: the address is aligned and global (1 of `load_nc`); no thread writes its bytes (2).
                $from(unsafe { ptx::ld_global::$nc(address.cast()) })
            }

            #[inline(always)]
            unsafe fn load_nc_no_allocate(address: *const Self) -> Self {
                // SAFETY: the address is aligned and global (1 of `load_nc`); no thread writes its bytes (2).
                $from(unsafe { ptx::ld_global::$nc_no_allocate(address.cast()) })
            }

            #[inline(always)]
            unsafe fn store<O: StoreOperator>(address: *mut Self, value: Self) {
                // SAFETY: the address is aligned and global (1 of `store`); no other code uses its bytes (2).
                unsafe { ptx::st_global::$load::<O>(address.cast(), $to(value)) }
            }

            #[inline(always)]
            unsafe fn store_no_allocate(address: *mut Self, value: Self) {
                // SAFETY: the address is aligned and global (1 of `store`); no other code uses its bytes (2).
                unsafe { ptx::st_global::$no_allocate(address.cast(), $to(value)) }
            }
        }
    )+)+};
}

global_values! {
    b8 nc_b8 nc_l1_no_allocate_b8 l1_no_allocate_b8 {
        u8, |bits| bits, |value| value;
        i8, u8::cast_signed, i8::cast_unsigned;
    }
    b16 nc_b16 nc_l1_no_allocate_b16 l1_no_allocate_b16 {
        u16, |bits| bits, |value| value;
        i16, u16::cast_signed, i16::cast_unsigned;
        F16, F16::from_bits, F16::to_bits;
        Bf16, Bf16::from_bits, Bf16::to_bits;
    }
    b32 nc_b32 nc_l1_no_allocate_b32 l1_no_allocate_b32 {
        u32, |bits| bits, |value| value;
        i32, u32::cast_signed, i32::cast_unsigned;
        f32, f32::from_bits, f32::to_bits;
        F16x2, F16x2::from_bits, F16x2::to_bits;
        Bf16x2, Bf16x2::from_bits, Bf16x2::to_bits;
    }
    b64 nc_b64 nc_l1_no_allocate_b64 l1_no_allocate_b64 {
        u64, |bits| bits, |value| value;
        i64, u64::cast_signed, i64::cast_unsigned;
        f64, f64::from_bits, f64::to_bits;
    }
    v2_b32 nc_v2_b32 nc_l1_no_allocate_v2_b32 l1_no_allocate_v2_b32 {
        [u32; 2], |bits| bits, |value| value;
        [i32; 2], |bits: [u32; 2]| bits.map(u32::cast_signed), |value: Self| value.map(i32::cast_unsigned);
        [f32; 2], |bits: [u32; 2]| bits.map(f32::from_bits), |value: Self| value.map(f32::to_bits);
    }
    v4_b32 nc_v4_b32 nc_l1_no_allocate_v4_b32 l1_no_allocate_v4_b32 {
        [u32; 4], |bits| bits, |value| value;
        [i32; 4], |bits: [u32; 4]| bits.map(u32::cast_signed), |value: Self| value.map(i32::cast_unsigned);
        [f32; 4], |bits: [u32; 4]| bits.map(f32::from_bits), |value: Self| value.map(f32::to_bits);
    }
    v2_b64 nc_v2_b64 nc_l1_no_allocate_v2_b64 l1_no_allocate_v2_b64 {
        [u64; 2], |bits| bits, |value| value;
        [i64; 2], |bits: [u64; 2]| bits.map(u64::cast_signed), |value: Self| value.map(i64::cast_unsigned);
        [f64; 2], |bits: [u64; 2]| bits.map(f64::from_bits), |value: Self| value.map(f64::to_bits);
    }
}

#[cfg(feature = "half")]
global_values! {
    b16 nc_b16 nc_l1_no_allocate_b16 l1_no_allocate_b16 {
        half::f16, half::f16::from_bits, half::f16::to_bits;
        half::bf16, half::bf16::from_bits, half::bf16::to_bits;
    }
}

/// Loads with a cache operator: [`Cg`](ptx::Cg), [`Cs`](ptx::Cs), [`Lu`](ptx::Lu) or [`Cv`](ptx::Cv).
///
/// PTX: `ld.global.O`
///
/// # Safety
/// 1. `address` is a multiple of the value's size and is in global memory.
/// 2. The bytes were written, that happens before, and no thread writes them at the same time.
#[doc(alias("__ldcg", "__ldcs", "__ldlu", "__ldcv"))]
#[inline(always)]
pub unsafe fn load<O: LoadOperator, T: GlobalValue>(address: *const T) -> T {
    // SAFETY: the address is aligned and global (1); its bytes were written, and are not now (2).
    unsafe { T::load::<O>(address) }
}

/// Loads a value that no thread writes while the kernel runs.
///
/// PTX: `ld.global.nc`
///
/// # Safety
/// 1. `address` is a multiple of the value's size and is in global memory.
/// 2. No thread writes the bytes while the kernel runs.
#[doc(alias("__ldg", "ldg"))]
#[inline(always)]
pub unsafe fn load_nc<T: GlobalValue>(address: *const T) -> T {
    // SAFETY: the address is aligned and global (1); no thread writes its bytes (2).
    unsafe { T::load_nc(address) }
}

/// Loads a value that no thread writes while the kernel runs, without keeping it in the L1 cache.
///
/// PTX: `ld.global.nc.L1::no_allocate`
///
/// # Safety
/// The conditions of [`load_nc`].
#[inline(always)]
pub unsafe fn load_nc_no_allocate<T: GlobalValue>(address: *const T) -> T {
    // SAFETY: the address is aligned and global (1 of `load_nc`); no thread writes its bytes (2).
    unsafe { T::load_nc_no_allocate(address) }
}

/// Stores with a cache operator: [`Wb`](ptx::Wb), [`Cg`](ptx::Cg), [`Cs`](ptx::Cs) or [`Wt`](ptx::Wt).
///
/// PTX: `st.global.O`
///
/// # Safety
/// 1. `address` is a multiple of the value's size and is in global memory.
/// 2. No other code uses these bytes at the same time.
#[doc(alias("__stwb", "__stcg", "__stcs", "__stwt"))]
#[inline(always)]
pub unsafe fn store<O: StoreOperator, T: GlobalValue>(address: *mut T, value: T) {
    // SAFETY: the address is aligned and global (1); no other code uses its bytes (2).
    unsafe { T::store::<O>(address, value) }
}

/// Stores a value without keeping it in the L1 cache.
///
/// PTX: `st.global.L1::no_allocate`
///
/// # Safety
/// The conditions of [`store`].
#[inline(always)]
pub unsafe fn store_no_allocate<T: GlobalValue>(address: *mut T, value: T) {
    // SAFETY: the address is aligned and global (1 of `store`); no other code uses its bytes (2).
    unsafe { T::store_no_allocate(address, value) }
}

/// A value that is loaded and stored with an order: `u32`, `i32`, `u64` or `i64`.
pub trait OrderedValue: Copy + crate::sealed::Sealed {
    #[doc(hidden)]
    unsafe fn load_ordered<S: WaitSem, C: Scope>(address: *const Self) -> Self;
    #[doc(hidden)]
    unsafe fn store_ordered<S: ArriveSem, C: Scope>(address: *mut Self, value: Self);
}

macro_rules! ordered_values {
    ($($type:ty as $bits:ty: $name:ident;)+) => {$(
        impl OrderedValue for $type {
            #[inline(always)]
            unsafe fn load_ordered<S: WaitSem, C: Scope>(address: *const Self) -> Self {
                // SAFETY: a value is at the address (1 of `load_ordered`); others write it in order or atomically (2).
                unsafe { ptx::ld_global::$name::<S, C>(address.cast()) as Self }
            }

            #[inline(always)]
            unsafe fn store_ordered<S: ArriveSem, C: Scope>(address: *mut Self, value: Self) {
                // SAFETY: the address is aligned and global (1 of `store_ordered`); others use it in order (2).
                unsafe { ptx::st_global::$name::<S, C>(address.cast(), value as $bits) }
            }
        }
    )+};
}

ordered_values! {
    u32 as u32: ordered_b32;
    i32 as u32: ordered_b32;
    u64 as u64: ordered_b64;
    i64 as u64: ordered_b64;
}

/// Loads: [`Relaxed`](ptx::Relaxed), or [`Acquire`](ptx::Acquire), which makes accesses before the store of the
/// loaded value visible.
///
/// PTX: `ld.S.C.global`
///
/// # Safety
/// 1. `address` is a multiple of the value's size and is in global memory, where a value was written.
/// 2. Other threads write the value at the same time by [`store_ordered`] and atomic operations only, and each scope
///    includes the others.
#[doc(alias("ld_acquire", "atomic_ref::load"))]
#[inline(always)]
pub unsafe fn load_ordered<S: WaitSem, C: Scope, T: OrderedValue>(address: *const T) -> T {
    // SAFETY: a value is at the address (1), and others write it in order or atomically (2).
    unsafe { T::load_ordered::<S, C>(address) }
}

/// Stores: [`Relaxed`](ptx::Relaxed), or [`Release`](ptx::Release), with all that this thread has done before.
///
/// PTX: `st.S.C.global`
///
/// # Safety
/// 1. `address` is a multiple of the value's size and is in global memory.
/// 2. Other threads use the value at the same time by [`load_ordered`], [`store_ordered`] and atomic operations only,
///    and each scope includes the others.
#[doc(alias("st_release", "atomic_ref::store"))]
#[inline(always)]
pub unsafe fn store_ordered<S: ArriveSem, C: Scope, T: OrderedValue>(address: *mut T, value: T) {
    // SAFETY: the address is aligned and global (1); others use it in order or atomically (2).
    unsafe { T::store_ordered::<S, C>(address, value) }
}
