//! The order of `fence.sc` (Fence-SC order, PTX ISA 8.9.3).
//!
//! Two `fence.sc` with scopes that include each other's thread are ordered: one synchronizes with the other
//! (8.9.4). The order is known in one case. A write W follows the fence F in causality order, a read R sees W
//! or a later atomic in its chain, and R precedes the fence G. If G came first, R would precede W in causality
//! order and could not have read from it (8.10.6). So F comes first: steps before F happen before steps after
//! G, whichever threads execute W and R.
//!
//! A thread therefore carries the releases of the fences before its steps. A write stores them at its location,
//! a read collects them, and the next fence acquires the collected ones. The order that follows from a read of
//! an older value (R precedes W in communication order) is not derived.

use std::rc::Rc;

use super::{
    knowledge::{Knowledge, Memos, Own},
    sync::is_far,
};
use crate::machine::observer::Scope;

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
pub(super) struct FencesSc(Option<Rc<Known>>);

#[derive(Clone, Debug, Default)]
struct Known {
    /// The fences that happened before.
    before: Fences,
    /// The fences before a write that was read: the next fence comes after them.
    seen: Fences,
}

impl FencesSc {
    fn known_mut(&mut self) -> &mut Known {
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

/// The fences before the writes that a read of a location sees.
#[derive(Debug, Default)]
pub(super) struct FencesOfLocation {
    /// Fences before writes with a scope that reaches every block.
    far: Fences,
    /// Fences before other writes, with the block and the scope of the write.
    near: Vec<(u32, Scope, Fences)>,
}

impl FencesOfLocation {
    /// Records a write that follows these fences.
    pub(super) fn add(&mut self, (block, scope): (u32, Scope), is_shared: bool, fences: &Fences) {
        match is_far(scope) {
            true if is_shared => self.far.join(fences),
            true => self.far.join(&fences.without_repetitions()),
            false => {
                let mut near = self.near.iter_mut();
                match near.find(|(by, of, _)| (*by, *of) == (block, scope)) {
                    Some((.., known)) => known.join(fences),
                    None => self.near.push((block, scope, fences.clone())),
                }
            }
        }
    }

    /// Collects the fences before the writes that a read can see; `reaches` reports whether it and a write of
    /// this block and scope are morally strong.
    pub(super) fn read(
        &self,
        (block, scope): (u32, Scope),
        seen: &mut FencesSc,
        reaches: impl Fn(u32, Scope) -> bool,
    ) {
        match is_far(scope) {
            true => seen.see(&self.far),
            false => seen.see(&self.far.of_block(block)),
        }
        for (by, of, fences) in &self.near {
            if reaches(*by, *of) {
                seen.see(fences);
            }
        }
    }
}
