//! The mbarriers of the running blocks, as the checker sees them.

use std::collections::{BTreeMap, HashSet};

use super::uses::Uses;
use crate::{
    check::{
        clock::{Clock, Epoch, Lane},
        finding::{FindingEnd, RelatedInstruction},
        hash::Map,
        knowledge::Knowledge,
        released::Released,
    },
    machine::observer::{Memory, Origin, Range},
};

/// Block and offset of a barrier.
pub(super) type At = (u32, u64);

/// A copy that was issued in the current phase, or an equivalent.
#[derive(Clone, Debug)]
pub(super) struct Issued {
    pub(super) bytes: u32,
    /// The issuer's clock, as if all scopes were wide enough.
    pub(super) wide: Clock,
    pub(super) epoch: Epoch,
    pub(super) origin: Origin,
    /// True if only a wait for the phase shows that it is complete.
    pub(super) is_copy: bool,
}

/// A wait that found its phase complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waited {
    pub(super) origin: Origin,
    pub(super) epoch: Epoch,
    pub(super) phase: u64,
    /// Number of phases that it saw complete; 0 if it passed before the first.
    pub(super) seen: u64,
    /// True if the thread knew that the phase was complete, or there was none yet: a wait for a later phase that came
    /// before that phase was complete would look the same.
    pub(super) is_stale: bool,
}

/// One barrier object, from `init` to `inval`.
#[derive(Clone, Debug)]
pub(in crate::check) struct MbarrierState {
    pub(super) id: u32,
    pub(in crate::check) offset: u64,
    /// The initialisation: the thread, and its epoch.
    pub(super) init: (Origin, Epoch),
    pub(super) phase: u64,
    /// Bytes that this phase expects, and the instructions that expect them.
    pub(super) expected: u64,
    pub(super) armed: Vec<Expectation>,
    pub(super) issued: Vec<Issued>,
    pub(super) arrivals: Arrivals,
    /// The arrivals of the phase before, and of the one before that.
    pub(super) arrivals_before: Arrivals,
    pub(super) arrivals_earlier: Arrivals,
    /// Releases by threads of the barrier's block, and by other threads with cluster scope.
    pub(super) near: Released,
    pub(super) distant: Released,
    /// Releases by other threads with a scope that does not include this block.
    pub(super) narrow: Released,
    /// The knowledge that the last phase passes on to waits of block scope and of cluster scope.
    pub(super) done: [Knowledge; 2],
    /// Waits without a new phase for their threads, by thread number, with the next phase: the thread had already
    /// waited for the phase before, or there was no such phase yet.
    pub(super) stale: Map<u32, (Origin, Epoch)>,
    /// The arrival or copy that completed the last phase.
    pub(super) completer: Option<Origin>,
    /// The last wait of each thread of the block.
    pub(super) waited: Map<u32, Waited>,
    /// Uses by number of the thread in the grid.
    pub(super) users: Map<u32, Uses>,
    /// The invalidation: the thread, and its epoch.
    pub(super) ended: Option<(Origin, Epoch)>,
    pub(super) turns: Turns,
}

/// Barrier objects of all running blocks.
#[derive(Debug, Default)]
pub(in crate::check) struct Mbarriers {
    /// Objects by block and offset.
    pub(super) objects: Map<(u32, u64), MbarrierState>,
    pub(super) next: u32,
    /// Barriers, by block and number, at which a copy may count in the phase before.
    pub(in crate::check) early_copies: HashSet<(u32, u32)>,
    /// Barriers with a wrong byte count, in whatever order the copies arrive.
    pub(super) wrong: HashSet<(u32, u32)>,
    /// True once a thread has let its `cp.async` arrive at one.
    pub(in crate::check) counts_plain_copies: bool,
    /// The arrival before one that exceeds the count, and a wait that should have held its
    /// thread.
    pub(in crate::check) one_too_many: (Option<FindingEnd>, Option<RelatedInstruction>),
    pub(super) stages: Stages,
}

pub(in crate::check) fn location(range: Range) -> Option<(u32, u64)> {
    match range.memory {
        Memory::Shared { block } => Some((block as u32, range.address)),
        _ => None,
    }
}

/// Bytes that a thread expects in the current phase.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    pub(super) origin: Origin,
    pub(super) bytes: u32,
    pub(super) epoch: Epoch,
    /// True if an arrival of this phase comes after it, without which the phase cannot complete.
    pub(super) is_held: bool,
    /// True if its thread did not know that the previous phase was complete. If the thread then arrives without
    /// knowing it either, the arrival is reported instead.
    pub(super) is_late: bool,
}

/// An arrival.
#[derive(Clone, Debug)]
pub(in crate::check) struct Arrival {
    /// The number of its thread in the grid.
    pub(in crate::check) user: u32,
    pub(in crate::check) epoch: Epoch,
    pub(in crate::check) instruction: usize,
}

/// Arrivals of a phase.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    pub(super) all: Vec<Arrival>,
    pub(super) last: Option<Origin>,
    /// True if the phase waited for copies, too.
    pub(super) has_copies: bool,
    /// True if it waited for bytes of them.
    pub(super) has_bytes: bool,
}

/// The steps at one barrier that make it the `empty` barrier of a stage.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    /// A wait that passed before the first phase was complete.
    pub(super) passed: Option<Origin>,
    /// Some thread has waited for a phase.
    pub(super) is_waited_for: bool,
    pub(super) arrived: Option<Origin>,
    /// True if the barrier counts bytes.
    pub(super) has_bytes: bool,
    /// Another barrier was there before: the fills of the two are not counted together.
    pub(super) is_again: bool,
    /// The barriers that threads used next after a wait here, and those at which they had waited before an arrival here.
    pub(super) next: Vec<At>,
    pub(super) before: Vec<At>,
}

/// The stage of an `empty` barrier, in all blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) origin: Origin,
    /// The wait before the first phase; otherwise the arrival.
    pub(super) is_wait: bool,
    /// Largest number of fills in a block.
    pub(super) fills: u64,
}

/// Stages of blocks that have ended, by the offset of their `empty` barriers.
#[derive(Clone, Debug, Default)]
pub(super) struct Stages(pub(super) BTreeMap<u64, Stage>);

impl Turns {
    /// Returns the state of a new barrier; `is_again` if the same place held one before.
    pub(super) fn again(is_again: bool) -> Self {
        Self {
            is_again,
            ..Self::default()
        }
    }

    /// Records a wait: for a phase, or before the first.
    pub(super) fn wait(&mut self, origin: Origin, passes_first: bool) {
        match passes_first {
            true => _ = self.passed.get_or_insert(origin),
            false => self.is_waited_for = true,
        }
    }
}

impl Mbarriers {
    pub(in crate::check) fn get(&self, block: u32, id: u32) -> Option<&MbarrierState> {
        let mut of_block = self.of_block(block);
        of_block.find(|object| object.id == id)
    }

    pub(in crate::check) fn of_block(&self, block: u32) -> impl Iterator<Item = &MbarrierState> {
        let objects = self.objects.iter();
        objects.filter_map(move |((of, _), object)| (*of == block).then_some(object))
    }

    /// Records the issue of a copy that counts at this barrier; returns the barrier's block, id and phase.
    pub(in crate::check) fn copy_issued(
        &mut self,
        range: Range,
        bytes: u32,
        (wide, epoch): (Clock, Epoch),
        origin: Origin,
    ) -> Option<(u32, u32, Epoch)> {
        let location = location(range)?;
        let object = self.objects.get_mut(&location)?;
        object.issued.push(Issued {
            bytes,
            wide,
            epoch,
            origin,
            is_copy: true,
        });
        Some((location.0, object.id, object.phase as Epoch))
    }
}

impl MbarrierState {
    /// Returns the wait after which a thread of the grid reads the data of this phase too early.
    pub(in crate::check) fn stale_wait(&self, thread: u32, phase: Epoch) -> Option<Origin> {
        let (origin, next) = self.stale.get(&thread)?;
        (*next <= phase).then_some(*origin)
    }

    pub(in crate::check) fn is_valid(&self) -> bool {
        self.ended.is_none()
    }

    /// Returns whether the threads that complete the current phase know of a thread's step.
    pub(super) fn completer_knows(&self, block: u32, thread: u32, epoch: Epoch) -> bool {
        let knows = |clock: &Clock| clock.get(Lane::Thread, block, thread) >= epoch;
        [&self.near, &self.distant, &self.narrow]
            .iter()
            .any(|released| knows(released.known.wide()))
            || self.issued.iter().any(|copy| {
                let issuer = (copy.origin.block as u32, copy.origin.thread);
                knows(&copy.wide) || issuer == (block, thread)
            })
    }
}
