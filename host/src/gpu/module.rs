//! Modules loaded by the driver.

use std::{
    ffi::{CString, c_int},
    ptr,
};

use cuda_driver::{
    driver_version,
    module::{LoadError, Loaded, load_data_ex},
};
use cust::sys::{self, CUfunction, CUmodule, CUresult};
use tma_launch::{Failure, Stage};

use super::Gpu;
use crate::{Source, driver::failure, jit::Refusal};

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
// SAFETY: `&GpuModule` only passes the handle to the driver, which synchronises its use.
unsafe impl Sync for GpuModule {}

/// A kernel of a module that is still loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuFunction(CUfunction);

// SAFETY: the driver's handles are valid in every thread, and the driver synchronises their use.
unsafe impl Send for GpuFunction {}
// SAFETY: `&GpuFunction` only passes the handle to the driver, which synchronises its use.
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
        let mut function = ptr::null_mut();
        // SAFETY: the location is valid for a write, the module is alive, its context current, and the
        // name ends with a zero byte.
        let result =
            unsafe { sys::cuModuleGetFunction(&raw mut function, self.handle, name.as_ptr()) };
        let what = || format!("the driver has no kernel `{entry}`");
        done(result, Stage::Resolve, what).map(|()| GpuFunction(function))
    }

    /// Returns the address and size in bytes of a variable, and makes the context current.
    pub(crate) fn variable(&self, name: &str) -> Result<(u64, u64), Failure> {
        self.gpu.enter(Stage::Upload)?;
        let terminated = terminated(name, "the name of a variable", Stage::Upload)?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the two locations are valid for writes, the name ends with a zero byte, the module is
        // alive and its context current.
        let result = unsafe {
            let (address, bytes) = (&raw mut address, &raw mut bytes);
            sys::cuModuleGetGlobal_v2(address, bytes, self.handle, terminated.as_ptr())
        };
        let what = || format!("the module has no variable `{name}`");
        done(result, Stage::Upload, what).map(|()| (address, bytes as u64))
    }
}

impl Drop for GpuModule {
    fn drop(&mut self) {
        // Unloading needs the context; without it the module is already gone.
        if self.gpu.enter(Stage::Load).is_ok() {
            // SAFETY: the module was loaded by this object, which alone unloads it, and its context is current.
            unsafe { sys::cuModuleUnload(self.handle) };
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
        let mut blocks: c_int = 0;
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: the location is valid for a write, and the kernel is alive (1).
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.0,
                threads,
                shared_bytes as usize,
            )
        };
        let what = || "how many blocks fit".to_owned();
        done(result, Stage::Resolve, what).map(|()| blocks.unsigned_abs())
    }
}

/// Converts a text to a C string.
fn terminated(text: &str, name: &str, stage: Stage) -> Result<CString, Failure> {
    CString::new(text).map_err(|error| {
        let what = format!("{name} has a zero at byte {}", error.nul_position());
        Failure::new(stage, what)
    })
}

fn done(result: CUresult, stage: Stage, what: impl FnOnce() -> String) -> Result<(), Failure> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        error => Err(failure(stage, what(), error as i32)),
    }
}
