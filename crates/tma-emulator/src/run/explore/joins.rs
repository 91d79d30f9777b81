//! Lanes of a warp that have parted at a branch, and meet again at an operation.
//!
//! Where they meet depends on the schedule, unless the operation is one for several lanes, such as `bar.warp.sync`.

use std::collections::HashMap;

use super::event::{MbarrierUse, Use};

/// The lanes of each warp that have met, by its block and number: each mask has lanes that have not parted.
#[derive(Default)]
pub(super) struct Joins(HashMap<(u64, u32), Vec<u32>>);

impl Joins {
    /// Notes a step that brought groups of lanes together, if `met` has some. After an operation of all lanes of the warp they
    /// are together in every schedule.
    pub(super) fn add(&mut self, warp: (u64, u32), met: &[u32], is_of_all: bool) {
        if is_of_all {
            self.0.remove(&warp);
        } else if !met.is_empty() {
            let known = self.0.remove(&warp).unwrap_or_else(|| vec![u32::MAX]);
            let parts = known
                .iter()
                .flat_map(|old| met.iter().map(move |new| old & new));
            self.0
                .insert(warp, parts.filter(|part| *part != 0).collect());
        }
    }

    /// Returns whether these uses are of lanes that have met, and could differ if each part of them had its own turn.
    pub(super) fn are_together(&self, warp: (u64, u32), acting: u32, uses: &[Use]) -> bool {
        let parts = self.0.get(&warp).into_iter().flatten();
        let is_seen = |used: &Use| {
            matches!(
                used,
                Use::Bytes { .. } | Use::Mbarrier(_, MbarrierUse::Test { .. }) | Use::Heap
            )
        };
        parts.filter(|part| *part & acting != 0).count() > 1 && uses.iter().any(is_seen)
    }
}

/// Returns the groups before a step whose lanes are in one group after it.
pub(super) fn met(before: &[u32], after: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all = Vec::new();
    for group in after {
        let parts = before.iter().map(|old| old & group);
        let parts: Vec<u32> = parts.filter(|part| *part != 0).collect();
        if parts.len() > 1 {
            all.extend(parts);
        }
    }
    all
}
