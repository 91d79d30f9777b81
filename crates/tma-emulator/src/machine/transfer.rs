//! Copies in flight. They progress in pieces, at times that the schedule chooses.

use super::{
    Here, Located, Mbarrier, ReportCondition, SHARED_RANK_SHIFT, Space, Trap, Trapped, World,
    observer::{AccessKind, Event, MbarrierEvent, Observer, Origin, Proxy, Scope, Sem},
};
use crate::value::{Reduction, round_to_tf32};

/// One end of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Global(u64),
    /// Rank of the block in the cluster, and offset.
    Shared(usize, usize),
}

/// Bytes that go from one address to another at once.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// `None` if `data` is known from the start, such as the fill value of elements out of bounds.
    pub(crate) from: Option<Target>,
    pub(crate) to: Target,
    pub(crate) bytes: usize,
    /// The bytes that were read, or the fill.
    pub(crate) data: Vec<u8>,
}

/// The mechanism that signals the completion of a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Completion {
    /// The mbarrier at this offset in the block of this rank counts the bytes.
    Mbarrier { rank: usize, offset: usize },
    /// A bulk group of the issuing thread.
    Bulk { group: u64 },
    /// A group of `cp.async` of the issuing thread.
    Async { group: u64 },
    /// No signal; the block's memory stays until the copy is done.
    Nobody,
    /// An arrival, not a copy: at this mbarrier of the issuing thread's block, once all earlier `cp.async`
    /// of the thread are complete.
    Arrival { offset: usize },
}

/// A copy in flight.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub(crate) id: u64,
    pub(crate) origin: Origin,
    pub(crate) here: Here,
    /// Pieces not yet read.
    pub(crate) unread: Vec<Piece>,
    /// Pieces read, but not yet written.
    pub(crate) unwritten: Vec<Piece>,
    pub(crate) completion: Completion,
    pub(crate) reduction: Option<Reduction>,
    /// True if the data is rounded to tf32 when it is read.
    pub(crate) rounds_to_tf32: bool,
    /// Proxy of its accesses to memory.
    pub(crate) proxy: Proxy,
    /// Ordering of its writes.
    pub(crate) order: (Sem, Scope),
    /// The bytes that it reports to its barrier, and whether it has read any.
    pub(crate) report: Option<(ReportCondition, bool)>,
}

/// Closed groups without a wait that are worth a note: a loop lacks their wait.
pub(crate) const MANY_GROUPS: u64 = 1000;

/// A thread that has closed [`MANY_GROUPS`] groups without a wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwaited {
    /// The instruction that has issued the last copy.
    pub(crate) instruction: usize,
    pub(crate) block: [u32; 3],
    pub(crate) thread: u32,
}

/// Groups of copies of one thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct BulkGroups {
    /// Number of the open group.
    pub(crate) current: u64,
    /// The group after the last one that the thread has waited for.
    pub(crate) waited: u64,
    /// The instruction that has issued the last copy.
    pub(crate) last: Option<usize>,
    /// Group, copies that have not read everything, copies that are not complete; in the order of the groups.
    pub(crate) pending: Vec<(u64, u32, u32)>,
}

impl BulkGroups {
    /// Adds a copy by this instruction to the open group, and returns the group.
    pub(crate) fn add(&mut self, instruction: usize) -> u64 {
        let current = self.current;
        self.last = Some(instruction);
        match self.pending.last_mut() {
            Some((group, unread, incomplete)) if *group == current => {
                *unread += 1;
                *incomplete += 1;
            }
            _ => self.pending.push((current, 1, 1)),
        }
        current
    }

    /// Returns whether all but the last `allowed` groups are read, or complete.
    pub(crate) fn is_done(&self, allowed: u64, read: bool) -> bool {
        self.pending.iter().all(|(group, unread, incomplete)| {
            let waited_for = group.saturating_add(allowed) < self.current;
            !waited_for || (if read { *unread } else { *incomplete }) == 0
        })
    }

    /// Returns the closed groups that the thread has not waited for.
    pub(crate) fn unwaited(&self) -> u64 {
        self.current.saturating_sub(self.waited)
    }

    fn read(&mut self, group: u64) {
        if let Some(index) = self.index(group) {
            let (_, unread, _) = &mut self.pending[index];
            *unread = unread.saturating_sub(1);
        }
    }

    fn complete(&mut self, group: u64) {
        if let Some(index) = self.index(group) {
            let (_, _, incomplete) = &mut self.pending[index];
            *incomplete = incomplete.saturating_sub(1);
            if *incomplete == 0 {
                self.pending.remove(index);
            }
        }
    }

    fn index(&self, group: u64) -> Option<usize> {
        let found = self.pending.binary_search_by_key(&group, |(at, ..)| *at);
        found.ok()
    }
}

impl World {
    /// Records a thread, if it is the first one by its instruction.
    pub(crate) fn note_unwaited(&mut self, unwaited: Unwaited) {
        let mut known = self.unwaited.iter();
        if known.all(|known| known.instruction != unwaited.instruction) {
            self.unwaited.push(unwaited);
        }
    }

    /// Moves some pieces of some copy.
    pub(crate) fn progress_copy(&mut self, observer: &mut dyn Observer) -> Result<(), Trapped> {
        if self.transfers.is_empty() {
            return Ok(());
        }
        let index = self.rng.below(self.transfers.len());
        if self.is_held_back(index) {
            return Ok(());
        }
        let mut transfer = self.transfers.swap_remove(index);
        if let Completion::Arrival { offset } = transfer.completion {
            self.progress += 1;
            self.has_changed = true;
            return self.arrive(&transfer, offset, observer);
        }
        let result = self.progress_one(&mut transfer, observer);
        let is_complete = transfer.unread.is_empty() && transfer.unwritten.is_empty();
        if !is_complete {
            self.transfers.push(transfer);
        }
        self.progress += 1;
        self.has_changed = true;
        result
    }

    /// Moves all pieces of a copy.
    pub(crate) fn complete_copy(
        &mut self,
        index: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), Trapped> {
        let mut transfer = self.transfers.remove(index);
        self.progress += 1;
        self.has_changed = true;
        if let Completion::Arrival { offset } = transfer.completion {
            return self.arrive(&transfer, offset, observer);
        }
        loop {
            self.progress_one(&mut transfer, observer)?;
            if transfer.unread.is_empty() && transfer.unwritten.is_empty() {
                return Ok(());
            }
        }
    }

    /// Returns whether an arrival waits for copies of its thread.
    pub(crate) fn is_held_back(&self, index: usize) -> bool {
        let arrival = &self.transfers[index];
        let is_before = |copy: &Transfer| {
            matches!(copy.completion, Completion::Async { .. })
                && copy.id < arrival.id
                && copy.here.cluster == arrival.here.cluster
                && copy.here.rank == arrival.here.rank
                && copy.origin.thread == arrival.origin.thread
        };
        matches!(arrival.completion, Completion::Arrival { .. })
            && self.transfers.iter().any(is_before)
    }

    fn progress_one(
        &mut self,
        transfer: &mut Transfer,
        observer: &mut dyn Observer,
    ) -> Result<(), Trapped> {
        // Reads and writes of a copy overlap: either may come next.
        let reads =
            transfer.unwritten.is_empty() || (!transfer.unread.is_empty() && self.rng.one_in(2));
        if reads {
            let count = 1 + self.rng.below(transfer.unread.len());
            for _ in 0..count.min(transfer.unread.len()) {
                let Some(mut piece) = transfer.unread.pop() else {
                    break;
                };
                self.read_piece(transfer, &mut piece, observer)?;
                if let (Some((report, found)), Some(_)) = (&mut transfer.report, piece.from) {
                    *found |= report.is_in(&piece.data, |count| self.rng.below(count));
                }
                transfer.unwritten.push(piece);
            }
            if transfer.unread.is_empty() {
                self.tell(observer, transfer, Event::CopyRead(transfer.id));
                let (kind, thread) = (transfer.completion, transfer.origin.thread);
                let cta = &mut self.clusters[transfer.here.cluster].ctas[transfer.here.rank];
                match kind {
                    Completion::Bulk { group } => cta.bulk.entry(thread).or_default().read(group),
                    Completion::Async { group } => {
                        cta.async_groups.entry(thread).or_default().read(group);
                    }
                    Completion::Mbarrier { .. }
                    | Completion::Nobody
                    | Completion::Arrival { .. } => {}
                }
            }
            // A copy without pieces, as a store of a box that is all outside, is complete at once.
            if !transfer.unwritten.is_empty() || !transfer.unread.is_empty() {
                return Ok(());
            }
        }
        let count = 1 + self.rng.below(transfer.unwritten.len());
        let mut bytes = 0;
        for _ in 0..count {
            let Some(piece) = transfer.unwritten.pop() else {
                break;
            };
            bytes += piece.bytes as u32;
            self.write_piece(transfer, piece, observer)?;
        }
        let is_complete = transfer.unread.is_empty() && transfer.unwritten.is_empty();
        if is_complete {
            self.tell(observer, transfer, Event::CopyDone(transfer.id));
        }
        let thread = transfer.origin.thread;
        match transfer.completion {
            Completion::Mbarrier { rank, offset } => {
                self.complete_tx(transfer, rank, offset, bytes, observer)?;
            }
            Completion::Bulk { group } if is_complete => {
                let cta = &mut self.clusters[transfer.here.cluster].ctas[transfer.here.rank];
                cta.bulk.entry(thread).or_default().complete(group);
            }
            Completion::Async { group } if is_complete => {
                let cta = &mut self.clusters[transfer.here.cluster].ctas[transfer.here.rank];
                cta.async_groups.entry(thread).or_default().complete(group);
            }
            _ => {}
        }
        Ok(())
    }

    fn complete_tx(
        &mut self,
        transfer: &Transfer,
        rank: usize,
        offset: usize,
        bytes: u32,
        observer: &mut dyn Observer,
    ) -> Result<(), Trapped> {
        let hears = |mbarrier: &Mbarrier| mbarrier.hears;
        let mbarriers = &mut self.clusters[transfer.here.cluster].ctas[rank].mbarriers;
        if transfer.report.is_some() && !mbarriers.get(&offset).is_none_or(hears) {
            return Err(Trapped {
                trap: Trap::IllegalInstruction,
                what: format!(
                    "the copy reports to the barrier at {offset:#x}, which does not have the layout v1"
                ),
                origin: Some(transfer.origin),
                stuck: None,
            });
        }
        let reports = transfer.report.is_some_and(|(_, reports)| reports);
        let copy = Some(transfer.id);
        let came = |phase| MbarrierEvent::CompleteTx { bytes, phase, copy };
        let complete = |mbarrier: &mut Mbarrier| {
            mbarrier.reported.0 |= reports;
            mbarrier.complete_tx(bytes)
        };
        self.signal(transfer, (rank, offset), observer, complete, came)
    }

    fn arrive(
        &mut self,
        transfer: &Transfer,
        offset: usize,
        observer: &mut dyn Observer,
    ) -> Result<(), Trapped> {
        let copies_before = transfer.id;
        let came = |phase| MbarrierEvent::AsyncArrive {
            phase,
            copies_before,
        };
        let arrive = |mbarrier: &mut Mbarrier| mbarrier.arrive(1, false);
        let object = (transfer.here.rank, offset);
        self.signal(transfer, object, observer, arrive, came)
    }

    /// Changes the mbarrier that a copy completes on.
    fn signal(
        &mut self,
        transfer: &Transfer,
        (rank, offset): (usize, usize),
        observer: &mut dyn Observer,
        change: impl FnOnce(&mut Mbarrier) -> Result<(), String>,
        came: impl FnOnce(u64) -> MbarrierEvent,
    ) -> Result<(), Trapped> {
        let cta = &mut self.clusters[transfer.here.cluster].ctas[rank];
        let fault = |trap: Trap, what: String| Trapped {
            trap,
            what,
            origin: Some(transfer.origin),
            stuck: None,
        };
        if cta.alive == 0 {
            let what = format!(
                "the copy's barrier is in block {:?}, which has ended",
                cta.id
            );
            return Err(fault(Trap::PeerEnded, what));
        }
        let Some(mbarrier) = cta.mbarriers.get_mut(&offset) else {
            let what = format!("the copy's barrier at {offset:#x} is not initialised");
            return Err(fault(Trap::MbarrierUninitialised, what));
        };
        let phase = mbarrier.phase;
        change(mbarrier).map_err(|what| fault(Trap::MbarrierOverflow, what))?;
        mbarrier.store(&mut cta.shared, offset);
        let is_done = mbarrier.phase > phase;
        let range = self.range(transfer.here.cluster, Located::Shared { rank, offset }, 8);
        let event = |operation| Event::Mbarrier {
            range,
            operation,
            sem: Sem::Relaxed,
            scope: Scope::Cluster,
        };
        self.tell(observer, transfer, event(came(phase)));
        if is_done {
            let done = MbarrierEvent::PhaseDone { phase };
            self.tell(observer, transfer, event(done));
        }
        Ok(())
    }

    fn tell(&self, observer: &mut dyn Observer, transfer: &Transfer, event: Event) {
        if self.watches {
            observer.see(transfer.origin, event);
        }
    }

    /// Locates one end of a piece when it is accessed.
    pub(crate) fn locate_target(
        &mut self,
        here: Here,
        target: Target,
        bytes: usize,
    ) -> Result<Located, (Trap, String)> {
        match target {
            Target::Global(address) => self.memory.find(address, bytes as u64),
            Target::Shared(rank, offset) => {
                let ended = self.clusters[here.cluster]
                    .ctas
                    .get(rank)
                    .is_some_and(|cta| cta.alive == 0);
                // Stores of an ended block are still read.
                if ended && rank == here.rank {
                    return Ok(Located::Shared { rank, offset });
                }
                let at = ((rank as u64) << SHARED_RANK_SHIFT) + offset as u64;
                self.find_shared(here, Space::SharedCluster, at, bytes as u64)
            }
        }
    }

    fn access(
        &mut self,
        transfer: &Transfer,
        target: Target,
        bytes: usize,
        kind: AccessKind,
        observer: &mut dyn Observer,
    ) -> Result<Located, Trapped> {
        let (sem, scope) = match kind {
            AccessKind::Read => (Sem::Weak, Scope::Cta),
            AccessKind::Write | AccessKind::Atomic => transfer.order,
        };
        let located = self.locate_target(transfer.here, target, bytes);
        let located = located.map_err(|(trap, what)| {
            let what = format!("the copy's {what}");
            Trapped {
                trap,
                what,
                origin: Some(transfer.origin),
                stuck: None,
            }
        })?;
        let event = Event::Access {
            proxy: transfer.proxy,
            kind,
            sem,
            scope,
            range: self.range(transfer.here.cluster, located, bytes as u64),
            copy: Some(transfer.id),
        };
        self.tell(observer, transfer, event);
        Ok(located)
    }

    fn region(&mut self, here: Here, located: Located, bytes: usize) -> &mut [u8] {
        let (memory, offset) = match located {
            Located::Global { allocation, offset } => (self.memory.global_mut(allocation), offset),
            Located::Shared { rank, offset } => {
                (&mut *self.clusters[here.cluster].ctas[rank].shared, offset)
            }
            _ => return &mut [],
        };
        memory.get_mut(offset..offset + bytes).unwrap_or(&mut [])
    }

    fn read_piece(
        &mut self,
        transfer: &Transfer,
        piece: &mut Piece,
        observer: &mut dyn Observer,
    ) -> Result<(), Trapped> {
        let Some(from) = piece.from else {
            return Ok(());
        };
        let located = self.access(transfer, from, piece.bytes, AccessKind::Read, observer)?;
        piece.data = self.region(transfer.here, located, piece.bytes).to_vec();
        if transfer.rounds_to_tf32 {
            round_to_tf32(&mut piece.data);
        }
        Ok(())
    }

    fn write_piece(
        &mut self,
        transfer: &Transfer,
        piece: Piece,
        observer: &mut dyn Observer,
    ) -> Result<(), Trapped> {
        if piece.bytes == 0 {
            return Ok(());
        }
        let kind = if transfer.reduction.is_some() {
            AccessKind::Atomic
        } else {
            AccessKind::Write
        };
        let located = self.access(transfer, piece.to, piece.bytes, kind, observer)?;
        let to = self.region(transfer.here, located, piece.bytes);
        match transfer.reduction {
            None => {
                let bytes = to.len().min(piece.data.len());
                to[..bytes].copy_from_slice(&piece.data[..bytes]);
            }
            Some(reduction) => reduction.apply_all(to, &piece.data),
        }
        Ok(())
    }
}
