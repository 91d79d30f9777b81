//! Modules loaded by the driver.

use std::ffi::CString;

use cuda_driver::{
    driver_version, function,
    module::{self, LoadError, Loaded, load_data_ex},
    sys::{CUfunction, CUmodule},
};
use tma_launch::{Failure, Stage};

use super::Gpu;
use crate::{Source, driver::OrFail, jit::Refusal};

/// Size of the driver's compiler log in bytes.
const LOG_BYTES: u32 = 16 * 1024;

/// A module in the context of a GPU.
#[derive(Debug)]
pub(crate) struct GpuModule {
    handle: CUmodule,
    gpu: Gpu,
}

// SAFETY: the driver's handles are valid in every thread, and the driver synchronises their use.
unsafe impl Send for GpuModule {}
// SAFETY: the driver's functions on a module may be called by several threads at once.
unsafe impl Sync for GpuModule {}

/// A kernel of a module that is still loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuFunction(CUfunction);

// SAFETY: the handle is valid in every thread while the module is loaded.
unsafe impl Send for GpuFunction {}
// SAFETY: the driver's functions on a kernel may be called by several threads at once.
unsafe impl Sync for GpuFunction {}

impl GpuModule {
    /// Compiles a PTX text.
    pub(crate) fn load(gpu: &Gpu, source: &Source) -> Result<Self, Failure> {
        gpu.enter(Stage::Load)?;
        let image = terminated(source.text(), source.name(), Stage::Load)?;
        // SAFETY: a `CString` ends with a zero byte (1); there are no options (2).
        let loaded = unsafe { load_data_ex(image.as_ptr().cast(), LOG_BYTES, &[]) };
        let Loaded { module, .. } = loaded.map_err(|LoadError { error, log }| {
            Refusal {
                source,
                code: error.code,
                log: &log.error,
                driver: driver_version().ok(),
                capability: gpu.properties().capability,
            }
            .failure()
        })?;
        Ok(Self {
            handle: module,
            gpu: gpu.clone(),
        })
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the kernel of this name, and makes the context current.
    pub(crate) fn function(&self, entry: &str) -> Result<GpuFunction, Failure> {
        self.gpu.enter(Stage::Resolve)?;
        let name = terminated(entry, "the name of a kernel", Stage::Resolve)?;
        // SAFETY: the module is alive until `self` is dropped (1).
        let function = unsafe { module::get_function(self.handle, &name) };
        let what = || format!("the driver has no kernel `{entry}`");
        function.map(GpuFunction).or_fail(Stage::Resolve, what)
    }

    /// Returns the address and size in bytes of a variable, and makes the context current.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64), Failure> {
        self.gpu.enter(Stage::Upload)?;
        let terminated = terminated(name, "the name of a variable", Stage::Upload)?;
        // SAFETY: the module is alive until `self` is dropped (1).
        let variable = unsafe { module::get_global(self.handle, &terminated) };
        let what = || format!("the module has no variable `{name}`");
        let (address, bytes) = variable.or_fail(Stage::Upload, what)?;
        Ok((address, bytes as u64))
    }
}

impl Drop for GpuModule {
    fn drop(&mut self) {
        // Unloading needs the context; without it the module is already gone.
        if self.gpu.enter(Stage::Load).is_ok() {
            // SAFETY: `load` loaded the module, its context is current, and every function borrows it (1).
            let _ = unsafe { module::unload(self.handle) };
        }
    }
}

impl GpuFunction {
    pub(crate) fn raw(self) -> CUfunction {
        self.0
    }

    /// Returns the number of blocks with these threads and this dynamic shared memory that a multiprocessor runs
    /// concurrently.
    ///
    /// # Safety
    /// 1. The module is alive and its context is current.
    pub(crate) unsafe fn blocks_per_multiprocessor(
        self,
        threads: u32,
        shared_bytes: u32,
    ) -> Result<u32, Failure> {
        // SAFETY: the module is alive and its context current (1), so the kernel is valid.
        let blocks =
            unsafe { function::blocks_per_multiprocessor(self.0, threads, shared_bytes as usize) };
        blocks.or_fail(Stage::Resolve, || "how many blocks fit".to_owned())
    }
}

/// Converts a text to a C string.
fn terminated(text: &str, name: &str, stage: Stage) -> Result<CString, Failure> {
    CString::new(text).map_err(|error| {
        let what = format!("{name} has a zero at byte {}", error.nul_position());
        Failure::new(stage, what)
    })
}
