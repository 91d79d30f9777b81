//! The knowledge of a thread: its vector clocks, and the parts that a release passes on to an acquire.

use std::rc::Rc;

use super::clock::{Clock, Epoch, Memo};
use crate::machine::observer::Scope;

/// Memory that proxy fences distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Global = 0,
    Shared = 1,
}

/// The state that synchronisation passes on from thread to thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    /// The steps that happened before, by the memory model.
    pub(super) order: Clock,
    /// The steps that would have happened before if every scope were wide enough, and additional steps before a
    /// convergence of a warpgroup.
    wide: Option<Clock>,
    /// The additional steps that would have happened before if every warp collective ordered memory.
    pub(super) collective: Clock,
    /// The steps before a `fence.proxy.async`, by [`Side`].
    pub(super) proxied: [Clock; 2],
    /// The steps before a release in the tensormap proxy, by the [`Distance`] that its scope covers.
    pub(super) released: [Clock; 3],
    /// The steps before a `fence.mbarrier_init`.
    pub(super) inits: Clock,
    /// Acquired tensor maps by address, each with the steps released before.
    pub(super) maps: Maps,
    /// The `fence.sc` that happened before, and those that the next one comes after.
    pub(super) fences: FencesSc,
}

/// The distance between two threads: the smallest scope that contains both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Distance {
    #[default]
    SameBlock = 0,
    SameCluster = 1,
    Far = 2,
}

impl Distance {
    pub(super) const ALL: [Self; 3] = [Self::SameBlock, Self::SameCluster, Self::Far];

    /// Returns the largest distance that a scope covers.
    pub(super) fn covered_by(scope: Scope) -> Self {
        match scope {
            Scope::Cta => Self::SameBlock,
            Scope::Cluster => Self::SameCluster,
            Scope::Gpu | Scope::Sys => Self::Far,
        }
    }
}

/// Block and address of a map.
type MapKey = (u32, u64);

/// The knowledge that an acquire of a map added.
#[derive(Clone, Debug, Default)]
pub(super) struct AcquiredMap {
    /// Reach of the widest acquire.
    pub(super) reach: Distance,
    /// The steps released before, by the [`Distance`] that both release and acquire cover.
    pub(super) released: [Clock; 3],
}

impl AcquiredMap {
    fn join(&mut self, other: &Self) {
        self.reach = self.reach.max(other.reach);
        for (mine, theirs) in self.released.iter_mut().zip(&other.released) {
            mine.join(theirs);
        }
    }
}

/// Acquired maps by block and address; an acquire counts in the block that did it.
#[derive(Clone, Debug, Default)]
pub(super) struct Maps(Option<Rc<Vec<(MapKey, AcquiredMap)>>>);

impl Maps {
    pub(super) fn get(&self, block: u32, address: u64) -> Option<&AcquiredMap> {
        let maps = self.0.as_ref()?;
        let at = maps.binary_search_by_key(&(block, address), |(key, _)| *key);
        at.ok().map(|index| &maps[index].1)
    }

    pub(super) fn acquire(&mut self, key: MapKey, map: &AcquiredMap) {
        let maps = Rc::make_mut(self.0.get_or_insert_default());
        match maps.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(index) => maps[index].1.join(map),
            Err(index) => maps.insert(index, (key, map.clone())),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            _ => false,
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        match (&self.0, &other.0) {
            (_, None) => {}
            (None, Some(_)) => *self = other.clone(),
            (Some(mine), Some(theirs)) if Rc::ptr_eq(mine, theirs) => {}
            (Some(_), Some(theirs)) => {
                for (key, map) in &**theirs {
                    self.acquire(*key, map);
                }
            }
        }
    }
}

/// Coverage of a thread's own steps, which are not in its clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    pub(super) block: u32,
    pub(super) cluster: u32,
    pub(super) thread: u32,
    /// The epoch that the thread is in.
    pub(super) epoch: Epoch,
    pub(super) proxied: [Epoch; 2],
    pub(super) released: [Epoch; 3],
    pub(super) inits: Epoch,
}

/// Cache of the last join of each clock.
#[derive(Debug, Default)]
pub(super) struct Memos {
    order: Memo,
    wide: Memo,
    collective: Memo,
    proxied: [Memo; 2],
    released: [Memo; 3],
    inits: Memo,
}

impl Knowledge {
    pub(super) fn has_wide(&self) -> bool {
        self.wide.is_some()
    }

    pub(super) fn wide(&self) -> &Clock {
        self.wide.as_ref().unwrap_or(&self.order)
    }

    pub(super) fn wide_mut(&mut self) -> &mut Clock {
        self.wide.get_or_insert_with(|| self.order.clone())
    }

    /// Joins all knowledge of the other.
    pub(super) fn join(&mut self, other: &Self) {
        if self.wide.is_some() || other.wide.is_some() {
            self.wide_mut().join(other.wide());
        }
        self.order.join(&other.order);
        self.collective.join(&other.collective);
        for (mine, theirs) in self.proxied.iter_mut().zip(&other.proxied) {
            mine.join(theirs);
        }
        for (mine, theirs) in self.released.iter_mut().zip(&other.released) {
            mine.join(theirs);
        }
        self.inits.join(&other.inits);
        self.maps.join(&other.maps);
        self.fences.join(&other.fences);
    }

    /// Returns whether the clocks of both are the same in memory, as they are where many threads know the same.
    pub(super) fn has_same_clocks(&self, other: &Self) -> bool {
        let each = |mine: &[Clock], theirs: &[Clock]| {
            mine.iter()
                .zip(theirs)
                .all(|(mine, theirs)| mine.same(theirs))
        };
        self.order.same(&other.order)
            && self.collective.same(&other.collective)
            && self.inits.same(&other.inits)
            && self.wide().same(other.wide())
            && each(&self.proxied, &other.proxied)
            && each(&self.released, &other.released)
            && self.maps.is_same(&other.maps)
    }

    /// Acquires released knowledge, as far as the scopes allow.
    pub(super) fn acquire(&mut self, other: &Self, in_scope: bool, memos: &mut Memos) {
        if !in_scope || self.wide.is_some() || other.wide.is_some() {
            let wide = self.wide.get_or_insert_with(|| self.order.clone());
            memos.wide.join(wide, other.wide());
        }
        if !in_scope {
            return;
        }
        memos.order.join(&mut self.order, &other.order);
        memos
            .collective
            .join(&mut self.collective, &other.collective);
        for side in [0, 1] {
            memos.proxied[side].join(&mut self.proxied[side], &other.proxied[side]);
        }
        for (reach, memo) in memos.released.iter_mut().enumerate() {
            memo.join(&mut self.released[reach], &other.released[reach]);
        }
        memos.inits.join(&mut self.inits, &other.inits);
        self.maps.join(&other.maps);
        self.fences.join(&other.fences);
    }
}

// # The order of `fence.sc` (Fence-SC order, PTX ISA 8.9.3)
//
// Two `fence.sc` with scopes that include each other's thread are ordered: one synchronizes with the other
// (8.9.4). The order is known in one case. A write W follows the fence F in causality order, a read R sees W
// or a later atomic in its chain, and R precedes the fence G. If G came first, R would precede W in causality
// order and could not have read from it (8.10.6). So F comes first: steps before F happen before steps after
// G, whichever threads execute W and R.
//
// A thread therefore carries the releases of the fences before its steps. A write stores them at its location,
// a read collects them, and the next fence acquires the collected ones. The order that follows from a read of
// an older value (R precedes W in communication order) is not derived.

/// The threads that the scope of a fence includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Among {
    Block(u32),
    Cluster(u32),
    Grid,
}

impl Among {
    /// Returns the sets that a fence of a thread synchronizes with.
    fn all(own: &Own, scope: Scope) -> impl Iterator<Item = Self> {
        let sets = [
            Self::Block(own.block),
            Self::Cluster(own.cluster),
            Self::Grid,
        ];
        let covered = match scope {
            Scope::Cta => 1,
            Scope::Cluster => 2,
            Scope::Gpu | Scope::Sys => 3,
        };
        sets.into_iter().take(covered)
    }
}

/// The knowledge that fences have released, by the threads among which they synchronize.
#[derive(Clone, Debug, Default)]
pub(super) struct Fences(Vec<(Among, Rc<Knowledge>)>);

impl Fences {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Joins the fences that the other has released.
    pub(super) fn join(&mut self, other: &Self) {
        // A fence usually releases the same to its block, its cluster and the grid.
        let mut last: Option<[Rc<Knowledge>; 3]> = None;
        for (among, theirs) in &other.0 {
            match self.0.binary_search_by_key(among, |(among, _)| *among) {
                Ok(index) => {
                    let mine = &mut self.0[index].1;
                    let both = match &last {
                        _ if Rc::ptr_eq(mine, theirs) => continue,
                        Some([a, b, both]) if Rc::ptr_eq(a, mine) && Rc::ptr_eq(b, theirs) => {
                            Rc::clone(both)
                        }
                        _ => {
                            let mut both = Knowledge::clone(mine);
                            both.join(theirs);
                            match both.has_same_clocks(theirs) {
                                true => Rc::clone(theirs),
                                false => Rc::new(both),
                            }
                        }
                    };
                    let before = std::mem::replace(mine, Rc::clone(&both));
                    last = Some([before, Rc::clone(theirs), both]);
                }
                Err(index) => self.0.insert(index, (*among, Rc::clone(theirs))),
            }
        }
    }

    /// Returns the parts that every thread of the grid may acquire, and those of one block or cluster if its
    /// fences had no wider scope.
    pub(super) fn without_repetitions(&self) -> Self {
        let of_all = self.0.last().filter(|(among, _)| *among == Among::Grid);
        let differs = |(among, known): &&(Among, Rc<Knowledge>)| {
            *among == Among::Grid || of_all.is_none_or(|(_, all)| !Rc::ptr_eq(known, all))
        };
        Self(self.0.iter().filter(differs).cloned().collect())
    }

    /// Returns only the fences of one block.
    pub(super) fn of_block(&self, block: u32) -> Self {
        let is_of = |(among, _): &&(Among, Rc<Knowledge>)| *among == Among::Block(block);
        Self(self.0.iter().filter(is_of).cloned().collect())
    }
}

/// The fences that a thread knows.
#[derive(Clone, Debug, Default)]
pub(super) struct FencesSc(Option<Rc<KnownFences>>);

#[derive(Clone, Debug, Default)]
struct KnownFences {
    /// The fences that happened before.
    before: Fences,
    /// The fences before a write that was read: the next fence comes after them.
    seen: Fences,
}

impl FencesSc {
    fn known_mut(&mut self) -> &mut KnownFences {
        Rc::make_mut(self.0.get_or_insert_default())
    }

    /// Returns the fences that happened before, which a write leaves at its location.
    pub(super) fn before(&self) -> Option<&Fences> {
        let before = self.0.as_deref().map(|known| &known.before);
        before.filter(|before| !before.is_empty())
    }

    /// Records a read of a write after these fences.
    pub(super) fn see(&mut self, fences: &Fences) {
        if !fences.is_empty() {
            self.known_mut().seen.join(fences);
        }
    }

    /// Returns whether both are the same in memory.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            _ => false,
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        match (&self.0, &other.0) {
            (_, None) => {}
            (None, Some(_)) => *self = other.clone(),
            (Some(mine), Some(theirs)) if Rc::ptr_eq(mine, theirs) => {}
            (Some(_), Some(theirs)) => {
                let mine = self.known_mut();
                mine.before.join(&theirs.before);
                mine.seen.join(&theirs.seen);
            }
        }
    }

    /// Returns whether all of it may be acquired by the whole grid.
    fn is_of_grid(&self) -> bool {
        self.0.as_deref().is_none_or(|known| {
            let mut all = known.before.0.iter().chain(&known.seen.0);
            all.all(|(among, _)| *among == Among::Grid)
        })
    }

    /// Drops the parts that only one block or cluster may acquire, since every thread of the grid gets the
    /// rest.
    pub(super) fn widen(&mut self) {
        if !self.is_of_grid() {
            let known = self.known_mut();
            for fences in [&mut known.before, &mut known.seen] {
                fences.0.retain(|(among, _)| *among == Among::Grid);
            }
        }
    }
}

impl Knowledge {
    /// Acquires, at a `fence.sc`, the releases of the fences that precede it.
    pub(super) fn acquire_fences(&mut self, own: &Own, scope: Scope, memos: &mut Memos) {
        let Some(known) = &self.fences.0 else { return };
        if known.seen.is_empty() {
            return;
        }
        let seen = std::mem::take(&mut self.fences.known_mut().seen);
        for (among, released) in &seen.0 {
            let in_scope = Among::all(own, scope).any(|own| own == *among);
            self.acquire(released, in_scope, memos);
        }
    }

    /// Releases the knowledge `released` at a `fence.sc`.
    pub(super) fn release_fence(&mut self, own: &Own, scope: Scope, released: &Self) {
        let mut released = released.clone();
        released.fences = FencesSc::default();
        let released = Rc::new(released);
        // The thread already knows these releases, so the fence passes them on.
        let before = &mut self.fences.known_mut().before;
        for among in Among::all(own, scope) {
            match before.0.binary_search_by_key(&among, |(among, _)| *among) {
                Ok(index) => before.0[index].1 = Rc::clone(&released),
                Err(index) => before.0.insert(index, (among, Rc::clone(&released))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::clock::Lane;

    #[test]
    fn clocks_are_the_same_if_each_is() {
        let clocks: [fn(&mut Knowledge) -> &mut Clock; 7] = [
            |known| &mut known.order,
            |known| &mut known.collective,
            |known| &mut known.inits,
            |known| known.wide_mut(),
            |known| &mut known.proxied[1],
            |known| &mut known.released[0],
            |known| &mut known.released[2],
        ];
        let mut known = Knowledge::default();
        for (number, clock) in clocks.into_iter().enumerate() {
            let before = known.clone();
            assert!(known.has_same_clocks(&before));
            clock(&mut known).raise(Lane::Thread, 1, number as u32, 3);
            let same = [
                known.has_same_clocks(&before),
                before.has_same_clocks(&known),
            ];
            assert_eq!(same, [false; 2], "{number}");
        }
    }

    #[test]
    fn wide_knowledge_is_joined_from_either_side() {
        let mut wide = Knowledge::default();
        wide.wide_mut().raise(Lane::Thread, 1, 2, 3);
        let [mut from, mut into] = [wide.clone(), Knowledge::default()];
        into.join(&wide);
        from.join(&Knowledge::default());
        for joined in [from, into] {
            assert_eq!(joined.wide().get(Lane::Thread, 1, 2), 3);
            assert_eq!(joined.order.get(Lane::Thread, 1, 2), 0);
        }
    }
}
