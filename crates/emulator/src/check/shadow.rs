//! The last writer of each byte of memory, and its readers since.

use super::{
    clock::Epoch,
    hash::Map,
    linear_map::LinearMap,
    readers::{Known, Readers, Run},
};
use crate::machine::observer::{AccessKind, Proxy, Scope};

const PAGE_WORDS: usize = 1024;

/// The thread or copy that made an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Actor {
    /// A thread, by its number in the grid.
    Thread(u32),
    /// A `cp.async` of this thread.
    Async(u32),
    /// A bulk copy, by its number: its reading, or its writing.
    Copy { id: u32, writes: bool },
}

/// One access. Small, as there is one for each word of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) index: u32,
    pub(super) epoch: Epoch,
    /// From the low end: role (3 bits), strength (4), proxy (2), whether it made an mbarrier (1), and
    /// the instruction.
    bits: u32,
}

const ROLE_NONE: u32 = 0;
const ROLE_THREAD: u32 = 1;
const ROLE_MANY: u32 = 5;
const ROLE_SPLIT: u32 = 6;
const ROLE_DISCARD: u32 = 7;
const ROLE: u32 = 7;
/// In the number of readers: it is that of a row.
const ROW: u32 = 1 << 31;
/// 0 where it is weak; else 1, more by 5 for each step of its scope, and by 1 for each doubling of its
/// size from 1 to 16 bytes.
const STRENGTH_SHIFT: u32 = 3;
const STRENGTH: u32 = 15 << STRENGTH_SHIFT;
const SIZES: u32 = 5;
const PROXY_SHIFT: u32 = 7;
const PROXY: u32 = 3 << PROXY_SHIFT;
const MBARRIER: u32 = 1 << 9;
const INSTRUCTION_SHIFT: u32 = 10;

impl Access {
    const NONE: Self = Self {
        index: 0,
        epoch: 0,
        bits: ROLE_NONE,
    };

    pub(super) fn new(actor: Actor, epoch: Epoch, instruction: usize, proxy: Proxy) -> Self {
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

    /// The same, as a strong access with this scope, of so many bytes at once.
    pub(super) fn strong(mut self, scope: Scope, bytes: u32) -> Self {
        let size = bytes.max(1).ilog2().min(SIZES - 1);
        // On one device `.sys` is as `.gpu`.
        let scope = (scope as u32).min(Scope::Gpu as u32);
        self.bits |= (1 + scope * SIZES + size) << STRENGTH_SHIFT;
        self
    }

    /// The same, as a write after which the bytes have no value.
    pub(super) fn of_discard(mut self) -> Self {
        self.bits = self.bits & !ROLE | ROLE_DISCARD;
        self
    }

    /// The same, as what makes or uses an mbarrier.
    pub(super) fn of_mbarrier(mut self) -> Self {
        self.bits |= MBARRIER;
        self
    }

    /// The readers of a location that has more than one, by their number.
    pub(super) fn many(index: usize) -> Self {
        Self::special(ROLE_MANY, index)
    }

    /// The same of one location of a row, whose lane reads it.
    pub(super) fn many_of_row(row: usize, lane: usize) -> Self {
        let mut many = Self::many(row);
        many.index |= ROW;
        many.epoch = lane as u32;
        many
    }

    /// The row of a location with more than one reader, if it is in one, and the lane.
    #[inline]
    pub(super) fn row(self) -> Option<(usize, u32)> {
        let is_of_row = self.role() == ROLE_MANY && self.index & ROW != 0;
        is_of_row.then_some(((self.index & !ROW) as usize, self.epoch))
    }

    fn special(role: u32, index: usize) -> Self {
        Self {
            index: index as u32,
            epoch: 0,
            bits: role,
        }
    }

    fn role(self) -> u32 {
        self.bits & ROLE
    }

    fn proxy(self) -> u32 {
        (self.bits & PROXY) >> PROXY_SHIFT
    }

    pub(super) fn is_none(self) -> bool {
        self.role() == ROLE_NONE
    }

    pub(super) fn actor(self) -> Actor {
        match self.role() {
            2 => Actor::Async(self.index),
            3 | 4 => Actor::Copy {
                id: self.index,
                writes: self.role() == 4,
            },
            _ => Actor::Thread(self.index),
        }
    }

    /// One less than the strength, where it is strong.
    fn strength(self) -> Option<u32> {
        ((self.bits & STRENGTH) >> STRENGTH_SHIFT).checked_sub(1)
    }

    pub(super) fn scope(self) -> Option<Scope> {
        let scope = self.strength()? / SIZES;
        Some([Scope::Cta, Scope::Cluster, Scope::Gpu][scope as usize])
    }

    /// Returns whether two strong accesses of the same byte are of the same proxy and all the same
    /// bytes.
    pub(super) fn is_like(self, other: Self) -> bool {
        let size = |access: Self| access.strength().map(|strength| strength % SIZES);
        self.proxy() == other.proxy() && size(self) == size(other)
    }

    pub(super) fn is_generic(self) -> bool {
        self.proxy() == Proxy::Generic as u32
    }

    /// Returns whether an ordinary instruction of a thread makes it.
    pub(super) fn is_ordinary(self) -> bool {
        self.bits & (ROLE | PROXY | MBARRIER) == ROLE_THREAD
    }

    pub(super) fn is_async(self) -> bool {
        self.proxy() == Proxy::Async as u32
    }

    pub(super) fn is_non_coherent(self) -> bool {
        self.proxy() == Proxy::NonCoherent as u32
    }

    pub(super) fn is_discard(self) -> bool {
        self.role() == ROLE_DISCARD
    }

    /// The same kind of access by another thread, or by the same one later.
    #[inline]
    pub(super) fn by(self, index: u32, epoch: Epoch) -> Self {
        Self {
            index,
            epoch,
            ..self
        }
    }

    /// Who made it: of one, the last access counts.
    #[inline]
    pub(super) fn key(&self) -> (u32, u32) {
        (self.index, self.role())
    }

    /// Returns whether two accesses of one thread differ in nothing, of two threads in nothing else.
    #[inline]
    pub(super) fn is_alike(self, other: Self) -> bool {
        self.epoch == other.epoch && self.bits == other.bits
    }

    /// Returns whether an instruction of a thread makes it, and no copy.
    #[inline]
    pub(super) fn is_of_thread(self) -> bool {
        self.role() == ROLE_THREAD
    }

    /// The copy that it is one of.
    pub(super) fn copy(self) -> Option<u32> {
        matches!(self.role(), 3 | 4).then_some(self.index)
    }

    /// Returns whether a bulk copy writes.
    pub(super) fn is_write_of_copy(self) -> bool {
        self.role() == 4
    }

    /// Returns whether the access reads a tensor map.
    pub(super) fn reads_map(self) -> bool {
        self.proxy() == Proxy::TensorMap as u32
    }

    pub(super) fn made_mbarrier(self) -> bool {
        self.bits & MBARRIER != 0
    }

    pub(super) fn instruction(self) -> usize {
        (self.bits >> INSTRUCTION_SHIFT) as usize
    }
}

/// A word of memory, or a byte of one that is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) write: Access,
    pub(super) read: Access,
}

pub(super) const EMPTY: Cell = Cell {
    write: Access::NONE,
    read: Access::NONE,
};

impl Cell {
    /// Returns whether a thread goes on with bytes that nobody else has touched, and then notes it.
    #[inline]
    pub(super) fn repeats(&mut self, now: Access, kind: AccessKind) -> bool {
        let is_mine =
            |access: Access| access.index == now.index && access.bits & ROLE == ROLE_THREAD;
        // Only ordinary accesses: a load that is not coherent may not see what its own thread wrote.
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

    /// The accesses that have read since the last write, sorted by who made them.
    pub(super) fn readers(&self, readers: &Readers) -> Vec<Access> {
        match self.read.role() {
            ROLE_NONE => Vec::new(),
            ROLE_MANY => readers.all(self.read),
            _ => vec![self.read],
        }
    }

    pub(super) fn set_write(&mut self, access: Access, readers: &mut Readers) {
        if self.read.role() == ROLE_MANY {
            readers.free(self.read);
        }
        self.read = Access::NONE;
        self.write = access;
    }

    /// Adds a reader; those whose reading happened before are left out.
    #[inline]
    pub(super) fn add_reader(
        &mut self,
        access: Access,
        is_shared: bool,
        known: &impl Known,
        readers: &mut Readers,
    ) {
        match self.read.role() {
            ROLE_NONE => self.read = access,
            ROLE_MANY => self.read = readers.add(self.read, access, is_shared, known),
            _ if self.read.key() == access.key() || known.has(self.read) => self.read = access,
            _ => self.read = readers.pair(self.read, access, is_shared),
        }
    }

    /// Returns whether there is nothing to say of the last write, as a weak read finds it.
    #[inline]
    pub(super) fn can_be_read(
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

    /// Does all that an ordinary weak read has to do with words that are accessed as they mostly are; false, and nothing
    /// done, where there may be something to report.
    #[inline]
    pub(super) fn read_quickly(
        cells: &mut [Self],
        now: Access,
        is_shared: bool,
        known: &impl Known,
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

    /// The same of a read by several lanes that know the same of others.
    #[inline]
    pub(super) fn read_together(
        cells: &[Self],
        run: Run,
        is_shared: bool,
        known: &impl Known,
        readers: &mut Readers,
    ) -> bool {
        let is_usual = |cell: &Self| {
            cell.can_be_read(run.first, is_shared, |write| known.has(write))
                && cell.read.role() == ROLE_MANY
                && readers.takes_run(cell.read, run, is_shared, known)
        };
        let is_usual = cells.iter().all(is_usual);
        if is_usual {
            cells
                .iter()
                .for_each(|cell| readers.add_run(cell.read, run));
        }
        is_usual
    }

    /// The same of a write.
    #[inline]
    pub(super) fn write_quickly(
        cells: &mut [Self],
        now: Access,
        known: &impl Known,
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

const RECENT: usize = 64;

#[derive(Debug)]
struct Recent([(u64, usize); RECENT]);

impl Default for Recent {
    fn default() -> Self {
        Self([(u64::MAX, 0); RECENT])
    }
}

/// All of memory.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    shared: LinearMap<Vec<Cell>>,
    pages: Vec<Box<[Cell; PAGE_WORDS]>>,
    page_of: Map<u64, usize>,
    /// Pages that were used last, each where its number says.
    recent: Recent,
    splits: Vec<[Cell; 4]>,
    free_splits: Vec<usize>,
    readers: Readers,
}

impl Shadow {
    /// Of blocks with so many threads.
    pub(super) fn of_blocks(threads: u32) -> Self {
        Self {
            readers: Readers::of_blocks(threads),
            ..Self::default()
        }
    }

    /// Frees the cells of the shared memory of a block.
    pub(super) fn forget(&mut self, block: u32) {
        for cell in self.shared.remove(block).into_iter().flatten() {
            self.free(cell);
        }
    }

    fn free(&mut self, cell: Cell) {
        if cell.write.role() == ROLE_SPLIT {
            let index = cell.write.index as usize;
            self.free_splits.push(index);
            for part in self.splits[index] {
                self.free(part);
            }
        } else {
            let mut cell = cell;
            cell.set_write(Access::NONE, &mut self.readers);
        }
    }

    /// Calls `each` for all words and bytes of global memory that were written, in the order of their
    /// addresses; with the address and how many bytes it is about.
    pub(super) fn global_writes(&self, mut each: impl FnMut(u64, u64, Access)) {
        let mut pages: Vec<(u64, usize)> = self.page_of.iter().map(|(p, i)| (*p, *i)).collect();
        pages.sort_unstable();
        for (page, index) in pages {
            for (cell, word) in self.pages[index].iter().zip(page * PAGE_WORDS as u64..) {
                match cell.write.role() {
                    ROLE_NONE => {}
                    ROLE_SPLIT => {
                        let parts = &self.splits[cell.write.index as usize];
                        let written = parts.iter().zip(word * 4..);
                        let written = written.filter(|(part, _)| !part.write.is_none());
                        written.for_each(|(part, address)| each(address, 1, part.write));
                    }
                    _ => each(word * 4, 4, cell.write),
                }
            }
        }
    }

    /// The index of a page by its number.
    #[inline]
    fn page(&mut self, number: u64) -> usize {
        let recent = &mut self.recent.0[number as usize % RECENT];
        if recent.0 != number {
            let pages = &mut self.pages;
            let index = *self.page_of.entry(number).or_insert_with(|| {
                pages.push(Box::new([EMPTY; PAGE_WORDS]));
                pages.len() - 1
            });
            *recent = (number, index);
        }
        recent.1
    }

    /// The words of an access that covers each as a whole, all of them on one page.
    #[inline]
    pub(super) fn words(
        &mut self,
        shared: Option<u32>,
        address: u64,
        bytes: u32,
    ) -> (&mut [Cell], &mut Readers) {
        let (word, count) = ((address / 4) as usize, bytes as usize / 4);
        let cells = match shared {
            Some(block) => {
                let cells = self.shared.entry(block);
                if cells.len() < word + count {
                    cells.resize(word + count, EMPTY);
                }
                &mut cells[word..word + count]
            }
            None => {
                let page = self.page(address / 4 / PAGE_WORDS as u64);
                let first = word % PAGE_WORDS;
                &mut self.pages[page][first..first + count]
            }
        };
        (cells, &mut self.readers)
    }

    /// Calls `each` for all words and parts of words in a range; with the address.
    #[inline]
    pub(super) fn visit(
        &mut self,
        shared: Option<u32>,
        address: u64,
        bytes: u64,
        mut each: impl FnMut(&mut Cell, &mut Readers, u64),
    ) {
        let end = address.saturating_add(bytes);
        let mut at = address;
        while at < end {
            let word = at / 4;
            let until = end.min((word + 1) * 4);
            let (from, to) = ((at % 4) as usize, (until - word * 4) as usize);
            let cell = match shared {
                Some(block) => {
                    let cells = self.shared.entry(block);
                    let (word, last) = (word as usize, end.div_ceil(4) as usize);
                    if cells.len() < last {
                        cells.resize(last, EMPTY);
                    }
                    // Words that are covered as a whole follow one another.
                    let mut next = word;
                    while from == 0
                        && (next as u64 + 1) * 4 <= end
                        && cells[next].write.role() != ROLE_SPLIT
                    {
                        each(&mut cells[next], &mut self.readers, next as u64 * 4);
                        next += 1;
                    }
                    if next > word {
                        at = next as u64 * 4;
                        continue;
                    }
                    &mut cells[word]
                }
                None => {
                    let page = self.page(word / PAGE_WORDS as u64);
                    &mut self.pages[page][word as usize % PAGE_WORDS]
                }
            };
            at = until;
            let is_split = cell.write.role() == ROLE_SPLIT;
            if from == 0 && to == 4 && !is_split {
                each(cell, &mut self.readers, word * 4);
                continue;
            }
            if !is_split {
                let copies = [0, 1, 2, 3].map(|_| {
                    let mut copy = *cell;
                    if copy.read.role() == ROLE_MANY {
                        copy.read = self.readers.copy(copy.read);
                    }
                    copy
                });
                cell.set_write(Access::NONE, &mut self.readers);
                let index = self.free_splits.pop().unwrap_or_else(|| {
                    self.splits.push([EMPTY; 4]);
                    self.splits.len() - 1
                });
                self.splits[index] = copies;
                cell.write = Access::special(ROLE_SPLIT, index);
            }
            let index = cell.write.index as usize;
            let parts = &mut self.splits[index];
            for (part, byte) in parts[from..to].iter_mut().zip(from as u64..) {
                each(part, &mut self.readers, word * 4 + byte);
            }
            let [first, rest @ ..] = &*parts;
            if first.read.role() != ROLE_MANY && rest.iter().all(|part| part == first) {
                *cell = *first;
                self.free_splits.push(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(thread: u32) -> Access {
        Access::new(Actor::Thread(thread), 1, 7, Proxy::Generic)
    }

    fn writers(shadow: &mut Shadow, address: u64, bytes: u64) -> Vec<(u64, Option<u32>)> {
        let mut all = Vec::new();
        shadow.visit(Some(0), address, bytes, |cell, _, at| {
            let writer = match cell.write.actor() {
                _ if cell.write.is_none() => None,
                Actor::Thread(thread) => Some(thread),
                _ => unreachable!(),
            };
            all.push((at, writer));
        });
        all
    }

    #[test]
    fn bytes_have_writers_of_their_own() {
        let mut shadow = Shadow::of_blocks(8);
        let mut write = |address, bytes, thread| {
            shadow.visit(Some(0), address, bytes, |cell, readers, _| {
                cell.set_write(by(thread), readers);
            });
        };
        write(0, 8, 1);
        write(2, 4, 2);
        assert_eq!(
            writers(&mut shadow, 0, 9),
            [
                (0, Some(1)),
                (1, Some(1)),
                (2, Some(2)),
                (3, Some(2)),
                (4, Some(2)),
                (5, Some(2)),
                (6, Some(1)),
                (7, Some(1)),
                (8, None)
            ]
        );
        shadow.visit(Some(0), 0, 8, |cell, readers, _| {
            cell.set_write(by(3), readers)
        });
        assert_eq!(writers(&mut shadow, 0, 8), [(0, Some(3)), (4, Some(3))]);
        assert_eq!(shadow.free_splits.len(), shadow.splits.len());
    }

    #[test]
    fn an_access_keeps_what_it_was_made_of() {
        let copy = Actor::Copy {
            id: 9,
            writes: true,
        };
        let access = Access::new(copy, 4, 123, Proxy::Async).strong(Scope::Sys, 16);
        assert_eq!(access.actor(), copy);
        assert_eq!(access.scope(), Some(Scope::Gpu));
        assert_eq!((access.epoch, access.instruction()), (4, 123));
        assert!(!access.is_generic() && !access.made_mbarrier());
        assert!(by(1).of_mbarrier().made_mbarrier() && by(1).scope().is_none());
    }

    #[test]
    fn readers_are_many_until_the_next_write() {
        let mut cell = EMPTY;
        let mut readers = Readers::of_blocks(8);
        for thread in [5, 3, 4, 3] {
            cell.add_reader(by(thread), true, &|_| false, &mut readers);
        }
        let all: Vec<_> = cell.readers(&readers).iter().map(|r| r.index).collect();
        assert_eq!(all, [3, 4, 5]);
        cell.add_reader(by(6), true, &|_| true, &mut readers);
        assert_eq!(cell.readers(&readers), [by(6)]);
        cell.set_write(by(1), &mut readers);
        assert!(cell.readers(&readers).is_empty());
    }
}
