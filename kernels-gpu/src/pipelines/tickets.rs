use core::sync::atomic::{AtomicU32, Ordering};

/// Numbers that blocks draw from a counter in global memory, each number once.
///
/// One is always drawn ahead. ptxas waits for a number where it is drawn, so that is best done when
/// the copy that the last one was for has been started.
pub(crate) struct Tickets<'a> {
    counter: &'a AtomicU32,
    base: u32,
    drawn: u32,
}

impl<'a> Tickets<'a> {
    /// Numbers from `base` on; the first is drawn.
    ///
    /// # Safety
    /// 1. `counter` points to a number in global memory that began as zero and that is only drawn
    ///    from while the reference lives.
    #[inline(always)]
    pub(crate) unsafe fn new(counter: *mut u32, base: u32) -> Self {
        // SAFETY: it is a number that changes in atomic steps alone (1).
        let counter = unsafe { AtomicU32::from_ptr(counter) };
        let mut tickets = Self {
            counter,
            base,
            drawn: 0,
        };
        tickets.draw();
        tickets
    }

    /// The number that was drawn last.
    #[inline(always)]
    pub(crate) fn number(&self) -> u32 {
        self.base + self.drawn
    }

    /// Draws the next one.
    #[inline(always)]
    pub(crate) fn draw(&mut self) {
        self.drawn = self.counter.fetch_add(1, Ordering::Relaxed);
    }
}
