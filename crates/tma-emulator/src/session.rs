//! Memory and modules that live from launch to launch, as in a GPU's context.

mod diagnostic_json;
mod error;
mod every_schedule;
mod kernel;
#[cfg(test)]
mod lane_by_lane;
mod launch;
mod module;
mod panic;
mod schedules;
mod textures;

use std::{collections::BTreeMap, sync::Weak};

use tma_launch::{Failure, Stage};

use crate::{
    check::{InFlight, Suppressions},
    machine::{Config, IMAGE_START},
};

pub use error::Error;
pub use every_schedule::{Bounds, Exploration, Verdict};
pub(crate) use kernel::DecodedKernel;
pub(crate) use launch::Ready;
use launch::State;
use module::Module;
pub use module::ModuleId;

/// An emulated GPU: allocations, modules, and launches that end before the next one begins.
///
/// Every launch sees the memory that the previous one left. The checker watches each of them, unless the
/// [`Config`] disables it, and knows the unreleased writes of earlier launches.
///
/// ```
/// use tma_emulator::{Config, Session};
/// use tma_launch::{Argument, Launch};
///
/// let text = "
/// .version 8.0
/// .target sm_90a
/// .address_size 64
/// .visible .entry put(.param .u64 to, .param .u32 number)
/// {
///     .reg .b32 %r<2>;
///     .reg .b64 %rd<2>;
///     ld.param.u64 %rd1, [to];
///     ld.param.u32 %r1, [number];
///     st.global.u32 [%rd1], %r1;
///     ret;
/// }";
/// let mut session = Session::new(Config::default());
/// let module = session.load("put.ptx", text)?;
/// let to = session.allocate("to", vec![0; 4]);
/// let put = Launch::new("put", 1, 1).argument(Argument::Address(to)).scalar(7_u32);
/// session.launch(module, &put)?;
/// assert_eq!(session.read(to, 4)?, [7, 0, 0, 0]);
///
/// // The address of freed memory is not given out again.
/// session.free(to)?;
/// let fault = session.launch(module, &put);
/// assert!(fault.unwrap_err().to_string().contains("in freed memory"));
/// # Ok::<(), tma_launch::Failure>(())
/// ```
#[derive(Debug)]
pub struct Session {
    config: Config,
    state: State,
    modules: BTreeMap<ModuleId, Module>,
    /// The module found valid last, since many jobs run the same one. The weak reference keeps its address from
    /// being reused.
    valid: Weak<ptx::Module>,
    /// Number of the next module.
    next_module: ModuleId,
    /// Start of the next module's variables in global memory.
    next_image: u64,
    suppressions: Suppressions,
    /// Number of valid launches so far.
    launches: usize,
    /// Address of the workspace shared by the blocks of a cooperative launch, once allocated.
    workspace: Option<u64>,
}

impl Session {
    /// Returns a session without allocations and modules.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            state: State::default(),
            modules: BTreeMap::new(),
            valid: Weak::new(),
            next_module: ModuleId::default(),
            next_image: IMAGE_START,
            suppressions: Suppressions::default(),
            launches: 0,
            workspace: None,
        }
    }

    /// Allocates global memory with these bytes and returns its address: a multiple of 64 KiB that no other
    /// allocation has or had. Reports call it `name`.
    pub fn allocate(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        self.state.memory.allocate(name, bytes)
    }

    /// Allocates global memory with these bytes at a chosen address, which may be the address of host memory
    /// that they are a copy of.
    ///
    /// # Errors
    /// The range is not free, or is outside of global memory.
    pub fn place(&mut self, name: &str, bytes: Vec<u8>, address: u64) -> Result<(), Failure> {
        let len_bytes = bytes.len() as u64;
        if self.state.memory.is_free(address, len_bytes) {
            self.state.memory.place(name, bytes, address);
            return Ok(());
        }
        let what = format!("{len_bytes} bytes at {address:#x} are not free");
        Err(Failure::new(Stage::Upload, what))
    }

    /// Frees the allocation that begins at an address.
    ///
    /// # Errors
    /// No allocation begins there, it is already freed, or a kernel's `malloc` returned it.
    pub fn free(&mut self, address: u64) -> Result<(), Failure> {
        self.free_by(address, "the host")
    }

    /// Frees an allocation like [`free`](Self::free). Reports of later accesses name `by` as the call that
    /// freed it.
    ///
    /// # Errors
    /// The errors of [`free`](Self::free).
    pub fn free_by(&mut self, address: u64, by: &str) -> Result<(), Failure> {
        let bytes = self.state.memory.free(address, by).ok_or_else(|| {
            let what = format!("no allocation begins at {address:#x}");
            Failure::new(Stage::Upload, what)
        })?;
        self.state.unreleased.forget(address, address + bytes);
        // The host waits for kernels that may use it.
        self.synchronise();
        Ok(())
    }

    /// Ends the overlap of launches: the next launch begins after all earlier ones have ended, even if it
    /// [overlaps](tma_launch::Shape::overlaps). Call it if the host waits between the two, or accesses memory.
    #[doc(alias = "cudaDeviceSynchronize")]
    pub fn synchronise(&mut self) {
        self.state.in_flight = InFlight::default();
    }

    /// Returns the limit in bytes of the allocations by `malloc` in kernels.
    pub fn heap_limit_bytes(&self) -> u64 {
        self.state.memory.heap.limit_bytes
    }

    /// Sets [`heap_limit_bytes`](Self::heap_limit_bytes).
    ///
    /// # Errors
    /// A kernel has already called `malloc`, which fixes the size of the heap.
    #[doc(alias = "cudaLimitMallocHeapSize")]
    pub fn set_heap_limit_bytes(&mut self, bytes: u64) -> Result<(), Failure> {
        if self.state.memory.heap.is_used {
            let what =
                "the heap is in use; set its limit before the first launch that calls `malloc`";
            return Err(Failure::new(Stage::Upload, what));
        }
        self.state.memory.heap.limit_bytes = bytes;
        Ok(())
    }

    /// Returns start and length in bytes of the allocation that contains an address.
    pub fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        self.state.memory.allocation(address)
    }

    /// Returns the name of the freed allocation that contained an address, and the call that freed it.
    ///
    /// The last 4096 allocations that were freed are remembered.
    pub fn freed(&self, address: u64) -> Option<String> {
        self.state.memory.freed(address)
    }

    /// Takes the bytes of the allocation that begins at an address; empty if none does.
    pub(crate) fn take(&mut self, address: u64) -> Vec<u8> {
        self.state.memory.take(address).unwrap_or_default()
    }

    /// Returns these bytes of global memory for writing.
    pub(crate) fn bytes_mut(&mut self, address: u64, len: usize) -> Result<&mut [u8], Failure> {
        let bytes = self.state.memory.slice(address, len);
        bytes.map_err(|what| Failure::new(Stage::Upload, what))
    }

    /// Reads `len_bytes` bytes of global memory.
    ///
    /// # Errors
    /// The range is not inside one allocation.
    pub fn read(&mut self, address: u64, len_bytes: usize) -> Result<&[u8], Failure> {
        let bytes = self.state.memory.slice(address, len_bytes);
        bytes
            .map(|bytes| &*bytes)
            .map_err(|what| Failure::new(Stage::CopyBack, what))
    }

    /// Writes bytes into global memory.
    ///
    /// # Errors
    /// The range is not inside one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Failure> {
        let target = self.state.memory.slice(address, bytes.len());
        let target = target.map_err(|what| Failure::new(Stage::Upload, what))?;
        target.copy_from_slice(bytes);
        self.state
            .unreleased
            .forget(address, address + bytes.len() as u64);
        Ok(())
    }
}
