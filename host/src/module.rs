use std::{ffi::CString, sync::Arc};

use cuda_driver::{driver_version, module::load_data_ex};
use cust::{error::CudaError, sys};
use tma_emulator::ModuleId;
use tma_launch::{Call, Failure, Shape, Stage};

use crate::{
    Device, Function, Source, Stream,
    device::{Emulator, Kind},
    gpu::Gpu,
    jit::Refusal,
};

/// The most that the driver's compiler can say, in bytes.
const LOG_BYTES: u32 = 16 * 1024;

/// Kernels on a device, and their variables.
#[doc(alias = "CUmodule")]
#[derive(Debug)]
pub struct Module {
    loaded: Loaded,
    source: Source,
    device: Device,
}

/// A module that was loaded, and where.
#[derive(Debug)]
pub(crate) enum Loaded {
    Gpu {
        module: cust::module::Module,
        gpu: Gpu,
    },
    Emulator {
        module: ModuleId,
        emulator: Emulator,
    },
}

impl Module {
    /// Compiles a text for a device.
    ///
    /// # Errors
    /// The driver refuses the text, as one that is for another GPU. The emulator takes what it can read,
    /// and refuses kernels with instructions that it does not have.
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load(device: &Device, source: Source) -> Result<Self, Failure> {
        let loaded = match device.kind() {
            Kind::Gpu(gpu) => Loaded::Gpu {
                module: compile(gpu, &source)?,
                gpu: gpu.clone(),
            },
            Kind::Emulator(emulator) => {
                let (name, text) = (source.name(), source.text());
                let mut session = emulator.session();
                let module = session.load_parsed(name, text, Arc::clone(source.module()))?;
                let emulator = emulator.clone();
                Loaded::Emulator { module, emulator }
            }
        };
        let module = Self {
            loaded,
            source,
            device: device.clone(),
        };
        if let Loaded::Gpu { gpu, .. } = &module.loaded {
            module.set_panic_record(gpu)?;
        }
        Ok(module)
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// There is none, with the nearest names; or the emulator does not have its instructions, with all
    /// of those.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, entry: &str) -> Result<Function<'_>, Failure> {
        Function::resolve(self, self.source.signature(entry)?)
    }

    /// Starts the kernel that `call` names, after the launches before it have ended.
    ///
    /// # Errors
    /// As [`Function::launch`]; or `call` breaks a condition of the kernel.
    ///
    /// # Safety
    /// 1. `call` is made for this module's kernel: its arguments are what the kernel takes, as they are
    ///    when the function made it that `#[kernel]` writes for the host.
    /// 2. The conditions of [`Function::launch`] hold, from its second one on.
    pub unsafe fn launch(&self, shape: impl Into<Shape>, call: Call<'_>) -> Result<(), Failure> {
        // SAFETY: the conditions are the same.
        unsafe { self.launch_on(&self.device.stream(), shape, call) }
    }

    /// As [`launch`](Self::launch), on this stream.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    ///
    /// # Safety
    /// As for [`launch`](Self::launch).
    pub unsafe fn launch_on(
        &self,
        stream: &Stream,
        shape: impl Into<Shape>,
        call: Call<'_>,
    ) -> Result<(), Failure> {
        let entry = call.entry().to_owned();
        let function = self.function(&entry)?;
        let launch = call.launch(shape.into());
        let launch = launch.map_err(|violations| Failure::check(&entry, violations))?;
        // SAFETY: conditions 1 and 2 are those of the function.
        unsafe { function.launch_on(stream, launch.shape, launch.arguments.as_slice()) }
    }

    pub(crate) fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The device that it is on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The text that it was made of.
    pub fn source(&self) -> &Source {
        &self.source
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        match self {
            Self::Gpu { gpu, .. } => {
                // Unloading needs the context; without it there is nothing to unload.
                let _ = gpu.enter(Stage::Load);
            }
            Self::Emulator { module, emulator } => {
                let unloaded = emulator.session().unload(*module);
                debug_assert_eq!(unloaded, Ok(()));
            }
        }
    }
}

fn compile(gpu: &Gpu, source: &Source) -> Result<cust::module::Module, Failure> {
    gpu.enter(Stage::Load)?;
    let image = CString::new(source.text()).map_err(|error| {
        let what = format!(
            "{} has a zero at byte {}",
            source.name(),
            error.nul_position()
        );
        Failure::new(Stage::Load, what)
    })?;
    let module = cust::module::Module::from_ptx_cstr(&image, &[]);
    module.map_err(|error| refusal(gpu, source, &image, error))
}

/// `cust` keeps neither the log nor all codes, so the text is loaded once more.
fn refusal(gpu: &Gpu, source: &Source, image: &CString, error: CudaError) -> Failure {
    // SAFETY: a `CString` ends with a zero byte (1); there are no options (2).
    let (code, log) = match unsafe { load_data_ex(image.as_ptr().cast(), LOG_BYTES, &[]) } {
        Err(refused) => (refused.error.code, refused.log.error),
        Ok(loaded) => {
            // SAFETY: the module was loaded just now, and nothing was made from it.
            unsafe { sys::cuModuleUnload(loaded.module) };
            (error as i32, loaded.log.error)
        }
    };
    let (driver, capability) = (driver_version().ok(), gpu.properties().capability);
    Refusal {
        source,
        code,
        log: &log,
        driver,
        capability,
    }
    .failure()
}
