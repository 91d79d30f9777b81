//! Accesses of threads and copies, compared with those before them.

use super::{
    checker::Checker,
    clock::{Clock, Lane},
    copy_table::Copies,
    finding::{FindingEnd, verb},
    grid::Extents,
    heap::HeapAllocations,
    knowledge::{Knowledge, Own, Side},
    readers::Readers,
    shadow::{Access, Actor, Cell},
};
use crate::{
    machine::{
        SHARED_START,
        observer::{AccessKind, Memory, OrdinaryAccess, Origin, Proxy, Range, Sem},
    },
    value::LANES,
};

/// The access that is compared with earlier ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct CurrentAccess {
    pub(super) origin: Origin,
    pub(super) access: Access,
    pub(super) kind: AccessKind,
    pub(super) copy: Option<u32>,
    /// The bytes that a write changes, a bit for each.
    pub(super) changed: u32,
    /// True for a `free` of the bytes.
    pub(super) frees: bool,
}

/// The conflict of an earlier access with the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConflictKind {
    /// The bytes were never written.
    Unwritten,
    /// The bytes hold an mbarrier.
    Mbarrier,
    /// The two are not ordered.
    Unordered,
    /// The two are not ordered, but both write the same value.
    SameValue,
    /// The two are ordered, but without a proxy fence between them.
    Unfenced,
    /// The bytes were discarded.
    Discarded,
    /// The two are ordered, but a non-coherent load may still miss the write.
    NonCoherent,
    /// The two are not ordered, and one frees the bytes.
    Freed,
}

/// A conflict and the bytes that it concerns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub(super) kind: ConflictKind,
    pub(super) earlier: Access,
    pub(super) earlier_kind: AccessKind,
    pub(super) range: Range,
}

/// The knowledge of the accessing thread, which decides what happened before the access.
pub(super) struct Judge<'a> {
    pub(super) extents: &'a Extents,
    pub(super) copies: &'a Copies,
    pub(super) known: &'a Knowledge,
    pub(super) own: &'a Own,
    pub(super) copy: Option<u32>,
}

impl Judge<'_> {
    fn is_own(&self, thread: u32) -> bool {
        self.extents.thread(self.own.block, self.own.thread) == thread
    }

    /// Returns whether the access happened before this step of the thread, by this clock.
    #[inline]
    pub(super) fn knows(&self, clock: &Clock, access: Access) -> bool {
        match access.actor() {
            Actor::Thread(thread) if self.is_own(thread) => true,
            Actor::Thread(thread) => {
                let (block, thread) = self.extents.split(thread);
                clock.get(Lane::Thread, block, thread) >= access.epoch
            }
            Actor::Async(thread) => {
                let (block, thread) = self.extents.split(thread);
                clock.get(Lane::Async, block, thread) >= access.epoch
            }
            Actor::Copy { id, .. } if self.copy == Some(id) => true,
            Actor::Copy { id, writes } => self
                .copies
                .get(id as usize)
                .is_none_or(|copy| copy.is_known(clock, writes, self.extents)),
        }
    }

    pub(super) fn happened_before(&self, access: Access) -> bool {
        self.knows(&self.known.order, access)
    }

    /// Returns whether a proxy fence orders the earlier access before this one.
    fn is_fenced(&self, access: Access, side: Side) -> bool {
        match access.actor() {
            Actor::Thread(thread) if self.is_own(thread) => {
                self.own.proxied[side as usize] >= access.epoch
            }
            _ => self.knows(&self.known.proxied[side as usize], access),
        }
    }

    /// Returns whether the two are morally strong: both are strong, in the same proxy, overlap
    /// completely, and each scope includes the other's thread (PTX ISA, section 8.7.1).
    fn are_morally_strong(&self, earlier: Access, now: Access) -> bool {
        earlier.is_like(now) && self.are_in_scope(earlier, now)
    }

    /// Returns whether both are strong and each scope includes the other's thread.
    pub(super) fn are_in_scope(&self, earlier: Access, now: Access) -> bool {
        let (Some(theirs), Some(mine)) = (earlier.scope(), now.scope()) else {
            return false;
        };
        let thread = match earlier.actor() {
            Actor::Thread(thread) | Actor::Async(thread) => thread,
            Actor::Copy { id, .. } => self.copies.get(id as usize).map_or(0, |copy| copy.issuer),
        };
        let (block, _) = self.extents.split(thread);
        self.extents.reaches(theirs, block, self.own.block)
            && self.extents.reaches(mine, self.own.block, block)
    }
}

impl Checker {
    /// Checks an access by an instruction.
    #[inline]
    pub(super) fn access(&mut self, origin: Origin, access: OrdinaryAccess, proxy: Proxy) -> u32 {
        let OrdinaryAccess {
            kind,
            sem,
            scope,
            range,
            changed,
        } = access;
        let (Memory::Global | Memory::Shared { .. }) = range.memory else {
            return 0;
        };
        let (block, thread) = (origin.block as u32, origin.thread);
        let Some(epoch) = self.grid.thread(block, thread).map(|t| t.own.epoch) else {
            return 0;
        };
        let actor = Actor::Thread(self.grid.extents.thread(block, thread));
        let mut access = Access::new(actor, epoch, origin.instruction, proxy);
        let is_strong = sem != Sem::Weak || kind == AccessKind::Atomic;
        if is_strong {
            access = access.strong(scope, range.bytes);
        }
        let current = CurrentAccess {
            origin,
            access,
            kind,
            copy: None,
            changed,
            frees: false,
        };
        if let Memory::Shared { block: of } = range.memory
            && of != origin.block
        {
            self.remote_access(origin, of as u32, range, verb(kind));
        }
        let valueless = self.touch(&current, range);
        if is_strong {
            self.synchronise(origin, kind, sem, scope, range);
        }
        valueless
    }

    /// Discards the bytes: a weak write after which they have no value (PTX ISA 9.7.9.17).
    pub(super) fn discard(&mut self, origin: Origin, range: Range) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let Some(epoch) = self.grid.thread(block, thread).map(|t| t.own.epoch) else {
            return;
        };
        let actor = Actor::Thread(self.grid.extents.thread(block, thread));
        let access = Access::new(actor, epoch, origin.instruction, Proxy::Generic);
        let current = CurrentAccess {
            origin,
            access: access.of_discard(),
            kind: AccessKind::Write,
            copy: None,
            changed: u32::MAX,
            frees: false,
        };
        self.touch(&current, range);
    }

    /// Compares the access with earlier ones and records it. Returns a mask of the bytes read without a value.
    pub(super) fn touch(&mut self, current: &CurrentAccess, range: Range) -> u32 {
        if !self.in_flight.is_empty() {
            self.compare_in_flight(current, range);
        }
        let (shared, side) = match range.memory {
            Memory::Global => (None, Side::Global),
            Memory::Shared { block } => (Some(block as u32), Side::Shared),
            _ => return 0,
        };
        let Self {
            grid,
            shadow,
            copies,
            fresh,
            ..
        } = self;
        let (block, thread) = (current.origin.block as u32, current.origin.thread as usize);
        let Some(state) = grid.blocks.get(block).and_then(|b| b.threads.get(thread)) else {
            return 0;
        };
        let mut comparison = Comparison {
            judge: Judge {
                extents: &grid.extents,
                copies,
                known: &state.known,
                own: &state.own,
                copy: current.copy,
            },
            now: current.access,
            reads: current.kind != AccessKind::Write,
            writes: current.kind != AccessKind::Read,
            changed: current.changed,
            fresh,
            is_strict: self.is_strict,
            side,
            range,
            conflicts: Vec::new(),
            overwrites_copy: false,
            valueless: 0,
        };
        shadow.visit(
            shared,
            range.address,
            range.bytes.into(),
            |cell, readers, at| {
                if current.frees {
                    comparison.compare_freed(cell, readers, at);
                } else if !cell.repeats(current.access, current.kind) {
                    comparison.compare(cell, readers, at);
                }
            },
        );
        let (conflicts, overwrites) = (comparison.conflicts, comparison.overwrites_copy);
        let valueless = comparison.valueless;
        if let Some(copy) = current.copy.filter(|_| overwrites)
            && let Some(info) = copies.get_mut(copy as usize)
        {
            info.overwrites_copy = true;
        }
        for conflict in conflicts {
            self.report_conflict(current, conflict);
        }
        valueless
    }

    /// Returns the end of a finding for the current access.
    pub(super) fn end_of_current(&self, current: &CurrentAccess, range: Range) -> FindingEnd {
        let by = match current.copy {
            Some(copy) => {
                let noun = self.noun(copy);
                format!(
                    "issues {noun} that {} {}",
                    verb(current.kind),
                    self.words(range)
                )
            }
            None => format!("{} {}", verb(current.kind), self.words(range)),
        };
        FindingEnd::new(current.origin, by)
    }
}

/// An access that is compared with those before it.
struct Comparison<'a> {
    judge: Judge<'a>,
    now: Access,
    reads: bool,
    writes: bool,
    changed: u32,
    fresh: &'a HeapAllocations,
    is_strict: bool,
    side: Side,
    range: Range,
    conflicts: Vec<Conflict>,
    overwrites_copy: bool,
    valueless: u32,
}

impl Comparison<'_> {
    /// Compares the access with earlier ones at one location and records it.
    fn compare(&mut self, cell: &mut Cell, readers: &mut Readers, at: u64) {
        let (now, write) = (self.now, cell.write);
        let mut stays = false;
        let is_shared = self.side == Side::Shared;
        if write.is_none() {
            // The reserved part holds values that the system wrote before the kernel began.
            let is_new = match is_shared {
                true => at >= SHARED_START,
                false => self.fresh.has(at),
            };
            if self.reads && is_new {
                self.add_conflict(ConflictKind::Unwritten, write, AccessKind::Write, at);
            }
        } else if write.made_mbarrier() {
            if self.writes && !now.made_mbarrier() {
                self.add_conflict(ConflictKind::Mbarrier, write, AccessKind::Write, at);
            }
        } else if write == now {
        } else if !self.judge.happened_before(write) {
            if self.judge.are_morally_strong(write, now) {
            } else if self.stores_same(write, at) {
                if self.is_strict || !self.is_one_instruction(write) {
                    self.add_conflict(ConflictKind::SameValue, write, AccessKind::Write, at);
                }
            } else {
                self.add_conflict(ConflictKind::Unordered, write, AccessKind::Write, at);
                // A copy takes longer than a store.
                stays = write.is_write_of_copy() && !now.is_async();
            }
        } else if now.is_async() && write.is_generic() && !self.judge.is_fenced(write, self.side) {
            self.add_conflict(ConflictKind::Unfenced, write, AccessKind::Write, at);
        } else if self.reads && write.is_discard() {
            self.add_conflict(ConflictKind::Discarded, write, AccessKind::Write, at);
        } else if now.is_non_coherent() {
            self.add_conflict(ConflictKind::NonCoherent, write, AccessKind::Write, at);
        }
        if self.writes {
            for reader in cell.readers(readers) {
                if !self.judge.happened_before(reader)
                    && !self.judge.are_morally_strong(reader, now)
                {
                    self.add_conflict(ConflictKind::Unordered, reader, AccessKind::Read, at);
                }
            }
            self.overwrites_copy |= write.is_write_of_copy();
            if !stays {
                cell.set_write(now, readers);
            }
        } else {
            let before = |reader| self.judge.happened_before(reader);
            cell.add_reader(now, is_shared, &before, readers);
        }
    }

    /// Compares a `free` with the accesses before it: all of them must be over.
    fn compare_freed(&mut self, cell: &mut Cell, readers: &mut Readers, at: u64) {
        let reads = cell.readers(readers).into_iter();
        let reads = reads.map(|read| (read, AccessKind::Read));
        for (access, kind) in [(cell.write, AccessKind::Write)].into_iter().chain(reads) {
            if !access.is_none() && !self.judge.happened_before(access) {
                self.add_conflict(ConflictKind::Freed, access, kind, at);
            }
        }
    }

    /// Returns whether two threads store the same value.
    fn stores_same(&self, write: Access, at: u64) -> bool {
        let first = at - self.range.address;
        let bytes = 4 - at % 4;
        let unchanged = first < 32 && self.changed >> first & ((1 << bytes) - 1) == 0;
        unchanged && !self.reads && self.now.is_ordinary() && write.is_ordinary()
    }

    /// Returns whether lanes of one warp write by the same instruction.
    fn is_one_instruction(&self, write: Access) -> bool {
        let warp = |access: Access| match access.actor() {
            Actor::Thread(thread) => {
                let (block, thread) = self.judge.extents.split(thread);
                Some((block, thread as usize / LANES))
            }
            _ => None,
        };
        write.instruction() == self.now.instruction() && warp(write) == warp(self.now)
    }

    /// Adds a conflict, or extends the last one if it continues at the next byte.
    fn add_conflict(
        &mut self,
        kind: ConflictKind,
        earlier: Access,
        earlier_kind: AccessKind,
        at: u64,
    ) {
        let range = self.range;
        let is_same = |conflict: &&mut Conflict| {
            conflict.kind == kind
                && conflict.earlier.instruction() == earlier.instruction()
                && conflict.earlier_kind == earlier_kind
        };
        let word_end = (at / 4 + 1) * 4;
        let end = word_end.min(range.address + u64::from(range.bytes));
        if matches!(kind, ConflictKind::Unwritten | ConflictKind::Discarded)
            && at - range.address < 32
        {
            let bytes = (1 << (end - at)) - 1;
            self.valueless |= bytes << (at - range.address);
        }
        if let Some(conflict) = self.conflicts.iter_mut().find(is_same) {
            let until = conflict.range.address + u64::from(conflict.range.bytes);
            if until >= at && until < end {
                conflict.range.bytes = (end - conflict.range.address) as u32;
            }
            return;
        }
        self.conflicts.push(Conflict {
            kind,
            earlier,
            earlier_kind,
            range: Range {
                address: at,
                bytes: (end - at) as u32,
                ..range
            },
        });
    }
}
