//! The knowledge of a thread: its vector clocks, and the parts that a release passes on to an acquire.

use std::rc::Rc;

use super::{
    clock::{Clock, Epoch, Lane, Memo},
    fence_sc::FencesSc,
};
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

    fn join(&mut self, other: &Self) {
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

/// Collects what several threads release.
#[derive(Clone, Debug, Default)]
pub(super) struct Released {
    pub(super) known: Knowledge,
    /// The knowledge added last: most threads know the same.
    last: Option<Box<Knowledge>>,
}

impl Released {
    /// Adds a thread's knowledge and all its own steps.
    pub(super) fn add(&mut self, known: &Knowledge, own: &Own) {
        let last = self.last.as_deref();
        let is_new =
            |part: fn(&Knowledge) -> &Clock| last.is_none_or(|last| !part(last).same(part(known)));
        let mine = &mut self.known;
        if mine.wide.is_some() || known.wide.is_some() {
            mine.wide_mut().join(known.wide());
        }
        if is_new(|k| &k.order) {
            mine.order.join(&known.order);
        }
        if is_new(|k| &k.collective) {
            mine.collective.join(&known.collective);
        }
        if is_new(|k| &k.proxied[0]) {
            mine.proxied[0].join(&known.proxied[0]);
        }
        if is_new(|k| &k.proxied[1]) {
            mine.proxied[1].join(&known.proxied[1]);
        }
        for (reach, released) in mine.released.iter_mut().enumerate() {
            let last = last.map(|last| &last.released[reach]);
            if last.is_none_or(|last| !last.same(&known.released[reach])) {
                released.join(&known.released[reach]);
            }
        }
        if is_new(|k| &k.inits) {
            mine.inits.join(&known.inits);
        }
        mine.maps.join(&known.maps);
        if last.is_none_or(|last| !last.fences.same(&known.fences)) {
            mine.fences.join(&known.fences);
        }
        match &mut self.last {
            Some(last) if last.has_same_clocks(known) => last.fences.clone_from(&known.fences),
            last => *last = Some(Box::new(known.clone())),
        }
        let (block, thread) = (own.block, own.thread);
        let raise = |clock: &mut Clock, epoch| clock.raise(Lane::Thread, block, thread, epoch);
        raise(&mut mine.order, own.epoch);
        if let Some(wide) = &mut mine.wide {
            raise(wide, own.epoch);
        }
        for side in [0, 1] {
            raise(&mut mine.proxied[side], own.proxied[side]);
        }
        for (clock, epoch) in mine.released.iter_mut().zip(own.released) {
            raise(clock, epoch);
        }
        raise(&mut mine.inits, own.inits);
    }

    /// Adds only the steps that a `fence.mbarrier_init` covers.
    pub(super) fn add_inits(&mut self, known: &Knowledge, own: &Own) {
        self.known.inits.join(&known.inits);
        let inits = &mut self.known.inits;
        inits.raise(Lane::Thread, own.block, own.thread, own.inits);
    }

    /// Joins the other release into this one.
    pub(super) fn join(&mut self, other: &Self) {
        self.known.join(&other.known);
    }
}
