//! The record of a kernel's panic, in host memory that outlives the GPU's context.

use std::{ffi::c_void, ptr, sync::OnceLock};

use cust::sys;
use tma_launch::{Failure, Panic, Stage};

use crate::{Module, driver::failure, gpu::Gpu};

/// The record of panics of a GPU's kernels: pinned memory, allocated when the first module with a panic handler is
/// loaded.
#[derive(Debug, Default)]
pub(crate) struct PanicRecord {
    address: OnceLock<u64>,
}

impl PanicRecord {
    fn address(&self) -> Result<u64, Failure> {
        if let Some(address) = self.address.get() {
            return Ok(*address);
        }
        let mut record: *mut c_void = ptr::null_mut();
        // SAFETY: the location is valid for writes, and the caller has entered the context.
        let result = unsafe { sys::cuMemAllocHost_v2(&raw mut record, Panic::RECORD_BYTES) };
        if result != sys::CUresult::CUDA_SUCCESS {
            let what = "allocating the record of a panic".to_owned();
            return Err(failure(Stage::Load, what, result as i32));
        }
        // SAFETY: the driver allocated this many bytes.
        unsafe { ptr::write_bytes(record.cast::<u8>(), 0, Panic::RECORD_BYTES) };
        let address = record.expose_provenance() as u64;
        let kept = *self.address.get_or_init(|| address);
        if kept != address {
            // SAFETY: another thread was faster, so this allocation has no other users.
            unsafe { sys::cuMemFreeHost(record) };
        }
        Ok(kept)
    }

    /// Returns the panic that ended a kernel.
    fn read(&self) -> Option<Panic> {
        let record = ptr::with_exposed_provenance::<[u8; Panic::RECORD_BYTES]>(
            usize::try_from(*self.address.get()?).ok()?,
        );
        // SAFETY: `address` allocated these bytes, which are freed on drop. A kernel that is writing them has not
        // failed yet, and the record is read again after it has.
        Panic::from_record(&unsafe { record.read_volatile() })
    }
}

impl Drop for PanicRecord {
    fn drop(&mut self) {
        if let Some(address) = self.address.get() {
            // SAFETY: `address` allocated the record, and with the last clone of the GPU the last kernel that
            // writes it has ended. Without a context the driver has already freed it.
            unsafe { sys::cuMemFreeHost(ptr::with_exposed_provenance_mut(*address as usize)) };
        }
    }
}

impl Gpu {
    /// Replaces the driver's description of a trap with the kernel's panic message.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        match self.panic_record().read() {
            Some(panic) => Failure {
                what: panic.to_string(),
                hint: None,
                ..failure
            },
            None => failure,
        }
    }
}

impl Module {
    /// Passes the address of the record to the module's panic handler, if it has one.
    pub(crate) fn set_panic_record(&self, gpu: &Gpu) -> Result<(), Failure> {
        let mut variables = self.source().module().variables();
        let names = variables.find_map(|variable| {
            let name = variable.declarators.first()?.name.as_str();
            Panic::is_variable(name).then_some(name)
        });
        match names {
            Some(name) => {
                let address = gpu.panic_record().address()?;
                self.set_variable(name, &address.to_le_bytes())
            }
            None => Ok(()),
        }
    }
}
