//! Barriers at which threads met by two different instructions that count as the same barrier.

use super::{
    checker::{Checker, Meeting},
    finding::Finding,
    kind::DiagnosticKind,
};
use crate::{
    machine::{Program, observer::Origin},
    value::LANES,
};

/// Limit of remembered meetings, one for each pair of instructions.
const MOST: usize = 8;

/// The group of threads that both ends of a diagnostic are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Warp,
    Block,
}

impl Checker {
    /// Records that a thread arrives at `__syncthreads`.
    pub(super) fn meets_block(&mut self, origin: Origin, generation: u64) {
        let Some(block) = self.grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        let (of, first) = block.syncs.unwrap_or((generation, origin.instruction));
        if of == generation && first != origin.instruction {
            self.meets(false, first, origin.instruction);
        } else if block.syncs.is_none_or(|(of, _)| of != generation) {
            block.syncs = Some((generation, origin.instruction));
        }
    }

    /// Lanes of a warp are at two different `bar.warp.sync`.
    pub(super) fn meets_lanes(&mut self, one: Origin, other: Origin) {
        self.meets(true, one.instruction, other.instruction);
    }

    fn meets(&mut self, is_of_warp: bool, one: usize, other: usize) {
        let meeting = Meeting {
            is_of_warp,
            instructions: [one.min(other), one.max(other)],
        };
        if self.meetings.len() < MOST && !self.meetings.contains(&meeting) {
            self.meetings.push(meeting);
        }
    }

    /// Returns the meetings that may explain why threads of one group are not ordered, or wait for ever.
    pub(super) fn notes_of_meetings(&self, program: &Program, group: Group) -> Vec<String> {
        let of_group = self.meetings.iter().filter(|meeting| match group {
            Group::Warp => true,
            Group::Block => !meeting.is_of_warp,
        });
        let notes = of_group.filter_map(|meeting| {
            let [one, other] = meeting.instructions.map(|instruction| {
                let location = self.sites.location(program, instruction);
                (self.sites.opcode(program, instruction), location)
            });
            let line = |location: &crate::machine::Location| {
                let (inlined, calls) = (location.inlined.clone(), location.calls.clone());
                (location.line_of_source(), inlined, calls)
            };
            // Compilers copy a barrier into several arms.
            if line(&one.1) == line(&other.1) {
                return None;
            }
            let who = match meeting.is_of_warp {
                true => "lanes of a warp",
                false => "threads of a block",
            };
            Some(format!(
                "{who} met at two different barriers, which counted as the same one: `{}` at {} and `{}` at {}",
                one.0, one.1, other.0, other.1
            ))
        });
        notes.collect()
    }

    /// Returns the notes of meetings that a finding may follow from.
    pub(super) fn meetings_before(&self, finding: &Finding, program: &Program) -> Vec<String> {
        let is_of_order = matches!(
            finding.kind,
            DiagnosticKind::DataRace
                | DiagnosticKind::SameValueRace
                | DiagnosticKind::ReadBeforeCompletion
                | DiagnosticKind::DestinationOverwritten
                | DiagnosticKind::StageStillRead
                | DiagnosticKind::StoreSourceOverwritten
                | DiagnosticKind::MissingProxyFence
                | DiagnosticKind::UninitialisedRead
                | DiagnosticKind::UninitialisedUse
                | DiagnosticKind::MbarrierUninitialised
                | DiagnosticKind::MbarrierInitNotPublished
        );
        match finding.group().filter(|_| is_of_order) {
            Some(group) => self.notes_of_meetings(program, group),
            None => Vec::new(),
        }
    }
}

impl Finding {
    /// Returns the smallest group of threads that contains both ends; for one end alone, its block.
    fn group(&self) -> Option<Group> {
        let (Some(here), None) = (&self.here, &self.elsewhere) else {
            return None;
        };
        let there = self.there.as_ref();
        let warp = |thread: u32| thread / LANES as u32;
        match there {
            Some(there) if there.block != here.block => None,
            Some(there) if warp(there.thread) == warp(here.thread) => Some(Group::Warp),
            _ => Some(Group::Block),
        }
    }
}
