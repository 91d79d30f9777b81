//! Starts and ends of threads and blocks.

use super::{
    checker::Checker,
    clock::{Clock, Lane},
    copy_table::Completion,
    finding::FindingEnd,
    grid::Thread,
    kind::DiagnosticKind,
};
use crate::machine::observer::{Origin, Range};

/// The action of the thread that ends its block.
pub(super) const ENDS: &str = "is the last of its block to end";
const NARROW: &str = "the scope of the synchronisation between the two does not include both";

impl Checker {
    pub(super) fn thread_start(&mut self, origin: Origin) {
        let number = origin.block as u32;
        let threads = self.grid.extents.threads;
        let cluster = self.grid.extents.cluster(number) as u32;
        let block = self.grid.blocks.entry(number);
        if block.threads.is_empty() {
            block.threads = (0..threads)
                .map(|thread| {
                    let mut state = Thread::default();
                    state.own.block = number;
                    state.own.cluster = cluster;
                    state.own.thread = thread;
                    state.own.epoch = 1;
                    state
                })
                .collect();
        }
        block.alive += 1;
    }

    /// Returns whether a block of the cluster is known to have started.
    pub(super) fn knows_block(&self, origin: Origin, of: u32) -> bool {
        let Some(block) = self.grid.blocks.get(origin.block as u32) else {
            return true;
        };
        let state = block.threads.get(origin.thread as usize);
        block.started.contains(&of) || state.is_none_or(|state| state.known.order.knows(of))
    }

    /// Checks an access to the shared memory of another block.
    pub(super) fn remote_access(&mut self, origin: Origin, of: u32, range: Range, what: &str) {
        let (block, thread) = (origin.block as u32, origin.thread);
        if !self.knows_block(origin, of) {
            let here = FindingEnd::new(origin, format!("{what} {}", self.words(range)));
            self.report(DiagnosticKind::PeerNotStarted, here, None, |_| Vec::new());
        }
        let user = self.grid.extents.thread(block, thread);
        let Some(state) = self.grid.thread(block, thread) else {
            return;
        };
        let epoch = state.own.epoch;
        if let Some(owner) = self.grid.blocks.get_mut(of) {
            owner.remote.insert(user, (epoch, origin.instruction));
        }
    }

    pub(super) fn thread_exit(&mut self, origin: Origin) {
        let (number, thread) = (origin.block as u32, origin.thread);
        let Some(block) = self.grid.blocks.get_mut(number) else {
            return;
        };
        let Some(state) = block.threads.get_mut(thread as usize) else {
            return;
        };
        let read = state.known.order.get(Lane::BulkRead, number, thread);
        let unread =
            (state.bulk.issued > read).then_some((state.bulk.issued - read, state.bulk.last));
        state.release_to(&mut block.ended);
        block.alive = block.alive.saturating_sub(1);
        let is_over = block.alive == 0;
        if let Some((count, instruction)) = unread {
            let there = FindingEnd {
                instruction,
                ..FindingEnd::new(origin, "issues a copy out of shared memory")
            };
            let here = FindingEnd::new(origin, "ends");
            let note = match count {
                1 => "1 copy of this thread was not waited for".to_owned(),
                _ => format!("{count} copies of this thread were not waited for"),
            };
            self.report(
                DiagnosticKind::ExitWithReadsInFlight,
                here,
                Some(there),
                |_| vec![note],
            );
        }
        if is_over {
            self.block_end(origin);
        }
    }

    /// Checks a block after its last thread has ended.
    fn block_end(&mut self, origin: Origin) {
        let number = origin.block as u32;
        let Some(block) = self.grid.blocks.remove(number) else {
            return;
        };
        let extents = self.grid.extents;
        let index = extents.index(number);
        self.released_maps.join(&block.ended);
        let ended = &block.ended.known;
        let named = |kind, is_known: &dyn Fn(&Clock) -> bool| match is_known(ended.wide()) {
            true => (DiagnosticKind::ScopeTooNarrow, vec![NARROW.to_owned()]),
            false => (kind, Vec::new()),
        };
        for copy in &block.copies {
            let Some(info) = self.copies.get(*copy as usize) else {
                continue;
            };
            let is_known = |clock: &Clock| info.is_known(clock, true, &extents);
            if is_known(&ended.order) || !matches!(info.done, Completion::Mbarrier { .. }) {
                continue;
            }
            let (kind, mut notes) = named(DiagnosticKind::ExitWithCopyInFlight, &is_known);
            let there = FindingEnd::new(
                info.origin,
                format!("issues a copy into or out of the shared memory of block {index:?}"),
            );
            notes.insert(0, self.completes(info));
            let here = FindingEnd::new(origin, ENDS);
            let mbarrier = info.mbarrier();
            self.report(kind, here, Some(there), |_| notes)
                .about(mbarrier);
        }
        let mut remote: Vec<_> = block.remote.iter().collect();
        remote.sort();
        for (user, (epoch, instruction)) in remote {
            let (of, thread) = extents.split(*user);
            let is_known = |clock: &Clock| clock.get(Lane::Thread, of, thread) >= *epoch;
            if is_known(&ended.order) {
                continue;
            }
            let (kind, notes) = named(DiagnosticKind::ExitWhilePeerAccesses, &is_known);
            let there = FindingEnd {
                block: of,
                thread,
                instruction: *instruction,
                what: format!("uses the shared memory of block {index:?}"),
            };
            let here = FindingEnd::new(origin, ENDS);
            self.report(kind, here, Some(there), |_| notes);
        }
        self.registers_at_end(&block);
        self.mbarriers_at_end(number);
        self.shadow.forget(number);
    }
}
