use core::marker::PhantomData;

use super::StoredStage;
use crate::{SharedPtr, Threads, shared::SharedValue};

/// The elements of a stage that are this thread's: each `threads`-th one, from the thread's own number on.
pub struct Own<'stage, T> {
    elements: SharedPtr<T>,
    first: u32,
    len: u32,
    step: u32,
    stage: PhantomData<&'stage mut StoredStage<T>>,
}

impl<T: SharedValue> StoredStage<T> {
    /// This thread's of the first `len` elements; each thread of the group has others.
    ///
    /// # Panics
    /// The stage has fewer elements.
    #[inline(always)]
    pub fn own(&self, group: impl Threads, len: u32) -> Own<'_, T> {
        assert!(len <= self.len);
        Own {
            elements: self.stage,
            first: group.thread(),
            len,
            step: group.threads(),
            stage: PhantomData,
        }
    }
}

impl<T: SharedValue> Own<'_, T> {
    /// What `combine` makes of `start` and the elements, in order.
    #[inline(always)]
    pub fn fold<A>(&self, start: A, combine: impl Fn(A, T) -> A) -> A {
        let (mut all, mut index) = (start, self.first);
        while index < self.len {
            // SAFETY: the element is in the stage, which has been loaded, and this thread's alone.
            all = combine(all, unsafe { self.elements.add(index).read() });
            index += self.step;
        }
        all
    }

    /// Makes `change(element)` of each element.
    #[inline(always)]
    pub fn update(&mut self, change: impl Fn(T) -> T) {
        let mut index = self.first;
        while index < self.len {
            let element = self.elements.add(index);
            // SAFETY: the element is in the stage, which has been loaded, and this thread's alone.
            unsafe { element.write(change(element.read())) };
            index += self.step;
        }
    }
}
