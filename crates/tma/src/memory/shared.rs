//! Shared memory of the block.
//!
//! [`shared!`](macro@crate::shared) declares static variables, [`dynamic`] returns the memory that the launch
//! requested. Both are accessed through [`SharedPtr`], which reads by `ld.shared` and writes by
//! `st.shared`; an ordinary Rust pointer to the same bytes works too, through slower generic
//! loads and stores.

use crate::ptx;

pub use crate::{number::SharedValue, ptx::operand::pointer::SharedPtr};

impl<T> SharedPtr<T> {
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
    /// Loads the value from shared memory.
    ///
    /// PTX: `ld.shared`
    ///
    /// # Safety
    /// 1. The address is a multiple of `T`'s size and is in this block's shared memory.
    /// 2. A valid `T` was written there, that write happens before, and no thread or copy writes
    ///    there at the same time.
    #[inline(always)]
    pub unsafe fn read(self) -> T {
        // SAFETY: the address is aligned and in shared memory (1), where a valid value was written (2).
        unsafe { T::load(self.address) }
    }

    /// Stores the value in shared memory.
    ///
    /// PTX: `st.shared`
    ///
    /// # Safety
    /// 1. The address is a multiple of `T`'s size and is in this block's shared memory.
    /// 2. No other thread and no copy uses these bytes at the same time.
    #[inline(always)]
    pub unsafe fn write(self, value: T) {
        // SAFETY: the address is aligned and in shared memory (1), and no other thread or copy uses the bytes (2).
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
        // SAFETY: a number is at the address (1), and others use it atomically (2).
        unsafe { ptx::red_shared::add_u32(self.address, value) }
    }
}

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
