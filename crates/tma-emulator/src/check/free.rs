//! The device heap: its memory is uninitialised at first, and must not be used after it is freed.

use super::{
    access::CurrentAccess,
    checker::Checker,
    shadow::{Access, Actor, PAGE_BYTES},
};
use crate::machine::observer::{AccessKind, Memory, Origin, Proxy, Range};

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
        let current = CurrentAccess {
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
                self.touch(&current, range);
            }
            at = until;
        }
    }
}
