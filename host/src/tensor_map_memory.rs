//! Where tensor maps lie besides kernel parameters: global and constant memory; and what lies where
//! they point.

use std::{ffi::CString, marker::PhantomData};

use cuda_driver::pointer::allocation;
use cust::memory::CopyDestination;
use launch::{Failure, Stage};
use tensor_map::Params;

use crate::{DeviceBuffer, EncodeError, Gpu, KernelArgument, Module, TensorMap, Value, encode};

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
        EncodeError::outside(&params, found.bytes, address.wrapping_sub(found.address))?;
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
        let place = self.inner().get_global::<[u64; 16]>(&name);
        let mut place = place
            .map_err(|error| fail(format!("no variable `{variable}` of 128 bytes: {error}")))?;
        let result = place.copy_from(map.map().words());
        result.map_err(|error| fail(format!("copying a map to `{variable}`: {error}")))
    }
}
