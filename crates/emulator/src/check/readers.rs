//! The readers of locations that more than one thread has read since the last write.

use super::{clock::Epoch, shadow::Access};
use crate::value::{LANES, lanes_of};

/// Readers of one location in shared memory that are remembered; of the rest a race is found by
/// chance.
const MAX_SHARED_READERS: usize = 1024;
/// The same for global memory, which may be read by very many.
const MAX_GLOBAL_READERS: usize = 8;

/// Says what happened before an access.
pub(super) trait Known {
    /// Returns whether this access did.
    fn has(&self, access: Access) -> bool;

    /// Returns whether all threads of the block whose first has this number are known to have come so far; false also
    /// where it is not easily said.
    fn has_block(&self, first: u32, epoch: Epoch) -> bool {
        let _ = (first, epoch);
        false
    }
}

impl<F: Fn(Access) -> bool> Known for F {
    fn has(&self, access: Access) -> bool {
        self(access)
    }
}

/// Readers of locations that have more than one.
#[derive(Debug, Default)]
pub(super) struct Readers {
    sets: Vec<Set>,
    free: Vec<usize>,
    /// Threads of a block.
    pub(super) threads: u32,
}

/// The readers of one location.
#[derive(Clone, Debug, Default)]
struct Set {
    is_of_block: bool,
    of_block: OfBlock,
    /// Any others, sorted by who they are.
    sorted: Vec<Access>,
}

/// Threads of one block, most of which have read by the same instruction.
#[derive(Clone, Debug, Default)]
struct OfBlock {
    /// Number of the block's first thread in the grid.
    first: u32,
    /// The reader with the lowest number.
    lowest: Access,
    /// As the access of most, by any thread.
    like: Access,
    /// These threads, a bit for each.
    same: Vec<u32>,
    others: Vec<Access>,
    /// The threads of `others`, a bit for each.
    differ: Vec<u32>,
    /// No reader was in a later epoch.
    latest: Epoch,
    count: u32,
}

impl Readers {
    fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.sets.push(Set::default());
            self.sets.len() - 1
        })
    }

    /// The first two readers of a location.
    pub(super) fn pair(&mut self, one: Access, other: Access, is_shared: bool) -> Access {
        let index = self.take();
        let threads = self.threads.max(1);
        let first = one.index / threads * threads;
        let set = &mut self.sets[index];
        let is_of_block =
            |access: Access| access.is_of_thread() && access.index.wrapping_sub(first) < threads;
        // In global memory few are remembered.
        set.is_of_block = is_shared && is_of_block(one) && is_of_block(other);
        if set.is_of_block {
            set.of_block.begin(first, threads);
            set.of_block.add(one);
            set.of_block.add(other);
        } else {
            set.sorted.extend([one, other]);
            set.sorted.sort_by_key(Access::key);
        }
        Access::many(index)
    }

    /// Adds a reader; those whose reading happened before are left out.
    #[inline]
    pub(super) fn add(
        &mut self,
        many: Access,
        access: Access,
        is_shared: bool,
        known: &impl Known,
    ) {
        let threads = self.threads.max(1);
        let set = &mut self.sets[many.index as usize];
        if set.is_of_block {
            let all = &mut set.of_block;
            if all.count > 0 && known.has(all.lowest) {
                all.leave_out(known);
            }
            if access.is_of_thread() && access.index.wrapping_sub(all.first) < threads {
                return all.add(access);
            }
            set.sorted = all.sorted();
            set.is_of_block = false;
        } else if set.sorted.first().is_some_and(|first| known.has(*first)) {
            set.sorted.retain(|reader| !known.has(*reader));
        }
        let limit = if is_shared {
            MAX_SHARED_READERS
        } else {
            MAX_GLOBAL_READERS
        };
        let set = &mut set.sorted;
        // Lanes come in their order.
        if set.len() < limit && set.last().is_some_and(|last| last.key() < access.key()) {
            set.push(access);
            return;
        }
        match set.binary_search_by_key(&access.key(), Access::key) {
            Ok(index) => set[index] = access,
            Err(index) if set.len() < limit => set.insert(index, access),
            Err(_) => {}
        }
    }

    /// Returns whether all of them happened before.
    #[inline]
    pub(super) fn are_known(&self, many: Access, known: &impl Known) -> bool {
        let set = &self.sets[many.index as usize];
        match set.is_of_block {
            true => set.of_block.are_known(known),
            false => set.sorted.iter().all(|reader| known.has(*reader)),
        }
    }

    /// All of them, sorted by who they are.
    pub(super) fn all(&self, many: Access) -> Vec<Access> {
        let set = &self.sets[many.index as usize];
        match set.is_of_block {
            true => set.of_block.sorted(),
            false => set.sorted.clone(),
        }
    }

    pub(super) fn copy(&mut self, many: Access) -> Access {
        let index = self.take();
        self.sets[index] = self.sets[many.index as usize].clone();
        Access::many(index)
    }

    /// Forgets them. What is added later has the room that they had.
    pub(super) fn free(&mut self, many: Access) {
        let index = many.index as usize;
        self.sets[index].sorted.clear();
        self.free.push(index);
    }
}

impl OfBlock {
    fn begin(&mut self, first: u32, threads: u32) {
        let words = (threads as usize).div_ceil(LANES);
        self.first = first;
        self.count = 0;
        self.latest = 0;
        self.others.clear();
        for bits in [&mut self.same, &mut self.differ] {
            bits.clear();
            bits.resize(words, 0);
        }
    }

    /// Word and bit of a thread.
    #[inline]
    fn at(&self, access: Access) -> (usize, u32) {
        let thread = access.index.wrapping_sub(self.first);
        (
            (thread / LANES as u32) as usize,
            1 << (thread % LANES as u32),
        )
    }

    #[inline]
    fn add(&mut self, access: Access) {
        let (word, bit) = self.at(access);
        if self.count == 0 {
            (self.like, self.lowest, self.latest) = (access, access, access.epoch);
        }
        let is_alike = access.is_alike(self.like);
        if self.same[word] & bit != 0 {
            if is_alike {
                return;
            }
            self.same[word] &= !bit;
        } else if self.differ[word] & bit != 0 {
            let found = self.others.iter().position(|it| it.index == access.index);
            found.map(|index| self.others.swap_remove(index));
            self.differ[word] &= !bit;
        } else {
            self.count += 1;
        }
        if is_alike {
            self.same[word] |= bit;
        } else {
            self.differ[word] |= bit;
            self.others.push(access);
        }
        if access.index <= self.lowest.index {
            self.lowest = access;
        }
        self.latest = self.latest.max(access.epoch);
    }

    fn same(&self) -> impl Iterator<Item = Access> {
        let words = (0..).zip(&self.same).filter(|(_, bits)| **bits != 0);
        let like = self.like;
        words.flat_map(move |(word, bits)| {
            let first = self.first.wrapping_add(word * LANES as u32);
            lanes_of(*bits).map(move |lane| like.by(first.wrapping_add(lane as u32), like.epoch))
        })
    }

    #[inline]
    fn are_known(&self, known: &impl Known) -> bool {
        known.has_block(self.first, self.latest)
            || self.same().all(|reader| known.has(reader))
                && self.others.iter().all(|reader| known.has(*reader))
    }

    /// Leaves out those that happened before.
    fn leave_out(&mut self, known: &impl Known) {
        let (first, words) = (self.first, self.same.len());
        if known.has_block(first, self.latest) {
            return self.begin(first, (words * LANES) as u32);
        }
        let stay: Vec<Access> = self
            .sorted()
            .into_iter()
            .filter(|it| !known.has(*it))
            .collect();
        self.begin(first, (words * LANES) as u32);
        stay.into_iter().for_each(|reader| self.add(reader));
    }

    fn sorted(&self) -> Vec<Access> {
        let mut all: Vec<Access> = self.same().chain(self.others.iter().copied()).collect();
        all.sort_unstable_by_key(Access::key);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        check::shadow::Actor,
        machine::{Rng, observer::Proxy},
    };

    const THREADS: u32 = 70;

    /// A set as it is described: sorted, and each reader once.
    #[derive(Default)]
    struct Plain(Vec<Access>);

    impl Plain {
        fn add(&mut self, access: Access, known: &impl Fn(Access) -> bool) {
            if self.0.first().is_some_and(|first| known(*first)) {
                self.0.retain(|reader| !known(*reader));
            }
            self.0.retain(|reader| reader.key() != access.key());
            self.0.push(access);
            self.0.sort_by_key(Access::key);
        }
    }

    #[test]
    fn readers_are_those_of_a_plain_list() {
        let mut rng = Rng::new(5);
        for round in 0..300 {
            let mut readers = Readers {
                threads: THREADS,
                ..Readers::default()
            };
            let mut access = |most: usize| {
                let thread = 3 * THREADS + rng.below(most) as u32;
                let epoch = rng.below(3) as u32;
                let actor = match rng.below(400) {
                    0 => Actor::Async(thread),
                    1 => Actor::Thread(7),
                    _ => Actor::Thread(thread),
                };
                let instruction = if rng.one_in(3) { 1 + rng.below(3) } else { 0 };
                let known = (rng.below(4) as u32, rng.below(2) as u32);
                (
                    Access::new(actor, epoch, instruction, Proxy::Generic),
                    known,
                )
            };
            let most = 1 + round % THREADS as usize;
            let (one, other) = (access(most).0, access(most).0);
            if one.key() == other.key() {
                continue;
            }
            let many = readers.pair(one, other, true);
            let mut plain = Plain(vec![one, other]);
            plain.0.sort_by_key(Access::key);
            for _ in 0..200 {
                let (access, (epoch, odd)) = access(most);
                // Nothing is known mostly.
                let known =
                    |reader: Access| reader.epoch + 3 < epoch + 2 * odd && reader.index % 2 == odd;
                readers.add(many, access, true, &known);
                plain.add(access, &known);
                assert_eq!(readers.all(many), plain.0);
                let all = |epoch: u32| plain.0.iter().all(|reader| reader.epoch < epoch);
                for epoch in 0..4 {
                    let known = |reader: Access| reader.epoch < epoch;
                    assert_eq!(readers.are_known(many, &known), all(epoch));
                }
            }
            let copy = readers.copy(many);
            readers.free(many);
            assert_eq!(readers.all(copy), plain.0);
        }
    }
}
