//! Where tensor maps lie besides kernel parameters: global and constant memory; and what lies where
//! they point.

use std::{ffi::CString, marker::PhantomData};

use cuda_driver::pointer::allocation;
use cust::sys;
use launch::{Failure, Stage};
use tensor_map::Params;

use crate::{
    DeviceBuffer, EncodeError, Gpu, KernelArgument, Module, TensorMap, Value, driver::failure,
    encode,
};

/// Tensor maps in global memory, one after the other, that do not outlive their tensors.
///
/// As a kernel argument it is the address of the first. A kernel must acquire a map in global memory
/// with a tensormap proxy fence before it uses it (PTX ISA 8.9.4), even when only the host wrote it.
#[derive(Debug)]
pub struct TensorMaps<'buffer> {
    memory: DeviceBuffer<u8>,
    tensors: PhantomData<&'buffer ()>,
}

impl TensorMaps<'_> {
    /// The device address of a map, a multiple of 128.
    pub fn address(&self, index: usize) -> Option<u64> {
        let offset = index.checked_mul(tensor_map::TensorMap::BYTES)?;
        (offset < self.memory.len_bytes()).then(|| self.memory.address() + offset as u64)
    }

    /// The device memory of all maps.
    pub fn memory(&self) -> &DeviceBuffer<u8> {
        &self.memory
    }
}

/// The address of the first.
impl KernelArgument for &TensorMaps<'_> {
    fn value(&self) -> Value {
        Value::address(self.memory.address())
    }
}

impl Gpu {
    /// Copies maps into global memory.
    pub fn upload_tensor_maps<'buffer>(
        &self,
        maps: &[TensorMap<'buffer>],
    ) -> Result<TensorMaps<'buffer>, Failure> {
        let bytes: Vec<u8> = maps.iter().flat_map(|map| map.map().to_bytes()).collect();
        Ok(TensorMaps {
            memory: self.upload(&bytes)?,
            tensors: PhantomData,
        })
    }

    /// A map of a tensor at an address that some other code allocated.
    ///
    /// Whoever uses the map sees to it that the memory lives as long.
    ///
    /// # Errors
    /// Nothing was allocated at the address, or it was freed; it belongs to another context; the
    /// tensor reaches beyond the allocation; the parameters break rules.
    #[doc(alias = "cuPointerGetAttribute")]
    pub fn tensor_map(
        &self,
        params: impl Into<Params>,
        address: u64,
    ) -> Result<tensor_map::TensorMap, EncodeError> {
        let params = params.into();
        self.enter(Stage::Encode).map_err(EncodeError::Context)?;
        let found = allocation(address).map_err(|error| {
            let error = Some(error);
            EncodeError::NoMemory { address, error }
        })?;
        if !found.is_device {
            return Err(EncodeError::NoMemory {
                address,
                error: None,
            });
        }
        if !found.context.is_null() && found.context != self.raw_context() {
            return Err(EncodeError::OtherContext { address });
        }
        EncodeError::outside(
            &params,
            found.bytes,
            address.wrapping_sub(found.address),
            address,
        )?;
        encode(self, params, address)
    }
}

impl Module {
    /// Writes a map over a variable of the module, in `__constant__` or global memory.
    ///
    /// Kernels find it there under the variable's name; the tensor must live as long as they use it.
    ///
    /// # Errors
    /// There is no such variable, it has not the 128 bytes of a map, or is not at a multiple of 64.
    #[doc(alias = "cuModuleGetGlobal")]
    pub fn set_tensor_map(&self, variable: &str, map: &TensorMap<'_>) -> Result<(), Failure> {
        let (address, bytes) = self.variable_of(variable)?;
        fits(variable, address, bytes).map_err(|what| Failure::new(Stage::Upload, what))?;
        self.set_variable(variable, &map.map().to_bytes())
    }

    /// Writes the bytes of a variable of the module, in `__constant__` or global memory.
    ///
    /// # Errors
    /// There is no such variable, or it has not so many bytes.
    #[doc(alias = "cudaMemcpyToSymbol")]
    pub fn set_variable(&self, variable: &str, content: &[u8]) -> Result<(), Failure> {
        let (address, bytes) = self.variable_of(variable)?;
        if bytes != content.len() as u64 {
            let what = format!(
                "the variable `{variable}` has {bytes} bytes, and {} are to be written",
                content.len()
            );
            return Err(Failure::new(Stage::Upload, what));
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

    /// The device address of a variable and how many bytes it has, with the context current.
    pub(crate) fn variable_of(&self, variable: &str) -> Result<(u64, u64), Failure> {
        self.gpu().enter(Stage::Upload)?;
        let name = CString::new(variable).map_err(|_| {
            let what = format!("the name `{variable}` has a zero byte");
            Failure::new(Stage::Upload, what)
        })?;
        let found = self.variable(&name);
        let (address, bytes) = found
            .map_err(|code| failure(Stage::Upload, format!("no variable `{variable}`"), code))?;
        Ok((address, bytes as u64))
    }
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
