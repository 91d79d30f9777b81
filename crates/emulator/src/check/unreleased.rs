//! What earlier launches wrote and did not release in the tensormap proxy: the end of a launch orders
//! accesses, but a tensor map that changed needs a release and an acquire all the same. PTX ISA 8.9.4.

use super::{
    Checker,
    clock::{Clock, Lane},
    knowledge::{Distance, Released},
    shadow::{Access, Actor},
};

/// Bytes of global memory: for each launch, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unreleased(Vec<Vec<Bytes>>);

#[derive(Clone, Debug)]
struct Bytes {
    start: u64,
    end: u64,
    /// Released, but not as far as to another launch.
    is_narrow: bool,
}

impl Unreleased {
    /// Whether the byte is one of them, and then whether it was released at all.
    pub(super) fn is_narrow(&self, address: u64) -> Option<bool> {
        self.0.iter().rev().find_map(|launch| {
            let next = launch.partition_point(|bytes| bytes.end <= address);
            let bytes = launch.get(next).filter(|bytes| bytes.start <= address);
            bytes.map(|bytes| bytes.is_narrow)
        })
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
        let mut launch: Vec<Bytes> = Vec::new();
        self.shadow.global_writes(|start, bytes, write| {
            if self.covers(&self.released_maps.far, write) {
                return;
            }
            let (end, is_narrow) = (start + bytes, self.covers(&self.released_maps.near, write));
            match launch.last_mut() {
                Some(last) if last.end == start && last.is_narrow == is_narrow => last.end = end,
                _ => launch.push(Bytes {
                    start,
                    end,
                    is_narrow,
                }),
            }
        });
        left.0.push(launch);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_launch_counts() {
        let bytes = |start, end, is_narrow| Bytes {
            start,
            end,
            is_narrow,
        };
        let first = vec![bytes(16, 32, true), bytes(48, 64, true)];
        let left = Unreleased(vec![first, vec![bytes(24, 40, false)]]);
        for (address, is_narrow) in [
            (15, None),
            (16, Some(true)),
            (24, Some(false)),
            (39, Some(false)),
            (40, None),
            (63, Some(true)),
            (64, None),
        ] {
            assert_eq!(left.is_narrow(address), is_narrow, "{address}");
        }
    }
}
