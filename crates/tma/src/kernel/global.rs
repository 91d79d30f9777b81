//! Values in global memory, with their number and owners in the types of a kernel's parameters.
//!
//! A raw pointer promises nothing about its memory, so that each access is `unsafe`. A parameter of the types
//! here promises it once, and its methods are safe.

use core::{marker::PhantomData, ops::Deref};

use tensor_map::TensorMap;

pub use crate::pipeline::items::Counter;
use crate::{
    group::Block,
    ptx::{Scope, fence},
    tile::{Mode, TileArray, TileMap},
};

/// One value for the whole grid.
pub enum PerGrid {}

/// A value for each block, in the order of `blockIdx.x`.
pub enum PerBlock {}

/// A value for each thread, in the order of the blocks.
pub enum PerThread {}

/// The threads, blocks or grids that have a value each.
pub trait Owner: crate::sealed::Sealed {
    /// Returns the number of the value that is this thread's.
    #[doc(hidden)]
    fn index(block: Block) -> usize;
}

macro_rules! owners {
    ($($name:ident: $index:expr;)+) => {$(
        impl crate::sealed::Sealed for $name {}
        impl Owner for $name {
            #[inline(always)]
            fn index(block: Block) -> usize {
                let index: fn(Block) -> u32 = $index;
                index(block) as usize
            }
        }
    )+};
}

owners! {
    PerGrid: |_| 0;
    PerBlock: Block::index;
    // The grid has fewer than 2^32 threads (7 of `Block::converged`).
    PerThread: |block| block.index() * block.threads() + block.thread();
}

/// Values in global memory that a kernel reads: one for the grid, for each block or for each thread.
///
/// Use it as a kernel parameter in place of a `*const T`. The launch of the kernel promises
/// 1. that the values of all owners exist, aligned for `T`, and
/// 2. that no thread writes them while the kernel runs.
///
/// ```
/// use tma::{Block, GlobalMut, GlobalRef, PerBlock, PerThread, kernel};
/// use tma_launch::{BufferRef, Shape};
///
/// /// Writes a number for each thread: the number of its block with this index modulo 4.
/// ///
/// /// # Safety
/// /// 1. The parameters are as their types require.
/// /// 2. Blocks are one-dimensional, of whole warps.
/// #[kernel]
/// pub unsafe fn spread(output: GlobalMut<u32, PerThread>, input: GlobalRef<[u32; 4], PerBlock>) {
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     let numbers = input.of(block);
///     output.write(block, numbers[block.thread() as usize % 4]);
/// }
/// # fn main() {
/// // The host passes memory for them, as for a pointer.
/// let call = spread(BufferRef::new(0), BufferRef::new(1));
/// assert_eq!(call.launch(Shape::new(2, 64)).unwrap().arguments.len(), 2);
/// # }
/// ```
///
/// All threads of the grid get references to a value, so that its type is [`Sync`]:
///
/// ```compile_fail,E0277
/// # use core::cell::Cell;
/// # use tma::{Block, GlobalRef, kernel};
/// # /// # Safety
/// # /// 1. The parameter is as its type requires.
/// // Two threads could change it at the same time.
/// #[kernel]
/// pub unsafe fn count(number: GlobalRef<Cell<u32>>) {
///     number.set(number.get() + 1);
/// }
/// # fn main() {}
/// ```
///
/// ```compile_fail,E0277
/// # use core::cell::Cell;
/// # use tma::{Block, GlobalRef, PerBlock};
/// fn of_block(block: Block, numbers: GlobalRef<Cell<u32>, PerBlock>) -> u32 {
///     numbers.of(block).get()
/// }
/// ```
#[doc(alias("__restrict__", "const __restrict__"))]
#[repr(transparent)]
pub struct GlobalRef<T: Sync, O: Owner = PerGrid> {
    pub(crate) start: *const T,
    owner: PhantomData<O>,
}

/// Values in global memory that a kernel writes: one for the grid, for each block or for each thread.
///
/// Use it as a kernel parameter in place of a `*mut T`. The launch of the kernel promises
/// 1. that there is room for the values of all owners, aligned for `T`, and
/// 2. that no other code uses it while the kernel runs.
///
/// A thread writes only its own values; the example of [`GlobalRef`] has one.
#[repr(transparent)]
pub struct GlobalMut<T, O: Owner = PerGrid> {
    pub(crate) start: *mut T,
    owner: PhantomData<O>,
}

macro_rules! copies {
    ($($name:ident $(: $bound:ident)?;)+) => {$(
        impl<T $(: $bound)?, O: Owner> Clone for $name<T, O> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T $(: $bound)?, O: Owner> Copy for $name<T, O> {}
    )+};
}

copies! { GlobalRef: Sync; GlobalMut; }

impl<T: Sync, O: Owner> GlobalRef<T, O> {
    /// Returns the value that is this thread's, block's or grid's.
    #[inline(always)]
    pub fn of(&self, block: Block) -> &T {
        // SAFETY: the value exists, as the parameter's type promises.
        let value = unsafe { self.start.add(O::index(block)) };
        // SAFETY: no thread writes it, as the type promises; other threads may have references to it, which `Sync` allows.
        unsafe { &*value }
    }
}

impl<T: Sync> Deref for GlobalRef<T, PerGrid> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the value exists, and no thread writes it, as the parameter's type promises; it may be shared.
        unsafe { &*self.start }
    }
}

impl<T, O: Owner> GlobalMut<T, O> {
    /// Returns the address of this thread's, block's or grid's value.
    #[inline(always)]
    pub fn as_ptr(self, block: Block) -> *mut T {
        // SAFETY: there is room for the value, as the parameter's type promises.
        unsafe { self.start.add(O::index(block)) }
    }
}

impl<T: Copy> GlobalMut<T, PerThread> {
    /// Writes this thread's own value of the array.
    #[inline(always)]
    pub fn write(self, block: Block, value: T) {
        // SAFETY: there is room for the value, which no other thread writes.
        unsafe { self.as_ptr(block).write(value) };
    }
}

impl<T: Copy, const N: usize> GlobalMut<[T; N], PerBlock> {
    /// Writes the elements of the block. Each thread writes element `index` as `element(index)` for its own number
    /// and every `blockDim.x`-th number after it.
    #[inline(always)]
    pub fn write(self, block: Block, element: impl Fn(u32) -> T) {
        let elements = self.as_ptr(block).cast::<T>();
        let mut index = block.thread();
        while index < N as u32 {
            // SAFETY: the index is below N, the length of the block's array.
            let at = unsafe { elements.add(index as usize) };
            // SAFETY: the array is this block's, and each thread writes its own elements.
            unsafe { at.write(element(index)) };
            index += block.threads();
        }
    }

    /// Writes the element of the block at this thread's number, if there is one, as `element()` returns
    /// it.
    #[inline(always)]
    pub fn write_own(self, block: Block, element: impl FnOnce() -> T) {
        let thread = block.thread();
        if thread < N as u32 {
            let elements = self.as_ptr(block).cast::<T>();
            // SAFETY: the index is below N, the length of the block's array.
            let at = unsafe { elements.add(thread as usize) };
            // SAFETY: the array is this block's, and each thread writes its own elements.
            unsafe { at.write(element()) };
        }
    }
}

/// A tensor map that can be in global memory.
pub trait Map: Sync + crate::sealed::Sealed {}

impl crate::sealed::Sealed for TensorMap {}
impl Map for TensorMap {}
impl<S: TileArray, M: Mode> crate::sealed::Sealed for TileMap<S, M> {}
impl<S: TileArray, M: Mode> Map for TileMap<S, M> {}

impl<T: Map, O: Owner> GlobalRef<T, O> {
    /// Acquires the map for the copies of this thread, and of those that synchronise with it.
    ///
    /// The scope includes the writer of the map: [`Gpu`](crate::ptx::Gpu) for another kernel,
    /// [`Sys`](crate::ptx::Sys) for the host. Maps of the host must be acquired, too. PTX ISA 8.9.4, "Tensormap proxy".
    #[doc(alias = "fence_proxy_tensormap_generic")]
    #[inline(always)]
    pub fn acquire<C: Scope>(&self, block: Block) -> &T {
        let map: *const T = self.of(block);
        // SAFETY: the map exists, in global memory, as the parameter's type promises.
        unsafe { fence::proxy_tensormap_generic_acquire::<C>(map.cast()) };
        self.of(block)
    }
}
