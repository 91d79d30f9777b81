//! Waits that can pass for another phase than the one that a thread needs, and waits with unused results.

use crate::{
    check::{checker::Checker, finding::FindingEnd, kind::DiagnosticKind},
    machine::observer::Origin,
};

impl Checker {
    /// Reports a wait for a phase by a thread that does not know that the previous phase is complete. By its
    /// parity the wait can pass for an earlier phase, or it was meant for an earlier phase that the thread has
    /// not seen.
    pub(super) fn waits_out_of_turn(
        &mut self,
        origin: Origin,
        at: (u32, u64),
        phase: u64,
        by_parity: bool,
    ) {
        let extents = self.grid.extents;
        let block = self.grid.blocks.get(origin.block as u32);
        let state = block.and_then(|block| block.threads.get(origin.thread as usize));
        let (Some(state), Some(object)) = (state, self.mbarriers.objects.get(&at)) else {
            return;
        };
        let known = object.phases_waited(at.0, state);
        let is_in_turn = phase <= known || phase <= object.phases_known(at.0, state, &extents);
        // A wait by state must use the state of the current or the previous phase (9.7.13.15.16).
        let is_old = phase + 1 < object.phase;
        if is_in_turn && !is_old {
            return;
        }
        let (id, offset, completer) = (object.id, object.offset, object.completer);
        if by_parity && !(phase - known).is_multiple_of(2) {
            return self.waits_early(origin, at, phase, (id, offset));
        }
        let last = object.phase.saturating_sub(1);
        let instruction = completer.map_or(usize::MAX, |by| by.instruction);
        let key = (
            DiagnosticKind::LappedWaiter,
            origin.instruction,
            instruction,
        );
        // A thread that polls is reported once.
        if phase < known + 2 && !is_old || self.known.contains_key(&key) {
            return;
        }
        if let Some(by) = completer {
            self.waits_again(by);
        }
        let mbarrier = self.shared_names.mbarrier(offset);
        let what = match is_old {
            true => format!("waits for phase {phase} of the {mbarrier}, by its state"),
            false => format!("waits at the {mbarrier} and has not seen its phase {known}"),
        };
        let note = match is_old {
            true => {
                "a state must be from the current phase or the one before; the result for an older one is undefined"
            }
            false => "the wait is not ordered before the arrivals and copies of the next phase",
        };
        let there = completer.map(|by| FindingEnd::new(by, format!("completes its phase {last}")));
        self.report(
            DiagnosticKind::LappedWaiter,
            FindingEnd::new(origin, what),
            there,
            |_| vec![note.into()],
        )
        .about(Some((at.0, id)));
    }

    /// Reports a wait for a phase that may pass for the one two before it: it is not ordered after the phase
    /// between.
    pub(super) fn waits_early(
        &mut self,
        origin: Origin,
        at: (u32, u64),
        phase: u64,
        (id, offset): (u32, u64),
    ) {
        // A thread that polls is reported once.
        if self
            .known
            .contains_key(&(DiagnosticKind::WrongPhase, origin.instruction, usize::MAX))
        {
            return;
        }
        let mbarrier = self.shared_names.mbarrier(offset);
        let between = phase - 1;
        let here = FindingEnd::new(origin, format!("waits for phase {phase} of the {mbarrier}"));
        let earlier = match between.checked_sub(1) {
            Some(earlier) => format!("phase {earlier}"),
            None => "the phase before the first".into(),
        };
        let note = format!(
            "the thread cannot know that phase {between} is complete: a wait before that passes at once, \
             for {earlier}, whose parity is the same"
        );
        self.report_once(DiagnosticKind::WrongPhase, here, usize::MAX, |_| vec![note])
            .about(Some((at.0, id)));
    }

    /// Reports a thread that has lapped others, if it waited twice for the same phase of some barrier.
    pub(super) fn waits_again(&mut self, by: Origin) {
        let block = by.block as u32;
        let user = self.grid.extents.thread(block, by.thread);
        let again = self.mbarriers.of_block(block).filter_map(|object| {
            let (origin, next) = object.stale.get(&user)?;
            let phase = next.checked_sub(1)?;
            Some((*origin, phase, object.id, object.offset))
        });
        let Some((origin, phase, id, offset)) = again.min_by_key(|(.., id, _)| *id) else {
            return;
        };
        let mbarrier = self.shared_names.mbarrier(offset);
        let what = format!("waits again for phase {phase} of the {mbarrier}");
        let note =
            format!("the thread has waited for phase {phase} before: the wait passes at once");
        self.report_once(
            DiagnosticKind::WrongPhase,
            FindingEnd::new(origin, what),
            usize::MAX,
            |_| vec![note],
        )
        .about(Some((block, id)));
    }

    /// Reports a wait with an unused result, which does not make its thread wait.
    pub(super) fn wait_unused(&mut self, origin: Origin, at: (u32, u64)) {
        let Some(object) = self.mbarriers.objects.get(&at) else {
            return;
        };
        let (id, offset) = (object.id, object.offset);
        let mbarrier = self.shared_names.mbarrier(offset);
        let here = FindingEnd::new(origin, format!("waits at the {mbarrier}"));
        self.report_once(DiagnosticKind::UnusedWaitResult, here, usize::MAX, |_| {
            Vec::new()
        })
        .about(Some((at.0, id)));
    }
}
