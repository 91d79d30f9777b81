//! The objects that threads wait for, and what delivers them.

use std::collections::BTreeMap;

use super::{super::waiting_in, Threads};
use crate::{
    inst::{Action, Code},
    machine::{
        Group, Here, Wait, World,
        observer::{AccessKind, Event, MbarrierEvent, Memory, Observer, Origin, Range},
    },
    run::{explore::polls, schedule::Length},
    value::{lane_names, lanes_of},
};

/// Operations between a test in a loop and the end of the loop.
const LOOP: usize = 16;

/// The object that threads wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Awaited {
    /// An mbarrier's phase, and whether only bytes are missing.
    Phase {
        at: Range,
        phase: u64,
        is_for_bytes: bool,
    },
    Barrier {
        block: u64,
        barrier: u32,
        generation: u64,
    },
    Cluster {
        index: usize,
        generation: u64,
    },
    Registers {
        block: u64,
        count: u32,
    },
    /// Another value at these bytes.
    Value(Range),
    /// Other lanes of the warp, or other warps of the warpgroup.
    Warp {
        block: u64,
        warp: usize,
        missing: u32,
    },
    Warpgroup {
        block: u64,
        index: usize,
    },
    Copies,
}

/// Returns the load of the loop that an operation is in, if the loop only tests what it loads.
pub(super) fn test_in_loop(code: &Code, at: usize) -> Option<usize> {
    let mut starts = (at.saturating_sub(LOOP)..=at).rev();
    starts.find(|start| {
        matches!(
            code.operations
                .get(*start)
                .map(|operation| &operation.action),
            Some(Action::LoadStore(_))
        ) && polls::end(code, *start).is_some_and(|end| at <= end)
    })
}

/// Returns the threads that have arrived in a phase, each warp once.
pub(super) fn came(world: &World, here: Here, awaited: &Awaited) -> Vec<Threads> {
    let Awaited::Phase { at, .. } = awaited else {
        return Vec::new();
    };
    let ctas = world.clusters[here.cluster].ctas.iter();
    let mut ctas = ctas.filter(|cta| at.memory == Memory::Shared { block: cta.number });
    let mbarrier = ctas
        .next()
        .and_then(|cta| cta.mbarriers.get(&(at.address as usize)));
    let mut all: BTreeMap<(u64, usize), u32> = BTreeMap::new();
    for (block, warp, lanes) in mbarrier.map_or(&[][..], |mbarrier| &mbarrier.came) {
        *all.entry((*block, *warp)).or_default() |= lanes;
    }
    all.into_iter()
        .map(|((block, warp), lanes)| (block, warp, lanes))
        .collect()
}

/// Returns what a group waits for, in words, and whether it is a single thing.
pub(super) fn awaited(
    world: &World,
    code: &Code,
    (here, index, group): (Here, usize, &Group),
) -> Option<(Awaited, String, bool)> {
    let cluster = &world.clusters[here.cluster];
    let cta = &cluster.ctas[here.rank];
    let block = cta.number;
    let threads = |count: u32| match count {
        1 => "1 more thread".to_owned(),
        _ => format!("{count} more threads"),
    };
    let found = match &group.wait {
        None => {
            let range = tested(world, code, (here, index, group))?;
            let name = match range.memory {
                Memory::Shared { .. } => format!(
                    "shared address {:#x}{}",
                    range.address,
                    code.program.shared_names.suffix(range.address)
                ),
                _ => format!(
                    "global address {:#x}{}",
                    range.address,
                    world.memory.names().suffix(range.address)
                ),
            };
            let needs = format!("another value in the {} bytes at {name}", range.bytes);
            (Awaited::Value(range), needs, true)
        }
        Some(Wait::Mbarrier) => {
            let (operation, waiting) = waiting_in(world, code, (here, group))?;
            let Action::Mbarrier(wait) = &operation.action else {
                return None;
            };
            let ((_, offset), cta, mbarrier) = wait.awaited(&waiting)?;
            let name = code.program.names_in(cta).mbarrier(offset as u64);
            let phase = mbarrier.phase;
            let arrivals = match mbarrier.pending {
                0 => None,
                1 => Some("1 arrival".to_owned()),
                count => Some(format!("{count} arrivals")),
            };
            let bytes = match mbarrier.tx {
                0 => None,
                tx if tx < 0 => Some(format!("{} bytes fewer", -tx)),
                tx => Some(format!("{tx} bytes")),
            };
            let parts: Vec<String> = arrivals.into_iter().chain(bytes).collect();
            let what = parts.join(" and ");
            let at = Range {
                memory: Memory::Shared { block: cta.number },
                address: offset as u64,
                bytes: 8,
            };
            let awaited = Awaited::Phase {
                at,
                phase,
                is_for_bytes: mbarrier.pending == 0,
            };
            let is_one = mbarrier.pending == 1 && mbarrier.tx == 0;
            (
                awaited,
                format!("{what} in phase {phase} of the {name}"),
                is_one,
            )
        }
        Some(Wait::Cta {
            barrier,
            generation,
        }) => {
            let (arrived, expected) = cta.barriers[*barrier].counts(cta);
            let missing = expected.saturating_sub(arrived);
            let awaited = Awaited::Barrier {
                block,
                barrier: *barrier as u32,
                generation: *generation,
            };
            let needs = format!("{} at barrier {barrier}", threads(missing));
            (awaited, needs, missing == 1)
        }
        Some(Wait::Cluster) => {
            let alive: u32 = cluster.ctas.iter().map(|cta| cta.alive).sum();
            let missing = alive.saturating_sub(cluster.barrier.arrived);
            let awaited = Awaited::Cluster {
                index: here.cluster,
                generation: cluster.barrier.generation,
            };
            let needs = format!("{} at the barrier of the cluster", threads(missing));
            (awaited, needs, missing == 1)
        }
        Some(Wait::Registers) => {
            let (operation, _) = waiting_in(world, code, (here, group))?;
            let Action::Registers(take) = &operation.action else {
                return None;
            };
            let count = take.count();
            let awaited = Awaited::Registers { block, count };
            let needs =
                format!("{count} registers a thread; other threads must give some back first");
            (awaited, needs, false)
        }
        Some(Wait::Collective { members }) => {
            let alive = cta.warps[here.warp].alive;
            let missing = match members {
                0 => alive & !group.mask,
                members => members & alive & !group.mask,
            };
            let awaited = Awaited::Warp {
                block,
                warp: here.warp,
                missing,
            };
            let needs = format!("{} of its warp", lane_names(missing));
            (awaited, needs, missing.count_ones() == 1)
        }
        Some(Wait::Warpgroup) => {
            let index = here.warp / 4;
            let needs = "the other warps of the warpgroup".to_owned();
            (Awaited::Warpgroup { block, index }, needs, false)
        }
        Some(Wait::Bulk) => (Awaited::Copies, "its copies".to_owned(), false),
        Some(Wait::MbarrierInit { .. }) => return None,
    };
    Some(found)
}

/// Returns the bytes that a group tests in a loop.
fn tested(
    world: &World,
    code: &Code,
    (here, index, group): (Here, usize, &Group),
) -> Option<Range> {
    struct Tested(Option<Range>);
    impl Observer for Tested {
        fn see(&mut self, _: Origin, event: Event) {
            if let Event::Access {
                kind: AccessKind::Read,
                range,
                ..
            } = event
            {
                self.0.get_or_insert(range);
            }
        }
        fn print(&mut self, _: &str) {}
    }
    let start = test_in_loop(code, group.pc)?;
    let mut world = world.clone();
    world.watches = true;
    let warp = &mut world.clusters[here.cluster].ctas[here.rank].warps[here.warp];
    warp.groups[index].pc = start;
    let mut tested = Tested(None);
    let turn = world.turn(code, &mut tested, (here, index), true, Length::ToVisible);
    turn.ok()?;
    tested.0
}

impl Awaited {
    pub(super) fn is_delivered(&self, origin: Origin, event: &Event, cluster: &[u64]) -> bool {
        match (self, event) {
            (
                Self::Phase {
                    at,
                    phase,
                    is_for_bytes,
                },
                Event::Mbarrier {
                    range, operation, ..
                },
            ) if range.memory == at.memory && range.address == at.address => match operation {
                MbarrierEvent::CompleteTx { phase: of, .. } => *is_for_bytes && of == phase,
                MbarrierEvent::Arrive { phase: of, .. }
                | MbarrierEvent::AsyncArrive { phase: of, .. } => !is_for_bytes && of == phase,
                _ => false,
            },
            (
                Self::Barrier {
                    block,
                    barrier,
                    generation,
                },
                Event::BarrierArrive {
                    barrier: at,
                    generation: of,
                    ..
                },
            ) => *block == origin.block && (barrier, generation) == (at, of),
            (Self::Cluster { generation, .. }, Event::ClusterArrive { generation: of, .. }) => {
                cluster.contains(&origin.block) && generation == of
            }
            (
                Self::Registers { block, .. },
                Event::SetMaxRegisters {
                    count,
                    before: Some(before),
                    ..
                },
            ) => *block == origin.block && count < before,
            (Self::Value(at), Event::Access { kind, range, .. }) => {
                *kind != AccessKind::Read && at.overlaps(range)
            }
            _ => false,
        }
    }

    pub(super) fn deliver(&self) -> &'static str {
        match self {
            Self::Phase {
                is_for_bytes: true, ..
            } => "would issue a copy with bytes for it",
            Self::Registers { .. } => "would give registers back",
            Self::Value(_) => "would store there",
            _ => "would arrive there",
        }
    }
}

/// Returns whether lanes are among those that must come to a barrier or a collective, and have not.
pub(super) fn is_missing(world: &World, awaited: &Awaited, here: Here, lanes: u32) -> bool {
    let cluster = &world.clusters[here.cluster];
    let cta = &cluster.ctas[here.rank];
    match awaited {
        Awaited::Barrier { block, barrier, .. } => {
            let state = &cta.barriers[*barrier as usize];
            let arrived = state.arrived.get(here.warp).copied().unwrap_or(0);
            *block == cta.number && state.expected == 0 && lanes & !arrived != 0
        }
        Awaited::Cluster { index, generation } => {
            let arrived = &cta.warps[here.warp].cluster_arrived;
            *index == here.cluster && lanes_of(lanes).any(|lane| arrived[lane] != Some(*generation))
        }
        Awaited::Warp {
            block,
            warp,
            missing,
        } => *block == cta.number && *warp == here.warp && lanes & missing != 0,
        Awaited::Warpgroup { block, index } => {
            let waits = cta.warps[here.warp].groups.iter();
            let mut waits = waits.filter(|group| group.mask & lanes != 0);
            *block == cta.number
                && here.warp / 4 == *index
                && waits.any(|group| group.wait != Some(Wait::Warpgroup))
        }
        _ => false,
    }
}
