//! The record of a kernel's panic, in host memory that outlives the GPU's context.

use std::{ptr, sync::OnceLock};

use cuda_driver::memory;
use tma_launch::{Failure, Panic, Stage};

use crate::{Module, driver::OrFail, gpu::Gpu};

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
        let record = memory::allocate_host(Panic::RECORD_BYTES);
        let what = || "allocating the record of a panic".to_owned();
        let record = record.or_fail(Stage::Load, what)?;
        // SAFETY: the driver allocated this many bytes.
        unsafe { ptr::write_bytes(record.cast::<u8>(), 0, Panic::RECORD_BYTES) };
        let address = record.expose_provenance() as u64;
        let kept = *self.address.get_or_init(|| address);
        if kept != address {
            // SAFETY: another thread was faster, so this allocation has no other users (1).
            let _ = unsafe { memory::free_host(record) };
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
            let record = ptr::with_exposed_provenance_mut(*address as usize);
            // SAFETY: `address` allocated the record, and with the last clone of the GPU the last kernel that
            // writes it has ended (1). Without a context the driver has already freed it and returns an error.
            let _ = unsafe { memory::free_host(record) };
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
