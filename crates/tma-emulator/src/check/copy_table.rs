//! The copies of a launch by their numbers.

use std::collections::VecDeque;

use super::{
    clock::{Clock, Epoch, Lane},
    grid::Extents,
};
use crate::machine::observer::{BoxLayout, GroupKind, Origin};

/// The way in which a thread learns that a copy is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completion {
    /// The issuing thread waits for the group.
    Group(GroupKind),
    /// A thread waits for the phase of an mbarrier.
    Mbarrier {
        block: u32,
        id: u32,
        /// True for an ordinary store of another block: the wait must then have cluster scope.
        far: bool,
    },
}

/// An asynchronous copy, or a product that reads shared memory.
#[derive(Clone, Debug)]
pub(super) struct CopyInfo {
    /// The thread that issued it, by its number in the grid.
    pub(super) issuer: u32,
    pub(super) issue_epoch: Epoch,
    pub(super) done: Completion,
    /// Progress of [`Completion`] at which the copy is complete.
    pub(super) epoch: Epoch,
    pub(super) origin: Origin,
    /// True if a copy had written to its destination before.
    pub(super) overwrites_copy: bool,
    /// Layout of the box in shared memory, for a tensor copy.
    pub(super) tile: Option<Box<BoxLayout>>,
}

/// Waits with cluster scope count apart.
pub(super) fn far(id: u32) -> u32 {
    id | 1 << 31
}

impl CopyInfo {
    /// Returns a copy that never completes.
    pub(super) fn unknown(issuer: u32, origin: Origin) -> Self {
        Self {
            issuer,
            issue_epoch: Epoch::MAX,
            done: Completion::Group(GroupKind::Bulk),
            epoch: Epoch::MAX,
            origin,
            overwrites_copy: false,
            tile: None,
        }
    }

    /// Returns the mbarrier that counts it, by block and number.
    pub(super) fn mbarrier(&self) -> Option<(u32, u32)> {
        match self.done {
            Completion::Mbarrier { block, id, .. } => Some((block, id)),
            Completion::Group(_) => None,
        }
    }

    /// Returns the phase of the mbarrier that counts it.
    pub(super) fn phase(&self) -> Epoch {
        self.epoch.saturating_sub(1)
    }

    /// Returns whether the copy, or its reading, is known to be complete.
    #[inline]
    pub(super) fn is_known(&self, clock: &Clock, writes: bool, extents: &Extents) -> bool {
        match self.done {
            Completion::Group(kind) => {
                let (block, thread) = extents.split(self.issuer);
                let lane = match (kind, writes) {
                    (GroupKind::Async, _) => Lane::Async,
                    (GroupKind::Wgmma, _) => Lane::Wgmma,
                    (GroupKind::Bulk, true) => Lane::BulkDone,
                    (GroupKind::Bulk, false) => Lane::BulkRead,
                };
                clock.get(lane, block, thread) >= self.epoch
            }
            Completion::Mbarrier {
                block,
                id,
                far: is_far,
            } => {
                let id = if is_far { far(id) } else { id };
                clock.mbarrier(block, id) >= self.epoch
            }
        }
    }
}

/// The newest copies of a launch. Memory remembers copies by their numbers; an access of a copy that is not here any
/// more counts as ordered, so that races with it may be missed.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    /// The number of the first copy that is here.
    first: usize,
    newest: VecDeque<CopyInfo>,
}

/// The limit of known copies: with all of their data, about 100 MB.
const MOST: usize = 1 << 20;

impl Copies {
    /// Adds the next copy.
    pub(super) fn push(&mut self, copy: CopyInfo) {
        if self.newest.len() == MOST {
            self.newest.pop_front();
            self.first += 1;
        }
        self.newest.push_back(copy);
    }

    /// Returns the number of copies issued so far.
    pub(super) fn count(&self) -> usize {
        self.first + self.newest.len()
    }

    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&CopyInfo> {
        self.newest.get(number.checked_sub(self.first)?)
    }

    pub(super) fn get_mut(&mut self, number: usize) -> Option<&mut CopyInfo> {
        self.newest.get_mut(number.checked_sub(self.first)?)
    }

    /// Returns the copies before this number, the newest first.
    pub(super) fn before(&self, number: usize) -> impl Iterator<Item = &CopyInfo> {
        let count = number.saturating_sub(self.first).min(self.newest.len());
        self.newest.range(..count).rev()
    }
}

/// The threads that issued copies, by the copies' numbers.
#[derive(Clone, Debug)]
pub(super) struct Issuers {
    first: usize,
    newest: Vec<u32>,
}

impl Copies {
    pub(super) fn issuers(&self) -> Issuers {
        Issuers {
            first: self.first,
            newest: self.newest.iter().map(|copy| copy.issuer).collect(),
        }
    }
}

impl Issuers {
    pub(super) fn get(&self, number: usize) -> Option<u32> {
        self.newest.get(number.checked_sub(self.first)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::observer::Origin;

    fn by(issuer: u32) -> CopyInfo {
        let origin = Origin {
            block: 0,
            thread: 0,
            instruction: 0,
            calls: 0,
        };
        CopyInfo::unknown(issuer, origin)
    }

    #[test]
    fn the_newest_are_known() {
        let mut copies = Copies::default();
        let issuer = |copies: &Copies, number| copies.get(number).map(|copy| copy.issuer);
        for number in 0..MOST as u32 + 3 {
            copies.push(by(number));
        }
        assert_eq!(copies.count(), MOST + 3);
        assert_eq!(
            [0, 2, 3].map(|at| issuer(&copies, at)),
            [None, None, Some(3)]
        );
        assert_eq!(issuer(&copies, MOST + 2), Some(MOST as u32 + 2));
        assert_eq!(issuer(&copies, MOST + 3), None);
        assert!(copies.get_mut(2).is_none() && copies.get_mut(3).is_some());
        let before: Vec<u32> = copies.before(6).map(|copy| copy.issuer).collect();
        assert_eq!(before, [5, 4, 3]);
        assert_eq!(copies.before(2).count(), 0);
        assert_eq!(copies.before(usize::MAX).count(), MOST);
        let issuers = copies.issuers();
        assert_eq!(
            [2, 3, MOST + 3].map(|at| issuers.get(at)),
            [None, Some(3), None]
        );
    }
}
