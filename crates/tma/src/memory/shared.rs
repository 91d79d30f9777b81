//! Shared memory of the block.
//!
//! [`shared!`](macro@crate::shared) declares static variables, [`dynamic`] returns the memory that the launch
//! requested. Both are accessed through [`SharedPtr`], which reads by `ld.shared` and writes by
//! `st.shared`; an ordinary Rust pointer to the same bytes works too, through slower generic
//! loads and stores.

use core::{marker::PhantomData, mem};

use crate::{
    float8::E4m3,
    halves::{Bf16, Bf16x2, F16, F16x2},
    ptx,
};

/// The address of a `T` in this block's shared memory (state space `.shared::cta`).
///
/// Making one or moving it about is safe; reading and writing are not.
///
/// ```
/// use tma::{Block, GlobalMut, PerThread, SharedPtr, kernel, shared};
///
/// /// Writes to each of 32 threads the number of the last one less its own.
/// ///
/// /// # Safety
/// /// 1. `output` is as its type requires.
/// /// 2. Grid and blocks are one-dimensional, blocks of 32 threads.
/// #[kernel]
/// pub unsafe fn reverse(output: GlobalMut<u32, PerThread>) {
///     shared! {
///         static NUMBERS: [u32; 32];
///     }
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     let numbers: SharedPtr<u32> = NUMBERS::ptr().cast();
///     // SAFETY: each thread has a number of its own (2).
///     unsafe { numbers.add(block.thread()).write(block.thread()) };
///     block.sync();
///     // SAFETY: all numbers were written before the barrier, none is written after it.
///     output.write(block, unsafe { numbers.add(31 - block.thread()).read() });
/// }
/// # fn main() {}
/// ```
pub struct SharedPtr<T> {
    address: u32,
    pointee: PhantomData<*mut T>,
}

impl<T> Clone for SharedPtr<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedPtr<T> {}

impl<T> SharedPtr<T> {
    /// Returns the `T` at this byte address in the shared window.
    #[inline(always)]
    pub const fn from_address(address: u32) -> Self {
        Self {
            address,
            pointee: PhantomData,
        }
    }

    /// Returns the byte address in the shared window, as PTX instructions take it.
    #[inline(always)]
    pub const fn address(self) -> u32 {
        self.address
    }

    /// Returns the `count`-th `T` after this one.
    #[inline(always)]
    pub const fn add(self, count: u32) -> Self {
        self.byte_add(count.wrapping_mul(size_of::<T>() as u32))
    }

    /// Returns the `T` that is `bytes` bytes further on.
    #[inline(always)]
    pub const fn byte_add(self, bytes: u32) -> Self {
        Self::from_address(self.address.wrapping_add(bytes))
    }

    /// Returns the same address, for another type.
    #[inline(always)]
    pub const fn cast<U>(self) -> SharedPtr<U> {
        SharedPtr::from_address(self.address)
    }

    /// Returns a generic pointer to the same byte.
    #[doc(alias = "__cvta_shared_to_generic")]
    #[inline(always)]
    pub fn as_ptr(self) -> *mut T {
        ptx::cvta::shared(self.address) as *mut T
    }
}

impl<T, const N: usize> SharedPtr<[T; N]> {
    /// Element `index`, counted from 0; not checked.
    #[inline(always)]
    pub const fn at(self, index: u32) -> SharedPtr<T> {
        self.cast::<T>().add(index)
    }
}

impl<T: SharedValue> SharedPtr<T> {
    /// Loads the value.
    ///
    /// PTX: `ld.shared`
    ///
    /// # Safety
    /// 1. The address is a multiple of `T`'s size and is in this block's shared memory.
    /// 2. A valid `T` was written there, that write happens before, and no thread or copy writes
    ///    there at the same time.
    #[inline(always)]
    pub unsafe fn read(self) -> T {
        // SAFETY: (1) and (2) are the caller's.
        unsafe { T::load(self.address) }
    }

    /// Stores the value.
    ///
    /// PTX: `st.shared`
    ///
    /// # Safety
    /// 1. The address is a multiple of `T`'s size and is in this block's shared memory.
    /// 2. No other thread and no copy uses these bytes at the same time.
    #[inline(always)]
    pub unsafe fn write(self, value: T) {
        // SAFETY: (1) and (2) are the caller's.
        unsafe { T::store(self.address, value) }
    }
}

impl SharedPtr<u32> {
    /// Adds `value` to the number in one step that others of the block see whole; the sum wraps.
    ///
    /// Atomics of [`core::sync::atomic`] do so too, but through a generic address, which is slower.
    ///
    /// PTX: `red.relaxed.cta.shared::cta.add.u32`
    ///
    /// # Safety
    /// 1. The address is a multiple of 4 and is in this block's shared memory.
    /// 2. A number was written there, that write happens before, and others use it at the same time by
    ///    atomic operations alone.
    #[doc(alias = "atomicAdd_block")]
    #[inline(always)]
    pub unsafe fn add_relaxed(self, value: u32) {
        // SAFETY: (1) and (2) are the caller's.
        unsafe { ptx::red_shared::add_u32(self.address, value) }
    }
}

/// A value that one `ld.shared` or `st.shared` moves.
///
/// # Safety
/// 1. `load` and `store` move exactly the bytes of the value.
/// 2. Any bytes are a valid value: tiles, stages and buffers hold the bytes of copies.
pub unsafe trait SharedValue: Copy {
    /// Loads from the shared window.
    ///
    /// # Safety
    /// The conditions of [`SharedPtr::read`].
    unsafe fn load(address: u32) -> Self;

    /// Stores to the shared window.
    ///
    /// # Safety
    /// The conditions of [`SharedPtr::write`].
    unsafe fn store(address: u32, value: Self);
}

macro_rules! shared_values {
    ($($type:ty: $bits:ident, $load:expr, $store:expr;)*) => {$(
        // SAFETY: the instruction has the width of the type (1), which is made of numbers (2).
        unsafe impl SharedValue for $type {
            #[inline(always)]
            unsafe fn load(address: u32) -> Self {
                // SAFETY: the caller's conditions are the instruction's.
                let bits = unsafe { ptx::ld_shared::$bits(address) };
                $load(bits)
            }

            #[inline(always)]
            unsafe fn store(address: u32, value: Self) {
                let bits = $store(value);
                // SAFETY: the caller's conditions are the instruction's.
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
            // SAFETY: as above.
            |value: Self| unsafe { mem::transmute::<Self, [u32; 4]>(value) };
    )*} };
}

shared_vectors! { [u8; 16] [i8; 16] [E4m3; 16] [u16; 8] [F16; 8] [Bf16; 8] [u64; 2] [i64; 2] [f64; 2] }

#[cfg(feature = "half")]
shared_vectors! { [half::f16; 8] [half::bf16; 8] }

/// Returns the start of the dynamic shared memory, at a multiple of `ALIGN` bytes: a power of two from 16 to
/// 1024. Its size is the launch's `shared_bytes`.
///
/// Bulk copies need 16, tensor copies 128, and tensor copies with a 128-byte swizzle 1024. The largest
/// alignment in a module pads the static shared memory of all its kernels.
#[doc(alias = "extern __shared__")]
#[inline(always)]
pub fn dynamic<T, const ALIGN: usize>() -> SharedPtr<T> {
    SharedPtr::from_address(ptx::shared_symbol::dynamic::<ALIGN>())
}
