//! Makes a diagnostic of the fault that ended a kernel.

use super::{
    checker::Checker,
    diagnostic::{Diagnostic, Site},
    finding::Fix,
    kind::DiagnosticKind,
    meetings::Group,
};
use crate::machine::{Fault, FaultAt, Places, Program, Stuck, Trap};

impl Checker {
    /// Returns the diagnostic of a fault.
    pub(super) fn fault(
        &mut self,
        fault: &Fault,
        program: &Program,
        places: &Places,
        entry: &str,
    ) -> Diagnostic {
        let mut notes: Vec<String> = Vec::new();
        let mut fix = fault.stuck.map(Fix::Stuck);
        let kind = match fault.trap {
            Trap::IllegalAddress => DiagnosticKind::OutOfBounds,
            Trap::MisalignedAddress => DiagnosticKind::Misaligned,
            Trap::IllegalInstruction => DiagnosticKind::IllegalInstruction,
            Trap::LaunchFailed | Trap::Assert => DiagnosticKind::Trapped,
            Trap::Panicked => DiagnosticKind::Panicked,
            Trap::InvalidCollective => DiagnosticKind::InvalidCollective,
            Trap::MbarrierUninitialised => DiagnosticKind::MbarrierUninitialised,
            Trap::MbarrierOverflow => DiagnosticKind::MbarrierOverflow,
            Trap::PeerEnded => DiagnosticKind::ExitWhilePeerAccesses,
            Trap::MapInLocalMemory => DiagnosticKind::MapInLocalMemory,
            Trap::UseAfterFree => DiagnosticKind::UseAfterFree,
            Trap::DoubleFree => DiagnosticKind::DoubleFree,
            Trap::InvalidFree => DiagnosticKind::InvalidFree,
            Trap::Deadlock if fault.stuck == Some(Stuck::MasksDiffer) => {
                DiagnosticKind::InvalidCollective
            }
            Trap::Deadlock => DiagnosticKind::Deadlock,
            Trap::Endless => DiagnosticKind::Endless,
        };
        if kind == DiagnosticKind::UseAfterFree && fault.freed_by.is_none() {
            fix = Some(Fix::FreedByHost);
        }
        if kind == DiagnosticKind::Deadlock {
            notes.extend(self.bytes_at_deadlock(program));
        }
        let description = fault.what.as_str();
        // The title of the kind already states that no thread can make progress.
        let what = match kind {
            DiagnosticKind::Deadlock => description
                .split_once('\n')
                .map_or(description, |(_, who)| who.trim_start()),
            _ => description,
        };
        let panic_message = (kind == DiagnosticKind::Panicked).then(|| what.to_owned());
        let what = if panic_message.is_some() {
            "panics"
        } else {
            what
        }
        .to_owned();
        let site = |at: &FaultAt, what: String| Site {
            location: at.location.clone(),
            function: entry.to_owned(),
            instruction: at.instruction.clone(),
            block: at.block,
            thread: at.thread,
            what,
        };
        let (last_to_fit, wait) = std::mem::take(&mut self.mbarriers.one_too_many);
        notes.extend(wait.map(|wait| wait.note(program, &self.sites)));
        let there = match &fault.freed_by {
            Some(by) => Some(site(by, "has freed the memory".to_owned())),
            None => last_to_fit.map(|end| end.site(program, &self.sites, places)),
        };
        let here = fault.at.as_ref().map(|at| {
            let what = match panic_message {
                Some(_) => what.clone(),
                None => format!("fails: {}", what.lines().next().unwrap_or_default()),
            };
            site(at, what)
        });
        match here {
            None => notes.push(what),
            Some(_) => notes.extend(what.lines().skip(1).map(str::to_owned)),
        }
        notes.extend_from_slice(&fault.chains);
        if kind == DiagnosticKind::Deadlock {
            notes.extend(self.notes_of_meetings(program, Group::Warp));
            let unreleased = self.unreleased_stages(&fault.what, program);
            fix = fix.or((!unreleased.is_empty()).then_some(Fix::Unreleased));
            notes.extend(unreleased);
        }
        Diagnostic {
            kind,
            panic_message,
            entry: entry.to_owned(),
            here,
            there,
            notes,
            count: 1,
            trap: Some(fault.trap),
            fix: fix.map(|fix| self.fix(fix)),
            is_note: false,
            schedule: None,
        }
    }
}
