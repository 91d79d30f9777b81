//! Pinned memory as the target of asynchronous copies.

use std::{ops::Deref, slice};

use crate::{
    driver::{self, Event, SUCCESS},
    host,
};

/// Memory that is never freed. After its context is destroyed, its pages are no longer pinned, so copies are slower
/// but correct.
#[derive(Debug)]
pub(crate) struct Slot {
    start: *mut u8,
    len_bytes: usize,
}

// SAFETY: the slot has exclusive access to its memory, which does not depend on a thread.
unsafe impl Send for Slot {}

impl Slot {
    pub(crate) fn new(len_bytes: usize) -> Self {
        let start = driver::pin(host::large_pages(len_bytes));
        Self { start, len_bytes }
    }

    /// Starts a copy of `bytes` bytes of device memory, limited to the slot's size.
    pub(crate) fn copy(&mut self, address: u64, bytes: usize) -> Result<Flying<'_>, i32> {
        let bytes = bytes.min(self.len_bytes);
        let event = Event::new()?;
        // SAFETY: the slot's memory is never freed and has no other users: it is borrowed until the copy has been
        // waited for (1).
        let mut code = unsafe { driver::read_later(address, self.start, bytes) };
        if code == SUCCESS {
            code = event.record();
        }
        if code != SUCCESS {
            // The copy may have started.
            driver::synchronise();
            return Err(code);
        }
        Ok(Flying {
            slot: Some(self),
            bytes,
            event,
        })
    }
}

/// A copy that may be in flight.
#[derive(Debug)]
pub(crate) struct Flying<'a> {
    /// `None` after the copy has been waited for.
    slot: Option<&'a mut Slot>,
    bytes: usize,
    event: Event,
}

impl<'a> Flying<'a> {
    /// Waits for the copy.
    pub(crate) fn wait(mut self) -> Result<Copied<'a>, i32> {
        let code = self.event.wait();
        let slot = self.slot.take().filter(|_| code == SUCCESS);
        slot.map(|slot| Copied(slot, self.bytes)).ok_or(code)
    }
}

impl Drop for Flying<'_> {
    fn drop(&mut self) {
        if self.slot.is_some() {
            self.event.wait();
        }
    }
}

/// The copied bytes.
#[derive(Debug)]
pub(crate) struct Copied<'a>(&'a mut Slot, usize);

impl<'a> Copied<'a> {
    /// Returns the slot for another copy.
    pub(crate) fn into_slot(self) -> &'a mut Slot {
        self.0
    }
}

impl Deref for Copied<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the memory outlives this value, its copy has been waited for, and another one starts only after
        // this value has released the slot.
        unsafe { slice::from_raw_parts(self.0.start, self.1) }
    }
}
