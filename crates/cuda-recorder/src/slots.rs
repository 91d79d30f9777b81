//! Memory whose pages stay in their place, into which the device copies on its own.

use std::{ops::Deref, slice};

use crate::{
    driver::{self, Event, SUCCESS},
    host,
};

/// Memory that is never given back. Where its pages are no longer pinned, since their context is gone, copies are slow and
/// no other.
#[derive(Debug)]
pub(crate) struct Slot {
    start: *mut u8,
    len_bytes: usize,
}

// SAFETY: nobody else has its memory, and memory belongs to no thread.
unsafe impl Send for Slot {}

impl Slot {
    pub(crate) fn new(len_bytes: usize) -> Self {
        let start = driver::pin(host::large_pages(len_bytes));
        Self { start, len_bytes }
    }

    /// Asks for a copy of so many bytes of the device, as many as there is room for.
    pub(crate) fn copy(&mut self, address: u64, bytes: usize) -> Result<Flying<'_>, i32> {
        let bytes = bytes.min(self.len_bytes);
        let event = Event::new()?;
        // SAFETY: the slot has so many bytes for ever, which nobody else has: it is borrowed until the copy was waited for
        // (1).
        let mut code = unsafe { driver::read_later(address, self.start, bytes) };
        if code == SUCCESS {
            code = event.record();
        }
        if code != SUCCESS {
            // The copy may have begun.
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

/// A copy that may not be over.
#[derive(Debug)]
pub(crate) struct Flying<'a> {
    /// Until the copy was waited for.
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

/// The bytes that were copied.
#[derive(Debug)]
pub(crate) struct Copied<'a>(&'a mut Slot, usize);

impl<'a> Copied<'a> {
    /// The slot, for another copy.
    pub(crate) fn into_slot(self) -> &'a mut Slot {
        self.0
    }
}

impl Deref for Copied<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the memory is there for ever and as long as this, its copy was waited for, and another one begins after
        // this value has given the slot back.
        unsafe { slice::from_raw_parts(self.0.start, self.1) }
    }
}
