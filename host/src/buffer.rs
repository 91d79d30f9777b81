use std::marker::PhantomData;

use bytemuck::Pod;
use cust::memory::CopyDestination;
use launch::{Failure, Stage};
use tensor_map::Params;

use crate::{EncodeError, Gpu, TensorMap, driver::OrFail, element, encode};

/// Elements in a GPU's memory. The first is at a multiple of 256 bytes.
#[doc(alias("cuMemAlloc", "cudaMalloc"))]
#[derive(Debug)]
pub struct DeviceBuffer<T: Pod> {
    inner: cust::memory::DeviceBuffer<u8>,
    len_elems: usize,
    gpu: Gpu,
    elements: PhantomData<T>,
}

impl<T: Pod> DeviceBuffer<T> {
    /// A buffer that holds these elements.
    pub fn upload(gpu: &Gpu, elements: &[T]) -> Result<Self, Failure> {
        let inner = allocate(gpu, size_of_val(elements))?;
        let mut buffer = Self::of(gpu, inner, elements.len());
        buffer.write(elements)?;
        Ok(buffer)
    }

    /// A buffer of so many elements, all bytes zero.
    pub fn zeroed(gpu: &Gpu, len_elems: usize) -> Result<Self, Failure> {
        let inner = allocate(gpu, len_elems.saturating_mul(size_of::<T>()))?;
        let mut buffer = Self::of(gpu, inner, len_elems);
        if !buffer.inner.is_empty() {
            let len_bytes = buffer.len_bytes();
            let result = buffer.inner.set_8(0);
            result.or_fail(Stage::Upload, || format!("zeroing {len_bytes} bytes"))?;
        }
        Ok(buffer)
    }

    fn of(gpu: &Gpu, inner: cust::memory::DeviceBuffer<u8>, len_elems: usize) -> Self {
        Self {
            inner,
            len_elems,
            gpu: gpu.clone(),
            elements: PhantomData,
        }
    }

    /// Its length in elements.
    pub fn len_elems(&self) -> usize {
        self.len_elems
    }

    /// Its length in bytes.
    pub fn len_bytes(&self) -> usize {
        self.inner.len()
    }

    /// Its address on the device; 0 when it has no bytes.
    #[doc(alias = "CUdeviceptr")]
    pub fn address(&self) -> u64 {
        self.inner.as_device_ptr().as_raw()
    }

    /// Replaces all elements, once the launches before this have ended.
    #[doc(alias("cuMemcpyHtoD", "cudaMemcpy"))]
    pub fn write(&mut self, elements: &[T]) -> Result<(), Failure> {
        self.gpu.enter(Stage::Upload)?;
        let (have, given) = (self.len_elems, elements.len());
        if have != given {
            let what = format!("a buffer of {have} elements was to be filled with {given}");
            return Err(Failure::new(Stage::Upload, what));
        }
        let result = self
            .inner
            .copy_from(bytemuck::cast_slice::<T, u8>(elements));
        result.or_fail(Stage::Upload, || {
            format!("copying {} bytes", self.len_bytes())
        })
    }

    /// A copy of all elements, once the launches before this have ended.
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn read(&self) -> Result<Vec<T>, Failure> {
        self.gpu.enter(Stage::CopyBack)?;
        let mut elements = vec![T::zeroed(); self.len_elems];
        let result = self
            .inner
            .copy_to(bytemuck::cast_slice_mut::<T, u8>(&mut elements));
        let result = result.or_fail(Stage::CopyBack, || {
            format!("copying {} bytes", self.len_bytes())
        });
        result.map_err(|failure| self.gpu.explain(failure))?;
        Ok(elements)
    }

    /// A map of the tensor that begins at the first element.
    ///
    /// # Errors
    /// As [`tensor_map_at`](Self::tensor_map_at).
    pub fn tensor_map(&self, params: impl Into<Params>) -> Result<TensorMap<'_>, EncodeError> {
        self.tensor_map_at(params, 0)
    }

    /// A map of the tensor that begins `offset_bytes` into the buffer.
    ///
    /// A buffer of bytes can hold any tensor.
    ///
    /// # Errors
    /// The parameters break rules, the tensor does not lie in the buffer, or its elements are not
    /// those of the buffer: all of it that holds.
    pub fn tensor_map_at(
        &self,
        params: impl Into<Params>,
        offset_bytes: u64,
    ) -> Result<TensorMap<'_>, EncodeError> {
        let params = params.into();
        let address = self.address().wrapping_add(offset_bytes);
        let element = element::check::<T>(params.tensor().data_type);
        let inside = EncodeError::outside(&params, self.len_bytes() as u64, offset_bytes, address);
        let map = encode(&self.gpu, params, address);
        let errors = element.err().into_iter().chain(inside.err());
        match (map, errors) {
            (Ok(map), errors) => EncodeError::all(errors).map_or(Ok(TensorMap::new(map)), Err),
            (Err(refused), errors) => {
                let all = EncodeError::all(errors.chain([refused.clone()]));
                Err(all.unwrap_or(refused))
            }
        }
    }
}

impl<T: Pod> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        // Freeing needs the context; without it there is nothing to free.
        let _ = self.gpu.enter(Stage::Upload);
    }
}

fn allocate(gpu: &Gpu, len_bytes: usize) -> Result<cust::memory::DeviceBuffer<u8>, Failure> {
    gpu.enter(Stage::Upload)?;
    // SAFETY: the caller fills the buffer before anyone can read it.
    let result = unsafe { cust::memory::DeviceBuffer::uninitialized(len_bytes) };
    result.or_fail(Stage::Upload, || format!("allocating {len_bytes} bytes"))
}
