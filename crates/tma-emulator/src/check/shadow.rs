//! The last writer of each byte of memory, and its readers since.

pub(super) mod access;
mod cell;
mod past;

use super::{hash::Map, linear_map::LinearMap, readers::Readers};
pub(super) use access::{Access, Actor};
use access::{ROLE_MANY, ROLE_NONE, ROLE_SPLIT};
pub(super) use cell::{Cell, EMPTY};
pub(super) use past::Past;

const PAGE_WORDS: usize = 1024;
/// Bytes of global memory that are kept together, once one of them is accessed.
pub(super) const PAGE_BYTES: u64 = 4 * PAGE_WORDS as u64;
const RECENT: usize = 64;

#[derive(Debug)]
struct Recent([(u64, usize); RECENT]);

impl Default for Recent {
    fn default() -> Self {
        Self([(u64::MAX, 0); RECENT])
    }
}

/// Shadow of all memory.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    shared: LinearMap<Vec<Cell>>,
    pages: Vec<Box<[Cell; PAGE_WORDS]>>,
    page_of: Map<u64, usize>,
    /// Recently used pages, each at the index of its number.
    recent: Recent,
    splits: Vec<[Cell; 4]>,
    free_splits: Vec<usize>,
    readers: Readers,
}

impl Shadow {
    /// Returns the shadow for blocks of `threads` threads.
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

    /// Returns whether anything was accessed in the page of an address in global memory.
    pub(super) fn has_page(&self, address: u64) -> bool {
        self.page_of.contains_key(&(address / PAGE_BYTES))
    }

    /// Calls `each` for all written words and bytes of global memory in address order, with the address and the
    /// number of bytes.
    pub(super) fn global_writes(&self, mut each: impl FnMut(u64, u64, Access)) {
        let mut pages: Vec<(u64, usize)> = self.page_of.iter().map(|(p, i)| (*p, *i)).collect();
        pages.sort();
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

    /// Returns the index of a page by its number.
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

    /// Returns the words that an access covers entirely, if all are on one page.
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
                    // Consecutive words that are covered entirely.
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
    use crate::machine::observer::{Proxy, Scope};

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
