use core::{array, marker::PhantomData};

use super::StoredStage;
use crate::{SharedPtr, Threads, shared::SharedValue};

/// The elements of a stage, or of a [`SharedBuffer`](crate::SharedBuffer), that are this thread's: each
/// `threads`-th one, from the thread's own number on.
pub struct Own<'stage, T> {
    elements: SharedPtr<T>,
    first: u32,
    len: u32,
    step: u32,
    stage: PhantomData<&'stage mut StoredStage<T>>,
}

impl<T: SharedValue> StoredStage<T> {
    /// This thread's of the first `len` elements, or of all if they are fewer; each thread of the group has
    /// others.
    #[inline(always)]
    pub fn own(&self, group: impl Threads, len: u32) -> Own<'_, T> {
        Own::new(self.stage, group, len.min(self.len))
    }
}

impl<T: SharedValue> Own<'_, T> {
    #[inline(always)]
    pub(crate) fn new(elements: SharedPtr<T>, group: impl Threads, len: u32) -> Self {
        Self {
            elements,
            first: group.thread(),
            len,
            step: group.threads(),
            stage: PhantomData,
        }
    }

    /// Folds the elements, in order, into `start` by `combine`.
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
            let value = unsafe { element.read() };
            // SAFETY: as above.
            unsafe { element.write(change(value)) };
            index += self.step;
        }
    }

    /// As [`update`](Self::update). Where each thread has `EACH` elements, all are loaded first, so that none
    /// waits for a store.
    #[inline(always)]
    pub fn update_at_once<const EACH: usize>(&mut self, change: impl Fn(T) -> T) {
        if self.len != EACH as u32 * self.step {
            return self.update(change);
        }
        // SAFETY: the element is in the stage, which has been loaded, and this thread's alone.
        self.replace_at_once::<EACH, _>(|element| unsafe { element.read() }, change);
    }

    /// Makes `combine(element, other)` of each element, where `other` is the one `distance` elements later.
    ///
    /// # Safety
    /// 1. The others have been loaded, too, and nobody writes them.
    #[inline(always)]
    pub(crate) unsafe fn combine_at_once<const EACH: usize>(
        &mut self,
        distance: u32,
        combine: impl Fn(T, T) -> T,
    ) {
        // SAFETY: the element is in the stage, which has been loaded, and this thread's alone; the other one is
        // as well (1).
        let both =
            |element: SharedPtr<T>| unsafe { (element.read(), element.add(distance).read()) };
        if self.len == EACH as u32 * self.step {
            return self
                .replace_at_once::<EACH, _>(both, |(element, other)| combine(element, other));
        }
        let mut index = self.first;
        while index < self.len {
            let element = self.elements.add(index);
            let (value, other) = both(element);
            // SAFETY: as above.
            unsafe { element.write(combine(value, other)) };
            index += self.step;
        }
    }

    /// Makes `change(load(element))` of `EACH` elements; all are loaded first.
    #[expect(
        clippy::needless_range_loop,
        reason = "an iterator of the array would keep it in local memory"
    )]
    #[inline(always)]
    fn replace_at_once<const EACH: usize, L: Copy>(
        &mut self,
        load: impl Fn(SharedPtr<T>) -> L,
        change: impl Fn(L) -> T,
    ) {
        let own = |turn: usize| self.elements.add(self.first + turn as u32 * self.step);
        let loaded = array::from_fn::<_, EACH, _>(|turn| load(own(turn)));
        for turn in 0..EACH {
            // SAFETY: the element is in the stage, which has been loaded, and this thread's alone.
            unsafe { own(turn).write(change(loaded[turn])) };
        }
    }
}
