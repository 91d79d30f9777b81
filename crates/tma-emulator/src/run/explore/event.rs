//! The events of an execution: visible operations, and the objects that each of them uses.

use std::fmt::{self, Display, Formatter};

use crate::{
    machine::observer::{GroupKind, Range, Sem},
    value::LANES,
};

/// A sequence of events: lanes of a warp that run together, or a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Process {
    /// Lanes at one instruction, by the number of the block in the grid and of their first thread in the block.
    Lanes {
        /// Number of the block in its grid.
        block: u64,
        /// Number of the first thread in its block.
        thread: u32,
    },
    /// A copy, or the arrival of earlier copies, by the thread that issued it.
    Copy {
        /// Number of the issuing thread's block in its grid.
        block: u64,
        /// Number of the issuing thread in its block.
        thread: u32,
        /// The copies that the thread had issued before.
        number: u32,
    },
}

impl Process {
    /// Returns whether the process is of lanes of a warp, by its block and number.
    pub(super) fn is_of(&self, (block, warp): (u64, u32)) -> bool {
        matches!(*self, Self::Lanes { block: of, thread } if of == block && thread / LANES as u32 == warp)
    }
}

impl Display for Process {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lanes { block, thread } => write!(
                f,
                "warp {} of block {block} (lane {})",
                thread / 32,
                thread % 32
            ),
            Self::Copy {
                block,
                thread,
                number,
            } => {
                write!(f, "copy {number} of thread {thread} of block {block}")
            }
        }
    }
}

/// The use of an object by an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Use {
    /// An mbarrier, by its block and offset.
    Mbarrier((u64, u64), MbarrierUse),
    /// A barrier of a block or a cluster.
    Barrier(BarrierName, BarrierUse),
    /// Groups of copies of a thread.
    Group {
        of: (u64, u32, GroupKind),
        /// The group of a copy that is done; of a wait, the first group that may be in flight.
        group: u64,
        waits: bool,
    },
    /// Bytes that are accessed by atomics, or with an order.
    Bytes {
        range: Range,
        writes: bool,
        /// The order of a store; `None` of an atomic, which passes on the order of the store whose value it reads.
        stores: Option<Sem>,
    },
    /// The register pool of a block.
    Registers(Registers),
    /// Lanes of a warp end, or the warp executes an instruction that all its lanes must execute.
    Warp { of: (u64, u32), ends: bool },
    /// An atomic of a block that is like others; the first one lets the next block begin.
    Begin { block: u64, is_first: bool },
    /// The order of `fence.sc`.
    Fences,
    /// The device heap.
    Heap,
}

impl Use {
    /// Makes a test of a phase a wait for it.
    pub(super) fn wait(&mut self) {
        if let Self::Mbarrier(_, used) = self
            && let MbarrierUse::Test { current } = *used
        {
            *used = MbarrierUse::Wait { current };
        }
    }

    /// Adds another use of the same event to this one, if they are of one kind.
    pub(super) fn merge(&mut self, other: &Self) -> bool {
        use MbarrierUse::{Expect, Update};
        let (Self::Mbarrier(at, used), Self::Mbarrier(to, more)) = (&mut *self, other) else {
            return self == other;
        };
        if at != to {
            return false;
        }
        match (used, *more) {
            (
                Update {
                    phase,
                    arrivals,
                    pending,
                    ..
                },
                Update {
                    phase: next,
                    arrivals: more,
                    pending: now,
                    ..
                },
            ) if *phase == next => {
                *arrivals += more;
                *pending = now;
            }
            (
                Expect { phase, arrivals },
                Expect {
                    phase: next,
                    arrivals: more,
                },
            ) if *phase == next => *arrivals += more,
            (used, more) => return *used == more,
        }
        true
    }

    /// Returns the use by a process that has not made it yet: what others do may make it complete a phase.
    fn deferred(&self) -> Self {
        let mut used = self.clone();
        if let Self::Mbarrier(
            _,
            MbarrierUse::Update {
                completes, pending, ..
            },
        ) = &mut used
        {
            (*completes, *pending) = (true, 0);
        }
        used
    }
}

/// A change of the register pool of a block: a warp gives registers back, or takes some.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Registers {
    pub(super) block: u64,
    pub(super) gives: u32,
    pub(super) takes: u32,
    /// The registers that were free before.
    pub(super) free: u32,
}

/// The use of an mbarrier. Phases count from 0; `current` is the phase that is not complete.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MbarrierUse {
    /// Arrivals or bytes that have come. `pending` is the number of arrivals that the phase waits for afterwards.
    Update {
        phase: u64,
        arrivals: u32,
        completes: bool,
        pending: u32,
    },
    /// Bytes or arrivals that are expected in addition, without an arrival.
    Expect { phase: u64, arrivals: u32 },
    /// A wait for a phase that is complete: it goes on only then.
    Wait { current: u64 },
    /// A test of a phase, which goes on with either result.
    Test { current: u64 },
    /// Initialisation, invalidation, or a use that depends on everything.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BarrierName {
    Block(u64, u32),
    Cluster([u32; 3]),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BarrierUse {
    Arrive {
        generation: u64,
        /// True if the barrier completes with a number of threads, whichever they are.
        counts: bool,
    },
    Pass(u64),
    /// Lanes end after others of their warp have arrived in this generation, which may complete the warp. It orders nothing
    /// before those that pass: the generation may be complete already.
    End(u64),
}

/// The relation of two uses in the order of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// They can be exchanged with the same result.
    Commutes,
    /// The second is possible only after the first.
    Enables,
    /// Another order can have another result.
    Conflicts,
}

/// Returns the relation of two events by their uses, `earlier` before `later`.
pub(super) fn relation(earlier: &[Use], later: &[Use]) -> Relation {
    let changes = earlier
        .iter()
        .flat_map(|one| later.iter().map(|other| of_registers(one, other)));
    let others = relation_among(earlier, later, |_, _| 0);
    changes.max().map_or(others, |changes| changes.max(others))
}

fn of_registers(one: &Use, other: &Use) -> Relation {
    match (one, other) {
        (Use::Registers(one), Use::Registers(other))
            if one.block == other.block && other.takes > 0 =>
        {
            match one.takes {
                // Without those that the first gives, the second must wait.
                0 if other.free < other.takes.saturating_add(one.gives) => Relation::Enables,
                0 => Relation::Commutes,
                // The first may leave too few for the second.
                takes if one.free < takes.saturating_add(other.takes) => Relation::Conflicts,
                _ => Relation::Commutes,
            }
        }
        _ => Relation::Commutes,
    }
}

/// Like [`relation`], without the changes of registers, whose relation depends on the others before. `held` returns the
/// arrivals in a phase of an mbarrier that come between the events, and only after the earlier one.
pub(super) fn relation_among(
    earlier: &[Use],
    later: &[Use],
    held: impl Fn((u64, u64), u64) -> u32,
) -> Relation {
    let waits_anyway = |one: &Use, other: &Use| match (one, other) {
        (
            Use::Mbarrier(at, MbarrierUse::Expect { phase, arrivals }),
            Use::Mbarrier(
                _,
                MbarrierUse::Update {
                    phase: next,
                    pending,
                    ..
                },
            ),
        ) => phase == next && pending.saturating_add(held(*at, *phase)) > *arrivals,
        _ => false,
    };
    let mut found = Relation::Commutes;
    for one in earlier {
        for other in later {
            match of_uses(one, other) {
                Relation::Conflicts if waits_anyway(one, other) => {}
                Relation::Conflicts => return Relation::Conflicts,
                Relation::Enables => found = Relation::Enables,
                Relation::Commutes => {}
            }
        }
    }
    found
}

/// Returns whether what a process was about to do is to be tried again after an event.
pub(super) fn wakes(event: &[Use], process: &[Use]) -> bool {
    let counts_in = |uses: &[Use], at: &BarrierName| {
        let mut uses = uses.iter();
        uses.any(|used| matches!(used, Use::Barrier(of, BarrierUse::Arrive { counts: true, .. } | BarrierUse::End(_)) if of == at))
    };
    let may_be_too_many = event.iter().any(|used| {
        matches!(used, Use::Barrier(at, BarrierUse::Arrive { counts: true, .. } | BarrierUse::End(_)) if counts_in(process, at))
    });
    let deferred: Vec<Use> = process.iter().map(Use::deferred).collect();
    let takes = |used: &Use| match used {
        Use::Registers(change) => (change.takes > 0).then_some(change.block),
        _ => None,
    };
    let both_take = event
        .iter()
        .filter_map(takes)
        .any(|block| process.iter().filter_map(takes).any(|other| other == block));
    may_be_too_many
        || both_take
        || relation(event, &deferred) != Relation::Commutes
        || relation(process, event) != Relation::Commutes
}

fn of_uses(one: &Use, other: &Use) -> Relation {
    let conflicts = |is: bool| match is {
        true => Relation::Conflicts,
        false => Relation::Commutes,
    };
    match (one, other) {
        (Use::Mbarrier(at, one), Use::Mbarrier(to, other)) if at == to => of_mbarrier(one, other),
        (Use::Barrier(at, one), Use::Barrier(to, other)) if at == to => match (one, other) {
            (
                BarrierUse::Arrive {
                    generation: one, ..
                },
                BarrierUse::Arrive {
                    generation: other, ..
                },
            ) => conflicts(one != other),
            // An end may complete the generation before the arrival.
            (BarrierUse::Arrive { .. }, BarrierUse::End(_))
            | (BarrierUse::End(_), BarrierUse::Arrive { .. }) => Relation::Conflicts,
            (BarrierUse::Arrive { generation, .. }, BarrierUse::Pass(other))
                if generation <= other =>
            {
                Relation::Enables
            }
            _ => Relation::Commutes,
        },
        (
            Use::Group {
                of: one,
                group,
                waits: false,
            },
            Use::Group {
                of: other,
                group: until,
                waits: true,
            },
        ) if one == other && group < until => Relation::Enables,
        (
            Use::Bytes { range, writes, .. },
            Use::Bytes {
                range: other,
                writes: also,
                ..
            },
        ) => conflicts((*writes || *also) && range.overlaps(other)),
        (
            Use::Warp { of, ends },
            Use::Warp {
                of: other,
                ends: next,
            },
        ) => conflicts(of == other && ends != next),
        (
            Use::Begin { block, is_first },
            Use::Begin {
                block: other,
                is_first: also,
            },
        ) => match block == other {
            true => conflicts(*is_first || *also),
            false if *is_first && *also && block + 1 == *other => Relation::Enables,
            false => Relation::Commutes,
        },
        (Use::Fences, Use::Fences) | (Use::Heap, Use::Heap) => Relation::Conflicts,
        _ => Relation::Commutes,
    }
}

/// Updates of one phase commute: a phase is complete when all of them have come, whichever is the last. So do what is
/// expected and an update that comes later, as long as the phase waits for another arrival after both: then it is not
/// complete before more is expected. A wait depends on the updates that complete phases, since a parity fits every second
/// one.
fn of_mbarrier(one: &MbarrierUse, other: &MbarrierUse) -> Relation {
    use MbarrierUse::{Expect, Test, Update, Wait, Whole};
    let is_conflict = match (*one, *other) {
        (Whole, _) | (_, Whole) => true,
        // A phase that is complete without an update that comes later is not the update's.
        (
            Update {
                phase, completes, ..
            },
            Update { phase: next, .. },
        ) => phase != next || completes,
        (Expect { phase, .. }, Expect { phase: next, .. }) => phase != next,
        (
            Expect { phase, arrivals },
            Update {
                phase: next,
                pending,
                ..
            },
        ) => phase != next || pending <= arrivals,
        (Update { phase, .. }, Expect { phase: next, .. }) => phase != next,
        (Update { phase, .. } | Expect { phase, .. }, Wait { current }) if phase + 1 == current => {
            return Relation::Enables;
        }
        (Update { phase, .. } | Expect { phase, .. }, Wait { current } | Test { current }) => {
            phase < current
        }
        (
            Wait { current } | Test { current },
            Update {
                phase, completes, ..
            },
        ) => completes || phase > current,
        (Wait { current } | Test { current }, Expect { phase, .. }) => phase > current,
        (Wait { .. } | Test { .. }, Wait { .. } | Test { .. }) => false,
    };
    match is_conflict {
        true => Relation::Conflicts,
        false => Relation::Commutes,
    }
}

/// An event of an execution.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) process: Process,
    pub(super) uses: Vec<Use>,
    /// The events that happened before it, a bit for each.
    pub(super) before: Vec<u64>,
    /// Index of its first instruction.
    pub(super) instruction: usize,
    /// The block and the warp of lanes that have met others, after which processes of the warp are other ones.
    pub(super) joins: Option<(u64, u32)>,
}

impl Event {
    /// Returns whether the event is of no concern to other warps.
    pub(super) fn is_alone(&self) -> bool {
        let mut uses = self.uses.iter();
        uses.all(|used| matches!(used, Use::Warp { .. }))
    }

    pub(super) fn comes_after(&self, event: usize) -> bool {
        self.before
            .get(event / 64)
            .is_some_and(|word| word >> (event % 64) & 1 != 0)
    }

    /// Returns the change of registers, if the event is one.
    pub(super) fn registers(&self) -> Option<Registers> {
        self.uses.iter().find_map(|used| match used {
            Use::Registers(change) => Some(*change),
            _ => None,
        })
    }

    /// Returns the arrivals of the event in a phase of an mbarrier.
    pub(super) fn arrivals(&self, mbarrier: (u64, u64), of: u64) -> u32 {
        let arrivals = self.uses.iter().map(|used| match used {
            Use::Mbarrier(
                at,
                MbarrierUse::Update {
                    phase, arrivals, ..
                },
            ) if *at == mbarrier && *phase == of => *arrivals,
            _ => 0,
        });
        arrivals.sum()
    }

    /// Adds an event and all that happened before it.
    pub(super) fn add(&mut self, index: usize, event: &Self) {
        let words = (index / 64 + 1).max(event.before.len());
        if self.before.len() < words {
            self.before.resize(words, 0);
        }
        for (mine, theirs) in self.before.iter_mut().zip(&event.before) {
            *mine |= theirs;
        }
        self.before[index / 64] |= 1 << (index % 64);
    }
}
