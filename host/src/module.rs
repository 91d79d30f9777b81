use std::ffi::{CStr, CString};

use cuda_driver::{driver_version, module::load_data_ex};
use cust::{error::CudaError, sys};
use launch::{Failure, Stage};

use crate::{Function, Gpu, Source, jit::Refusal};

/// The most that the driver's compiler can say, in bytes.
const LOG_BYTES: u32 = 16 * 1024;

/// Kernels on a GPU.
#[doc(alias = "CUmodule")]
#[derive(Debug)]
pub struct Module {
    inner: cust::module::Module,
    source: Source,
    gpu: Gpu,
}

impl Module {
    /// Compiles a text for a GPU.
    #[doc(alias = "cuModuleLoadDataEx")]
    pub fn load(gpu: &Gpu, source: Source) -> Result<Self, Failure> {
        gpu.enter(Stage::Load)?;
        let image = CString::new(source.text()).map_err(|error| {
            let what = format!(
                "{} has a zero at byte {}",
                source.name(),
                error.nul_position()
            );
            Failure::new(Stage::Load, what)
        })?;
        match cust::module::Module::from_ptx_cstr(&image, &[]) {
            Ok(inner) => {
                let module = Self {
                    inner,
                    source,
                    gpu: gpu.clone(),
                };
                module.set_panic_record()?;
                Ok(module)
            }
            Err(error) => Err(refusal(gpu, &source, &image, error)),
        }
    }

    /// The kernel of this name. The error suggests the nearest names.
    #[doc(alias = "cuModuleGetFunction")]
    pub fn function(&self, entry: &str) -> Result<Function<'_>, Failure> {
        let signature = self.source.signature(entry)?;
        Function::resolve(&self.gpu, &self.inner, signature)
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Where a variable lies and how many bytes it has, or the driver's code.
    ///
    /// `cust`'s `get_global` panics where the length is not the one that it expects.
    pub(crate) fn variable(&self, name: &CStr) -> Result<(u64, usize), i32> {
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the two places are valid for writes, the name ends with a zero byte (1), and the
        // module is alive (2); the caller has entered the context (3).
        let result = unsafe {
            sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw(), name.as_ptr())
        };
        match result {
            sys::CUresult::CUDA_SUCCESS => Ok((address, bytes)),
            error => Err(error as i32),
        }
    }

    /// The driver's handle, which `cust` 0.3.2 does not give out.
    fn raw(&self) -> sys::CUmodule {
        const {
            assert!(size_of::<cust::module::Module>() == size_of::<sys::CUmodule>());
            assert!(align_of::<cust::module::Module>() == align_of::<sys::CUmodule>());
        }
        // SAFETY: `cust::module::Module` has one field, the handle; it has the same size, so the
        // handle is all of it.
        unsafe {
            std::ptr::from_ref(&self.inner)
                .cast::<sys::CUmodule>()
                .read()
        }
    }

    /// The text that it was made of.
    pub fn source(&self) -> &Source {
        &self.source
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Unloading needs the context; without it there is nothing to unload.
        let _ = self.gpu.enter(Stage::Load);
    }
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
    let (driver, capability) = (driver_version().ok(), gpu.device().capability);
    Refusal {
        source,
        code,
        log: &log,
        driver,
        capability,
    }
    .failure()
}
