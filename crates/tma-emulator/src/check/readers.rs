//! The readers of locations that more than one thread has read since the last write.

use super::{clock::Epoch, shadow::access::Access};
use crate::value::{LANES, lanes_of};

/// We track at most this many readers of a location in shared memory; races with others may be missed.
const MAX_SHARED_READERS: usize = 1024;
/// The same limit for global memory, where all threads of a grid may read one location.
const MAX_GLOBAL_READERS: usize = 8;

/// A source of the happened-before order.
pub(super) trait HappensBefore {
    /// Returns whether the access happened before.
    fn has(&self, access: Access) -> bool;

    /// Returns whether all threads of the block with this `first` thread are known to have reached `epoch`. May
    /// return false if the answer is not cheap.
    fn has_block(&self, first: u32, epoch: Epoch) -> bool {
        let _ = (first, epoch);
        false
    }

    /// Returns whether the access is by a thread of another block than the one with this `first` thread, and no
    /// step of that block happened before. May return false if the answer is not cheap.
    fn knows_nothing_of(&self, first: u32) -> bool {
        let _ = first;
        false
    }
}

impl<F: Fn(Access) -> bool> HappensBefore for F {
    fn has(&self, access: Access) -> bool {
        self(access)
    }
}

/// Sets of readers, for locations with more than one.
#[derive(Debug, Default)]
pub(super) struct Readers {
    sets: Vec<ReaderSet>,
    free: Vec<usize>,
    rows: Vec<ReaderRow>,
    free_rows: Vec<usize>,
    /// Number of threads in a block.
    threads: u32,
}

/// The readers of one location.
#[derive(Clone, Debug, Default)]
struct ReaderSet {
    /// True if all readers are threads of one block.
    is_of_block: bool,
    of_block: BlockReaders,
    /// The readers not in `of_block`, sorted by reader; all of them if `is_of_block` is false.
    list: Vec<Access>,
}

/// Readers of one block, most of which read by the same instruction.
#[derive(Clone, Debug, Default)]
struct BlockReaders {
    /// Number of the block's first thread in the grid.
    first: u32,
    count: u32,
    /// Latest epoch of a reader.
    latest: Epoch,
    /// The reader with the lowest number.
    lowest: Access,
    /// The most common access, by any thread.
    like: Access,
    /// The threads of each warp with that access, and the threads in the list.
    warps: Vec<Warp>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    alike: u32,
    others: u32,
}

/// Consecutive locations, each read by the same lane of the same warps.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReaderRow {
    /// Number of the block's first thread in the grid.
    pub(super) first: u32,
    /// The access, by any thread.
    pub(super) like: Access,
    /// A bit for each warp that read the row.
    pub(super) warps: u32,
    /// Number of locations.
    pub(super) cells: u32,
}

impl ReaderRow {
    /// Returns the reader in a warp.
    #[inline]
    pub(super) fn reader(&self, warp: u32, lane: u32) -> Access {
        let thread = warp * LANES as u32 + lane;
        self.like
            .by(self.first.wrapping_add(thread), self.like.epoch)
    }

    fn readers(&self, lane: u32) -> impl Iterator<Item = Access> {
        let row = *self;
        lanes_of(self.warps).map(move |warp| row.reader(warp as u32, lane))
    }
}

/// Lanes of a warp that read one location by the same instruction and in the same epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneRun {
    /// The access of the first lane.
    pub(super) first: Access,
    /// Number of lanes, which are consecutive.
    pub(super) lanes: u32,
}

impl Readers {
    /// Returns an empty table for blocks of `threads` threads.
    pub(super) fn of_blocks(threads: u32) -> Self {
        Self {
            threads: threads.max(1),
            ..Self::default()
        }
    }

    fn take(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.sets.push(ReaderSet::default());
            self.sets.len() - 1
        })
    }

    /// Adds a set with the first two readers of a location.
    pub(super) fn pair(&mut self, one: Access, other: Access, is_shared: bool) -> Access {
        let index = self.take();
        let threads = self.threads;
        let first = one.index / threads * threads;
        let set = &mut self.sets[index];
        let is_of_block =
            |access: Access| access.is_of_thread() && access.index.wrapping_sub(first) < threads;
        // Global memory keeps few readers.
        set.is_of_block = is_shared && is_of_block(one) && is_of_block(other);
        if set.is_of_block {
            set.begin(first, threads.div_ceil(LANES as u32) as usize);
            set.add(one);
            set.add(other);
        } else {
            set.list.extend([one, other]);
            set.list.sort_by_key(Access::key);
        }
        Access::many(index)
    }

    /// Returns the readers of a location that only the lanes of a run have read, at least two.
    pub(super) fn of_run(&mut self, run: LaneRun, is_shared: bool) -> Access {
        let index = self.take();
        let threads = self.threads;
        let set = &mut self.sets[index];
        let LaneRun { first, lanes } = run;
        set.is_of_block = is_shared && first.is_of_thread();
        if set.is_of_block {
            let block = first.index / threads * threads;
            set.begin(block, threads.div_ceil(LANES as u32) as usize);
            let all = &mut set.of_block;
            all.warps[(first.index - block) as usize / LANES].alike = lanes;
            (all.like, all.lowest, all.latest) = (first, first, first.epoch);
            all.count = lanes.count_ones();
        } else {
            let all = first.index..first.index + lanes.count_ones();
            let all = all.map(|index| first.by(index, first.epoch));
            set.list.extend(all.take(limit(is_shared)));
        }
        set.named(index, threads, is_shared)
    }

    /// Adds a row and returns its number; the locations in it are distinguished by lane.
    pub(super) fn add_row(&mut self, row: ReaderRow) -> usize {
        match self.free_rows.pop() {
            Some(index) => {
                self.rows[index] = row;
                index
            }
            None => {
                self.rows.push(row);
                self.rows.len() - 1
            }
        }
    }

    #[inline]
    pub(super) fn row_mut(&mut self, row: usize) -> &mut ReaderRow {
        &mut self.rows[row]
    }

    /// Copies the readers of a location out of its row, since others have read it.
    #[cold]
    fn leave_row(&mut self, many: Access) -> Access {
        let all = self.all(many);
        self.free(many);
        let index = self.take();
        let warps = self.threads.div_ceil(LANES as u32) as usize;
        let set = &mut self.sets[index];
        if let Some(first) = all.first() {
            let threads = self.threads;
            set.is_of_block = true;
            set.begin(first.index / threads * threads, warps);
            all.into_iter().for_each(|reader| set.add(reader));
        }
        Access::many(index)
    }

    /// Adds a reader and drops readers that happened before it. Returns the updated reader set.
    #[inline]
    pub(super) fn add(
        &mut self,
        mut many: Access,
        access: Access,
        is_shared: bool,
        known: &impl HappensBefore,
    ) -> Access {
        if many.row().is_some() {
            many = self.leave_row(many);
        }
        if access.is_of_thread() && is_left_as_it_is(many, known) {
            return many;
        }
        let index = many.index as usize;
        self.add_to_set(index, access, is_shared, known);
        self.sets[index].named(index, self.threads, is_shared)
    }

    fn add_to_set(
        &mut self,
        index: usize,
        access: Access,
        is_shared: bool,
        known: &impl HappensBefore,
    ) {
        let threads = self.threads;
        let set = &mut self.sets[index];
        if set.is_of_block {
            let all = &set.of_block;
            if all.count > 0 && known.has(all.lowest) {
                set.leave_out(known);
            }
            if access.is_of_thread() && access.index.wrapping_sub(set.of_block.first) < threads {
                return set.add(access);
            }
            set.list = set.sorted();
            set.is_of_block = false;
        } else if set.list.first().is_some_and(|first| known.has(*first)) {
            set.list.retain(|reader| !known.has(*reader));
        }
        let (list, limit) = (&mut set.list, limit(is_shared));
        // Lanes and copies are added in their order.
        if list.last().is_some_and(|last| last.key() < access.key()) {
            if list.len() < limit {
                list.push(access);
            }
            return;
        }
        match list.binary_search_by_key(&access.key(), Access::key) {
            Ok(index) => list[index] = access,
            Err(index) if list.len() < limit => list.insert(index, access),
            Err(_) => {}
        }
    }

    /// Adds a run of lanes at once, if the effect is that of [`add`](Self::add) for each lane in turn. They
    /// must have the same knowledge of all other threads. Returns whether it did.
    #[inline]
    pub(super) fn takes_run(
        &self,
        many: Access,
        run: LaneRun,
        is_shared: bool,
        known: &impl HappensBefore,
    ) -> bool {
        if many.row().is_some() {
            return false;
        }
        if run.first.is_of_thread() && is_left_as_it_is(many, known) {
            return true;
        }
        let set = &self.sets[many.index as usize];
        if set.is_of_block {
            let all = &set.of_block;
            let warp = run.first.index.wrapping_sub(all.first) as usize / LANES;
            let is_new = |warp: &Warp| (warp.alike | warp.others) & run.lanes == 0;
            return all.count > 0
                && run.first.is_of_thread()
                && run.first.is_alike(all.like)
                && all.warps.get(warp).is_some_and(is_new)
                && !known.has(all.lowest);
        }
        // The set is full, and none of the lanes is in it.
        let is_other =
            |reader: &Access| reader.index.wrapping_sub(run.first.index) >= run.lanes.count_ones();
        set.list.len() >= limit(is_shared)
            && set.list.iter().all(is_other)
            && !set.list.first().is_some_and(|first| known.has(*first))
    }

    #[inline]
    pub(super) fn add_run(&mut self, many: Access, run: LaneRun) {
        if many.full_of_block().is_some() {
            return;
        }
        let set = &mut self.sets[many.index as usize];
        if !set.is_of_block {
            return;
        }
        let all = &mut set.of_block;
        let warp = run.first.index.wrapping_sub(all.first) as usize / LANES;
        all.warps[warp].alike |= run.lanes;
        all.count += run.lanes.count_ones();
        if run.first.index < all.lowest.index {
            all.lowest = run.first;
        }
    }

    /// Returns whether all readers happened before.
    #[inline]
    pub(super) fn are_known(&self, many: Access, known: &impl HappensBefore) -> bool {
        if let Some((row, lane)) = many.row() {
            let row = &self.rows[row];
            return known.has_block(row.first, row.like.epoch)
                || row.readers(lane).all(|reader| known.has(reader));
        }
        let set = &self.sets[many.index as usize];
        let all = &set.of_block;
        if set.is_of_block && known.has_block(all.first, all.latest) {
            return true;
        }
        (!set.is_of_block || set.alike().all(|reader| known.has(reader)))
            && set.list.iter().all(|reader| known.has(*reader))
    }

    /// Returns all readers, sorted by reader.
    pub(super) fn all(&self, many: Access) -> Vec<Access> {
        if let Some((row, lane)) = many.row() {
            return self.rows[row].readers(lane).collect();
        }
        let set = &self.sets[many.index as usize];
        match set.is_of_block {
            true => set.sorted(),
            false => set.list.clone(),
        }
    }

    pub(super) fn copy(&mut self, many: Access) -> Access {
        if let Some((row, _)) = many.row() {
            self.rows[row].cells += 1;
            return many;
        }
        let index = self.take();
        self.sets[index] = self.sets[many.index as usize].clone();
        Access::many(index)
    }

    /// Frees the set for reuse.
    pub(super) fn free(&mut self, many: Access) {
        if let Some((index, _)) = many.row() {
            let row = &mut self.rows[index];
            row.cells -= 1;
            if row.cells == 0 {
                self.free_rows.push(index);
            }
            return;
        }
        let index = many.index as usize;
        self.sets[index].list.clear();
        self.free.push(index);
    }
}

fn limit(is_shared: bool) -> usize {
    match is_shared {
        true => MAX_SHARED_READERS,
        false => MAX_GLOBAL_READERS,
    }
}

/// Returns whether a read leaves these readers unchanged.
#[inline]
fn is_left_as_it_is(many: Access, known: &impl HappensBefore) -> bool {
    many.full_of_block()
        .is_some_and(|first| known.knows_nothing_of(first))
}

impl ReaderSet {
    /// Returns the reference that a location stores.
    fn named(&self, index: usize, threads: u32, is_shared: bool) -> Access {
        let many = Access::many(index);
        if self.is_of_block || self.list.len() < limit(is_shared) {
            return many;
        }
        let (Some(first), Some(last)) = (self.list.first(), self.list.last()) else {
            return many;
        };
        let block = first.index / threads;
        match first.is_of_thread() && first.epoch > 0 && last.index / threads == block {
            true => Access::many_of_block(index, block * threads),
            false => many,
        }
    }

    fn begin(&mut self, first: u32, warps: usize) {
        let all = &mut self.of_block;
        (all.first, all.count, all.latest) = (first, 0, 0);
        all.warps.clear();
        all.warps.resize(warps, Warp::default());
        self.list.clear();
    }

    #[inline]
    fn add(&mut self, access: Access) {
        let all = &mut self.of_block;
        let thread = access.index.wrapping_sub(all.first);
        let bit = 1 << (thread % LANES as u32);
        if all.count == 0 {
            (all.like, all.lowest) = (access, access);
        }
        let is_alike = access.is_alike(all.like);
        let warp = &mut all.warps[thread as usize / LANES];
        if warp.alike & bit != 0 {
            if is_alike {
                return;
            }
            warp.alike &= !bit;
        } else if warp.others & bit != 0 {
            let found = self.list.iter().position(|it| it.index == access.index);
            found.map(|index| self.list.swap_remove(index));
            warp.others &= !bit;
        } else {
            all.count += 1;
        }
        if is_alike {
            warp.alike |= bit;
        } else {
            warp.others |= bit;
            self.list.push(access);
        }
        if access.index <= all.lowest.index {
            all.lowest = access;
        }
        all.latest = all.latest.max(access.epoch);
    }

    fn alike(&self) -> impl Iterator<Item = Access> {
        let BlockReaders { first, like, .. } = self.of_block;
        let warps = (0..).zip(&self.of_block.warps);
        warps.flat_map(move |(warp, threads)| {
            let first = first.wrapping_add(warp * LANES as u32);
            lanes_of(threads.alike)
                .map(move |lane| like.by(first.wrapping_add(lane as u32), like.epoch))
        })
    }

    /// Drops the readers that happened before.
    #[cold]
    fn leave_out(&mut self, known: &impl HappensBefore) {
        let BlockReaders { first, latest, .. } = self.of_block;
        let stay: Vec<Access> = match known.has_block(first, latest) {
            true => Vec::new(),
            false => self
                .sorted()
                .into_iter()
                .filter(|it| !known.has(*it))
                .collect(),
        };
        self.begin(first, self.of_block.warps.len());
        stay.into_iter().for_each(|reader| self.add(reader));
    }

    fn sorted(&self) -> Vec<Access> {
        let mut all: Vec<Access> = self.alike().chain(self.list.iter().copied()).collect();
        all.sort_by_key(Access::key);
        all
    }
}

#[cfg(test)]
mod tests;
