//! Launches that may still run while the next one does (programmatic dependent launches). A grid that has
//! executed `griddepcontrol.launch_dependents` lets the next one begin. The next one does not know of the
//! grid's accesses before it has executed `griddepcontrol.wait`. PTX ISA 9.7.13.13.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    access::CurrentAccess,
    checker::Checker,
    clock::Lane,
    diagnostic::Site,
    finding::FindingEnd,
    in_flight::{Dependency, EarlierLaunch, FinishedLaunch, InFlight},
    kind::DiagnosticKind,
    shadow::Access,
};
use crate::machine::{
    Places, Program,
    observer::{AccessKind, Memory, Origin, Range, Scope},
};

/// Number of earlier launches to compare against.
const MOST: usize = 8;
/// A block number that no grid has: its only thread represents the earlier launches.
const LAUNCHES_BEFORE: u32 = u32::MAX;

impl Checker {
    /// Records that a thread waits for the earlier launches.
    pub(super) fn grid_wait(&mut self, origin: Origin) {
        self.dependency.waits = true;
        if self.in_flight.is_empty() {
            return;
        }
        if let Some(thread) = self.grid.thread(origin.block as u32, origin.thread) {
            let order = &mut thread.known.order;
            order.raise(Lane::Thread, LAUNCHES_BEFORE, 0, 1);
            if thread.known.has_wide() {
                let wide = thread.known.wide_mut();
                wide.raise(Lane::Thread, LAUNCHES_BEFORE, 0, 1);
            }
        }
    }

    /// Records that a thread lets the next launch begin.
    pub(super) fn grid_lets_next(&mut self, origin: Origin) {
        self.dependency.lets = true;
        self.dependency.lets_early |= !self.knows_launches_before(origin);
    }

    fn knows_launches_before(&self, origin: Origin) -> bool {
        let block = self.grid.blocks.get(origin.block as u32);
        let thread = block.and_then(|block| block.threads.get(origin.thread as usize));
        thread.is_none_or(|thread| {
            let order = &thread.known.order;
            order.get(Lane::Thread, LAUNCHES_BEFORE, 0) > 0
        })
    }

    /// Compares an access with earlier launches that may still run.
    pub(super) fn compare_in_flight(&mut self, current: &CurrentAccess, range: Range) {
        if range.memory != Memory::Global {
            return;
        }
        let knows = self.knows_launches_before(current.origin);
        let launches = std::mem::take(&mut self.in_flight);
        let in_flight = launches.0.iter();
        let in_flight = in_flight.filter(|earlier| !(knows && earlier.is_awaited));
        for EarlierLaunch { done, .. } in in_flight {
            let mut found: Vec<(Access, AccessKind, u64)> = Vec::new();
            let mut add = |access: Access, kind, at| {
                let is_known = |other: &(Access, AccessKind, u64)| {
                    other.0.instruction() == access.instruction() && other.1 == kind
                };
                if !access.is_none()
                    && !are_strong(access, current.access)
                    && !found.iter().any(is_known)
                {
                    found.push((access, kind, at));
                }
            };
            let (address, bytes) = (range.address, range.bytes.into());
            done.past.look(address, bytes, |write, readers, at| {
                add(write, AccessKind::Write, at);
                if current.kind != AccessKind::Read {
                    readers
                        .iter()
                        .for_each(|read| add(*read, AccessKind::Read, at));
                }
            });
            for (access, kind, at) in found {
                let end = range.address + u64::from(range.bytes);
                let part = Range {
                    address: at,
                    bytes: (end - at).min(4 - at % 4) as u32,
                    ..range
                };
                self.not_awaited(current, part, done, (access, kind));
            }
        }
        self.in_flight = launches;
    }

    fn not_awaited(
        &mut self,
        current: &CurrentAccess,
        range: Range,
        done: &FinishedLaunch,
        of: (Access, AccessKind),
    ) {
        let what = self.words(range);
        let (access, kind) = of;
        let here = FindingEnd::new(current.origin, self.end_of_current(current, range).what);
        let note = match (
            self.dependency.waits,
            self.knows_launches_before(current.origin),
        ) {
            (_, true) => {
                "the launch between the two did not wait, so its end does not order the launch before it"
            }
            (true, false) => "no `griddepcontrol.wait` is ordered before this access",
            (false, false) => "no thread has executed `griddepcontrol.wait` before this access",
        };
        // Instructions of the other launch get numbers of their own.
        let second = usize::MAX / 2 + access.instruction();
        let finding = self.report_once(DiagnosticKind::MissingGridWait, here, second, |_| {
            vec![note.to_owned()]
        });
        if finding.elsewhere.is_none() {
            finding.elsewhere = Some(done.site(access, kind, &what));
        }
    }

    /// Returns the launches that may still run when the next one begins, if it may begin early.
    pub(crate) fn leave_in_flight(
        &mut self,
        program: &Program,
        places: &Places,
        entry: &str,
    ) -> InFlight {
        let Dependency {
            waits,
            lets,
            lets_early,
        } = self.dependency;
        let mut launches = std::mem::take(&mut self.in_flight).0;
        // The next launch begins when each block lets it, or is over.
        let are_over = waits && !lets_early;
        for earlier in &mut launches {
            earlier.is_awaited &= waits;
        }
        launches.retain(|earlier| !(are_over && earlier.is_awaited));
        if lets {
            let past = self.shadow.take_past();
            let mut sites = BTreeMap::new();
            let numbers = &self.sites;
            past.each(|access| {
                let instruction = access.instruction();
                sites.entry(instruction).or_insert_with(|| Site {
                    location: numbers.location(program, instruction),
                    function: numbers.function(program, instruction).to_owned(),
                    instruction: numbers.opcode(program, instruction).to_owned(),
                    ..Site::default()
                });
            });
            let done = FinishedLaunch {
                entry: entry.to_owned(),
                past,
                places: *places,
                extents: self.grid.extents,
                issuers: self.copies.issuers(),
                sites,
            };
            launches.push(EarlierLaunch {
                done: Arc::new(done),
                is_awaited: true,
            });
            launches.drain(..launches.len().saturating_sub(MOST));
        }
        InFlight(launches)
    }
}

/// Returns whether both are strong, in the same proxy, on the same bytes as a whole, and have scopes that
/// include both grids (PTX ISA 8.7.1).
fn are_strong(one: Access, other: Access) -> bool {
    let is_wide = |access: Access| access.scope() == Some(Scope::Gpu);
    is_wide(one) && is_wide(other) && one.is_like(other)
}
