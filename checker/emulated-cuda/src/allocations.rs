//! The allocations of the process, and the addresses that they get.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{Code, Result};

/// Start of device memory, at addresses that the host does not use.
pub(crate) const DEVICE_START: u64 = 0x2000_0000_0000;
/// Start and end of shared memory.
pub(crate) const SHARED_START: u64 = 0x3000_0000_0000;
pub(crate) const SHARED_END: u64 = 0x4000_0000_0000;
/// Address of constants in the emulator.
pub(crate) const CONSTANTS: u64 = 0x0500_0000_0000;
pub(crate) const CONSTANTS_END: u64 = 0x0501_0000_0000;
/// The memory of an H100 in bytes.
pub(crate) const TOTAL_BYTES: u64 = 85_029_158_912;
/// Alignment of allocations.
const ALIGN_BYTES: u64 = 1 << 16;

/// The kind of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AllocationKind {
    /// Memory that the host cannot access.
    Device,
    /// Host memory accessible to the device.
    Pinned,
    /// Memory that moves.
    Managed,
    /// Memory that the host allocated before.
    Registered,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    pub(crate) kind: AllocationKind,
}

/// The allocations of a process.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) all: BTreeMap<u64, Allocation>,
    pub(crate) next_device: u64,
    pub(crate) next_shared: u64,
    pub(crate) used: u64,
    pub(crate) count: u64,
    /// Addresses of allocations by graphs.
    pub(crate) graphs: BTreeSet<u64>,
    /// The maximum total size of these allocations in bytes.
    pub(crate) most_of_graphs: u64,
}

/// The current and the maximum total size of allocations by graphs, in bytes.
pub(crate) struct GraphMemory {
    pub(crate) bytes: u64,
    pub(crate) most_bytes: u64,
}

impl Default for Space {
    fn default() -> Self {
        Self {
            all: BTreeMap::new(),
            next_device: DEVICE_START,
            next_shared: SHARED_START,
            used: 0,
            count: 0,
            graphs: BTreeSet::new(),
            most_of_graphs: 0,
        }
    }
}

impl Space {
    /// Returns the allocation that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<Allocation> {
        let (start, found) = self.all.range(..=address).next_back()?;
        let is_inside = address - start < found.bytes.max(1) as u64;
        is_inside.then_some(*found)
    }

    /// Returns the free device memory in bytes.
    pub(crate) fn free_bytes(&self) -> u64 {
        TOTAL_BYTES - self.used
    }

    /// Reserves `bytes` of the device's addresses and returns the start.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<u64> {
        let address = self.next_device;
        self.next_device = behind(address, bytes, SHARED_START)?;
        Ok(address)
    }

    /// Like [`reserve`](Self::reserve), for a later allocation by a graph.
    pub(crate) fn reserve_for_graph(&mut self, bytes: usize) -> Result<u64> {
        let address = self.reserve(bytes)?;
        self.graphs.insert(address);
        Ok(address)
    }

    pub(crate) fn graph_memory(&self) -> GraphMemory {
        let there = self
            .graphs
            .iter()
            .filter_map(|address| self.all.get(address));
        GraphMemory {
            bytes: there.map(|found| found.bytes as u64).sum(),
            most_bytes: self.most_of_graphs,
        }
    }

    pub(crate) fn forget_most_of_graphs(&mut self) {
        self.most_of_graphs = 0;
    }

    /// Returns the number of a new allocation of `bytes` bytes if they are free. They count as used once it exists.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<u64> {
        if bytes as u64 > self.free_bytes() {
            return Err(Code::OUT_OF_MEMORY);
        }
        self.count += 1;
        Ok(self.count)
    }
}

/// Returns the start of the next allocation, at most `most`. A gap after each allocation reveals accesses past its
/// end.
pub(crate) fn behind(address: u64, bytes: usize, most: u64) -> Result<u64> {
    let end = address.checked_add(bytes as u64);
    let end = end.and_then(|end| {
        end.checked_add(ALIGN_BYTES)?
            .checked_next_multiple_of(ALIGN_BYTES)
    });
    end.filter(|end| *end <= most).ok_or(Code::OUT_OF_MEMORY)
}
