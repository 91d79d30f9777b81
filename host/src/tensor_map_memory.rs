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
        let fail = |what: String| Failure::new(Stage::Upload, what);
        self.gpu().enter(Stage::Upload)?;
        let name = CString::new(variable)
            .map_err(|_| fail(format!("the name `{variable}` has a zero byte")))?;
        let (address, bytes) = self
            .variable(&name)
            .map_err(|code| failure(Stage::Upload, format!("no variable `{variable}`"), code))?;
        fits(variable, address, bytes as u64).map_err(fail)?;
        let words = map.map().words();
        // SAFETY: the address is that of a variable of this module, which is loaded, and its length
        // is that of the words (2). They are read before the call returns (1). The context is
        // current (3).
        let result =
            unsafe { sys::cuMemcpyHtoD_v2(address, words.as_ptr().cast(), size_of_val(words)) };
        match result {
            sys::CUresult::CUDA_SUCCESS => Ok(()),
            error => Err(failure(
                Stage::Upload,
                format!("copying a map to `{variable}`"),
                error as i32,
            )),
        }
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
