//! The shadow of global memory at the end of a launch.

use super::{Access, Cell, Map, PAGE_WORDS, ROLE_SPLIT, Readers, Shadow};

/// The last writer of each byte of global memory, and its readers since.
#[derive(Debug)]
pub(in crate::check) struct Past {
    pages: Vec<Box<[Cell; PAGE_WORDS]>>,
    page_of: Map<u64, usize>,
    splits: Vec<[Cell; 4]>,
    readers: Readers,
}

impl Shadow {
    /// Takes the shadow of global memory.
    pub(in crate::check) fn take_past(&mut self) -> Past {
        let Self {
            pages,
            page_of,
            splits,
            readers,
            ..
        } = std::mem::take(self);
        Past {
            pages,
            page_of,
            splits,
            readers,
        }
    }
}

impl Past {
    /// Calls `each` for all accesses.
    pub(in crate::check) fn each(&self, mut each: impl FnMut(Access)) {
        for cell in self.pages.iter().flat_map(|page| page.iter()) {
            let parts = match cell.write.role() {
                ROLE_SPLIT => &self.splits[cell.write.index as usize][..],
                _ => std::slice::from_ref(cell),
            };
            for part in parts {
                let readers = part.readers(&self.readers);
                let all = std::iter::once(part.write).chain(readers);
                all.filter(|access| !access.is_none()).for_each(&mut each);
            }
        }
    }

    /// Calls `each` for all words and bytes of words in a range: with the writer, the readers, and the address.
    pub(in crate::check) fn look(
        &self,
        address: u64,
        bytes: u64,
        mut each: impl FnMut(Access, &[Access], u64),
    ) {
        let end = address.saturating_add(bytes);
        let mut at = address;
        while at < end {
            let word = at / 4;
            let until = end.min((word + 1) * 4);
            if let Some(index) = self.page_of.get(&(word / PAGE_WORDS as u64)) {
                let cell = &self.pages[*index][word as usize % PAGE_WORDS];
                let mut look = |cell: &Cell, at| each(cell.write, &cell.readers(&self.readers), at);
                match cell.write.role() {
                    ROLE_SPLIT => {
                        let parts = &self.splits[cell.write.index as usize];
                        (at..until).for_each(|byte| look(&parts[(byte % 4) as usize], byte));
                    }
                    _ => look(cell, at),
                }
            }
            at = until;
        }
    }
}
