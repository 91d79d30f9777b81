//! What a clash of two accesses is called, and what is said of it.

use super::{
    Checker, Kind,
    access::{Clash, Conflict, Judge, Made},
    clock::Lane,
    copies::{CopyInfo, Done},
    raw::words,
    shadow::Actor,
};
use crate::observer::AccessKind;

impl Checker {
    /// Reports a clash.
    pub(super) fn clash(&mut self, made: &Made, conflict: Conflict) {
        let here = self.end_made(made, conflict.range);
        if conflict.clash == Clash::Unwritten {
            let note = format!("{} were not written", words(conflict.range));
            self.report(Kind::UninitialisedRead, here, None, |_| vec![note]);
            return;
        }
        let there = self.end_of(conflict.earlier, conflict.earlier_kind, conflict.range);
        let (kind, notes) = match conflict.clash {
            Clash::Mbarrier => (Kind::MbarrierOverwritten, Vec::new()),
            Clash::Unfenced => (Kind::MissingProxyFence, Vec::new()),
            _ => self.name(made, &conflict),
        };
        self.report(kind, here, Some(there), |_| notes);
    }

    /// The kind of two accesses that are not ordered.
    fn name(&self, made: &Made, conflict: &Conflict) -> (Kind, Vec<String>) {
        let (block, thread) = (made.origin.block as u32, made.origin.thread);
        let state = self.grid.blocks.get(block);
        let Some(state) = state.and_then(|block| block.threads.get(thread as usize)) else {
            return (Kind::DataRace, Vec::new());
        };
        let judge = Judge {
            extents: &self.grid.extents,
            copies: &self.copies,
            known: &state.known,
            own: &state.own,
            copy: made.copy,
        };
        if judge.knows(state.known.wide(), conflict.earlier) {
            let notes = vec![self.scopes(conflict, block)];
            return (Kind::ScopeTooNarrow, notes);
        }
        let reads = made.kind == AccessKind::Read;
        match conflict.earlier.actor() {
            Actor::Copy { id, writes } => {
                let Some(copy) = self.copies.get(id as usize) else {
                    return (Kind::DataRace, Vec::new());
                };
                if writes && reads {
                    self.read_of_copy(&judge, copy)
                } else if writes {
                    (Kind::DestinationOverwritten, vec![self.completes(copy)])
                } else {
                    self.write_to_source(&judge, conflict, copy)
                }
            }
            Actor::Async(_) if reads => {
                let note =
                    "the copy is a `cp.async`: the thread that issued it waits, then all meet";
                (Kind::ReadBeforeCompletion, vec![note.into()])
            }
            _ if made.copy.is_some() && conflict.earlier_kind == AccessKind::Read => {
                (Kind::StageStillRead, Vec::new())
            }
            _ => (Kind::DataRace, Vec::new()),
        }
    }

    /// Whether the thread knows that the copy was issued.
    fn knows_issue(judge: &Judge<'_>, copy: &CopyInfo) -> bool {
        let (block, thread) = judge.extents.split(copy.issuer);
        (block, thread) == (judge.own.block, judge.own.thread)
            || judge.known.order.get(Lane::Thread, block, thread) >= copy.issue_epoch
    }

    fn read_of_copy(&self, judge: &Judge<'_>, copy: &CopyInfo) -> (Kind, Vec<String>) {
        let mut notes = vec![self.completes(copy)];
        let Done::Mbarrier { block, id, .. } = copy.done else {
            let (issuer_block, issuer) = judge.extents.split(copy.issuer);
            let read = judge.known.order.get(Lane::BulkRead, issuer_block, issuer);
            if read >= copy.epoch {
                notes.push(
                    "the wait was with `.read`, which says only that the source was read".into(),
                );
            }
            return (Kind::ReadBeforeCompletion, notes);
        };
        let waited = judge.known.order.mbarrier(block, id);
        if waited == 0 {
            notes.push("the thread knows of no completed phase of this mbarrier".into());
            return (Kind::ReadBeforeCompletion, notes);
        }
        notes.push(format!(
            "the last phase of this mbarrier that the thread waited for is {}",
            waited - 1
        ));
        match Self::knows_issue(judge, copy) {
            true => (Kind::WrongPhase, notes),
            false => (Kind::StageStillRead, notes),
        }
    }

    fn write_to_source(
        &self,
        judge: &Judge<'_>,
        conflict: &Conflict,
        copy: &CopyInfo,
    ) -> (Kind, Vec<String>) {
        let mut notes = vec![self.completes(copy)];
        if conflict.earlier.reads_map() {
            return (Kind::TensorMapChangedInUse, notes);
        }
        if !matches!(copy.done, Done::Group { .. }) || !Self::knows_issue(judge, copy) {
            return (Kind::DataRace, notes);
        }
        let (block, issuer) = judge.extents.split(copy.issuer);
        let waits = self.grid.blocks.get(block).map(|block| &block.vain_waits);
        let vain = waits.into_iter().flatten().find(|(thread, epoch, _)| {
            *thread != issuer
                && (judge.own.thread == *thread
                    || judge.known.order.get(Lane::Thread, block, *thread) >= *epoch)
        });
        match vain {
            Some((thread, ..)) => {
                notes.push(format!(
                    "thread {thread} waited, and has no bulk groups; thread {issuer} has"
                ));
                (Kind::GroupWaitByOtherThread, notes)
            }
            None => (Kind::StoreSourceOverwritten, notes),
        }
    }

    /// How a copy completes.
    pub(super) fn completes(&self, copy: &CopyInfo) -> String {
        match copy.done {
            Done::Group { .. } => {
                let (_, thread) = self.grid.extents.split(copy.issuer);
                format!("the copy belongs to a bulk group of thread {thread}")
            }
            Done::Mbarrier { block, id, .. } => match self.mbarriers.get(block, id) {
                Some(object) => format!(
                    "the copy counts in phase {} of the mbarrier at shared address {:#x} of block {block}",
                    copy.epoch.saturating_sub(1),
                    object.offset
                ),
                None => "the copy counts at an mbarrier that is gone".into(),
            },
        }
    }

    fn scopes(&self, conflict: &Conflict, block: u32) -> String {
        let there = self.end_of(conflict.earlier, conflict.earlier_kind, conflict.range);
        if there.block == block {
            return "one of the threads between is in another block".into();
        }
        let extents = &self.grid.extents;
        let same = extents.cluster(there.block) == extents.cluster(block);
        match same {
            true => "the two are in different blocks of a cluster: `.cluster` is needed".into(),
            false => "the two are in different clusters: `.gpu` is needed".into(),
        }
    }
}
