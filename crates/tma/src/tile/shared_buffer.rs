use crate::{
    barrier::{Barrier, Loading, Transaction},
    group::{Block, Threads, publish},
    number::SharedValue,
    ptx::{mbarrier::Mbarrier, operand::SharedPtr},
    tile::{own_elements::OwnElements, stores::Stores},
};

/// Elements in shared memory that all threads of the block, and copies, may read: the counterpart of
/// [`SharedTile`](crate::SharedTile) without a tile.
///
/// ```
/// # use tma::{Block, kernel, ptx::mbarrier::Mbarrier, shared};
/// /// Adds one to 1024 numbers.
/// ///
/// /// # Safety
/// /// 1. `numbers` has 1024 numbers at a multiple of 16 bytes that no other code uses.
/// /// 2. There is one block of 256 threads.
/// #[kernel(max_threads = 256)]
/// pub unsafe fn add_one(numbers: *mut u32) {
///     shared! { static BUFFER: [u32; 1024] align 16; static BAR: Mbarrier; }
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     // SAFETY: the numbers exist (1), and so does room for them.
///     let loading = block.load_buffer(BUFFER::ptr().at(0), 1024, BAR::ptr(), |loads, to| unsafe {
///         loads.bulk(to.cast(), numbers.cast(), 4096);
///     });
///     // SAFETY: there is room for the numbers, which no other code uses (1).
///     loading.update::<4>(block, |number| number + 1).store(block, |stores, from| unsafe {
///         stores.bulk(numbers.cast(), from.cast(), 4096);
///     });
/// }
/// # fn main() {}
/// ```
#[must_use = "elements that were updated are still to be stored"]
pub struct SharedBuffer<T> {
    pub(crate) elements: SharedPtr<T>,
    pub(crate) len: u32,
}

/// Elements that [`Block::load_buffer`] has begun to load: the example of [`SharedBuffer`] waits for them.
#[must_use = "the elements are loaded after `wait`"]
pub struct LoadingBuffer<T> {
    buffer: SharedBuffer<T>,
    loading: Loading,
}

impl Block {
    /// Starts loads of `len` elements into this memory from one thread. Collective.
    ///
    /// Relies on (6) of [`converged`](Self::converged): `start` loads all elements.
    #[doc(alias = "cuda::memcpy_async")]
    #[inline(always)]
    pub fn load_buffer<T>(
        self,
        elements: SharedPtr<T>,
        len: u32,
        barrier: SharedPtr<Mbarrier>,
        start: impl FnOnce(&mut Transaction<'_>, SharedPtr<T>),
    ) -> LoadingBuffer<T> {
        LoadingBuffer {
            buffer: SharedBuffer { elements, len },
            loading: self.load(barrier, |loads| {
                start(loads, elements);
                debug_assert!(loads.bytes() == len * size_of::<T>() as u32, "(6)");
            }),
        }
    }
}

impl<T> LoadingBuffer<T> {
    #[inline(always)]
    pub(crate) fn new(elements: SharedPtr<T>, len: u32, barrier: Barrier) -> Self {
        Self {
            buffer: SharedBuffer { elements, len },
            loading: Loading { barrier },
        }
    }

    /// Waits until the elements have been loaded.
    #[inline(always)]
    pub fn wait(self) -> SharedBuffer<T> {
        self.loading.wait();
        self.buffer
    }
}

impl<T: SharedValue> LoadingBuffer<T> {
    /// Waits until the elements are loaded, and replaces each by `change(element)`, as
    /// [`OwnElements::update_at_once`] does. Collective of the group.
    ///
    /// No thread has read them yet, so that no thread is waited for before they change.
    #[inline(always)]
    pub fn update<const EACH: usize>(
        self,
        group: impl Threads,
        change: impl Fn(T) -> T,
    ) -> SharedBuffer<T> {
        let buffer = self.wait();
        OwnElements::new(buffer.elements, group, buffer.len).update_at_once::<EACH>(change);
        publish(group);
        buffer
    }

    /// Waits until the elements are loaded, and replaces each of the first half by `combine(element, other)`, where
    /// `other` has the same index in the second half. The first half is left. Collective of the group.
    ///
    /// Where each thread has `EACH` pairs, all are read before any is written.
    #[inline(always)]
    pub fn combine<const EACH: usize>(
        self,
        group: impl Threads,
        combine: impl Fn(T, T) -> T,
    ) -> SharedBuffer<T> {
        let SharedBuffer { elements, len } = self.wait();
        let half = len / 2;
        // SAFETY: the second half has been loaded with the first (6 of `Block::converged`), and no other thread has the
        // buffer to write it (1).
        unsafe { OwnElements::new(elements, group, half).combine_at_once::<EACH>(half, combine) };
        publish(group);
        SharedBuffer {
            elements,
            len: half,
        }
    }
}

impl<T: SharedValue> SharedBuffer<T> {
    /// Returns the element of the buffer at this index.
    ///
    /// # Panics
    /// The element is out of bounds.
    #[inline(always)]
    pub fn get(&self, index: u32) -> T {
        assert!(index < self.len);
        // SAFETY: the element has been loaded (6 of `Block::converged`), or its writer has handed it to all threads.
        unsafe { self.elements.add(index).read() }
    }
}

impl<T> SharedBuffer<T> {
    /// Starts stores from one thread, which waits until they have read the elements. Their memory ends with the
    /// block. Collective of the group.
    #[inline(always)]
    pub fn store(self, group: impl Threads, start: impl FnOnce(&mut Stores, SharedPtr<T>)) {
        if group.elect() {
            let mut stores = Stores::new();
            start(&mut stores, self.elements);
            stores.commit().wait_read();
        }
    }
}
