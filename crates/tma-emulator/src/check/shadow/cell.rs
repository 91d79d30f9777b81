//! The last writer of one word, and its readers since.

use super::access::*;
use crate::{
    check::readers::{HappensBefore, LaneRun, Readers},
    machine::observer::AccessKind,
};

/// A word of memory, or a byte of one that is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) struct Cell {
    pub(in crate::check) write: Access,
    pub(in crate::check) read: Access,
}

pub(in crate::check) const EMPTY: Cell = Cell {
    write: Access::NONE,
    read: Access::NONE,
};

impl Cell {
    /// Records the access if no other thread has touched the bytes. Returns whether it did.
    #[inline]
    pub(in crate::check) fn repeats(&mut self, now: Access, kind: AccessKind) -> bool {
        let is_mine =
            |access: Access| access.index == now.index && access.bits & ROLE == ROLE_THREAD;
        // Only ordinary accesses: a load that is not coherent may miss a write of its own thread.
        let is_private = now.bits & (ROLE | PROXY) == ROLE_THREAD
            && self.write.bits & MBARRIER == 0
            && is_mine(self.write)
            && (self.read.bits == ROLE_NONE || is_mine(self.read));
        if is_private {
            match kind {
                AccessKind::Read => self.read = now,
                AccessKind::Write | AccessKind::Atomic => {
                    self.write = now;
                    self.read = Access::NONE;
                }
            }
        }
        is_private
    }

    /// Returns the accesses that have read since the last write, sorted by reader.
    pub(in crate::check) fn readers(&self, readers: &Readers) -> Vec<Access> {
        match self.read.role() {
            ROLE_NONE => Vec::new(),
            ROLE_MANY => readers.all(self.read),
            _ => vec![self.read],
        }
    }

    #[inline]
    pub(in crate::check) fn set_write(&mut self, access: Access, readers: &mut Readers) {
        if self.read.role() == ROLE_MANY {
            readers.free(self.read);
        }
        self.read = Access::NONE;
        self.write = access;
    }

    /// Adds a reader and drops readers that happened before it.
    #[inline]
    pub(in crate::check) fn add_reader(
        &mut self,
        access: Access,
        is_shared: bool,
        known: &impl HappensBefore,
        readers: &mut Readers,
    ) {
        match self.read.role() {
            ROLE_NONE => self.read = access,
            ROLE_MANY => self.read = readers.add(self.read, access, is_shared, known),
            _ if self.read.key() == access.key() || known.has(self.read) => self.read = access,
            _ => self.read = readers.pair(self.read, access, is_shared),
        }
    }

    /// Returns whether a weak read has no conflict with the last write.
    #[inline]
    pub(in crate::check) fn can_be_read(
        &self,
        now: Access,
        is_shared: bool,
        is_known: impl Fn(Access) -> bool,
    ) -> bool {
        match self.write.bits & (ROLE | MBARRIER) {
            ROLE_NONE => !is_shared,
            ROLE_THREAD | 2 | 4 => !now.is_non_coherent() && is_known(self.write),
            _ => false,
        }
    }

    /// Performs an ordinary weak read of words in their usual state. Returns false, with no effect, if there
    /// may be something to report.
    #[inline]
    pub(in crate::check) fn read_quickly(
        cells: &mut [Self],
        now: Access,
        is_shared: bool,
        known: &impl HappensBefore,
        readers: &mut Readers,
    ) -> bool {
        let is_usual = |cell: &Self| cell.can_be_read(now, is_shared, |write| known.has(write));
        if !cells.iter().all(is_usual) {
            return false;
        }
        for cell in cells {
            cell.add_reader(now, is_shared, known, readers);
        }
        true
    }

    /// Performs a read by several lanes that have the same knowledge of others, like `read_quickly`.
    #[inline]
    pub(in crate::check) fn read_together(
        cells: &mut [Self],
        run: LaneRun,
        is_shared: bool,
        known: &impl HappensBefore,
        readers: &mut Readers,
    ) -> bool {
        let is_usual = |cell: &Self| {
            cell.can_be_read(run.first, is_shared, |write| known.has(write))
                && match cell.read.role() {
                    ROLE_NONE => true,
                    ROLE_MANY => readers.takes_run(cell.read, run, is_shared, known),
                    _ => cell.read.key() == run.first.key() || known.has(cell.read),
                }
        };
        let are_usual = cells.iter().all(is_usual);
        if are_usual {
            for cell in cells {
                match cell.read.role() {
                    ROLE_MANY => readers.add_run(cell.read, run),
                    _ => cell.read = readers.of_run(run, is_shared),
                }
            }
        }
        are_usual
    }

    /// Performs an ordinary weak write, like `read_quickly`.
    #[inline]
    pub(in crate::check) fn write_quickly(
        cells: &mut [Self],
        now: Access,
        known: &impl HappensBefore,
        readers: &mut Readers,
    ) -> bool {
        let is_usual = |cell: &Self| {
            let is_ordered = match cell.write.bits & (ROLE | MBARRIER) {
                ROLE_NONE => true,
                ROLE_THREAD | ROLE_DISCARD | 2 | 4 => known.has(cell.write),
                _ => false,
            };
            is_ordered
                && match cell.read.role() {
                    ROLE_NONE => true,
                    ROLE_MANY => readers.are_known(cell.read, known),
                    _ => known.has(cell.read),
                }
        };
        if !cells.iter().all(is_usual) {
            return false;
        }
        for cell in cells {
            cell.set_write(now, readers);
        }
        true
    }
}
