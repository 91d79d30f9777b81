//! The knowledge that releases pass on.

use super::{
    clock::{Clock, Lane},
    knowledge::{Knowledge, Own},
};

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
        if mine.has_wide() || known.has_wide() {
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
        if mine.has_wide() {
            raise(mine.wide_mut(), own.epoch);
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
