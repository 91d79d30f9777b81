//! Writes of earlier launches that were not released in the tensormap proxy: the end of a launch
//! orders accesses, but a tensor map that changed needs a release and an acquire all the same. PTX
//! ISA 8.9.4.

use std::collections::BTreeMap;

use super::{clock::Clock, knowledge::Distance, released::Released};

/// Bytes of global memory by the address where they begin; none overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unreleased(BTreeMap<u64, Bytes>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bytes {
    end: u64,
    /// Released, but not as far as to another launch.
    is_narrow: bool,
}

impl Unreleased {
    /// Returns `None` for any other byte, and else whether it was released at all.
    pub(super) fn is_narrow(&self, address: u64) -> Option<bool> {
        let (_, bytes) = self.0.range(..=address).next_back()?;
        (address < bytes.end).then_some(bytes.is_narrow)
    }

    /// Drops bytes that were freed, or written by the host.
    pub(crate) fn forget(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        if let Some((_, before)) = self.0.range_mut(..start).next_back()
            && before.end > start
        {
            let rest = *before;
            before.end = start;
            if rest.end > end {
                self.0.insert(end, rest);
            }
        }
        while let Some((&at, &bytes)) = self.0.range(start..end).next() {
            self.0.remove(&at);
            if bytes.end > end {
                self.0.insert(end, bytes);
            }
        }
    }

    /// Adds bytes, or updates their entry.
    pub(super) fn add(&mut self, start: u64, end: u64, is_narrow: bool) {
        self.forget(start, end);
        if let Some((_, before)) = self.0.range_mut(..start).next_back()
            && before.end == start
            && before.is_narrow == is_narrow
        {
            before.end = end;
        } else {
            self.0.insert(start, Bytes { end, is_narrow });
        }
    }
}

/// The releases in the tensormap proxy by blocks that have ended.
#[derive(Debug, Default)]
pub(super) struct ReleasedMaps {
    pub(super) near: Clock,
    pub(super) far: Clock,
}

impl ReleasedMaps {
    pub(super) fn join(&mut self, ended: &Released) {
        let released = &ended.known.released;
        self.near.join(&released[Distance::SameBlock as usize]);
        self.far.join(&released[Distance::Far as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_launch_counts() {
        let mut left = Unreleased::default();
        left.add(16, 32, true);
        left.add(48, 64, true);
        left.add(24, 40, false);
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

    #[test]
    fn what_the_host_writes_is_forgotten() {
        let mut left = Unreleased::default();
        left.add(16, 32, false);
        left.add(32, 64, false);
        assert_eq!(left.0.len(), 1);
        left.forget(24, 40);
        left.forget(60, 100);
        left.forget(0, 17);
        let known: Vec<u64> = (0..100)
            .filter(|at| left.is_narrow(*at).is_some())
            .collect();
        assert_eq!(known, (17..24).chain(40..60).collect::<Vec<_>>());
    }
}
