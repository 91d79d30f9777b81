//! Classifies a race between two accesses: its kind and its notes.

use super::{
    access::{Conflict, ConflictKind, CurrentAccess, Judge},
    causes::is_race,
    checker::{Checker, Unwritten},
    clock::{Clock, Lane},
    copy_table::{Completion, CopyInfo},
    finding::{FindingEnd, Fix, RelatedInstruction},
    kind::DiagnosticKind,
    shadow::Actor,
};
use crate::{
    machine::observer::{AccessKind, GroupKind, Memory, Range},
    value::LANES,
};

/// Limit of remembered words that were read uninitialised.
const MAX_UNWRITTEN: usize = 1 << 16;

fn words_of(range: Range) -> impl Iterator<Item = u64> {
    range.address / 4..(range.address + u64::from(range.bytes)).div_ceil(4)
}

/// Returns the kind of a read of uninitialised bytes. A thread may ignore the value; copies and products use
/// it.
fn kind_of_read(current: &CurrentAccess) -> DiagnosticKind {
    match current.copy.is_none() && current.kind == AccessKind::Read {
        true => DiagnosticKind::UninitialisedRead,
        false => DiagnosticKind::UninitialisedUse,
    }
}

/// The kind of a conflict, with the state that explains it.
struct Named {
    kind: DiagnosticKind,
    notes: Vec<String>,
    /// Another instruction that explains the conflict.
    other: Option<RelatedInstruction>,
    fix: Option<Fix>,
}

impl Named {
    fn new(kind: DiagnosticKind, notes: impl Into<Vec<String>>) -> Self {
        Self {
            kind,
            notes: notes.into(),
            other: None,
            fix: None,
        }
    }
}

impl Checker {
    /// Reports a conflict.
    pub(super) fn report_conflict(&mut self, current: &CurrentAccess, conflict: Conflict) {
        let here = self.end_of_current(current, conflict.range);
        if conflict.kind == ConflictKind::Unwritten {
            let note = format!("{} were not written", self.words(conflict.range));
            let (instruction, range) = (here.instruction, conflict.range);
            let kind = kind_of_read(current);
            let allocated = self.fresh.malloc(range.address);
            let allocated = allocated.filter(|_| range.memory == Memory::Global);
            self.report(kind, here, None, |_| vec![note])
                .because(allocated);
            let key = (kind, instruction, usize::MAX);
            let (words, index) = (&mut self.unwritten.words, self.known[&key]);
            if words.len() < MAX_UNWRITTEN {
                for word in words_of(range) {
                    let read = words.entry((range.memory, word)).or_default();
                    if !read.contains(&index) {
                        read.push(index);
                    }
                }
            }
            return;
        }
        let there = self.end_of(conflict.earlier, conflict.earlier_kind, conflict.range);
        if conflict.kind == ConflictKind::Freed {
            let free = FindingEnd::new(current.origin, "frees the memory");
            self.report(DiagnosticKind::UseAfterFree, there, Some(free), |_| {
                Vec::new()
            });
            return;
        }
        let Named {
            kind,
            notes,
            other,
            fix,
        } = match conflict.kind {
            ConflictKind::Mbarrier => Named::new(DiagnosticKind::MbarrierOverwritten, []),
            ConflictKind::SameValue => Named::new(DiagnosticKind::SameValueRace, []),
            ConflictKind::Unfenced => Named::new(DiagnosticKind::MissingProxyFence, []),
            ConflictKind::Discarded => Named::new(kind_of_read(current), []),
            ConflictKind::NonCoherent => Named::new(DiagnosticKind::NonCoherentRead, []),
            ConflictKind::Unordered | ConflictKind::Unwritten | ConflictKind::Freed => {
                self.name(current, &conflict)
            }
        };
        // The schedule decides which of the two comes first: each kind has an order of its own.
        let copy_is_here = match kind {
            DiagnosticKind::StageStillRead => true,
            DiagnosticKind::ReadBeforeCompletion
            | DiagnosticKind::WrongPhase
            | DiagnosticKind::DestinationOverwritten
            | DiagnosticKind::DataRace
            | DiagnosticKind::SameValueRace => false,
            _ => current.copy.is_some(),
        };
        let copies = [current.copy, conflict.earlier.copy()];
        let swaps = match copies {
            [Some(_), None] => !copy_is_here,
            [None, Some(_)] => copy_is_here,
            _ => {
                here.instruction < there.instruction
                    && matches!(
                        kind,
                        DiagnosticKind::DataRace | DiagnosticKind::SameValueRace
                    )
            }
        };
        let (here, there) = match swaps {
            true => (there, here),
            false => (here, there),
        };
        let mbarrier = copies.into_iter().flatten().find_map(|copy| {
            let copy = self.copies.get(copy as usize)?;
            copy.mbarrier()
        });
        let key = (kind, here.instruction, there.instruction);
        let finding = self.report(kind, here, Some(there), |_| notes);
        finding.about(mbarrier);
        finding.because(other);
        finding.fix = finding.fix.or(fix);
        let Unwritten { words, raced, .. } = &mut self.unwritten;
        if !words.is_empty() && is_race(kind) {
            let range = conflict.range;
            let read = words_of(range).filter_map(|word| words.get(&(range.memory, word)));
            raced.extend(read.flatten().map(|read| (*read, self.known[&key])));
        }
    }

    /// Returns the kind of two accesses that are not ordered, and why two strong ones race.
    fn name(&self, current: &CurrentAccess, conflict: &Conflict) -> Named {
        let mut named = self.name_unordered(current, conflict);
        let (earlier, now) = (conflict.earlier, current.access);
        let is_shared = matches!(conflict.range.memory, Memory::Shared { .. });
        let is_plain = matches!(earlier.actor(), Actor::Async(_)) || self.is_plain(current.copy);
        if is_shared && is_plain {
            named.fix = Some(Fix::PlainCopy);
        }
        let are_strong = earlier.scope().is_some() && now.scope().is_some();
        if are_strong && !earlier.is_like(now) {
            named.notes.push(
                "both are strong but still race: strong accesses are ordered with each other only in the same \
                 proxy and on exactly the same bytes (8.7.1)"
                    .into(),
            );
        }
        named
    }

    fn name_unordered(&self, current: &CurrentAccess, conflict: &Conflict) -> Named {
        let (block, thread) = (current.origin.block as u32, current.origin.thread);
        let state = self.grid.blocks.get(block);
        let Some(state) = state.and_then(|block| block.threads.get(thread as usize)) else {
            return Named::new(DiagnosticKind::DataRace, []);
        };
        let judge = Judge {
            extents: &self.grid.extents,
            copies: &self.copies,
            known: &state.known,
            own: &state.own,
            copy: current.copy,
        };
        let are_strong = conflict.earlier.scope().is_some() && current.access.scope().is_some();
        let is_narrow = are_strong && !judge.are_in_scope(conflict.earlier, current.access);
        let there = self.end_of(conflict.earlier, conflict.earlier_kind, conflict.range);
        let is_far = there.block != block || self.grid.extents.cluster != [1; 3];
        if !is_narrow && judge.knows(&state.known.collective, conflict.earlier) {
            return Named::new(DiagnosticKind::OrderByCollective, []);
        }
        if is_narrow || is_far && judge.knows(state.known.wide(), conflict.earlier) {
            return Named::new(
                DiagnosticKind::ScopeTooNarrow,
                [self.scopes(conflict, block)],
            );
        }
        let reads = current.kind == AccessKind::Read;
        let own = judge.extents.thread(block, thread);
        let mine = current.copy.and_then(|copy| self.copies.get(copy as usize));
        let is_shared = matches!(conflict.range.memory, Memory::Shared { .. });
        match (conflict.earlier.actor(), mine) {
            (Actor::Copy { id, writes }, _) => {
                let Some(copy) = self.copies.get(id as usize) else {
                    return Named::new(DiagnosticKind::DataRace, []);
                };
                let knows_issue = Self::knows_issue(&judge, copy);
                if conflict.earlier.reads_map() {
                    let notes = [self.completes(copy)];
                    return Named::new(DiagnosticKind::TensorMapChangedInUse, notes);
                }
                if !is_shared && !knows_issue {
                    Named::new(DiagnosticKind::DataRace, [self.completes(copy)])
                } else if writes && reads {
                    self.read_of_copy(own, &judge.known.order, knows_issue, copy)
                } else if writes {
                    Named::new(
                        DiagnosticKind::DestinationOverwritten,
                        [self.completes(copy)],
                    )
                } else {
                    self.write_to_source(&judge, copy, is_shared)
                }
            }
            (Actor::Async(thread), None) if reads || is_shared => {
                let kind = match reads {
                    true => DiagnosticKind::ReadBeforeCompletion,
                    false => DiagnosticKind::DestinationOverwritten,
                };
                Named::new(kind, [self.is_of_thread(thread)])
            }
            (Actor::Thread(thread), Some(copy))
                if is_shared && current.kind == AccessKind::Write =>
            {
                match conflict.earlier_kind {
                    AccessKind::Read => {
                        let (block, lane) = judge.extents.split(thread);
                        let reader = self.grid.blocks.get(block);
                        let reader = reader.and_then(|block| block.threads.get(lane as usize));
                        let known = reader.map(|reader| reader.known.order.clone());
                        self.read_of_copy(thread, &known.unwrap_or_default(), false, copy)
                    }
                    _ => Named::new(
                        DiagnosticKind::DestinationOverwritten,
                        [self.completes(copy)],
                    ),
                }
            }
            _ => Named::new(DiagnosticKind::DataRace, []),
        }
    }

    /// Returns whether a copy is a `cp.async`.
    fn is_plain(&self, copy: Option<u32>) -> bool {
        let info = copy.and_then(|copy| self.copies.get(copy as usize));
        info.is_some_and(|info| info.done == Completion::Group(GroupKind::Async))
    }

    /// Returns whether the thread knows that the copy was issued.
    fn knows_issue(judge: &Judge<'_>, copy: &CopyInfo) -> bool {
        let (block, thread) = judge.extents.split(copy.issuer);
        (block, thread) == (judge.own.block, judge.own.thread)
            || judge.known.order.get(Lane::Thread, block, thread) >= copy.issue_epoch
    }

    /// Classifies a thread's read of bytes that a copy writes.
    fn read_of_copy(
        &self,
        reader: u32,
        known: &Clock,
        knows_issue: bool,
        copy: &CopyInfo,
    ) -> Named {
        let mut notes = vec![self.completes(copy)];
        let (block, id) = match copy.done {
            Completion::Mbarrier { block, id, .. } => (block, id),
            Completion::Group(_) => {
                let (issuer_block, issuer) = self.grid.extents.split(copy.issuer);
                if known.get(Lane::BulkRead, issuer_block, issuer) >= copy.epoch {
                    notes.push(
                        "the wait used `.read`, which covers only the reads of the source".into(),
                    );
                }
                return Named::new(DiagnosticKind::ReadBeforeCompletion, notes);
            }
        };
        let object = self.mbarriers.get(block, id);
        if let Some(wait) = object.and_then(|o| o.stale_wait(reader, copy.phase())) {
            let (_, thread) = self.grid.extents.split(reader);
            let what = format!("thread {thread} passes its wait for an older phase at once");
            return Named {
                other: Some(RelatedInstruction {
                    instruction: wait.instruction,
                    what,
                }),
                ..Named::new(DiagnosticKind::WrongPhase, notes)
            };
        }
        let waited = known.mbarrier(block, id);
        match waited.checked_sub(1) {
            None => notes.push("the thread knows of no completed phase of this mbarrier".into()),
            Some(last) => notes.push(format!(
                "the last phase of this mbarrier that the thread knows to be complete is {last}"
            )),
        }
        match waited > 0 && !knows_issue && copy.overwrites_copy {
            true => Named {
                other: self.given_back(reader, copy.issuer),
                ..Named::new(DiagnosticKind::StageStillRead, notes)
            },
            false => Named::new(DiagnosticKind::ReadBeforeCompletion, notes),
        }
    }

    /// Returns the arrival for the reader's warp by which the thread that loads again knows of the read.
    fn given_back(&self, reader: u32, issuer: u32) -> Option<RelatedInstruction> {
        let (block, lane) = self.grid.extents.split(issuer);
        let issuer = self.grid.blocks.get(block)?.threads.get(lane as usize)?;
        let known = &issuer.known.order;
        let (block, lane) = self.grid.extents.split(reader);
        let warp = lane / LANES as u32;
        let is_known = |user| {
            let (of, lane) = self.grid.extents.split(user);
            let epoch = known.get(Lane::Thread, of, lane);
            (of == block && lane / LANES as u32 == warp).then_some(epoch)
        };
        let (object, arrival) = self.mbarriers.last_arrival(reader, is_known)?;
        let (_, by) = self.grid.extents.split(arrival.user);
        let mbarrier = self.shared_names.mbarrier(object.offset);
        Some(RelatedInstruction {
            instruction: arrival.instruction,
            what: format!("the copy comes after the arrival of thread {by} at the {mbarrier}"),
        })
    }

    fn write_to_source(&self, judge: &Judge<'_>, copy: &CopyInfo, is_shared: bool) -> Named {
        let notes = vec![self.completes(copy)];
        if copy.done == Completion::Group(GroupKind::Wgmma) {
            return Named::new(DiagnosticKind::ProductSourceOverwritten, notes);
        }
        let is_load = !is_shared && copy.mbarrier().is_some();
        if is_load || !Self::knows_issue(judge, copy) {
            return Named::new(DiagnosticKind::DataRace, notes);
        }
        let (block, issuer) = judge.extents.split(copy.issuer);
        if let Completion::Mbarrier { block: counts, .. } = copy.done {
            let fix = match counts == block {
                true => Fix::CountedHere,
                false => Fix::SentToPeer,
            };
            return Named {
                fix: Some(fix),
                ..Named::new(DiagnosticKind::StoreSourceOverwritten, notes)
            };
        }
        let Some(waits) = self.grid.blocks.get(block).map(|block| &block.group_waits) else {
            return Named::new(DiagnosticKind::StoreSourceOverwritten, notes);
        };
        let knows = |thread: u32, epoch| {
            (judge.own.block, judge.own.thread) == (block, thread)
                || judge.known.order.get(Lane::Thread, block, thread) >= epoch
        };
        // Waits that were probably meant for this copy.
        let of_issuer = waits
            .get(&issuer)
            .is_some_and(|wait| wait.epoch >= copy.issue_epoch && knows(issuer, wait.epoch));
        let of_others = waits.iter().filter(|(thread, wait)| {
            let after_issue =
                wait.knew.get(Lane::Thread, block, issuer) >= copy.issue_epoch || !wait.has_groups;
            **thread != issuer && after_issue && knows(**thread, wait.epoch)
        });
        let of_others = of_others.min_by_key(|(thread, _)| **thread);
        match of_others {
            Some((thread, wait)) if !of_issuer => {
                let what = format!("thread {thread} waits for its own bulk groups alone");
                Named {
                    other: Some(RelatedInstruction {
                        instruction: wait.instruction,
                        what,
                    }),
                    ..Named::new(DiagnosticKind::GroupWaitByOtherThread, notes)
                }
            }
            _ => Named::new(DiagnosticKind::StoreSourceOverwritten, notes),
        }
    }

    /// Describes how a copy completes.
    pub(super) fn completes(&self, copy: &CopyInfo) -> String {
        match copy.done {
            Completion::Group(GroupKind::Wgmma) => {
                let (_, thread) = self.grid.extents.split(copy.issuer);
                let (first, last) = (thread / 32, thread / 32 + 3);
                format!(
                    "the wgmma is of the warps {first} to {last}, and read until they have waited"
                )
            }
            Completion::Group(GroupKind::Async) => self.is_of_thread(copy.issuer),
            Completion::Group(GroupKind::Bulk) => {
                let (_, thread) = self.grid.extents.split(copy.issuer);
                format!("the copy belongs to a bulk group of thread {thread}")
            }
            Completion::Mbarrier { block, id, .. } => match self.mbarriers.get(block, id) {
                Some(object) => format!(
                    "the copy counts in phase {} of the {} of block {:?}",
                    copy.epoch.saturating_sub(1),
                    self.shared_names.mbarrier(object.offset),
                    self.grid.extents.index(block)
                ),
                None => "the copy counts at an mbarrier that is gone".into(),
            },
        }
    }

    /// Names a `cp.async` by its thread.
    fn is_of_thread(&self, thread: u32) -> String {
        let (_, thread) = self.grid.extents.split(thread);
        format!("the copy is a `cp.async` of thread {thread}")
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
