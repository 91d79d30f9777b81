use core::sync::atomic::{AtomicU32, Ordering};

use crate::group::{Block, thread::grid_dim};

/// The numbers of the items that a block works on, below a count.
///
/// ```
/// # use tma::{Block, kernel};
/// /// Squares numbers, each block every `gridDim.x`-th row of 256.
/// ///
/// /// # Safety
/// /// 1. `numbers` has `rows` rows of 256 numbers that no other code uses.
/// /// 2. The grid is one-dimensional; blocks have 256 threads.
/// #[kernel(max_threads = 256)]
/// pub unsafe fn square(numbers: *mut f32, rows: u32) {
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     for row in block.items(rows) {
///         // SAFETY: the number exists, and is this thread's (1).
///         let number = unsafe { &mut *numbers.add((256 * row + block.thread()) as usize) };
///         *number *= *number;
///     }
/// }
/// # fn main() {}
/// ```
pub struct Items<'a> {
    next: u32,
    count: u32,
    blocks: u32,
    drawn: Option<Drawn<'a>>,
}

/// A number from which the blocks of a grid draw their items: see [`Items::drawn`].
///
/// Use it as a kernel parameter in place of a `*mut u32`. The launch of the kernel promises that it points
/// to a zero in global memory that only this kernel uses while it runs.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Counter {
    pub(crate) start: *mut u32,
}

struct Drawn<'a> {
    counter: &'a AtomicU32,
    base: u32,
}

impl<'a> Items<'a> {
    /// Returns every `blocks`-th item below `count`, from the block's own on.
    #[doc(alias = "grid-stride loop")]
    #[inline(always)]
    pub fn dealt(block: Block, count: u32) -> Self {
        Self::every(block.index(), grid_dim().x, count)
    }

    /// Returns every `step`-th item below `count`, from `first` on.
    #[inline(always)]
    pub(super) fn every(first: u32, step: u32, count: u32) -> Self {
        Self {
            next: first,
            count,
            blocks: step,
            drawn: None,
        }
    }

    /// Returns an item of the block's own, and then items that it draws from the counter, so that no block waits for a
    /// slower one. [`Block::stream`] takes `STAGES - 1` of its own first; in other places `own` is 1.
    ///
    /// A number is drawn when the one before is handed out. ptxas waits for it there, so that is best done
    /// when the copy for the last item has been started.
    #[doc(alias("tile scheduler", "persistent kernel"))]
    #[inline(always)]
    pub fn drawn(block: Block, own: u32, count: u32, counter: Counter) -> Self {
        // SAFETY: the counter changes in atomic steps only, as the parameter's type promises.
        let counter = unsafe { AtomicU32::from_ptr(counter.start) };
        let base = grid_dim().x * own;
        Self {
            drawn: Some(Drawn { counter, base }),
            ..Self::dealt(block, count)
        }
    }
}

impl Items<'_> {
    /// Returns the item that is handed out next.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u32> {
        (self.next < self.count).then_some(self.next)
    }

    /// Advances to the next of the block's own items.
    #[inline(always)]
    pub(super) fn advance_own(&mut self) {
        self.next += self.blocks;
    }

    /// Advances to the next item: if it is drawn, ptxas waits for it here.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        match &self.drawn {
            None => self.advance_own(),
            Some(Drawn { counter, base }) => {
                self.next = base + counter.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl Iterator for Items<'_> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.drawn.is_none() {
            let item = self.next;
            // Going on after the end too leaves a loop over the items a single way.
            self.advance_own();
            return (item < self.count).then_some(item);
        }
        let item = self.peek()?;
        self.advance();
        Some(item)
    }
}

impl Block {
    /// Returns every `blocks`-th number below `count`, from the block's own on.
    #[doc(alias = "grid-stride loop")]
    #[inline(always)]
    pub fn items(self, count: u32) -> Items<'static> {
        Items::dealt(self, count)
    }
}
