use core::{array, marker::PhantomData};

use crate::{group::Threads, number::SharedValue, ptx::operand::SharedPtr};

/// The elements of a stage, or of a [`SharedBuffer`](crate::SharedBuffer), that are this thread's: each
/// `threads`-th one, from the thread's own number on.
pub struct OwnElements<'stage, T> {
    elements: SharedPtr<T>,
    first: u32,
    len: u32,
    step: u32,
    stage: PhantomData<&'stage mut T>,
}

impl<T: SharedValue> OwnElements<'_, T> {
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
            // SAFETY: the element is in the stage, and no other thread accesses it.
            unsafe { element.write(change(value)) };
            index += self.step;
        }
    }

    /// Works as [`update`](Self::update). If each thread has `EACH` elements, all are loaded first, so that none
    /// waits for a store.
    #[expect(
        clippy::needless_range_loop,
        reason = "an iterator of the array would keep it in local memory"
    )]
    #[inline(always)]
    pub fn update_at_once<const EACH: usize>(&mut self, change: impl Fn(T) -> T) {
        if self.len != EACH as u32 * self.step {
            return self.update(change);
        }
        let own = |turn: usize| self.elements.add(self.first + turn as u32 * self.step);
        // SAFETY: the element is in the stage, which has been loaded, and this thread's alone.
        let loaded = array::from_fn::<_, EACH, _>(|turn| unsafe { own(turn).read() });
        for turn in 0..EACH {
            // SAFETY: the element is in the stage, and no other thread accesses it.
            unsafe { own(turn).write(change(loaded[turn])) };
        }
    }

    /// Makes `combine(element, other)` of each element, where `other` is the one `distance` elements later. Where each
    /// thread has `EACH` elements, all are loaded first.
    ///
    /// # Safety
    /// 1. The others have been loaded, too, and no thread writes them.
    #[expect(
        clippy::needless_range_loop,
        reason = "an iterator of the array would keep it in local memory"
    )]
    #[inline(always)]
    pub(crate) unsafe fn combine_at_once<const EACH: usize>(
        &mut self,
        distance: u32,
        combine: impl Fn(T, T) -> T,
    ) {
        let at = |index: u32| self.elements.add(index);
        let both = |index: u32| {
            // SAFETY: the element is in the stage, which has been loaded, and this thread's alone.
            let element = unsafe { at(index).read() };
            // SAFETY: the other element has been loaded, and no thread writes it (1).
            (element, unsafe { at(index + distance).read() })
        };
        let mut index = self.first;
        if self.len == EACH as u32 * self.step {
            let own = |turn: usize| index + turn as u32 * self.step;
            let loaded = array::from_fn::<_, EACH, _>(|turn| both(own(turn)));
            for turn in 0..EACH {
                let (element, other) = loaded[turn];
                // SAFETY: the element is in the stage, and no other thread accesses it.
                unsafe { at(own(turn)).write(combine(element, other)) };
            }
            return;
        }
        while index < self.len {
            let (element, other) = both(index);
            // SAFETY: the element is in the stage, and no other thread accesses it.
            unsafe { at(index).write(combine(element, other)) };
            index += self.step;
        }
    }
}
