//! What earlier launches wrote and did not release in the tensormap proxy: the end of a launch orders
//! accesses, but a tensor map that changed needs a release and an acquire all the same. PTX ISA 8.9.4.

use super::{
    Checker,
    clock::{Clock, Lane},
    knowledge::{Distance, Released},
    shadow::{Access, Actor},
};

/// Bytes of global memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unreleased(Vec<Bytes>);

#[derive(Clone, Debug)]
struct Bytes {
    start: u64,
    end: u64,
    /// Released, but not as far as to another launch.
    is_narrow: bool,
}

impl Unreleased {
    /// Adds what comes behind all that is there.
    fn push(&mut self, start: u64, bytes: u64, is_narrow: bool) {
        let end = start + bytes;
        match self.0.last_mut() {
            Some(last) if last.end == start && last.is_narrow == is_narrow => last.end = end,
            _ => self.0.push(Bytes {
                start,
                end,
                is_narrow,
            }),
        }
    }

    /// Whether the byte is one of them, and then whether it was released at all.
    pub(super) fn is_narrow(&self, address: u64) -> Option<bool> {
        let mut all = self.0.iter();
        let found = all.find(|bytes| (bytes.start..bytes.end).contains(&address));
        found.map(|bytes| bytes.is_narrow)
    }
}

/// What was released in the tensormap proxy by blocks that have ended.
#[derive(Debug, Default)]
pub(super) struct ReleasedMaps {
    near: Clock,
    far: Clock,
}

impl ReleasedMaps {
    pub(super) fn join(&mut self, ended: &Released) {
        let released = &ended.known.released;
        self.near.join(&released[Distance::SameBlock as usize]);
        self.far.join(&released[Distance::Far as usize]);
    }
}

impl Checker {
    /// What the launches up to this one have left unreleased, when it is over.
    pub(crate) fn unreleased(&self) -> Unreleased {
        // A release covers all that came before, earlier launches among it.
        let mut left = match self.released_maps.far.is_empty() {
            true => self.unreleased.clone(),
            false => Unreleased::default(),
        };
        let mut new = Unreleased::default();
        self.shadow.global_writes(|address, bytes, write| {
            if !self.covers(&self.released_maps.far, write) {
                new.push(address, bytes, self.covers(&self.released_maps.near, write));
            }
        });
        left.0.append(&mut new.0);
        left
    }

    fn covers(&self, released: &Clock, write: Access) -> bool {
        let extents = &self.grid.extents;
        match write.actor() {
            Actor::Thread(thread) => {
                let (block, thread) = extents.split(thread);
                released.get(Lane::Thread, block, thread) >= write.epoch
            }
            Actor::Async(thread) => {
                let (block, thread) = extents.split(thread);
                released.get(Lane::Async, block, thread) >= write.epoch
            }
            Actor::Copy { id, writes } => self
                .copies
                .get(id as usize)
                .is_none_or(|copy| copy.is_known(released, writes, extents)),
        }
    }
}
