//! Memory that kernels allocate with `malloc` and free with `free`.

use std::sync::Arc;

use super::{FaultAt, Location, Memory, Trap};

/// The default of `cudaLimitMallocHeapSize`.
const LIMIT_BYTES: u64 = 8 << 20;

/// The state of the device heap.
#[derive(Clone, Debug)]
pub(crate) struct Heap {
    /// Bytes of the allocations that are not freed, each rounded up.
    used_bytes: u64,
    /// Limit of their total size.
    pub(crate) limit_bytes: u64,
    /// A kernel has called `malloc`.
    pub(crate) is_used: bool,
    /// The call that freed the memory of the last refused access or `free`.
    refused: Option<FaultAt>,
}

/// The owner of an allocation.
#[derive(Clone, Debug)]
pub(super) enum Owner {
    Host,
    Kernel,
    /// Freed by a kernel.
    Nobody(Box<Freed>),
}

/// An allocation that a kernel has freed.
#[derive(Clone, Debug)]
pub(super) struct Freed {
    bytes: u64,
    by: FreedBy,
}

/// The call that frees memory.
#[derive(Clone, Debug)]
pub(crate) struct FreedBy {
    /// The call's opcode and location, shared by all threads that execute it.
    pub(crate) instruction: Arc<(String, Location)>,
    pub(crate) block: [u32; 3],
    pub(crate) thread: [u32; 3],
}

impl Owner {
    pub(super) fn is_nobody(&self) -> bool {
        matches!(self, Self::Nobody(_))
    }
}

impl Default for Heap {
    fn default() -> Self {
        Self {
            used_bytes: 0,
            limit_bytes: LIMIT_BYTES,
            is_used: false,
            refused: None,
        }
    }
}

impl FreedBy {
    fn at(&self) -> FaultAt {
        let (instruction, location) = &*self.instruction;
        FaultAt {
            instruction: instruction.clone(),
            location: location.clone(),
            block: self.block,
            thread: self.thread,
        }
    }
}

fn rounded(bytes: u64) -> u64 {
    bytes.max(1).saturating_add(15) & !15
}

impl Memory {
    /// Returns the address for a kernel's `malloc`, and zero when the heap is used up.
    pub(crate) fn allocate_heap(&mut self, bytes: u64) -> u64 {
        self.heap.is_used = true;
        match self.heap.used_bytes.checked_add(rounded(bytes)) {
            Some(used) if used <= self.heap.limit_bytes => self.heap.used_bytes = used,
            _ => return 0,
        }
        let address = self.allocate("malloc", vec![0xcd; bytes as usize]);
        if let Some(allocation) = self.at(address) {
            allocation.owner = Owner::Kernel;
        }
        address
    }

    /// Returns the size of a kernel's allocation, for a `free` of its address.
    ///
    /// # Errors
    /// `malloc` did not return this address, or its memory is already freed.
    pub(crate) fn heap_bytes(&mut self, address: u64) -> Result<u64, (Trap, String)> {
        let Some(allocation) = self.at(address) else {
            let around = self.allocation(address);
            let what = match around {
                Some((start, bytes)) => format!(
                    "`free` of {address:#x}, which is {} bytes after the start of an allocation of {bytes} bytes",
                    address - start
                ),
                None => format!("`free` of {address:#x}, which is not the start of an allocation"),
            };
            return Err((Trap::InvalidFree, what));
        };
        match &allocation.owner {
            Owner::Kernel => Ok(allocation.bytes.len() as u64),
            Owner::Host => {
                let what = format!(
                    "`free` of {address:#x}, which belongs to the host: `{}`",
                    allocation.name
                );
                Err((Trap::InvalidFree, what))
            }
            Owner::Nobody(freed) => {
                let what = format!(
                    "`free` of {address:#x}, an allocation of {} bytes that is already freed",
                    freed.bytes
                );
                self.heap.refused = Some(freed.by.at());
                Err((Trap::DoubleFree, what))
            }
        }
    }

    /// Frees a kernel's allocation. Its address is never given out again.
    pub(crate) fn free_heap(&mut self, address: u64, by: FreedBy) {
        let Some(allocation) = self.at(address) else {
            return;
        };
        let bytes = std::mem::take(&mut allocation.bytes).len() as u64;
        allocation.owner = Owner::Nobody(Box::new(Freed { bytes, by }));
        self.heap.used_bytes -= rounded(bytes);
    }

    /// Returns why an access to freed memory fails, and records the kernel's `free`.
    pub(super) fn refuse_freed(&mut self, address: u64, bytes: u64) -> Option<String> {
        if let Some(freed) = self.freed(address) {
            self.heap.refused = None;
            return Some(format!(
                "{bytes} bytes at {address:#x} are in freed memory: {freed}"
            ));
        }
        let behind = self.allocations.partition_point(|a| a.address <= address);
        let allocation = self.allocations.get(behind.checked_sub(1)?)?;
        let Owner::Nobody(freed) = &allocation.owner else {
            return None;
        };
        let offset = address - allocation.address;
        if offset >= freed.bytes {
            return None;
        }
        let what = format!(
            "{bytes} bytes at {address:#x} are in freed memory: byte {offset} of the {} that `malloc` returned at {:#x}",
            freed.bytes, allocation.address
        );
        self.heap.refused = Some(freed.by.at());
        Some(what)
    }

    /// Returns the call that freed the memory of a fault.
    pub(crate) fn freed_by(&mut self, trap: Trap) -> Option<FaultAt> {
        let is_about = matches!(trap, Trap::UseAfterFree | Trap::DoubleFree);
        self.heap.refused.take().filter(|_| is_about)
    }
}
