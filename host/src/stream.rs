use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytemuck::Pod;
use cuda_driver::{memory, sys::CUstream};
use tma_launch::{Failure, Stage};

use crate::{
    Device, Slice,
    device::Kind,
    driver::OrFail,
    gpu::{
        Gpu,
        objects::{GpuEvent, GpuStream},
    },
};

/// A stream of a device; its launches run one after another.
///
/// Launches on different streams of a GPU may run concurrently. On the emulator all launches run one after another,
/// regardless of streams. Reading or writing a buffer waits for all streams.
///
#[doc(alias("CUstream", "cudaStream_t"))]
#[derive(Clone, Debug)]
pub struct Stream {
    /// `None` for the device's default stream, and on the emulator.
    own: Option<Arc<Own>>,
    device: Device,
}

/// A stream of the driver, destroyed in its context.
#[derive(Debug)]
struct Own {
    stream: GpuStream,
    gpu: Gpu,
}

impl Drop for Own {
    fn drop(&mut self) {
        // Destroying it needs the context; without it the stream is already gone.
        let _ = self.gpu.enter(Stage::Synchronise);
    }
}

impl Stream {
    /// Returns the device's default stream.
    pub(crate) fn main(device: &Device) -> Self {
        Self {
            own: None,
            device: device.clone(),
        }
    }

    pub(crate) fn new(device: &Device) -> Result<Self, Failure> {
        let own = match device.kind() {
            Kind::Emulator(_) => None,
            Kind::Gpu(gpu) => {
                gpu.enter(Stage::Open)?;
                let stream = GpuStream::new();
                let stream = stream.or_fail(Stage::Open, || "a stream".to_owned())?;
                let gpu = gpu.clone();
                Some(Arc::new(Own { stream, gpu }))
            }
        };
        Ok(Self {
            own,
            device: device.clone(),
        })
    }

    #[cfg(feature = "cust")]
    pub(crate) fn of_gpu(device: &Device, gpu: &Gpu, stream: GpuStream) -> Self {
        let gpu = gpu.clone();
        Self {
            own: Some(Arc::new(Own { stream, gpu })),
            device: device.clone(),
        }
    }

    /// Returns the device of the stream.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the driver's handle; `None` on the emulator.
    pub fn raw(&self) -> Option<CUstream> {
        self.on_gpu().map(|(_, stream)| stream.raw())
    }

    pub(crate) fn on_gpu(&self) -> Option<(&Gpu, &GpuStream)> {
        match self.device.kind() {
            Kind::Gpu(gpu) => {
                let own = self.own.as_deref().map(|own| &own.stream);
                Some((gpu, own.unwrap_or(gpu.stream())))
            }
            Kind::Emulator(_) => None,
        }
    }

    /// Waits until all launches of the stream have ended.
    ///
    /// # Errors
    /// As [`Device::synchronise`].
    #[doc(alias("cuStreamSynchronize", "cudaStreamSynchronize"))]
    pub fn synchronise(&self) -> Result<(), Failure> {
        let Some((gpu, stream)) = self.on_gpu() else {
            return self.device.synchronise();
        };
        gpu.enter(Stage::Synchronise)?;
        let result = stream.synchronise();
        let result = result.or_fail(Stage::Synchronise, || "a kernel failed".to_owned());
        result.map_err(|failure| gpu.explain(failure))
    }

    /// Makes all later work on this stream wait for the current work of another stream, of any device.
    ///
    /// # Errors
    /// The driver fails.
    #[doc(alias("cuStreamWaitEvent", "cudaStreamWaitEvent"))]
    pub fn wait_for(&self, other: &Self) -> Result<(), Failure> {
        let mark = other.mark()?;
        self.wait_for_mark(other, mark)
    }

    /// Makes all later work on both streams, of any devices, wait for the current work of both.
    ///
    /// # Errors
    /// The driver fails.
    pub fn wait_for_each_other(&self, other: &Self) -> Result<(), Failure> {
        let (own, others) = (self.mark()?, other.mark()?);
        self.wait_for_mark(other, others)?;
        other.wait_for_mark(self, own)
    }

    /// Records an event after the current work; `None` on the emulator, where the work has already ended.
    fn mark(&self) -> Result<Option<GpuEvent>, Failure> {
        let Some((gpu, stream)) = self.on_gpu() else {
            self.device.synchronise()?;
            return Ok(None);
        };
        gpu.enter(Stage::Launch)?;
        recorded(stream, false).map(Some)
    }

    /// Makes later work wait for an event of another stream.
    fn wait_for_mark(&self, other: &Self, mark: Option<GpuEvent>) -> Result<(), Failure> {
        let Some(mark) = mark else {
            return Ok(());
        };
        let Some((gpu, stream)) = self.on_gpu() else {
            return other.synchronise();
        };
        gpu.enter(Stage::Launch)?;
        let waits = stream.wait_for(mark);
        waits.or_fail(Stage::Launch, || "waiting for another stream".to_owned())
    }

    /// Copies all elements of `from` to the start of `to` after the earlier work on this stream. On a GPU it returns before
    /// the copy has ended.
    ///
    /// # Errors
    /// `to` is shorter, a slice is on another device, or the driver fails.
    ///
    /// # Safety
    /// 1. Both slices have been allocated until the copy has ended, and they do not overlap.
    /// 2. Until then, nothing else writes `from`, or accesses the elements of `to`.
    #[doc(alias("cuMemcpyDtoDAsync", "cudaMemcpyAsync", "cudaMemcpyPeerAsync"))]
    pub unsafe fn copy<T: Pod>(&self, to: Slice<'_, T>, from: Slice<'_, T>) -> Result<(), Failure> {
        let here = self.device.id();
        if to.device_id() != here || from.device_id() != here {
            let what = format!("a slice is on a device other than {}", self.device);
            return Err(Failure::new(Stage::Check, what)
                .hint("use `PeerAccess::reach` for memory of another device"));
        }
        let (room, len) = (to.len_elems(), from.len_elems());
        if room < len {
            let what = format!("cannot copy {len} elements to {room}");
            return Err(Failure::new(Stage::Check, what).hint("use a shorter source"));
        }
        let bytes = len * size_of::<T>();
        match self.device.kind() {
            _ if bytes == 0 => Ok(()),
            Kind::Emulator(emulator) => {
                let mut session = emulator.session();
                session.synchronise();
                let content = session.read(from.address(), bytes)?.to_vec();
                session.write(to.address(), &content)
            }
            Kind::Gpu(gpu) => {
                gpu.enter(Stage::Launch)?;
                let stream = self.raw().unwrap_or(std::ptr::null_mut());
                // SAFETY: both slices have the bytes, and the caller guarantees that they stay and that nothing else
                // accesses them (1, 2); the stream is borrowed, and its context is current (2).
                let started =
                    unsafe { memory::copy_on(stream, to.address(), from.address(), bytes) };
                started.or_fail(Stage::Launch, || format!("a copy of {bytes} bytes"))
            }
        }
    }

    /// Records an event after the current work.
    ///
    /// # Errors
    /// The driver fails.
    #[doc(alias("cuEventRecord", "cudaEventRecord"))]
    pub fn record(&self) -> Result<Event, Failure> {
        let recorded = match self.on_gpu() {
            None => {
                self.device.synchronise()?;
                Recorded::Emulator(Instant::now())
            }
            Some((gpu, stream)) => {
                gpu.enter(Stage::Launch)?;
                Recorded::Gpu(recorded(stream, true)?)
            }
        };
        Ok(Event {
            recorded,
            device: self.device.clone(),
        })
    }
}

/// Creates an event after the current work of the stream.
fn recorded(stream: &GpuStream, timing: bool) -> Result<GpuEvent, Failure> {
    GpuEvent::after(stream, timing).or_fail(Stage::Launch, || "an event".to_owned())
}

/// A point in a stream's work, to wait for or to time.
#[doc(alias("CUevent", "cudaEvent_t"))]
#[derive(Debug)]
pub struct Event {
    /// Dropped before the device.
    recorded: Recorded,
    device: Device,
}

#[derive(Debug)]
enum Recorded {
    Gpu(GpuEvent),
    Emulator(Instant),
}

impl Event {
    /// Waits until the work before the event has ended.
    ///
    /// # Errors
    /// As [`Device::synchronise`].
    #[doc(alias("cuEventSynchronize", "cudaEventSynchronize"))]
    pub fn synchronise(&self) -> Result<(), Failure> {
        let (Recorded::Gpu(event), Kind::Gpu(gpu)) = (&self.recorded, self.device.kind()) else {
            return self.device.synchronise();
        };
        gpu.enter(Stage::Synchronise)?;
        let result = event.synchronise();
        let result = result.or_fail(Stage::Synchronise, || "a kernel failed".to_owned());
        result.map_err(|failure| gpu.explain(failure))
    }

    /// Waits for this event, and returns the time since an earlier one.
    ///
    /// On a GPU the GPU's clock measures it, to about half a microsecond. On the emulator it is the emulator's own
    /// run time, which does not predict a GPU's.
    ///
    /// # Errors
    /// As [`Device::synchronise`]; or the events belong to different devices.
    #[doc(alias("cuEventElapsedTime", "cudaEventElapsedTime"))]
    pub fn elapsed_since(&self, earlier: &Self) -> Result<Duration, Failure> {
        self.synchronise()?;
        match (&self.recorded, &earlier.recorded) {
            (Recorded::Gpu(end), Recorded::Gpu(start)) => {
                let milliseconds = end.milliseconds_since(start);
                let milliseconds = milliseconds.or_fail(Stage::Synchronise, || {
                    "the time between two events".to_owned()
                })?;
                Ok(Duration::from_secs_f64(
                    f64::from(milliseconds.max(0.0)) / 1e3,
                ))
            }
            (Recorded::Emulator(end), Recorded::Emulator(start)) => {
                Ok(end.saturating_duration_since(*start))
            }
            _ => {
                let what = "one event is of a GPU and the other of the emulator; use two events of one device";
                Err(Failure::new(Stage::Synchronise, what))
            }
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if let Kind::Gpu(gpu) = self.device.kind() {
            // Destroying it needs the context; without it the event is already gone.
            let _ = gpu.enter(Stage::Synchronise);
        }
    }
}
