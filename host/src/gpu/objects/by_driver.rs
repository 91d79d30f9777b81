//! The driver's objects through `cuda-driver`.

use cuda_driver::{
    DriverError, context, device, event, memory, stream,
    sys::{CUcontext, CUdevice, CUevent, CUstream},
};

/// A primary context, retained until dropped.
#[derive(Debug)]
pub(crate) struct GpuContext {
    handle: CUcontext,
    device: CUdevice,
}

// SAFETY: the driver's contexts are valid in every thread, and the driver synchronises their use.
unsafe impl Send for GpuContext {}
// SAFETY: a shared context is only made current, which every thread may do.
unsafe impl Sync for GpuContext {}

impl GpuContext {
    pub(crate) fn retain(ordinal: u32) -> Result<Self, DriverError> {
        let device = device::get(ordinal)?;
        // SAFETY: the driver returned the device (1).
        let handle = unsafe { context::retain_primary(device) }?;
        Ok(Self { handle, device })
    }

    pub(crate) fn set_current(&self) -> Result<(), DriverError> {
        // SAFETY: the context is retained until `self` is dropped (1).
        unsafe { context::set_current(self.handle) }
    }

    /// Waits for all work of the current context.
    pub(crate) fn synchronise_current() -> Result<(), DriverError> {
        context::synchronize()
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.handle
    }
}

impl Drop for GpuContext {
    fn drop(&mut self) {
        // SAFETY: `retain` retained it once (1), and the owner of all objects in it drops it last (2).
        let _ = unsafe { context::release_primary(self.device) };
    }
}

/// A stream of the current context.
#[derive(Debug)]
pub(crate) struct GpuStream(CUstream);

// SAFETY: the driver's streams are valid in every thread, and the driver synchronises their use.
unsafe impl Send for GpuStream {}
// SAFETY: the driver's functions on a stream may be called by several threads at once.
unsafe impl Sync for GpuStream {}

impl GpuStream {
    pub(crate) fn new() -> Result<Self, DriverError> {
        stream::create().map(Self)
    }

    pub(crate) fn synchronise(&self) -> Result<(), DriverError> {
        // SAFETY: the stream is alive until `self` is dropped (1).
        unsafe { stream::synchronize(self.0) }
    }

    pub(crate) fn wait_for(&self, event: GpuEvent) -> Result<(), DriverError> {
        // SAFETY: the stream is alive until `self` is dropped, and the event until this function returns (1).
        unsafe { stream::wait_event(self.0, event.0) }
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.0
    }
}

impl Drop for GpuStream {
    fn drop(&mut self) {
        // SAFETY: the stream is alive, and only `self` has its handle (1).
        let _ = unsafe { stream::destroy(self.0) };
    }
}

/// An event of the current context.
#[derive(Debug)]
pub(crate) struct GpuEvent(CUevent);

// SAFETY: the driver's events are valid in every thread, and the driver synchronises their use.
unsafe impl Send for GpuEvent {}
// SAFETY: the driver's functions on an event may be called by several threads at once.
unsafe impl Sync for GpuEvent {}

impl GpuEvent {
    /// Creates an event after the current work of a stream.
    pub(crate) fn after(stream: &GpuStream, timing: bool) -> Result<Self, DriverError> {
        let event = Self(event::create(timing)?);
        // SAFETY: both are alive, and of the current context (1).
        unsafe { event::record(event.0, stream.0) }?;
        Ok(event)
    }

    pub(crate) fn synchronise(&self) -> Result<(), DriverError> {
        // SAFETY: the event is alive until `self` is dropped (1).
        unsafe { event::synchronize(self.0) }
    }

    pub(crate) fn milliseconds_since(&self, earlier: &Self) -> Result<f32, DriverError> {
        // SAFETY: both events are borrowed, so they are alive (1).
        unsafe { event::elapsed_milliseconds(earlier.0, self.0) }
    }
}

impl Drop for GpuEvent {
    fn drop(&mut self) {
        // SAFETY: the event is alive, and only `self` has its handle (1).
        let _ = unsafe { event::destroy(self.0) };
    }
}

/// Device memory of the current context.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// 0 if empty.
    address: u64,
    bytes: usize,
}

impl Allocation {
    /// Allocates uninitialised memory.
    pub(crate) fn new(bytes: usize) -> Result<Self, DriverError> {
        let address = match bytes {
            0 => 0,
            _ => memory::allocate(bytes)?,
        };
        Ok(Self { address, bytes })
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Sets all bytes to zero.
    pub(crate) fn zero(&mut self) -> Result<(), DriverError> {
        match self.bytes {
            0 => Ok(()),
            // SAFETY: these are the bytes of the allocation, which is borrowed exclusively (1).
            bytes => unsafe { memory::set_bytes(self.address, 0, bytes) },
        }
    }

    /// Replaces all bytes.
    ///
    /// # Panics
    /// Another number of bytes.
    pub(crate) fn write(&self, content: &[u8]) -> Result<(), DriverError> {
        assert_eq!(content.len(), self.bytes, "bytes of the allocation");
        match self.bytes {
            0 => Ok(()),
            // SAFETY: these are the bytes of the allocation; the copy begins after earlier work of the context's
            // streams, which are blocking ones (1).
            _ => unsafe { memory::copy_to_device(self.address, content) },
        }
    }

    /// Fills `content` with bytes from `start` on.
    ///
    /// # Panics
    /// The range ends outside the allocation.
    pub(crate) fn read(&self, start: usize, content: &mut [u8]) -> Result<(), DriverError> {
        let end = start.checked_add(content.len());
        assert!(
            end.is_some_and(|end| end <= self.bytes),
            "range of the allocation"
        );
        match content.len() {
            0 => Ok(()),
            // SAFETY: the range is in the allocation; the copy begins after earlier work of the context's streams,
            // which are blocking ones (1).
            _ => unsafe { memory::copy_to_host(content, self.address + start as u64) },
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: `new` allocated the address, and only `self` has it; the owner has waited for its users (1).
            let _ = unsafe { memory::free(self.address) };
        }
    }
}
