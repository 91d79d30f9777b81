//! Addresses in one state space.

use core::marker::PhantomData;

/// Address types that hold one number.
macro_rules! address {
    ($(#[$attribute:meta])* $name:ident($bits:ty)) => {
        $(#[$attribute])*
        pub struct $name<T> {
            pub(crate) address: $bits,
            pointee: PhantomData<*mut T>,
        }

        impl<T> Clone for $name<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> $name<T> {
            /// Returns the `T` at this byte address of the space.
            #[inline(always)]
            pub const fn from_address(address: $bits) -> Self {
                Self { address, pointee: PhantomData }
            }

            /// Returns the byte address in the space, as PTX instructions take it.
            #[inline(always)]
            pub const fn address(self) -> $bits {
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
                Self::from_address(self.address.wrapping_add(bytes as $bits))
            }

            /// Returns the same address, for another type.
            #[inline(always)]
            pub const fn cast<U>(self) -> $name<U> {
                $name::from_address(self.address)
            }
        }
    };
}

address! {
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
    SharedPtr(u32)
}

address! {
    /// The address of a `T` in the shared memory of a block of this cluster (state space
    /// `.shared::cluster`).
    ///
    /// [`SharedPtr`] becomes one with `into`, and [`mapa`](crate::ptx::mapa) returns the address in another
    /// block.
    #[doc(alias = "dsmem")]
    ClusterPtr(u32)
}

address! {
    /// The address of a `T` in global memory (state space `.global`), for instructions that take a
    /// generic address, too.
    GlobalPtr(u64)
}

impl<T> GlobalPtr<T> {
    /// Returns the same address; the memory must be global where the instruction is executed.
    #[inline(always)]
    pub fn from_ptr(pointer: *const T) -> Self {
        Self::from_address(pointer.expose_provenance() as u64)
    }
}

impl<T> From<SharedPtr<T>> for ClusterPtr<T> {
    #[inline(always)]
    fn from(pointer: SharedPtr<T>) -> Self {
        Self::from_address(pointer.address())
    }
}
