//! Opening a GPU, and its context.

mod error;
mod module;
pub(crate) mod objects;
mod properties;

use std::sync::Arc;

use cuda_driver::sys::CUcontext;
use tma_launch::{Failure, Stage};

use crate::{driver::OrFail, panic::PanicRecord};
use objects::{GpuContext, GpuStream};

pub use cuda_driver::{Capability, DeviceProperties};
pub use error::{Absence, GpuError};
pub(crate) use module::{GpuFunction, GpuModule};
pub(crate) use properties::{description, limits};
pub use properties::{devices, supported};

/// A GPU that is ready to run kernels: its primary context, which is released with the last clone, and the default
/// stream of launches.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    shared: Arc<Shared>,
}

/// Fields are dropped in this order.
#[derive(Debug)]
struct Shared {
    stream: GpuStream,
    panic_record: PanicRecord,
    context: GpuContext,
    properties: DeviceProperties,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The stream and the record must be freed in their context, whichever thread drops the last clone.
        let _ = self.context.set_current();
    }
}

impl Gpu {
    /// Opens the first GPU that can run TMA kernels.
    pub(crate) fn first() -> Result<Self, GpuError> {
        let (_, devices) = devices()?;
        let mut first_error = None;
        for device in devices {
            match supported(device) {
                Ok(device) => return Self::of(device),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or(Absence::Device.into()))
    }

    /// Opens the GPU of this number, from 0.
    pub(crate) fn numbered(ordinal: u32) -> Result<Self, GpuError> {
        Self::of(supported(properties::numbered(ordinal)?)?)
    }

    #[doc(alias = "cuDevicePrimaryCtxRetain")]
    fn of(properties: DeviceProperties) -> Result<Self, GpuError> {
        let context = GpuContext::retain(properties.ordinal).map_err(GpuError::Broken)?;
        Self::in_context(context, properties)
    }

    pub(crate) fn in_context(
        context: GpuContext,
        properties: DeviceProperties,
    ) -> Result<Self, GpuError> {
        context.set_current().map_err(GpuError::Broken)?;
        let stream = GpuStream::new().map_err(GpuError::Broken)?;
        let shared = Arc::new(Shared {
            stream,
            panic_record: PanicRecord::default(),
            context,
            properties,
        });
        Ok(Self { shared })
    }

    pub(crate) fn properties(&self) -> &DeviceProperties {
        &self.shared.properties
    }

    pub(crate) fn stream(&self) -> &GpuStream {
        &self.shared.stream
    }

    #[cfg(feature = "cust")]
    pub(crate) fn context(&self) -> &GpuContext {
        &self.shared.context
    }

    pub(crate) fn raw_context(&self) -> CUcontext {
        self.shared.context.raw()
    }

    /// Makes the GPU's context current on this thread.
    pub(crate) fn enter(&self, stage: Stage) -> Result<(), Failure> {
        let result = self.shared.context.set_current();
        result.or_fail(stage, || {
            format!("the context of GPU {}", self.properties().ordinal)
        })
    }

    /// Waits until all work of the context has ended.
    pub(crate) fn synchronise(&self) -> Result<(), Failure> {
        self.enter(Stage::Synchronise)?;
        let result = GpuContext::synchronise_current();
        let result = result.or_fail(Stage::Synchronise, || "a kernel failed".to_owned());
        result.map_err(|failure| self.explain(failure))
    }

    pub(crate) fn panic_record(&self) -> &PanicRecord {
        &self.shared.panic_record
    }
}
