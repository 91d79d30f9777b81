//! One access, as memory remembers it.

use crate::{
    check::clock::Epoch,
    machine::observer::{Proxy, Scope},
};

/// The thread or copy that made an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Actor {
    /// A thread, by its number in the grid.
    Thread(u32),
    /// A `cp.async` of this thread.
    Async(u32),
    /// A bulk copy, by its number: its reading, or its writing.
    Copy { id: u32, writes: bool },
}

/// A recorded access. Kept small, since each word of memory stores two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::check) struct Access {
    pub(in crate::check) index: u32,
    pub(in crate::check) epoch: Epoch,
    /// Fields from the low end: role (3 bits), strength (4), proxy (2), whether it initialised an mbarrier (1),
    /// instruction.
    pub(super) bits: u32,
}

pub(super) const ROLE_NONE: u32 = 0;
pub(super) const ROLE_THREAD: u32 = 1;
pub(super) const ROLE_MANY: u32 = 5;
pub(super) const ROLE_SPLIT: u32 = 6;
pub(super) const ROLE_DISCARD: u32 = 7;
pub(super) const ROLE: u32 = 7;
/// Flag in the number of a reader set: the number is of a row.
const ROW: u32 = 1 << 31;
/// A mark in the instruction of readers: no more of them are tracked.
const IS_FULL: u32 = 1 << INSTRUCTION_SHIFT;
/// 0 for a weak access; otherwise 1, plus 5 for each step of its scope, plus 1 for each doubling of its size
/// from 1 to 16 bytes.
const STRENGTH_SHIFT: u32 = 3;
const STRENGTH: u32 = 15 << STRENGTH_SHIFT;
const SIZES: u32 = 5;
const PROXY_SHIFT: u32 = 7;
pub(super) const PROXY: u32 = 3 << PROXY_SHIFT;
pub(super) const MBARRIER: u32 = 1 << 9;
const INSTRUCTION_SHIFT: u32 = 10;

impl Access {
    pub(super) const NONE: Self = Self {
        index: 0,
        epoch: 0,
        bits: ROLE_NONE,
    };

    pub(in crate::check) fn new(
        actor: Actor,
        epoch: Epoch,
        instruction: usize,
        proxy: Proxy,
    ) -> Self {
        let (index, role) = match actor {
            Actor::Thread(index) => (index, ROLE_THREAD),
            Actor::Async(index) => (index, 2),
            Actor::Copy { id, writes: false } => (id, 3),
            Actor::Copy { id, writes: true } => (id, 4),
        };
        let instruction = (instruction as u32).min(u32::MAX >> INSTRUCTION_SHIFT);
        Self {
            index,
            epoch,
            bits: role | (proxy as u32) << PROXY_SHIFT | instruction << INSTRUCTION_SHIFT,
        }
    }

    /// Returns this access as a strong one with this scope and size in bytes.
    pub(in crate::check) fn strong(mut self, scope: Scope, bytes: u32) -> Self {
        let size = bytes.max(1).ilog2().min(SIZES - 1);
        // On one device `.sys` is as `.gpu`.
        let scope = (scope as u32).min(Scope::Gpu as u32);
        self.bits |= (1 + scope * SIZES + size) << STRENGTH_SHIFT;
        self
    }

    /// Returns this access as a write after which the bytes have no value.
    pub(in crate::check) fn of_discard(mut self) -> Self {
        self.bits = self.bits & !ROLE | ROLE_DISCARD;
        self
    }

    /// Returns this access as one that initialises or uses an mbarrier.
    pub(in crate::check) fn of_mbarrier(mut self) -> Self {
        self.bits |= MBARRIER;
        self
    }

    /// Returns a reference to the set of a location's readers.
    pub(in crate::check) fn many(index: usize) -> Self {
        Self::special(ROLE_MANY, index)
    }

    /// Returns a reference to one location of a row, read by `lane` of its warps.
    pub(in crate::check) fn many_of_row(row: usize, lane: usize) -> Self {
        let mut many = Self::many(row);
        many.index |= ROW;
        many.epoch = lane as u32;
        many
    }

    /// Returns a reference to a full set with readers of one block only, by the block's first thread.
    pub(in crate::check) fn many_of_block(index: usize, first: u32) -> Self {
        Self {
            index: index as u32,
            epoch: first,
            bits: ROLE_MANY | IS_FULL,
        }
    }

    /// Returns the first thread of that block.
    #[inline]
    pub(in crate::check) fn full_of_block(self) -> Option<u32> {
        (self.bits == ROLE_MANY | IS_FULL).then_some(self.epoch)
    }

    /// Returns the row and lane of a location with more than one reader, if it is in a row.
    #[inline]
    pub(in crate::check) fn row(self) -> Option<(usize, u32)> {
        let is_of_row = self.role() == ROLE_MANY && self.index & ROW != 0;
        is_of_row.then_some(((self.index & !ROW) as usize, self.epoch))
    }

    pub(super) fn special(role: u32, index: usize) -> Self {
        Self {
            index: index as u32,
            epoch: 0,
            bits: role,
        }
    }

    pub(super) fn role(self) -> u32 {
        self.bits & ROLE
    }

    fn proxy(self) -> u32 {
        (self.bits & PROXY) >> PROXY_SHIFT
    }

    pub(in crate::check) fn is_none(self) -> bool {
        self.role() == ROLE_NONE
    }

    pub(in crate::check) fn actor(self) -> Actor {
        match self.role() {
            2 => Actor::Async(self.index),
            3 | 4 => Actor::Copy {
                id: self.index,
                writes: self.role() == 4,
            },
            _ => Actor::Thread(self.index),
        }
    }

    /// Returns the strength less one, if the access is strong.
    fn strength(self) -> Option<u32> {
        ((self.bits & STRENGTH) >> STRENGTH_SHIFT).checked_sub(1)
    }

    pub(in crate::check) fn scope(self) -> Option<Scope> {
        let scope = self.strength()? / SIZES;
        Some([Scope::Cta, Scope::Cluster, Scope::Gpu][scope as usize])
    }

    /// Returns whether two strong accesses of the same byte have the same proxy and cover the same bytes.
    pub(in crate::check) fn is_like(self, other: Self) -> bool {
        let size = |access: Self| access.strength().map(|strength| strength % SIZES);
        self.proxy() == other.proxy() && size(self) == size(other)
    }

    pub(in crate::check) fn is_generic(self) -> bool {
        self.proxy() == Proxy::Generic as u32
    }

    /// Returns whether an ordinary instruction of a thread makes it.
    pub(in crate::check) fn is_ordinary(self) -> bool {
        self.bits & (ROLE | PROXY | MBARRIER) == ROLE_THREAD
    }

    pub(in crate::check) fn is_async(self) -> bool {
        self.proxy() == Proxy::Async as u32
    }

    pub(in crate::check) fn is_non_coherent(self) -> bool {
        self.proxy() == Proxy::NonCoherent as u32
    }

    pub(in crate::check) fn is_discard(self) -> bool {
        self.role() == ROLE_DISCARD
    }

    /// Returns the same access made by another thread, or later.
    #[inline]
    pub(in crate::check) fn by(self, index: u32, epoch: Epoch) -> Self {
        Self {
            index,
            epoch,
            ..self
        }
    }

    /// Returns the key of the accessor: of each one, only the last access counts.
    #[inline]
    pub(in crate::check) fn key(&self) -> (u32, u32) {
        (self.index, self.role())
    }

    /// Returns whether two accesses differ at most in their thread.
    #[inline]
    pub(in crate::check) fn is_alike(self, other: Self) -> bool {
        self.epoch == other.epoch && self.bits == other.bits
    }

    /// Returns whether an instruction of a thread makes it, and no copy.
    #[inline]
    pub(in crate::check) fn is_of_thread(self) -> bool {
        self.role() == ROLE_THREAD
    }

    /// Returns the copy that made this access.
    pub(in crate::check) fn copy(self) -> Option<u32> {
        matches!(self.role(), 3 | 4).then_some(self.index)
    }

    /// Returns whether a bulk copy writes.
    pub(in crate::check) fn is_write_of_copy(self) -> bool {
        self.role() == 4
    }

    /// Returns whether the access reads a tensor map.
    pub(in crate::check) fn reads_map(self) -> bool {
        self.proxy() == Proxy::TensorMap as u32
    }

    pub(in crate::check) fn made_mbarrier(self) -> bool {
        self.bits & MBARRIER != 0
    }

    pub(in crate::check) fn instruction(self) -> usize {
        (self.bits >> INSTRUCTION_SHIFT) as usize
    }
}
