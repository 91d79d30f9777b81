use tma_launch::{Failure, Stage};

use crate::{
    Device,
    device::{Emulator, Kind},
    driver::OrFail,
    gpu::{
        Gpu,
        objects::{Allocation, GpuContext},
    },
};

/// Bytes in a device's memory, freed on drop.
#[derive(Debug)]
pub(crate) enum Memory {
    Gpu {
        bytes: Allocation,
        gpu: Gpu,
    },
    Emulator {
        /// `None` for empty memory.
        address: Option<u64>,
        emulator: Emulator,
    },
}

impl Memory {
    /// Uploads bytes; the emulator's reports call them `name`.
    pub(crate) fn upload(device: &Device, name: &str, bytes: &[u8]) -> Result<Self, Failure> {
        match device.kind() {
            Kind::Gpu(gpu) => {
                let memory = Self::of_gpu(gpu, bytes.len())?;
                memory.write(bytes)?;
                Ok(memory)
            }
            Kind::Emulator(emulator) => Ok(Self::of_emulator(emulator, name, bytes.to_vec())),
        }
    }

    /// Allocates `len_bytes` bytes, all zero.
    pub(crate) fn zeroed(device: &Device, name: &str, len_bytes: usize) -> Result<Self, Failure> {
        let gpu = match device.kind() {
            Kind::Emulator(emulator) => {
                return Ok(Self::of_emulator(emulator, name, zeros(len_bytes)?));
            }
            Kind::Gpu(gpu) => gpu,
        };
        let mut memory = Self::of_gpu(gpu, len_bytes)?;
        if let Self::Gpu { bytes, .. } = &mut memory
            && len_bytes > 0
        {
            let result = bytes.zero();
            result.or_fail(Stage::Upload, || format!("zeroing {len_bytes} bytes"))?;
        }
        Ok(memory)
    }

    /// Allocates `len_bytes` uninitialised bytes.
    fn of_gpu(gpu: &Gpu, len_bytes: usize) -> Result<Self, Failure> {
        gpu.enter(Stage::Upload)?;
        let bytes = Allocation::new(len_bytes);
        let bytes = bytes.or_fail(Stage::Upload, || format!("allocating {len_bytes} bytes"))?;
        let gpu = gpu.clone();
        Ok(Self::Gpu { bytes, gpu })
    }

    fn of_emulator(emulator: &Emulator, name: &str, bytes: Vec<u8>) -> Self {
        let is_there = !bytes.is_empty();
        let address = is_there.then(|| emulator.session().allocate(name, bytes));
        let emulator = emulator.clone();
        Self::Emulator { address, emulator }
    }

    /// Waits for all work of the GPU and takes its memory; leaves none.
    #[cfg(feature = "cust")]
    pub(crate) fn take_gpu(&mut self) -> Option<Allocation> {
        let Self::Gpu { bytes, gpu } = self else {
            return None;
        };
        gpu.synchronise().ok()?;
        let none = Allocation::new(0).ok()?;
        Some(std::mem::replace(bytes, none))
    }

    /// Returns the address on the device; 0 for empty memory.
    pub(crate) fn address(&self) -> u64 {
        match self {
            Self::Gpu { bytes, .. } => bytes.address(),
            Self::Emulator { address, .. } => address.unwrap_or(0),
        }
    }

    /// Replaces all bytes.
    pub(crate) fn write(&self, content: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Gpu { bytes, gpu } => {
                gpu.enter(Stage::Upload)?;
                let result = bytes.write(content);
                result.or_fail(Stage::Upload, || copying(content))
            }
            Self::Emulator { address, emulator } => match *address {
                Some(address) => {
                    let mut session = emulator.session();
                    session.synchronise();
                    session.write(address, content)
                }
                None => Ok(()),
            },
        }
    }

    /// Fills `content` with bytes from `start` on.
    pub(crate) fn read(&self, start: usize, content: &mut [u8]) -> Result<(), Failure> {
        match self {
            Self::Gpu { bytes, gpu } => {
                gpu.enter(Stage::CopyBack)?;
                let result = bytes.read(start, content);
                let result = result.or_fail(Stage::CopyBack, || copying(content));
                result.map_err(|failure| gpu.explain(failure))
            }
            Self::Emulator { address, emulator } => {
                if let Some(address) = *address {
                    let mut session = emulator.session();
                    session.synchronise();
                    content.copy_from_slice(session.read(address + start as u64, content.len())?);
                }
                Ok(())
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match self {
            Self::Gpu { gpu, .. } => {
                // Freeing needs the context; without it the memory is already gone. A kernel started by a safe
                // function may still be using the bytes.
                if gpu.enter(Stage::Upload).is_ok() {
                    let _ = GpuContext::synchronise_current();
                }
            }
            Self::Emulator { address, emulator } => {
                if let Some(address) = *address {
                    let freed = emulator.session().free(address);
                    debug_assert_eq!(freed, Ok(()));
                }
            }
        }
    }
}

/// Returns `len_bytes` zeros, or an error if memory is exhausted.
fn zeros(len_bytes: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len_bytes).map_err(|_| {
        Failure::new(Stage::Upload, format!("allocating {len_bytes} bytes"))
            .error_name("CUDA_ERROR_OUT_OF_MEMORY")
            .hint("the emulator uses this program's memory; use smaller buffers")
    })?;
    bytes.resize(len_bytes, 0);
    Ok(bytes)
}

fn copying(content: &[u8]) -> String {
    format!("copying {} bytes", content.len())
}
