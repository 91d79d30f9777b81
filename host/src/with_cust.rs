//! Contexts, streams and buffers of `cust`, in and out. Needs the feature `cust`.

use std::mem::ManuallyDrop;

use cuda_driver::{device, pointer};
use cust::{
    context::{Context, CurrentContext},
    memory::{DeviceBuffer, DeviceCopy},
    stream::Stream as CustStream,
};
use tma_launch::{Failure, Stage};

use crate::{
    Buffer, Device, Stream,
    device::Kind,
    driver::OrFail,
    gpu::{
        Gpu, devices,
        objects::{Allocation, GpuContext, GpuStream},
        supported,
    },
};

impl Device {
    /// Creates a device from a primary context of `cust`, with a stream of its own.
    ///
    /// ```no_run
    /// use tma_host::Device;
    ///
    /// let context = cust::quick_init()?;
    /// let device = Device::from_cust(context)?;
    /// let numbers = device.upload(&[1_u32, 2, 3])?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The context's GPU is too old for TMA, or the driver fails.
    pub fn from_cust(context: Context) -> Result<Self, Failure> {
        let what = || "the context of `cust`".to_owned();
        let context = GpuContext(context);
        context.set_current().or_fail(Stage::Open, what)?;
        let handle = CurrentContext::get_device().map_err(|error| {
            Failure::new(Stage::Open, what()).hint(format!("`cust` has no device of it: {error}"))
        })?;
        let (_, devices) = devices()?;
        let is_it = |ordinal| device::get(ordinal) == Ok(handle.as_raw());
        let found = devices.into_iter().find(|device| is_it(device.ordinal));
        let found = found.ok_or_else(|| Failure::new(Stage::Open, "the driver has no such GPU"))?;
        let gpu = Gpu::in_context(context, supported(found)?)?;
        Ok(Self::of(Kind::Gpu(gpu)))
    }

    /// Returns the context of `cust`; `None` on the emulator.
    pub fn cust_context(&self) -> Option<&Context> {
        match self.kind() {
            Kind::Gpu(gpu) => Some(&gpu.context().0),
            Kind::Emulator(_) => None,
        }
    }
}

impl Stream {
    /// Creates a stream of the device from a stream of `cust`.
    ///
    /// # Errors
    /// The device is the emulator.
    ///
    /// # Safety
    /// 1. The stream was created in the device's context, and no callback of it borrows anything.
    pub unsafe fn from_cust(device: &Device, stream: CustStream) -> Result<Self, Failure> {
        match device.kind() {
            Kind::Gpu(gpu) => Ok(Self::of_gpu(device, gpu, GpuStream(stream))),
            Kind::Emulator(_) => Err(of_emulator("stream")),
        }
    }

    /// Returns the stream of `cust`; `None` on the emulator.
    ///
    /// # Safety
    /// 1. A callback added to the stream borrows nothing: `cust` does not keep borrows until it has run.
    /// 2. Work added to the stream meets the conditions of [`Function::launch`](crate::Function::launch) for the memory
    ///    that it uses.
    pub unsafe fn as_cust(&self) -> Option<&CustStream> {
        self.on_gpu().map(|(_, stream)| &stream.0)
    }
}

impl<T: bytemuck::Pod + DeviceCopy> Buffer<T> {
    /// Creates a buffer from one of `cust`.
    ///
    /// # Errors
    /// The device is the emulator, or the memory belongs to another context.
    ///
    /// # Safety
    /// 1. No work that uses the memory is in flight, except in blocking streams of the device's context.
    pub unsafe fn from_cust(device: &Device, buffer: DeviceBuffer<T>) -> Result<Self, Failure> {
        let Kind::Gpu(gpu) = device.kind() else {
            return Err(of_emulator("buffer"));
        };
        let len_elems = buffer.len();
        let bytes = Allocation(cast(buffer));
        if len_elems > 0 {
            let allocation = pointer::allocation(bytes.address());
            let allocation =
                allocation.or_fail(Stage::Upload, || "the buffer of `cust`".to_owned())?;
            if allocation.context != gpu.raw_context() {
                let what = "a buffer of `cust` must belong to the device's context";
                return Err(Failure::new(Stage::Check, what).hint(
                    "allocate it while the context given to `Device::from_cust` is current",
                ));
            }
        }
        Ok(Self::of_gpu(device, gpu, bytes, len_elems))
    }

    /// Waits for all work of the device, and returns the buffer of `cust`; returns `self` on the emulator, or if a
    /// variable of a module has a tensor map of the buffer.
    pub fn into_cust(self) -> Result<DeviceBuffer<T>, Self> {
        self.into_gpu().map(|bytes| cast(bytes.0))
    }
}

/// Converts a buffer to one of other elements in the same memory. `cust` 0.3.2's own `cast` also frees the memory.
fn cast<A: DeviceCopy, B: DeviceCopy>(buffer: DeviceBuffer<A>) -> DeviceBuffer<B> {
    let buffer = ManuallyDrop::new(buffer);
    let len_elems = buffer.len() * size_of::<A>() / size_of::<B>().max(1);
    // SAFETY: the pointer and the length are those of the buffer, which is not dropped; `from_cust` and `into_cust` convert
    // plain elements to bytes, and back.
    unsafe { DeviceBuffer::from_raw_parts(buffer.as_device_ptr().cast(), len_elems) }
}

fn of_emulator(what: &str) -> Failure {
    let text = format!("a {what} of `cust` must be on a GPU; the device is the emulator");
    Failure::new(Stage::Check, text)
}
