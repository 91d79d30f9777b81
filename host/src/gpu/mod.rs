//! The GPU: opening it, what it is, and jobs on it.

mod backend;
mod capability;
mod device;
mod error;

use std::{path::Path, sync::Arc};

use bytemuck::Pod;
use cust::{
    context::{Context, CurrentContext},
    stream::{Stream, StreamFlags},
};
use launch::{Failure, Stage};

use crate::{DeviceBuffer, Module, Source, driver::OrFail, panic::PanicRecord};

pub use backend::GpuBackend;
pub use capability::Capability;
pub use device::{Device, devices};
pub use error::{Absence, GpuError};

/// A GPU that is ready to run kernels.
///
/// Copies of it, and everything made from it, share its primary context, which ends with the last of
/// them. All can be used from any thread. Work is ordered: a launch begins when the one before it has
/// ended, and a read waits for the launches before it.
#[derive(Clone, Debug)]
pub struct Gpu {
    shared: Arc<Shared>,
}

/// Fields are dropped in this order.
#[derive(Debug)]
struct Shared {
    stream: Stream,
    panic_record: PanicRecord,
    context: Context,
    device: Device,
}

impl Gpu {
    /// The first GPU that can run TMA kernels.
    pub fn first() -> Result<Self, GpuError> {
        let (_, devices) = devices()?;
        let mut first_error = None;
        for device in devices {
            match device.supported() {
                Ok(device) => return Self::of(device),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or(Absence::Device.into()))
    }

    /// The GPU of this number, from 0.
    pub fn open(ordinal: u32) -> Result<Self, GpuError> {
        Self::of(device::numbered(ordinal)?.supported()?)
    }

    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    fn of(device: Device) -> Result<Self, GpuError> {
        let context = Context::new(device.handle()?)
            .map_err(|error| device::broken("cuDevicePrimaryCtxRetain", error))?;
        CurrentContext::set_current(&context)
            .map_err(|error| device::broken("cuCtxSetCurrent", error))?;
        let stream = Stream::new(StreamFlags::DEFAULT, None)
            .map_err(|error| device::broken("cuStreamCreateWithPriority", error))?;
        let shared = Arc::new(Shared {
            stream,
            panic_record: PanicRecord::default(),
            context,
            device,
        });
        Ok(Self { shared })
    }

    /// What it is.
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// The architecture to compile for: `sm_90a`.
    pub fn arch(&self) -> String {
        self.device().capability.arch()
    }

    /// The stream of its launches.
    pub fn stream(&self) -> &Stream {
        &self.shared.stream
    }

    /// Reads and compiles a PTX text; `name` is what messages call it.
    pub fn load(&self, name: &str, text: &str) -> Result<Module, Failure> {
        Module::load(self, Source::parse(name, text)?)
    }

    /// Reads and compiles a PTX file.
    pub fn load_file(&self, path: impl AsRef<Path>) -> Result<Module, Failure> {
        Module::load(self, Source::read(path.as_ref())?)
    }

    /// A buffer that holds these elements.
    pub fn upload<T: Pod>(&self, elements: &[T]) -> Result<DeviceBuffer<T>, Failure> {
        DeviceBuffer::upload(self, elements)
    }

    /// A buffer of so many elements, all bytes zero.
    pub fn zeroed<T: Pod>(&self, len_elems: usize) -> Result<DeviceBuffer<T>, Failure> {
        DeviceBuffer::zeroed(self, len_elems)
    }

    /// Waits until all launches have ended.
    ///
    /// The error may be that of any launch since the last call. A kernel that panicked says where and
    /// why. Most errors of kernels, as an illegal
    /// address or a trap, end the GPU for this process: every later call fails, and so does opening
    /// the GPU again.
    #[doc(alias("cuStreamSynchronize", "cudaDeviceSynchronize"))]
    pub fn synchronise(&self) -> Result<(), Failure> {
        self.enter(Stage::Synchronise)?;
        let result = self.stream().synchronize();
        let result = result.or_fail(Stage::Synchronise, || {
            "a kernel did not end well".to_owned()
        });
        result.map_err(|failure| self.explain(failure))
    }

    pub(crate) fn panic_record(&self) -> &PanicRecord {
        &self.shared.panic_record
    }

    /// Makes its context that of the current thread.
    pub(crate) fn raw_context(&self) -> cust::sys::CUcontext {
        use cust::context::ContextHandle as _;
        self.shared.context.get_inner()
    }

    pub(crate) fn enter(&self, stage: Stage) -> Result<(), Failure> {
        let result = CurrentContext::set_current(&self.shared.context);
        result.or_fail(stage, || {
            format!("the context of GPU {}", self.device().ordinal)
        })
    }
}
