//! Global memory, constants and parameters, and the meaning of addresses.

use super::{
    BUFFERS_START, CONST_WINDOW, LOCAL_WINDOW, Names, PARAM_WINDOW, SHARED_RANK_SHIFT,
    SHARED_WINDOW, Space, Trap, WINDOW_BYTES,
    freed::FreedByHost,
    heap::{Heap, Owner},
    names::and_parameters,
    next_allocation,
};

use crate::texture::Objects;

/// Largest distance in bytes at which an allocation is named as the nearest one.
const FAR: u64 = 64 << 20;
/// Addresses below come from null pointers.
const NULL_END: u64 = 1 << 16;

/// An allocation in global memory.
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    pub(super) name: String,
    /// The parameters of the launch that point into it.
    pointers: Vec<String>,
    pub(super) address: u64,
    /// Contents; empty once a kernel has freed it.
    pub(super) bytes: Vec<u8>,
    pub(super) owner: Owner,
}

/// Memory that outlives a block.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// The allocations in the order of their addresses.
    pub(super) allocations: Vec<Allocation>,
    /// Address of the next allocation. Addresses are never reused, so that uses of freed memory are found.
    next: u64,
    pub(crate) constants: Vec<u8>,
    pub(crate) parameters: Vec<u8>,
    /// Textures and surfaces.
    pub(crate) objects: Objects,
    /// Address of the workspace shared by the blocks of a cooperative launch; 0 for other launches.
    pub(crate) workspace: u64,
    pub(crate) heap: Heap,
    pub(super) freed: FreedByHost,
    /// Index of the allocation that was used last: mostly, it is used again.
    last: usize,
}

/// A valid address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Located {
    Global { allocation: usize, offset: usize },
    Shared { rank: usize, offset: usize },
    Local { offset: usize },
    Const { offset: usize },
    Param { offset: usize },
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            allocations: Vec::new(),
            next: BUFFERS_START,
            constants: Vec::new(),
            parameters: Vec::new(),
            objects: Objects::default(),
            workspace: 0,
            heap: Heap::default(),
            freed: FreedByHost::default(),
            last: 0,
        }
    }
}

impl Memory {
    /// Adds an allocation after all earlier buffers and returns its address.
    pub(crate) fn allocate(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        let address = self.next;
        self.next = next_allocation(address, bytes.len() as u64);
        self.place(name, bytes, address);
        address
    }

    /// Adds an allocation at a given address.
    pub(crate) fn place(&mut self, name: &str, bytes: Vec<u8>, address: u64) {
        let behind = self.allocations.partition_point(|a| a.address < address);
        let allocation = Allocation {
            name: name.to_owned(),
            pointers: Vec::new(),
            address,
            bytes,
            owner: Owner::Host,
        };
        self.allocations.insert(behind, allocation);
    }

    /// Returns the address and the bytes of each allocation.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.allocations
            .iter()
            .map(|allocation| (allocation.address, &allocation.bytes[..]))
    }

    /// Returns whether these bytes are global memory in no allocation.
    pub(crate) fn is_free(&self, address: u64, bytes: u64) -> bool {
        let Some(end) = address.checked_add(bytes) else {
            return false;
        };
        let is_global = |address: u64| of_generic(address).0 == Space::Global;
        let behind = self.allocations.partition_point(|a| a.address < end);
        let before = behind
            .checked_sub(1)
            .and_then(|index| self.allocations.get(index));
        let is_behind = |a: &Allocation| a.address + a.bytes.len() as u64 <= address;
        is_global(address) && is_global(end) && before.is_none_or(is_behind)
    }

    /// Sets the pointer parameters of the next launch: names in the source, and their addresses.
    pub(crate) fn name_pointers(&mut self, pointers: &[(String, u64)]) {
        for Allocation {
            name,
            pointers: own,
            address,
            bytes,
            ..
        } in &mut self.allocations
        {
            own.clear();
            for (parameter, pointer) in pointers {
                let is_inside = pointer
                    .checked_sub(*address)
                    .is_some_and(|at| at < bytes.len() as u64);
                if is_inside && parameter != name && !own.contains(parameter) {
                    own.push(parameter.clone());
                }
            }
        }
    }

    fn index_at(&self, address: u64) -> Option<usize> {
        let found = self
            .allocations
            .binary_search_by_key(&address, |allocation| allocation.address);
        found.ok()
    }

    /// Returns the allocation that begins at an address.
    pub(super) fn at(&mut self, address: u64) -> Option<&mut Allocation> {
        let index = self.index_at(address)?;
        self.allocations.get_mut(index)
    }

    /// Removes the host's allocation that begins at an address and returns its size in bytes. Messages name
    /// `by` as the call that freed it.
    pub(crate) fn free(&mut self, address: u64, by: &str) -> Option<u64> {
        let index = self.index_at(address)?;
        if !matches!(self.allocations[index].owner, Owner::Host) {
            return None;
        }
        let Allocation { name, bytes, .. } = self.allocations.remove(index);
        let bytes = bytes.len() as u64;
        self.freed.add(name, address, bytes, by);
        Some(bytes)
    }

    /// Describes the place of an address in memory that the host has freed.
    pub(crate) fn freed(&self, address: u64) -> Option<String> {
        match self.allocation(address) {
            Some(_) => None,
            None => self.freed.describe(address),
        }
    }

    /// Takes the bytes of the allocation that begins at an address.
    pub(crate) fn take(&mut self, address: u64) -> Option<Vec<u8>> {
        Some(std::mem::take(&mut self.at(address)?.bytes))
    }

    /// Returns start and length of the allocation that contains an address.
    pub(crate) fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        let behind = self.allocations.partition_point(|a| a.address <= address);
        let allocation = self.allocations.get(behind.checked_sub(1)?)?;
        let bytes = allocation.bytes.len() as u64;
        (address - allocation.address < bytes).then_some((allocation.address, bytes))
    }

    /// Returns these bytes of one allocation.
    pub(crate) fn slice(&mut self, address: u64, bytes: usize) -> Result<&mut [u8], String> {
        match self.find(address, bytes as u64).map_err(|(_, what)| what)? {
            Located::Global { allocation, offset } => {
                Ok(&mut self.global_mut(allocation)[offset..offset + bytes])
            }
            _ => Err(format!("{address:#x} is not an address in global memory")),
        }
    }

    /// Returns the allocation that contains an address, or the one before it, with its start.
    #[inline]
    pub(crate) fn around(&mut self, address: u64) -> (u64, &mut [u8]) {
        if self.within(self.last, address, 1).is_none() {
            let behind = self.allocations.partition_point(|a| a.address <= address);
            self.last = behind.saturating_sub(1);
        }
        let last = self.allocations.get_mut(self.last);
        last.map_or((0, &mut []), |last| (last.address, &mut last.bytes))
    }

    /// Returns the allocation that contains all of these bytes.
    #[inline]
    pub(crate) fn find(&mut self, address: u64, bytes: u64) -> Result<Located, (Trap, String)> {
        if let Some(offset) = self.within(self.last, address, bytes) {
            return Ok(Located::Global {
                allocation: self.last,
                offset,
            });
        }
        let index = self
            .allocations
            .partition_point(|a| a.address <= address)
            .wrapping_sub(1);
        match self.within(index, address, bytes) {
            Some(offset) => {
                self.last = index;
                Ok(Located::Global {
                    allocation: index,
                    offset,
                })
            }
            None => Err(match self.refuse_freed(address, bytes) {
                Some(what) => (Trap::UseAfterFree, what),
                None => (Trap::IllegalAddress, self.describe(address, bytes)),
            }),
        }
    }

    #[inline]
    fn within(&self, index: usize, address: u64, bytes: u64) -> Option<usize> {
        let allocation = self.allocations.get(index)?;
        let offset = address.checked_sub(allocation.address)?;
        let fits = offset.checked_add(bytes)? <= allocation.bytes.len() as u64;
        fits.then_some(offset as usize)
    }

    /// Describes the nearest allocation to an address outside of all allocations.
    fn describe(&self, address: u64, bytes: u64) -> String {
        let access = format!("{bytes} bytes at {address:#x} are in no allocation");
        let distance = |a: &Allocation| {
            let end = a.address + a.bytes.len() as u64;
            if address < a.address {
                a.address - address
            } else {
                address.saturating_sub(end)
            }
        };
        let there = self.allocations.iter().filter(|a| !a.owner.is_nobody());
        let Some(nearest) = there.min_by_key(|a| distance(a)) else {
            return format!("{access}; no memory is allocated");
        };
        match distance(nearest) {
            ..=FAR => {}
            _ if address < NULL_END => return format!("{access}: the pointer is null, or nearly"),
            _ => {
                return format!(
                    "{access} and near none: this is not device memory, but may be host memory"
                );
            }
        }
        let (name, length) = (&nearest.name, nearest.bytes.len());
        let parameters = and_parameters(&nearest.pointers);
        let end = nearest.address + length as u64;
        let relation = if address < nearest.address {
            format!("{} bytes before its start", nearest.address - address)
        } else if address >= end {
            format!("{} bytes past its end", address - end)
        } else {
            format!(
                "the last of them {} bytes past its end",
                bytes.saturating_sub(end - address)
            )
        };
        format!(
            "{access}; the nearest is `{name}`{parameters}, {length} bytes at {:#x}: {relation}",
            nearest.address
        )
    }

    /// Returns the allocations by name.
    pub(crate) fn names(&self) -> Names {
        let mut names = Names::default();
        for Allocation {
            name,
            pointers,
            address,
            bytes,
            ..
        } in &self.allocations
        {
            names.add_pointed_to(name, pointers, *address, bytes.len() as u64);
        }
        names
    }

    /// Returns the start of an allocation.
    pub(crate) fn address(&self, allocation: usize) -> u64 {
        self.allocations.get(allocation).map_or(0, |a| a.address)
    }

    pub(crate) fn global(&self, allocation: usize) -> &[u8] {
        self.allocations.get(allocation).map_or(&[], |a| &a.bytes)
    }

    pub(crate) fn global_mut(&mut self, allocation: usize) -> &mut [u8] {
        self.allocations
            .get_mut(allocation)
            .map_or(&mut [], |a| &mut a.bytes)
    }
}

/// Returns the state space of a generic address, and the address in that space (PTX ISA, section 5.1.1).
pub(crate) fn of_generic(address: u64) -> (Space, u64) {
    let windows = [
        (SHARED_WINDOW, Space::SharedCluster),
        (LOCAL_WINDOW, Space::Local),
        (PARAM_WINDOW, Space::Param),
        (CONST_WINDOW, Space::Const),
    ];
    for (start, space) in windows {
        if (start..start + WINDOW_BYTES).contains(&address) {
            return (space, address - start);
        }
    }
    (Space::Global, address)
}

/// Returns the block's rank and the offset of an address in `shared::cluster`.
pub(crate) fn of_shared(address: u64) -> (usize, usize) {
    let offset = address & ((1 << SHARED_RANK_SHIFT) - 1);
    ((address >> SHARED_RANK_SHIFT) as usize, offset as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::IMAGE_START;

    #[test]
    fn the_nearest_allocation_is_named() {
        let mut memory = Memory::default();
        let a = memory.allocate("a", vec![0; 100]);
        let b = memory.allocate("b", vec![0; 8]);
        assert!(b > a + 100);
        let (_, error) = memory.find(a + 98, 4).unwrap_err();
        assert!(
            error.ends_with(
                "`a`, 100 bytes at 0x7f0000000000: the last of them 2 bytes past its end"
            ),
            "{error}"
        );
        let (_, error) = memory.find(a + 99, u64::MAX).unwrap_err();
        assert!(
            error.ends_with("18446744073709551614 bytes past its end"),
            "{error}"
        );
        let (_, error) = memory.find(b - 4, 4).unwrap_err();
        assert!(
            error.contains("`b`") && error.ends_with("4 bytes before its start"),
            "{error}"
        );
        assert!(memory.find(u64::MAX, 8).is_err());
        let (_, error) = memory.find(0x5600_0000_1000, 4).unwrap_err();
        assert!(error.ends_with("may be host memory"), "{error}");
        let (_, error) = memory.find(12, 4).unwrap_err();
        assert!(error.ends_with("the pointer is null, or nearly"), "{error}");
        assert_eq!(
            memory.find(b, 8),
            Ok(Located::Global {
                allocation: 1,
                offset: 0
            })
        );
    }

    #[test]
    fn freed_addresses_are_not_given_out_again() {
        let mut memory = Memory::default();
        let a = memory.allocate("a", vec![1; 8]);
        let b = memory.allocate("b", vec![2; 8]);
        assert_eq!(memory.free(b, "the host"), Some(8));
        assert_eq!(memory.free(b, "the host"), None);
        let c = memory.allocate("c", vec![3; 8]);
        assert!(c > b);
        assert_eq!(memory.slice(a + 4, 4), Ok(&mut [1; 4][..]));
        assert!(memory.slice(b, 1).is_err() && memory.slice(c, 9).is_err());
        memory.place("global", vec![4; 8], IMAGE_START);
        assert_eq!(memory.slice(IMAGE_START, 8), Ok(&mut [4; 8][..]));
        assert_eq!(memory.slice(c, 8), Ok(&mut [3; 8][..]));
        assert_eq!(memory.allocation(a + 7), Some((a, 8)));
        assert_eq!(memory.allocation(a + 8), None);
        assert_eq!(memory.allocation(0), None);
    }

    #[test]
    fn windows_do_not_overlap() {
        assert_eq!(of_generic(SHARED_WINDOW + 5), (Space::SharedCluster, 5));
        assert_eq!(of_generic(LOCAL_WINDOW), (Space::Local, 0));
        assert_eq!(of_generic(0), (Space::Global, 0));
        assert_eq!(of_shared(0x0300_0410), (3, 0x410));
    }
}
