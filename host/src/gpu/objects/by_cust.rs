//! The driver's objects through `cust`.

use cuda_driver::{
    DriverError, Origin,
    sys::{CUcontext, CUstream},
};
use cust::{
    context::{Context, ContextHandle as _, CurrentContext},
    error::CudaError,
    event::{Event, EventFlags},
    memory::{CopyDestination as _, DeviceBuffer},
    stream::{Stream, StreamFlags, StreamWaitEventFlags},
};

/// A primary context, retained until dropped.
#[derive(Debug)]
pub(crate) struct GpuContext(pub(crate) Context);

impl GpuContext {
    pub(crate) fn retain(ordinal: u32) -> Result<Self, DriverError> {
        let device = cust::device::Device::get_device(ordinal).or_of("cuDeviceGet")?;
        Context::new(device)
            .map(Self)
            .or_of("cuDevicePrimaryCtxRetain")
    }

    pub(crate) fn set_current(&self) -> Result<(), DriverError> {
        CurrentContext::set_current(&self.0).or_of("cuCtxSetCurrent")
    }

    /// Waits for all work of the current context.
    pub(crate) fn synchronise_current() -> Result<(), DriverError> {
        CurrentContext::synchronize().or_of("cuCtxSynchronize")
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.0.get_inner().cast()
    }
}

/// A stream of the current context.
#[derive(Debug)]
pub(crate) struct GpuStream(pub(crate) Stream);

impl GpuStream {
    pub(crate) fn new() -> Result<Self, DriverError> {
        let stream = Stream::new(StreamFlags::DEFAULT, None);
        stream.map(Self).or_of("cuStreamCreateWithPriority")
    }

    pub(crate) fn synchronise(&self) -> Result<(), DriverError> {
        self.0.synchronize().or_of("cuStreamSynchronize")
    }

    pub(crate) fn wait_for(&self, event: GpuEvent) -> Result<(), DriverError> {
        let waits = self.0.wait_event(event.0, StreamWaitEventFlags::DEFAULT);
        waits.or_of("cuStreamWaitEvent")
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.0.as_inner().cast()
    }
}

/// An event of the current context.
#[derive(Debug)]
pub(crate) struct GpuEvent(Event);

impl GpuEvent {
    /// Creates an event after the current work of a stream.
    pub(crate) fn after(stream: &GpuStream, timing: bool) -> Result<Self, DriverError> {
        let flags = if timing {
            EventFlags::DEFAULT
        } else {
            EventFlags::DISABLE_TIMING
        };
        let event = Event::new(flags).or_of("cuEventCreate")?;
        event.record(&stream.0).or_of("cuEventRecord")?;
        Ok(Self(event))
    }

    pub(crate) fn synchronise(&self) -> Result<(), DriverError> {
        self.0.synchronize().or_of("cuEventSynchronize")
    }

    pub(crate) fn milliseconds_since(&self, earlier: &Self) -> Result<f32, DriverError> {
        let elapsed = self.0.elapsed_time_f32(&earlier.0);
        elapsed.or_of("cuEventElapsedTime")
    }
}

/// Device memory of the current context.
#[derive(Debug)]
pub(crate) struct Allocation(pub(crate) DeviceBuffer<u8>);

impl Allocation {
    /// Allocates uninitialised memory.
    pub(crate) fn new(bytes: usize) -> Result<Self, DriverError> {
        // SAFETY: the callers fill the memory before it can be read.
        let memory = unsafe { DeviceBuffer::uninitialized(bytes) };
        memory.map(Self).or_of("cuMemAlloc")
    }

    pub(crate) fn address(&self) -> u64 {
        self.0.as_device_ptr().as_raw()
    }

    /// Sets all bytes to zero.
    pub(crate) fn zero(&mut self) -> Result<(), DriverError> {
        match self.0.len() {
            0 => Ok(()),
            _ => self.0.set_8(0).or_of("cuMemsetD8"),
        }
    }

    /// Replaces all bytes.
    ///
    /// # Panics
    /// Another number of bytes.
    pub(crate) fn write(&self, content: &[u8]) -> Result<(), DriverError> {
        let mut all = self.0.index(..);
        all.copy_from(content).or_of("cuMemcpyHtoD")
    }

    /// Fills `content` with bytes from `start` on.
    ///
    /// # Panics
    /// The range ends outside the allocation.
    pub(crate) fn read(&self, start: usize, content: &mut [u8]) -> Result<(), DriverError> {
        let part = self.0.index(start..start + content.len());
        part.copy_to(content).or_of("cuMemcpyDtoH")
    }
}

/// Adds the name of the driver's function to an error of `cust`.
trait OrOf<T> {
    fn or_of(self, function: &'static str) -> Result<T, DriverError>;
}

impl<T> OrOf<T> for Result<T, CudaError> {
    fn or_of(self, function: &'static str) -> Result<T, DriverError> {
        self.map_err(|error| DriverError {
            function,
            code: error as i32,
            origin: Origin::Driver,
        })
    }
}
