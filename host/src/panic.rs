//! The record of a kernel that panicked, in memory of the host that outlives the GPU's context.

use std::{ffi::c_void, ptr, sync::OnceLock};

use cust::sys;
use tma_launch::{Failure, Panic, Stage};

use crate::{Module, driver::failure, gpu::Gpu};

/// Where the kernels of a GPU leave the record of a panic: pinned memory, made when the first module
/// with a panic handler is loaded.
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
        // SAFETY: the record is valid for writes, and the caller has entered the context.
        let result = unsafe { sys::cuMemAllocHost_v2(&raw mut record, Panic::RECORD_BYTES) };
        if result != sys::CUresult::CUDA_SUCCESS {
            let what = "allocating the record of a panic".to_owned();
            return Err(failure(Stage::Load, what, result as i32));
        }
        // SAFETY: the driver gave so many bytes.
        unsafe { ptr::write_bytes(record.cast::<u8>(), 0, Panic::RECORD_BYTES) };
        let address = record.expose_provenance() as u64;
        let kept = *self.address.get_or_init(|| address);
        if kept != address {
            // SAFETY: another thread was faster, and nobody else knows this one.
            unsafe { sys::cuMemFreeHost(record) };
        }
        Ok(kept)
    }

    /// The panic that ended a kernel.
    fn read(&self) -> Option<Panic> {
        let record = ptr::with_exposed_provenance::<[u8; Panic::RECORD_BYTES]>(
            usize::try_from(*self.address.get()?).ok()?,
        );
        // SAFETY: `address` has filled so many bytes, which are freed with this; a kernel that writes
        // them at the same time has not failed yet, and its record is read again when it has.
        Panic::from_record(&unsafe { record.read_volatile() })
    }
}

impl Drop for PanicRecord {
    fn drop(&mut self) {
        if let Some(address) = self.address.get() {
            // SAFETY: `address` has allocated it, and with the last copy of its GPU the last kernel
            // that writes there has ended. Without a context the driver has freed it.
            unsafe { sys::cuMemFreeHost(ptr::with_exposed_provenance_mut(*address as usize)) };
        }
    }
}

impl Gpu {
    /// Puts what a kernel said in place of what the driver says of its trap.
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
    /// Tells the module's panic handler, where it has one, where to leave a record.
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
