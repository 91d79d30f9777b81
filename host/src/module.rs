use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use tma_emulator::ModuleId;
use tma_launch::{Call, Failure, Shape};

use crate::{
    Device, Function, Source, Stream,
    device::{Emulator, Kind},
    gpu::GpuModule,
    memory::Memory,
};

/// Kernels on a device, and their variables.
#[doc(alias = "CUmodule")]
#[derive(Debug)]
pub struct Module {
    loaded: Loaded,
    source: Source,
    device: Device,
    /// The tensors of the maps in variables, by the variable's name. They are freed after the module.
    pub(crate) tensors: Mutex<HashMap<String, Arc<Memory>>>,
}

/// A module that was loaded, and where.
#[derive(Debug)]
pub(crate) enum Loaded {
    Gpu(GpuModule),
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
            Kind::Gpu(gpu) => Loaded::Gpu(GpuModule::load(gpu, &source)?),
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
            tensors: Mutex::default(),
        };
        if let Loaded::Gpu(loaded) = &module.loaded {
            module.set_panic_record(loaded.gpu())?;
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
        unsafe { function.start_on(stream, &launch) }
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
        if let Self::Emulator { module, emulator } = self {
            let unloaded = emulator.session().unload(*module);
            debug_assert_eq!(unloaded, Ok(()));
        }
    }
}
