//! Accesses to memory by instructions: locating addresses and their bytes.

use super::{
    Address, Here, Located, SHARED_RANK_SHIFT, SHARED_START, Space, Step, Trap, Trapped, World,
    observer::{self, AccessKind, Event, OrdinaryAccess, Range, Scope, Sem, Used},
    of_generic, of_shared,
};

impl<A> Step<'_, A> {
    /// Returns the address of a lane, in the space of the instruction.
    #[inline]
    pub(crate) fn address_of(&self, address: &Address, lane: usize) -> u64 {
        self.get(address.base)[lane].wrapping_add(address.offset)
    }

    /// Locates `bytes` bytes that an instruction accesses at once.
    #[inline]
    pub(crate) fn locate(
        &mut self,
        lane: usize,
        address: &Address,
        bytes: u64,
        align: u64,
    ) -> Result<Located, Trapped> {
        let at = self.address_of(address, lane);
        self.locate_at(lane, address.space, at, bytes, align)
    }

    /// Like [`locate`](Self::locate), for a known address.
    #[inline]
    pub(crate) fn locate_at(
        &mut self,
        lane: usize,
        space: Space,
        at: u64,
        bytes: u64,
        align: u64,
    ) -> Result<Located, Trapped> {
        // Alignments are powers of two.
        if at & (align - 1) != 0 {
            let what = format!("the address {at:#x} is not a multiple of {align}");
            return Err(self.fault(lane, Trap::MisalignedAddress, what));
        }
        let (space, at) = if space == Space::Generic {
            of_generic(at)
        } else {
            (space, at)
        };
        let within = |length: usize| {
            let end = at.checked_add(bytes);
            end.is_some_and(|end| end <= length as u64)
                .then_some(at as usize)
        };
        let of = |name: &str, length: usize| {
            format!("{bytes} bytes at {at:#x} are outside of {name} of {length} bytes")
        };
        let found = match space {
            Space::Global | Space::Generic => {
                let found = self.world.memory.find(at, bytes);
                if let (Err(_), (Space::Const, offset)) = (&found, of_generic(at)) {
                    // The address of a constant, obtained from the host.
                    return self.locate_at(lane, Space::Const, offset, bytes, align);
                }
                return found.map_err(|(trap, what)| self.fault(lane, trap, what));
            }
            Space::SharedCta | Space::SharedCluster => {
                let found = self.world.find_shared(self.here, space, at, bytes);
                return found.map_err(|(trap, what)| self.fault(lane, trap, what));
            }
            Space::Local => {
                self.grow_local(lane);
                let length = self.local_bytes();
                let offset = within(length).ok_or_else(|| of("local memory", length));
                offset.map(|offset| Located::Local { offset })
            }
            Space::Const => {
                let length = self.world.memory.constants.len();
                let offset = within(length).ok_or_else(|| of("constants", length));
                offset.map(|offset| Located::Const { offset })
            }
            Space::Param => {
                let length = self.world.memory.parameters.len();
                let offset = within(length).ok_or_else(|| of("parameters", length));
                offset.map(|offset| Located::Param { offset })
            }
        };
        found.map_err(|what| self.fault(lane, Trap::IllegalAddress, what))
    }

    /// Returns the located bytes.
    #[inline]
    pub(crate) fn bytes(&self, lane: usize, located: Located, bytes: usize) -> &[u8] {
        let (memory, offset) = match located {
            Located::Global { allocation, offset } => {
                (self.world.memory.global(allocation), offset)
            }
            Located::Shared { rank, offset } => (
                &*self.world.clusters[self.here.cluster].ctas[rank].shared,
                offset,
            ),
            Located::Local { offset } => (&*self.warp.local[lane], offset),
            Located::Const { offset } => (&*self.world.memory.constants, offset),
            Located::Param { offset } => (&*self.world.memory.parameters, offset),
        };
        memory.get(offset..offset + bytes).unwrap_or(&[])
    }

    /// Returns the located bytes for writing; constants and parameters are never written.
    #[inline]
    pub(crate) fn bytes_mut(
        &mut self,
        lane: usize,
        located: Located,
        bytes: usize,
    ) -> Result<&mut [u8], Trapped> {
        let (memory, offset) = match located {
            Located::Global { allocation, offset } => {
                self.world.has_changed = true;
                (self.world.memory.global_mut(allocation), offset)
            }
            Located::Shared { rank, offset } => (
                &mut *self.world.clusters[self.here.cluster].ctas[rank].shared,
                offset,
            ),
            Located::Local { offset } => (&mut *self.warp.local[lane], offset),
            Located::Const { .. } | Located::Param { .. } => {
                let what = "a write to read-only memory".into();
                return Err(self.fault(lane, Trap::IllegalAddress, what));
            }
        };
        Ok(memory.get_mut(offset..offset + bytes).unwrap_or(&mut []))
    }

    /// Returns the observer's range for these bytes.
    pub(crate) fn range(&self, located: Located, bytes: u64) -> Range {
        self.world.range(self.here.cluster, located, bytes)
    }

    /// Reports an ordinary access with a value that is not followed.
    #[inline]
    pub(crate) fn tell_access(
        &mut self,
        lane: usize,
        located: Located,
        bytes: u64,
        kind: AccessKind,
        order: (Sem, Scope),
    ) {
        if self.tell_changes(lane, located, bytes, kind, order, u32::MAX) != 0 {
            let (read, used) = (self.group.pc, Used::Unknown);
            self.tell(lane, |_| Event::UnwrittenUse { read, used });
        }
    }

    /// Reports an access, with the [bytes that a write changes](OrdinaryAccess::changed). Returns the
    /// observer's [answer](observer::Observer::see_access).
    #[inline]
    pub(crate) fn tell_changes(
        &mut self,
        lane: usize,
        located: Located,
        bytes: u64,
        kind: AccessKind,
        (sem, scope): (Sem, Scope),
        changed: u32,
    ) -> u32 {
        if self.world.watches {
            let range = self.range(located, bytes);
            let origin = self.origin(lane);
            let access = OrdinaryAccess {
                kind,
                sem,
                scope,
                range,
                changed,
            };
            return self.observer.see_access(origin, access);
        }
        0
    }
}

impl World {
    /// Returns the memory that most likely contains an address in a space, and its first address: the block's
    /// own shared memory, or an allocation.
    #[inline]
    pub(crate) fn usual(&mut self, here: Here, space: Space, at: u64) -> Option<(u64, &mut [u8])> {
        match space {
            Space::Global | Space::Generic => Some(self.memory.around(at)),
            Space::SharedCta | Space::SharedCluster => {
                let first = ((here.rank as u64) << SHARED_RANK_SHIFT) + SHARED_START;
                let shared = &mut self.clusters[here.cluster].ctas[here.rank].shared;
                Some((first, shared.get_mut(SHARED_START as usize..)?))
            }
            Space::Local | Space::Const | Space::Param => None,
        }
    }

    /// Locates bytes in the shared memory of a block of the cluster.
    #[inline]
    pub(crate) fn find_shared(
        &self,
        here: Here,
        space: Space,
        at: u64,
        bytes: u64,
    ) -> Result<Located, (Trap, String)> {
        let (rank, offset) = of_shared(at & 0xffff_ffff);
        let (ctas, start) = (&self.clusters[here.cluster].ctas, offset as u64);
        let is_there = ctas.get(rank).is_some_and(|cta| cta.alive != 0)
            && at <= 0xffff_ffff
            && (space != Space::SharedCta || rank == here.rank)
            && start >= self.first_shared
            && start + bytes <= self.shared_bytes;
        match is_there {
            true => Ok(Located::Shared { rank, offset }),
            false => {
                let cta = self.clusters[here.cluster].ctas.get(rank);
                let trap = match cta.is_some_and(|cta| cta.alive == 0) {
                    true => Trap::PeerEnded,
                    false => Trap::IllegalAddress,
                };
                Err((trap, self.why_not_shared(here, space, at, bytes)))
            }
        }
    }

    #[cold]
    fn why_not_shared(&self, here: Here, space: Space, at: u64, bytes: u64) -> String {
        let (rank, _) = of_shared(at & 0xffff_ffff);
        let ctas = &self.clusters[here.cluster].ctas;
        let what = format!("{bytes} bytes at {at:#x} of shared memory");
        if at > 0xffff_ffff {
            return format!("{what}: shared addresses have 32 bits");
        }
        let Some(cta) = ctas.get(rank) else {
            return format!(
                "{what}: rank {rank} does not exist in a cluster of {} blocks",
                ctas.len()
            );
        };
        let block = cta.id;
        if space == Space::SharedCta && rank != here.rank {
            return format!("{what} are in block {block:?}, not in this one");
        }
        if cta.alive == 0 {
            return format!("{what}: block {block:?} has ended");
        }
        let first = ((rank as u64) << SHARED_RANK_SHIFT) + self.first_shared;
        let length = self.shared_bytes - self.first_shared;
        format!("{what} are outside of the block's {length} bytes at {first:#x}")
    }

    pub(crate) fn range(&self, cluster: usize, located: Located, bytes: u64) -> Range {
        let (memory, address) = match located {
            Located::Global { allocation, offset } => (
                observer::Memory::Global,
                self.memory.address(allocation) + offset as u64,
            ),
            Located::Shared { rank, offset } => {
                let block = self.clusters[cluster].ctas[rank].number;
                (observer::Memory::Shared { block }, offset as u64)
            }
            Located::Local { offset } => (observer::Memory::Local, offset as u64),
            Located::Const { offset } => (observer::Memory::Const, offset as u64),
            Located::Param { offset } => (observer::Memory::Param, offset as u64),
        };
        Range {
            memory,
            address,
            bytes: bytes as u32,
        }
    }
}
