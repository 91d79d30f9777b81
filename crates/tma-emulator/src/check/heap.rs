//! Memory of the device heap.

use std::collections::BTreeMap;

use super::finding::RelatedInstruction;

/// Memory that kernels have allocated in this launch: by its start, its end and the instruction.
#[derive(Debug, Default)]
pub(super) struct HeapAllocations(pub(super) BTreeMap<u64, (u64, usize)>);

impl HeapAllocations {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether an address is in it.
    #[inline]
    pub(super) fn has(&self, address: u64) -> bool {
        !self.is_empty() && self.instruction(address).is_some()
    }

    fn instruction(&self, address: u64) -> Option<usize> {
        let (_, (end, instruction)) = self.0.range(..=address).next_back()?;
        (address < *end).then_some(*instruction)
    }

    /// Returns the `malloc` that allocated the memory of an address.
    pub(super) fn malloc(&self, address: u64) -> Option<RelatedInstruction> {
        Some(RelatedInstruction {
            instruction: self.instruction(address)?,
            what: "the memory was allocated by".to_owned(),
        })
    }
}
