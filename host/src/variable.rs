//! Variables of a module, in constant and global memory.

use std::sync::{Arc, PoisonError};

use cuda_driver::memory;
use tma_launch::{Failure, Stage, check::variable_bytes};

use crate::{BufferTensorMap, Module, driver::OrFail, memory::Memory, module::Loaded};

impl Module {
    /// Writes a tensor map to a variable of the module, in `__constant__` or global memory.
    ///
    /// The module keeps the memory of the tensor, even after its buffer is dropped, until this function or
    /// [`set_variable`](Self::set_variable) overwrites the variable.
    ///
    /// # Errors
    /// There is no such variable, its size is not the 128 bytes of a map, or it is not aligned to 64.
    #[doc(alias = "cuModuleGetGlobal")]
    pub fn set_tensor_map(&self, variable: &str, map: &BufferTensorMap<'_>) -> Result<(), Failure> {
        if map.device_id() != self.device().id() {
            let what =
                format!("the variable `{variable}` and the tensor must be on the same device");
            return Err(Failure::new(Stage::Upload, what));
        }
        let (address, bytes) = self.variable(variable)?;
        fits(variable, address, bytes).map_err(|what| Failure::new(Stage::Upload, what))?;
        let tensor = Arc::clone(map.memory());
        self.replace_variable(variable, &map.encoded().to_bytes(), Some(tensor))
    }

    /// Writes the bytes of a variable of the module, in `__constant__` or global memory.
    ///
    /// # Errors
    /// There is no such variable, or its size differs.
    #[doc(alias = "cudaMemcpyToSymbol")]
    pub fn set_variable(&self, variable: &str, content: &[u8]) -> Result<(), Failure> {
        self.replace_variable(variable, content, None)
    }

    /// Writes the bytes of a variable; if they are a map, `tensor` is the memory of its tensor.
    fn replace_variable(
        &self,
        variable: &str,
        content: &[u8],
        tensor: Option<Arc<Memory>>,
    ) -> Result<(), Failure> {
        // Held while the variable is written, so that map and tensor come from the same call.
        let mut tensors = self.tensors.lock().unwrap_or_else(PoisonError::into_inner);
        self.write_variable(variable, content)?;
        // No launch can read the previous map any more, since the write waited for all launches.
        match tensor {
            Some(tensor) => tensors.insert(variable.to_owned(), tensor),
            None => tensors.remove(variable),
        };
        Ok(())
    }

    fn write_variable(&self, variable: &str, content: &[u8]) -> Result<(), Failure> {
        let (address, bytes) = self.variable(variable)?;
        variable_bytes(variable, bytes, content.len())?;
        if let Loaded::Emulator { module, emulator } = self.loaded() {
            let mut session = emulator.session();
            session.synchronise();
            return session.write_variable(*module, variable, content);
        }
        // SAFETY: the bytes are the variable of this loaded module, and the copy begins after earlier work of the
        // context's streams, which are blocking ones (1).
        let result = unsafe { memory::copy_to_device(address, content) };
        result.or_fail(Stage::Upload, || {
            format!("copying to the variable `{variable}`")
        })
    }

    /// Reads the bytes of a variable of the module, in `__constant__` or global memory.
    ///
    /// # Errors
    /// There is no such variable, or the device fails.
    #[doc(alias = "cudaMemcpyFromSymbol")]
    pub fn read_variable(&self, variable: &str) -> Result<Vec<u8>, Failure> {
        if let Loaded::Emulator { module, emulator } = self.loaded() {
            let mut session = emulator.session();
            session.synchronise();
            return Ok(session.read_variable(*module, variable)?.to_vec());
        }
        let (address, bytes) = self.variable(variable)?;
        let mut content = vec![0; bytes as usize];
        // SAFETY: the bytes are the variable of this loaded module, and the copy begins after earlier work of the
        // context's streams, which are blocking ones (1).
        let result = unsafe { memory::copy_to_host(&mut content, address) };
        let what = || format!("copying from the variable `{variable}`");
        result.map(|()| content).or_fail(Stage::CopyBack, what)
    }

    /// Returns the device address and size in bytes of a variable; on a GPU, makes its context current.
    ///
    /// # Errors
    /// There is no such variable.
    #[doc(alias = "cudaGetSymbolAddress")]
    pub fn variable(&self, name: &str) -> Result<(u64, u64), Failure> {
        match self.loaded() {
            Loaded::Gpu(module) => module.variable(name),
            Loaded::Emulator { module, emulator } => emulator.session().variable(*module, name),
        }
    }
}

/// Checks that a variable of this size at this address can hold a map.
fn fits(variable: &str, address: u64, bytes: u64) -> Result<(), String> {
    let needed = tensor_map::TensorMap::BYTES as u64;
    if bytes != needed {
        return Err(format!(
            "the variable `{variable}` has {bytes} bytes but must have {needed}, the size of a tensor map"
        ));
    }
    if !address.is_multiple_of(64) {
        return Err(format!(
            "the variable `{variable}` is at {address:#x} but must be at a multiple of 64 to hold a tensor \
             map; declare it with `.align 64`"
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
        assert_eq!(
            error,
            "the variable `map` has 64 bytes but must have 128, the size of a tensor map"
        );
        let error = fits("map", 0x150, 128).unwrap_err();
        assert!(
            error.starts_with("the variable `map` is at 0x150 but "),
            "{error}"
        );
    }
}
