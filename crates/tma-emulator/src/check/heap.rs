//! The device heap: its memory is uninitialised at first, and must not be used after it is freed.

use std::collections::BTreeMap;

use super::{
    Checker,
    access::Made,
    raw::Other,
    shadow::{Access, Actor, PAGE_BYTES},
};
use crate::machine::observer::{AccessKind, Memory, Origin, Proxy, Range};

/// Memory that kernels have allocated in this launch: by its start, its end and the instruction.
#[derive(Debug, Default)]
pub(super) struct Fresh(BTreeMap<u64, (u64, usize)>);

impl Fresh {
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
    pub(super) fn malloc(&self, address: u64) -> Option<Other> {
        Some(Other {
            instruction: self.instruction(address)?,
            what: "the memory was allocated by".to_owned(),
        })
    }
}

impl Checker {
    pub(super) fn malloc(&mut self, origin: Origin, address: u64, bytes: u64) {
        let memory = (address + bytes, origin.instruction);
        self.fresh.0.insert(address, memory);
    }

    /// Checks that a `free` comes after all accesses.
    pub(super) fn free(&mut self, origin: Origin, address: u64, bytes: u64) {
        self.fresh.0.remove(&address);
        let (block, thread) = (origin.block as u32, origin.thread);
        let Some(epoch) = self.grid.thread(block, thread).map(|t| t.own.epoch) else {
            return;
        };
        let actor = Actor::Thread(self.grid.extents.thread(block, thread));
        let made = Made {
            origin,
            access: Access::new(actor, epoch, origin.instruction, Proxy::Generic),
            kind: AccessKind::Write,
            copy: None,
            changed: u32::MAX,
            frees: true,
        };
        let end = address + bytes;
        let mut at = address;
        while at < end {
            let until = end.min((at / PAGE_BYTES + 1) * PAGE_BYTES);
            if self.shadow.has_page(at) {
                let range = Range {
                    memory: Memory::Global,
                    address: at,
                    bytes: (until - at) as u32,
                };
                self.touch(&made, range);
            }
            at = until;
        }
    }
}
