use std::{any::type_name, marker::PhantomData, sync::Arc};

use bytemuck::Pod;
use tensor_map::Params;
use tma_launch::{Failure, Stage};

#[cfg(feature = "cust")]
use crate::gpu::{Gpu, objects::Allocation};
use crate::{BufferTensorMap, Device, EncodeError, element, encode, memory::Memory};

/// Elements in a device's memory, aligned to 256 bytes.
#[doc(alias("DeviceBuffer", "cuMemAlloc", "cudaMalloc"))]
#[derive(Debug)]
pub struct Buffer<T: Pod> {
    /// Shared with the variables that hold maps of it.
    memory: Arc<Memory>,
    len_elems: usize,
    device: Device,
    elements: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// Creates a buffer with these elements.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn upload(device: &Device, elements: &[T]) -> Result<Self, Failure> {
        Self::upload_named(device, &name::<T>(elements.len()), elements)
    }

    /// Creates a buffer that is called `name` in the emulator's reports.
    pub(crate) fn upload_named(
        device: &Device,
        name: &str,
        elements: &[T],
    ) -> Result<Self, Failure> {
        let memory = Memory::upload(device, name, bytemuck::cast_slice(elements))?;
        Ok(Self::of(device, memory, elements.len()))
    }

    /// Creates a buffer of `len_elems` elements with all bytes zero.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn zeroed(device: &Device, len_elems: usize) -> Result<Self, Failure> {
        let len_bytes = len_elems.saturating_mul(size_of::<T>());
        let memory = Memory::zeroed(device, &name::<T>(len_elems), len_bytes)?;
        Ok(Self::of(device, memory, len_elems))
    }

    fn of(device: &Device, memory: Memory, len_elems: usize) -> Self {
        Self {
            memory: Arc::new(memory),
            len_elems,
            device: device.clone(),
            elements: PhantomData,
        }
    }

    /// Creates a buffer of memory of the device's GPU.
    #[cfg(feature = "cust")]
    pub(crate) fn of_gpu(device: &Device, gpu: &Gpu, bytes: Allocation, len_elems: usize) -> Self {
        let gpu = gpu.clone();
        Self::of(device, Memory::Gpu { bytes, gpu }, len_elems)
    }

    /// Returns the GPU's memory, or the buffer if a variable shares the memory or it is the emulator's.
    #[cfg(feature = "cust")]
    pub(crate) fn into_gpu(self) -> Result<Allocation, Self> {
        match Arc::try_unwrap(self.memory) {
            Err(memory) => Err(Self { memory, ..self }),
            Ok(mut memory) => match memory.take_gpu() {
                Some(allocation) => Ok(allocation),
                None => Err(Self::of(&self.device, memory, self.len_elems)),
            },
        }
    }

    /// Returns the length in elements.
    pub fn len_elems(&self) -> usize {
        self.len_elems
    }

    /// Returns the length in bytes.
    pub fn len_bytes(&self) -> usize {
        self.len_elems * size_of::<T>()
    }

    /// Returns the device of the buffer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn device_id(&self) -> u64 {
        self.device.id()
    }

    /// Returns the address on the device; 0 for an empty buffer.
    #[doc(alias = "CUdeviceptr")]
    pub fn address(&self) -> u64 {
        self.memory.address()
    }

    /// Replaces all elements, after waiting for all earlier launches.
    ///
    /// # Errors
    /// The number of elements differs from the buffer's, or an earlier launch failed.
    #[doc(alias("cuMemcpyHtoD", "cudaMemcpy"))]
    pub fn write(&mut self, elements: &[T]) -> Result<(), Failure> {
        let (have, given) = (self.len_elems, elements.len());
        if have != given {
            let what = format!(
                "cannot fill a buffer of {have} elements with {given}; the numbers must be equal"
            );
            return Err(Failure::new(Stage::Upload, what));
        }
        self.memory.write(bytemuck::cast_slice(elements))
    }

    /// Returns a copy of all elements, after waiting for all earlier launches.
    ///
    /// # Errors
    /// An earlier launch failed.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn read(&self) -> Result<Vec<T>, Failure> {
        let mut elements = vec![T::zeroed(); self.len_elems];
        self.memory
            .read(0, bytemuck::cast_slice_mut(&mut elements))?;
        Ok(elements)
    }

    /// Returns a copy of `len_bytes` bytes from `start` on, after waiting for all earlier launches.
    pub(crate) fn read_bytes(&self, start: u64, len_bytes: u64) -> Result<Vec<u8>, Failure> {
        let end = start.saturating_add(len_bytes);
        if end > self.len_bytes() as u64 {
            let what = format!("byte {end} of a buffer of {}", self.len_bytes());
            return Err(Failure::new(Stage::CopyBack, what));
        }
        let mut bytes = vec![0; len_bytes as usize];
        self.memory.read(start as usize, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns a map of the tensor that begins at the first element.
    ///
    /// # Errors
    /// As [`tensor_map_at`](Self::tensor_map_at).
    pub fn tensor_map(
        &self,
        params: impl Into<Params>,
    ) -> Result<BufferTensorMap<'_>, EncodeError> {
        self.tensor_map_at(params, 0)
    }

    /// Returns a map of the tensor that begins `offset_bytes` into the buffer.
    ///
    /// A buffer of bytes can hold any tensor.
    ///
    /// # Errors
    /// The parameters break rules, the tensor does not fit in the buffer, or its element type differs from the
    /// buffer's. The error lists everything that applies.
    pub fn tensor_map_at(
        &self,
        params: impl Into<Params>,
        offset_bytes: u64,
    ) -> Result<BufferTensorMap<'_>, EncodeError> {
        let params = params.into();
        let address = self.address().wrapping_add(offset_bytes);
        let element = element::check::<T>(params.tensor().data_type);
        let inside = EncodeError::outside(&params, self.len_bytes() as u64, offset_bytes, address);
        let map = encode(&self.device, params, address);
        let errors = element.err().into_iter().chain(inside.err());
        match (map, errors) {
            (Ok(map), errors) => {
                let map = BufferTensorMap::new(map, self.device_id(), &self.memory);
                EncodeError::all(errors).map_or(Ok(map), Err)
            }
            (Err(refused), errors) => {
                let all = EncodeError::all(errors.chain([refused.clone()]));
                Err(all.unwrap_or(refused))
            }
        }
    }
}

/// Returns the name of a buffer in the emulator's reports, written like a Rust array type.
fn name<T>(len_elems: usize) -> String {
    format!("[{}; {len_elems}]", type_name::<T>())
}

#[cfg(test)]
mod tests {
    use crate::Device;

    #[test]
    fn bytes_are_read_from_the_start_that_is_asked_for() {
        let buffer = Device::emulator(0).upload(&[1_u8, 2, 3, 4]).unwrap();
        assert_eq!(buffer.read_bytes(1, 2).unwrap(), [2, 3]);
        assert_eq!(buffer.read_bytes(2, 2).unwrap(), [3, 4]);
        assert!(buffer.read_bytes(3, 2).is_err());
    }
}
