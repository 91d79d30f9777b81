//! Tensor maps in global memory, and checks of their tensors' memory.

use std::marker::PhantomData;

use cuda_driver::pointer;
use tensor_map::Params;
use tma_launch::{Argument, Failure, Pointer, Stage};

use crate::{
    Buffer, BufferTensorMap, Device, EncodeError, KernelArgument, device::Kind, encode, gpu::Gpu,
};

/// An array of tensor maps in global memory that does not outlive the tensors.
///
/// As a kernel argument it is the address of the first map. A kernel must acquire a map in global memory with a
/// tensormap proxy fence before using it (PTX ISA 8.9.4), even if only the host wrote it.
#[derive(Debug)]
pub struct TensorMaps<'buffer> {
    memory: Buffer<u8>,
    tensors: PhantomData<&'buffer ()>,
}

impl TensorMaps<'_> {
    /// Returns the device address of a map, a multiple of 128.
    pub fn address(&self, index: usize) -> Option<u64> {
        let offset = index.checked_mul(tensor_map::TensorMap::BYTES)?;
        (offset < self.memory.len_bytes()).then(|| self.memory.address() + offset as u64)
    }

    /// Returns the device memory of all maps.
    pub fn memory(&self) -> &Buffer<u8> {
        &self.memory
    }
}

/// The address of the first map.
impl KernelArgument for &TensorMaps<'_> {
    fn argument(&self) -> Argument {
        (&self.memory).argument()
    }
}

/// The address of the first map.
impl Pointer<tensor_map::TensorMap> for &TensorMaps<'_> {
    fn pointer(&self) -> Argument {
        self.argument()
    }
}

impl Device {
    /// Copies maps to global memory.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn upload_tensor_maps<'buffer>(
        &self,
        maps: &[BufferTensorMap<'buffer>],
    ) -> Result<TensorMaps<'buffer>, Failure> {
        let bytes: Vec<u8> = maps
            .iter()
            .flat_map(|map| map.encoded().to_bytes())
            .collect();
        Ok(TensorMaps {
            memory: self.upload(&bytes)?,
            tensors: PhantomData,
        })
    }

    /// Returns a map of a tensor at an address allocated by other code.
    ///
    /// The caller must keep the memory alive while the map is in use.
    ///
    /// # Errors
    /// The address is not allocated, was freed, or belongs to another context; the tensor exceeds the allocation;
    /// or the parameters break rules.
    #[doc(alias = "cuPointerGetAttribute")]
    pub fn tensor_map(
        &self,
        params: impl Into<Params>,
        address: u64,
    ) -> Result<tensor_map::TensorMap, EncodeError> {
        let params = params.into();
        let (start, bytes) = match self.kind() {
            Kind::Gpu(gpu) => allocation(gpu, address)?,
            Kind::Emulator(emulator) => {
                let found = emulator.session().allocation(address);
                found.ok_or(EncodeError::NoMemory {
                    address,
                    error: None,
                })?
            }
        };
        EncodeError::outside(&params, bytes, address - start, address)?;
        encode(self, params, address)
    }
}

/// Returns the start and length of the GPU allocation that contains an address.
fn allocation(gpu: &Gpu, address: u64) -> Result<(u64, u64), EncodeError> {
    gpu.enter(Stage::Encode).map_err(EncodeError::Context)?;
    let found = pointer::allocation(address).map_err(|error| {
        let error = Some(error);
        EncodeError::NoMemory { address, error }
    })?;
    if !found.is_device {
        return Err(EncodeError::NoMemory {
            address,
            error: None,
        });
    }
    if !found.context.is_null() && found.context != gpu.raw_context() {
        return Err(EncodeError::OtherContext { address });
    }
    Ok((found.address, found.bytes))
}
