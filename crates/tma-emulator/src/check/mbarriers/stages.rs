//! Stages of a pipeline that a deadlock waits for, and the threads that have not released them.

use std::collections::BTreeMap;

use super::state::MbarrierState;
use crate::{
    check::{
        checker::Checker,
        finding::{FindingEnd, RelatedInstruction},
    },
    machine::Program,
    value::{LANES, lane_names},
};

/// The number of stages that are listed.
const LISTED: usize = 4;

/// A thread by its warp and lane; a warp has a bit for each lane.
type Warps = BTreeMap<u32, u32>;

impl MbarrierState {
    /// Returns the threads of the block that have waited for a phase, and one of these waits.
    fn takers(&self, phase: u64) -> Option<(Warps, FindingEnd)> {
        let waits = self.waited.values().filter(|wait| wait.phase >= phase);
        let mut waits: Vec<_> = waits.map(|wait| wait.origin).collect();
        waits.sort_by_key(|origin| origin.thread);
        let warps = by_warp(waits.iter().map(|origin| origin.thread));
        let first = waits.first()?;
        Some((warps, FindingEnd::new(*first, "")))
    }
}

fn by_warp(threads: impl Iterator<Item = u32>) -> Warps {
    let mut warps = Warps::new();
    for thread in threads {
        *warps.entry(thread / LANES as u32).or_default() |= 1 << (thread % LANES as u32);
    }
    warps
}

impl Checker {
    /// Returns a note for each `empty` barrier of a ring that a deadlock waits at: the threads that took the
    /// stage and have not released it.
    pub(in crate::check) fn unreleased_stages(
        &self,
        deadlock: &str,
        program: &Program,
    ) -> Vec<String> {
        let mut all: Vec<_> = self.mbarriers.objects.iter().collect();
        all.retain(|(_, object)| object.is_valid());
        all.sort_by_key(|(at, _)| **at);
        let notes = all.into_iter().filter_map(|((block, offset), empty)| {
            let barrier = self.shared_names.rings.find(*offset)?;
            if barrier.is_full || !names(deadlock, &barrier.to_string()) {
                return None;
            }
            let full = self.mbarriers.objects.get(&(*block, barrier.other))?;
            let (takers, first) = full.takers(empty.phase)?;
            let releases = empty.arrivals.all.iter();
            let releases = releases.map(|arrival| self.grid.extents.split(arrival.user));
            let releases = releases.filter(|(of, _)| of == block);
            let releases = by_warp(releases.map(|(_, thread)| thread));
            // Either each thread releases the stage, or one of each warp does, or one of all.
            let of_threads = barrier.count as usize > takers.len();
            let missing = takers.iter().filter_map(|(warp, lanes)| {
                let released = releases.get(warp).copied().unwrap_or(0);
                let missing = match of_threads {
                    true => lanes & !released,
                    false if released != 0 => 0,
                    false => *lanes,
                };
                (missing != 0).then(|| format!("warp {warp} {}", lane_names(missing)))
            });
            let missing: Vec<String> = missing.collect();
            let is_over = missing.is_empty() || barrier.count == 1 && !releases.is_empty();
            if is_over {
                return None;
            }
            let index = self.grid.extents.index(*block);
            let call = match barrier.count {
                1 => "`release()` or `store`",
                _ => "`release()`",
            };
            let other = RelatedInstruction {
                instruction: first.instruction,
                what: format!(
                    "{call} is missing: stage {} of {} was taken but not released by {} of block {index:?}",
                    barrier.stage,
                    barrier.ring(),
                    missing.join(", ")
                ),
            };
            Some(other.note(program, &self.sites))
        });
        notes.take(LISTED).collect()
    }
}

/// Returns whether a text has a name that ends in a number, and not one that goes on with another digit.
fn names(text: &str, name: &str) -> bool {
    let mut found = text.match_indices(name);
    found.any(|(at, _)| {
        let next = text[at + name.len()..].chars().next();
        next.is_none_or(|next| !next.is_ascii_digit())
    })
}
