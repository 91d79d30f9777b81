//! Variables of a module, in constant and global memory.

use std::ffi::CString;

use cust::sys;
use tma_launch::{Failure, Stage};

use crate::{Module, TensorMap, driver::failure, gpu::Gpu, module::Loaded};

impl Module {
    /// Writes a map over a variable of the module, in `__constant__` or global memory.
    ///
    /// Kernels find it there under the variable's name; the tensor must live as long as they use it.
    ///
    /// # Errors
    /// There is no such variable, it has not the 128 bytes of a map, or is not at a multiple of 64.
    #[doc(alias = "cuModuleGetGlobal")]
    pub fn set_tensor_map(&self, variable: &str, map: &TensorMap<'_>) -> Result<(), Failure> {
        let (address, bytes) = self.variable(variable)?;
        fits(variable, address, bytes).map_err(|what| Failure::new(Stage::Upload, what))?;
        self.set_variable(variable, &map.encoded().to_bytes())
    }

    /// Writes the bytes of a variable of the module, in `__constant__` or global memory.
    ///
    /// # Errors
    /// There is no such variable, or it has not so many bytes.
    #[doc(alias = "cudaMemcpyToSymbol")]
    pub fn set_variable(&self, variable: &str, content: &[u8]) -> Result<(), Failure> {
        let (address, bytes) = self.variable(variable)?;
        if bytes != content.len() as u64 {
            let what = format!(
                "the variable `{variable}` has {bytes} bytes, and {} are to be written",
                content.len()
            );
            return Err(Failure::new(Stage::Upload, what));
        }
        if let Loaded::Emulator { module, emulator } = self.loaded() {
            let mut session = emulator.session();
            return session.write_variable(*module, variable, content);
        }
        // SAFETY: the address is that of a variable of this module, which is loaded, and its length
        // is that of the content (2). It is read before the call returns (1). The context is
        // current (3).
        let result =
            unsafe { sys::cuMemcpyHtoD_v2(address, content.as_ptr().cast(), content.len()) };
        match result {
            sys::CUresult::CUDA_SUCCESS => Ok(()),
            error => Err(failure(
                Stage::Upload,
                format!("copying to the variable `{variable}`"),
                error as i32,
            )),
        }
    }

    /// The device address of a variable and how many bytes it has; on a GPU, its context is then
    /// current.
    ///
    /// # Errors
    /// There is no such variable.
    #[doc(alias = "cudaGetSymbolAddress")]
    pub fn variable(&self, name: &str) -> Result<(u64, u64), Failure> {
        match self.loaded() {
            Loaded::Gpu { module, gpu } => variable_on(gpu, module, name),
            Loaded::Emulator { module, emulator } => emulator.session().variable(*module, name),
        }
    }
}

/// `cust`'s `get_global` panics where the length is not the one that it expects.
fn variable_on(
    gpu: &Gpu,
    module: &cust::module::Module,
    name: &str,
) -> Result<(u64, u64), Failure> {
    gpu.enter(Stage::Upload)?;
    let terminated = CString::new(name).map_err(|_| {
        let what = format!("the name `{name}` has a zero byte");
        Failure::new(Stage::Upload, what)
    })?;
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the two locations are valid for writes, the name ends with a zero byte (1), the
    // module is alive (2) and its context current (3).
    let result = unsafe {
        let (address, bytes) = (&raw mut address, &raw mut bytes);
        sys::cuModuleGetGlobal_v2(address, bytes, raw(module), terminated.as_ptr())
    };
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok((address, bytes as u64)),
        error => {
            let what = format!("the module has no variable `{name}`");
            Err(failure(Stage::Upload, what, error as i32))
        }
    }
}

/// The driver's handle, which `cust` 0.3.2 does not give out.
fn raw(module: &cust::module::Module) -> sys::CUmodule {
    const {
        assert!(size_of::<cust::module::Module>() == size_of::<sys::CUmodule>());
        assert!(align_of::<cust::module::Module>() == align_of::<sys::CUmodule>());
    }
    // SAFETY: `cust::module::Module` has one field, the handle; it has the same size, so the handle is
    // all of it.
    unsafe { std::ptr::from_ref(module).cast::<sys::CUmodule>().read() }
}

/// Whether a map can stand in a variable of so many bytes at this address.
fn fits(variable: &str, address: u64, bytes: u64) -> Result<(), String> {
    let needed = tensor_map::TensorMap::BYTES as u64;
    if bytes != needed {
        return Err(format!(
            "the variable `{variable}` has {bytes} bytes, and a map has {needed}"
        ));
    }
    if !address.is_multiple_of(64) {
        return Err(format!(
            "the variable `{variable}` is at {address:#x}, and a map must be at a multiple of 64; \
             declare it with `.align 64`"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_needs_128_bytes_at_a_multiple_of_64() {
        assert_eq!(fits("map", 0x140, 128), Ok(()));
        let error = fits("map", 0x140, 64).unwrap_err();
        assert_eq!(error, "the variable `map` has 64 bytes, and a map has 128");
        let error = fits("map", 0x150, 128).unwrap_err();
        assert!(
            error.starts_with("the variable `map` is at 0x150, "),
            "{error}"
        );
    }
}
