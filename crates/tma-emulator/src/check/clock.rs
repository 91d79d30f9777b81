//! Vector clocks.

use std::{cell::Cell, rc::Rc};

/// Progress of one clock lane: threads count their releases, the other lanes completed operations.
pub(super) type Epoch = u32;

/// The lanes of a clock, besides the phases of mbarriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// Steps of the thread itself.
    Thread = 0,
    /// Completed `cp.async` copies of a thread.
    Async = 1,
    /// Bulk copies of a thread that have read their source.
    BulkRead = 2,
    /// Completed bulk copies of a thread.
    BulkDone = 3,
    /// Completed products of a warpgroup, by its first thread.
    Wgmma = 4,
}

const LANES: usize = 5;

/// A vector clock: the known progress of the threads, copies and mbarriers of all blocks.
///
/// Clones share unchanged parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Option<Rc<Vec<BlockClock>>>);

/// An epoch for each thread of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Epochs {
    each: Vec<Epoch>,
    /// The least epoch, computed on first use.
    least: Cell<Option<Epoch>>,
}

impl Epochs {
    fn each_mut(&mut self) -> &mut Vec<Epoch> {
        self.least.set(None);
        &mut self.each
    }

    #[inline]
    pub(super) fn get(&self, thread: u32) -> Epoch {
        self.each.get(thread as usize).copied().unwrap_or(0)
    }

    /// Returns the least epoch of all `threads` threads of the block.
    pub(super) fn least(&self, threads: u32) -> Epoch {
        if let Some(least) = self.least.get() {
            return least;
        }
        let all = self.each.get(..threads as usize);
        let least = all.and_then(|all| all.iter().min()).copied().unwrap_or(0);
        self.least.set(Some(least));
        least
    }
}

#[derive(Clone, Debug)]
struct BlockClock {
    block: u32,
    /// An epoch for each thread of the block; `None` if all are 0.
    lanes: [Option<Rc<Epochs>>; LANES],
    /// Completed phases, by number of the mbarrier.
    mbarriers: Rc<Vec<(u32, Epoch)>>,
}

impl BlockClock {
    fn new(block: u32) -> Self {
        Self {
            block,
            lanes: Default::default(),
            mbarriers: Rc::default(),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        let lanes = self.lanes.iter().zip(&other.lanes);
        lanes.into_iter().all(|lanes| match lanes {
            (_, None) => true,
            (None, Some(theirs)) => theirs.each.iter().all(|epoch| *epoch == 0),
            (Some(mine), Some(theirs)) => {
                Rc::ptr_eq(mine, theirs)
                    || (mine.each.len() >= theirs.each.len()
                        && mine
                            .each
                            .iter()
                            .zip(&theirs.each)
                            .all(|(mine, theirs)| mine >= theirs))
            }
        }) && (Rc::ptr_eq(&self.mbarriers, &other.mbarriers)
            || other
                .mbarriers
                .iter()
                .all(|(id, epoch)| self.mbarrier(*id) >= *epoch))
    }

    #[inline]
    fn mbarrier(&self, id: u32) -> Epoch {
        match self.mbarriers.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(index) => self.mbarriers[index].1,
            Err(_) => 0,
        }
    }

    fn raise_mbarrier(&mut self, id: u32, epoch: Epoch) {
        let all = Rc::make_mut(&mut self.mbarriers);
        match all.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(index) => all[index].1 = all[index].1.max(epoch),
            Err(index) => all.insert(index, (id, epoch)),
        }
    }

    fn join(&mut self, other: &Self) {
        for (mine, theirs) in self.lanes.iter_mut().zip(&other.lanes) {
            match (&mut *mine, theirs) {
                (_, None) => {}
                (None, Some(theirs)) => *mine = Some(theirs.clone()),
                (Some(mine), Some(theirs)) if !Rc::ptr_eq(mine, theirs) => {
                    let mine = Rc::make_mut(mine).each_mut();
                    mine.resize(mine.len().max(theirs.each.len()), 0);
                    for (mine, theirs) in mine.iter_mut().zip(&theirs.each) {
                        *mine = (*mine).max(*theirs);
                    }
                }
                _ => {}
            }
        }
        if !Rc::ptr_eq(&self.mbarriers, &other.mbarriers) {
            for (id, epoch) in &*other.mbarriers {
                if self.mbarrier(*id) < *epoch {
                    self.raise_mbarrier(*id, *epoch);
                }
            }
        }
    }
}

impl Clock {
    pub(super) fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn blocks(&self) -> &[BlockClock] {
        self.0.as_ref().map_or(&[], |blocks| blocks)
    }

    #[inline]
    fn block(&self, block: u32) -> Option<&BlockClock> {
        match self.blocks() {
            [only] => (only.block == block).then_some(only),
            blocks => {
                let found = blocks.binary_search_by_key(&block, |clock| clock.block);
                found.ok().map(|index| &blocks[index])
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks().is_empty()
    }

    /// Returns whether the clock contains progress of another block.
    pub(super) fn knows_others(&self, block: u32) -> bool {
        self.blocks().iter().any(|clock| clock.block != block)
    }

    /// Returns whether the clock contains progress of this block.
    pub(super) fn knows(&self, block: u32) -> bool {
        self.block(block).is_some()
    }

    /// Returns the known progress of one thread in `lane`.
    #[inline]
    pub(super) fn get(&self, lane: Lane, block: u32, thread: u32) -> Epoch {
        let epochs = self.epochs(lane, block);
        epochs.map_or(0, |epochs| epochs.get(thread))
    }

    /// Returns the known progress of all threads of this block in `lane`, if any.
    #[inline]
    pub(super) fn epochs(&self, lane: Lane, block: u32) -> Option<&Epochs> {
        let clock = self.block(block);
        clock.and_then(|clock| clock.lanes[lane as usize].as_deref())
    }

    /// Returns the number of phases of an mbarrier of this block that are known to be complete.
    #[inline]
    pub(super) fn mbarrier(&self, block: u32, id: u32) -> Epoch {
        self.block(block).map_or(0, |clock| clock.mbarrier(id))
    }

    fn covers(&self, other: &Self) -> bool {
        // Both are sorted by block.
        let mut mine = self.blocks().iter();
        self.same(other)
            || (self.blocks().len() >= other.blocks().len()
                && other.blocks().iter().all(|theirs| {
                    let mine = mine.find(|mine| mine.block >= theirs.block);
                    mine.is_some_and(|mine| mine.block == theirs.block && mine.covers(theirs))
                }))
    }

    /// Keeps only the completions of warpgroup products and of copies that count at mbarriers.
    pub(super) fn completions(&self) -> Self {
        let of = |clock: &BlockClock| {
            let mut only = BlockClock::new(clock.block);
            let wgmma = Lane::Wgmma as usize;
            only.lanes[wgmma].clone_from(&clock.lanes[wgmma]);
            only.mbarriers = Rc::clone(&clock.mbarriers);
            only
        };
        Self(Some(Rc::new(self.blocks().iter().map(of).collect())))
    }

    /// Joins the other clock into this one.
    pub(super) fn join(&mut self, other: &Self) {
        if self.covers(other) {
            return;
        }
        if other.covers(self) {
            *self = other.clone();
            return;
        }
        let blocks = Rc::make_mut(self.0.get_or_insert_default());
        for theirs in other.blocks() {
            match blocks.binary_search_by_key(&theirs.block, |clock| clock.block) {
                Ok(index) => blocks[index].join(theirs),
                Err(index) => blocks.insert(index, theirs.clone()),
            }
        }
    }

    fn block_mut(&mut self, block: u32) -> &mut BlockClock {
        let blocks = Rc::make_mut(self.0.get_or_insert_default());
        let index = match blocks.binary_search_by_key(&block, |clock| clock.block) {
            Ok(index) => index,
            Err(index) => {
                blocks.insert(index, BlockClock::new(block));
                index
            }
        };
        &mut blocks[index]
    }

    /// Raises one thread of `lane` to at least this epoch.
    pub(super) fn raise(&mut self, lane: Lane, block: u32, thread: u32, epoch: Epoch) {
        if epoch == 0 || self.get(lane, block, thread) >= epoch {
            return;
        }
        let lanes = &mut self.block_mut(block).lanes[lane as usize];
        let epochs = Rc::make_mut(lanes.get_or_insert_default()).each_mut();
        let thread = thread as usize;
        if epochs.len() <= thread {
            epochs.resize((thread + 1).next_multiple_of(32), 0);
        }
        epochs[thread] = epoch;
    }

    /// Raises threads of this block to at least these epochs, none of them 0.
    pub(super) fn raise_threads(&mut self, block: u32, all: impl Iterator<Item = (u32, Epoch)>) {
        let lanes = &mut self.block_mut(block).lanes[Lane::Thread as usize];
        let epochs = Rc::make_mut(lanes.get_or_insert_default()).each_mut();
        for (thread, epoch) in all {
            let thread = thread as usize;
            if epochs.len() <= thread {
                epochs.resize((thread + 1).next_multiple_of(32), 0);
            }
            epochs[thread] = epochs[thread].max(epoch);
        }
    }

    /// Raises the number of complete phases of an mbarrier.
    pub(super) fn raise_mbarrier(&mut self, block: u32, id: u32, epoch: Epoch) {
        if self.mbarrier(block, id) < epoch {
            self.block_mut(block).raise_mbarrier(id, epoch);
        }
    }
}

/// Cache of the last join, since many threads perform the same one in turn.
#[derive(Debug, Default)]
pub(super) struct Memo(Option<(Clock, Clock, Clock)>);

impl Memo {
    pub(super) fn join(&mut self, into: &mut Clock, other: &Clock) {
        if into.same(other) {
            return;
        }
        if let Some((a, b, result)) = &self.0
            && a.same(into)
            && b.same(other)
        {
            *into = result.clone();
            return;
        }
        let before = into.clone();
        into.join(other);
        self.0 = Some((before, other.clone(), into.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_knows_what_both_knew() {
        let mut a = Clock::default();
        a.raise(Lane::Thread, 0, 3, 5);
        a.raise_mbarrier(1, 7, 2);
        let mut b = Clock::default();
        b.raise(Lane::Thread, 0, 40, 1);
        b.raise(Lane::BulkDone, 2, 0, 9);
        b.raise_mbarrier(1, 7, 1);
        let mut both = a.clone();
        both.join(&b);
        assert_eq!(both.get(Lane::Thread, 0, 3), 5);
        assert_eq!(both.get(Lane::Thread, 0, 40), 1);
        assert_eq!(both.get(Lane::BulkDone, 2, 0), 9);
        assert_eq!(both.mbarrier(1, 7), 2);
        assert_eq!(both.get(Lane::Async, 0, 3), 0);
        assert!(both.covers(&a) && both.covers(&b) && !a.covers(&both));
        // The parts that were shared before are unchanged.
        assert_eq!((a.get(Lane::Thread, 0, 40), a.knows(2)), (0, false));
    }

    #[test]
    fn the_memo_gives_what_a_join_gives() {
        let mut a = Clock::default();
        a.raise(Lane::Thread, 0, 0, 1);
        let mut b = Clock::default();
        b.raise(Lane::Thread, 0, 1, 1);
        let mut memo = Memo::default();
        let (mut first, mut second) = (a.clone(), a.clone());
        memo.join(&mut first, &b);
        memo.join(&mut second, &b);
        assert!(first.same(&second));
        assert_eq!(second.get(Lane::Thread, 0, 1), 1);
    }
}
