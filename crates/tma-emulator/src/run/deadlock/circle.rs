//! The circles and chains of a deadlock's waits: which waiting threads would deliver what the others wait for.
//!
//! The threads are found by trial. On a copy of the machine, one wait is taken as over, and the kernel goes on. Whatever
//! its threads then deliver to another wait is held up by their own wait. They may meet further waits on the way, which
//! are taken as over, too.

use std::collections::BTreeMap;

use super::{groups, waiting_in};
use crate::{
    inst::{Action, Code},
    machine::{
        Group, Here, Trap, Wait, World,
        observer::{AccessKind, Event, MbarrierEvent, Memory, Observer, Origin, Range},
    },
    run::{explore::polls, is_interrupted, schedule::Length},
    value::{LANES, lane_names, lanes_of},
};

/// Limit of different waits to try.
const MOST_WAITS: usize = 16;
/// Limit of global memory to copy, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Steps of a trial, and waits of its threads that are taken as over.
const STEPS: u64 = 100_000;
const ROUNDS: usize = 8;
/// Limit of chains in a report.
const LISTED: usize = 2;
/// Limit of warps that are named.
const LISTED_THREADS: usize = 4;
/// Operations between a test in a loop and the end of the loop.
const LOOP: usize = 16;

/// A block, a warp, and its lanes.
type Threads = (u64, usize, u32);

/// What threads wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Awaited {
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

/// Threads that wait for the same.
struct Node {
    awaited: Awaited,
    /// What is missing, as `1 arrival at phase 0 of …`.
    needs: String,
    is_one: bool,
    /// The threads that have arrived in the phase: their blocks, warps and lanes.
    came: Vec<Threads>,
    groups: Vec<(Here, Group)>,
    /// The node of the threads that would deliver it, and the thread and the instruction if a trial has shown them.
    due_from: Option<(usize, Option<Origin>)>,
    /// True if the threads of the node ended when their waits were taken as over.
    has_ended: bool,
}

/// The circles and chains of waits.
#[derive(Default)]
pub(in crate::run) struct Chains {
    pub(in crate::run) texts: Vec<String>,
    /// The waits in them, each by the number of a block and a warp in it.
    pub(in crate::run) waits: Vec<((u64, u32), String)>,
}

impl Chains {
    pub(in crate::run) fn find(world: &World, code: &Code) -> Self {
        let mut chains = Self::default();
        let bytes: usize = world.memory.contents().map(|(_, bytes)| bytes.len()).sum();
        let nodes = nodes(world, code);
        if bytes > MOST_BYTES || nodes.len() > MOST_WAITS {
            return chains;
        }
        let Some(nodes) = with_holders(world, code, nodes) else {
            return chains;
        };
        let mut known = Vec::new();
        for (walk, is_circle) in walks(&nodes) {
            let text = text(world, code, &nodes, &walk, is_circle);
            // Blocks that do the same are reported once.
            let key = without_places(&text);
            if known.contains(&key) || known.len() == LISTED {
                continue;
            }
            known.push(key);
            chains.texts.push(text);
            for node in walk.into_iter().map(|index| &nodes[index]) {
                if let Some((here, _)) = node.groups.first() {
                    let block = world.clusters[here.cluster].ctas[here.rank].number;
                    let wait = (
                        (block, here.warp as u32),
                        format!("waits for {}", node.needs),
                    );
                    chains.waits.push(wait);
                }
            }
        }
        chains
    }
}

/// Finds the threads that would deliver what others wait for. Returns `None` if it was interrupted.
fn with_holders(world: &World, code: &Code, mut nodes: Vec<Node>) -> Option<Vec<Node>> {
    for holder in 0..nodes.len() {
        let (found, has_ended) = deliveries(world, code, &nodes, holder);
        if is_interrupted() {
            return None;
        }
        nodes[holder].has_ended = has_ended;
        for (node, found) in nodes.iter_mut().zip(found) {
            if let Some(origin) = found {
                node.due_from.get_or_insert((holder, Some(origin)));
            }
        }
    }
    for index in 0..nodes.len() {
        let missing = |holder: &Node| {
            let mut groups = holder.groups.iter();
            groups.any(|(here, group)| is_missing(world, &nodes[index].awaited, *here, group.mask))
        };
        let holder = nodes.iter().position(missing);
        if let (None, Some(holder)) = (&nodes[index].due_from, holder) {
            nodes[index].due_from = Some((holder, None));
        }
    }
    Some(nodes)
}

/// Returns whether some threads test a value in a loop or wait, and no others run.
pub(super) fn all_wait(world: &World, code: &Code) -> bool {
    let waits = |(_, _, group): (Here, usize, &Group)| {
        group.wait.is_some() || test_in_loop(code, group.pc).is_some()
    };
    world.transfers.is_empty() && groups(world).all(waits)
}

/// Returns the load of the loop that an operation is in, if the loop only tests what it loads.
fn test_in_loop(code: &Code, at: usize) -> Option<usize> {
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

fn nodes(world: &World, code: &Code) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for (here, index, group) in groups(world) {
        let Some((awaited, needs, is_one)) = awaited(world, code, (here, index, group)) else {
            continue;
        };
        match nodes.iter_mut().find(|node| node.awaited == awaited) {
            Some(node) => node.groups.push((here, group.clone())),
            None => nodes.push(Node {
                awaited,
                needs,
                is_one,
                came: came(world, here, &awaited),
                groups: vec![(here, group.clone())],
                due_from: None,
                has_ended: false,
            }),
        }
    }
    nodes
}

/// Returns the threads that have arrived in a phase, each warp once.
fn came(world: &World, here: Here, awaited: &Awaited) -> Vec<Threads> {
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
fn awaited(
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
            let needs = format!("{count} registers a thread, of which others must give some back");
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
    let warp = &mut world.clusters[here.cluster].ctas[here.rank].warps[here.warp];
    warp.groups[index].pc = start;
    let mut tested = Tested(None);
    let mut observer: &mut dyn Observer = &mut tested;
    let turn = world.turn(code, &mut observer, (here, index), true, Length::ToVisible);
    turn.ok()?;
    tested.0
}

/// Takes the waits of a node's threads as over, and returns what they then deliver to other nodes, and whether all of
/// them ended.
fn deliveries(
    world: &World,
    code: &Code,
    nodes: &[Node],
    holder: usize,
) -> (Vec<Option<Origin>>, bool) {
    let threads = nodes[holder].groups.iter().map(|(here, group)| {
        let block = world.clusters[here.cluster].ctas[here.rank].number;
        (block, here.warp, group.mask)
    });
    let awaited = nodes.iter().enumerate().map(|(index, node)| {
        let cluster = match node.awaited {
            Awaited::Cluster { index, .. } => {
                let ctas = world.clusters[index].ctas.iter();
                ctas.map(|cta| cta.number).collect()
            }
            _ => Vec::new(),
        };
        (index != holder).then(|| Watched {
            awaited: node.awaited,
            cluster,
            came: node.came.clone(),
        })
    });
    let mut seen = Deliveries {
        threads: threads.collect(),
        awaited: awaited.collect(),
        found: vec![None; nodes.len()],
    };
    let mut world = world.clone();
    world.config.max_steps = world.steps.saturating_add(STEPS);
    world.has_ended = true;
    let mut has_ended = false;
    for _ in 0..ROUNDS {
        if !world.pass(code, &seen.threads) {
            break;
        }
        let mut observer: &mut dyn Observer = &mut seen;
        let ran = world.run(code, &mut observer);
        has_ended = groups(&world).all(|(here, _, group)| !seen.has(&world, here, group.mask));
        let is_stuck = ran.is_err_and(|trapped| trapped.trap == Trap::Deadlock);
        if has_ended || !is_stuck {
            break;
        }
    }
    (seen.found, has_ended)
}

/// A wait, with the blocks of its cluster, and the threads that have arrived already.
struct Watched {
    awaited: Awaited,
    cluster: Vec<u64>,
    came: Vec<Threads>,
}

/// Sees what some threads deliver.
struct Deliveries {
    /// Blocks, warps and lanes.
    threads: Vec<Threads>,
    /// The waits of others.
    awaited: Vec<Option<Watched>>,
    found: Vec<Option<Origin>>,
}

impl Deliveries {
    fn has(&self, world: &World, here: Here, lanes: u32) -> bool {
        let block = world.clusters[here.cluster].ctas[here.rank].number;
        let mut threads = self.threads.iter();
        threads.any(|(of, warp, mask)| *of == block && *warp == here.warp && mask & lanes != 0)
    }
}

impl Observer for Deliveries {
    fn see(&mut self, origin: Origin, event: Event) {
        let (warp, lane) = (
            origin.thread as usize / LANES,
            origin.thread as usize % LANES,
        );
        let is_theirs = |(block, of, mask): &Threads| {
            *block == origin.block && *of == warp && mask >> lane & 1 != 0
        };
        if !self.threads.iter().any(is_theirs) {
            return;
        }
        for (awaited, found) in self.awaited.iter().zip(&mut self.found) {
            // Who has arrived in a phase would arrive in the next one.
            if let Some(Watched {
                awaited,
                cluster,
                came,
            }) = awaited
                && found.is_none()
                && !came.iter().any(is_theirs)
                && awaited.is_delivered(origin, &event, cluster)
            {
                *found = Some(origin);
            }
        }
    }

    fn print(&mut self, _: &str) {}
}

impl Awaited {
    fn is_delivered(&self, origin: Origin, event: &Event, cluster: &[u64]) -> bool {
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

    fn deliver(&self) -> &'static str {
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
fn is_missing(world: &World, awaited: &Awaited, here: Here, lanes: u32) -> bool {
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

impl World {
    /// Takes the current waits of some threads as over. Returns false if none could be.
    fn pass(&mut self, code: &Code, threads: &[Threads]) -> bool {
        let of_them = |world: &Self, here: Here, mask: u32| {
            let number = world.clusters[here.cluster].ctas[here.rank].number;
            let mut threads = threads.iter();
            threads.any(|(block, warp, lanes)| {
                *block == number && *warp == here.warp && lanes & mask != 0
            })
        };
        let mut done: Vec<Awaited> = Vec::new();
        let mut found: Vec<(Here, usize, Option<Awaited>)> = Vec::new();
        for (here, index, group) in groups(self) {
            if of_them(self, here, group.mask) {
                let awaited = awaited(self, code, (here, index, group));
                found.push((here, index, awaited.map(|(awaited, ..)| awaited)));
            }
        }
        let mut has_passed = false;
        for (here, index, awaited) in found {
            let Some(awaited) = awaited else { continue };
            let is_new = !done.contains(&awaited);
            done.push(awaited);
            has_passed |= match awaited {
                Awaited::Value(_) => self.leave_loop(code, here, index),
                _ if !is_new => true,
                _ => self.pass_one(here, awaited),
            };
        }
        has_passed
    }

    fn leave_loop(&mut self, code: &Code, here: Here, index: usize) -> bool {
        let warp = &mut self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
        let Some(group) = warp.groups.get_mut(index) else {
            return false;
        };
        let exit = test_in_loop(code, group.pc).and_then(|start| polls::exit(code, start));
        if let Some(exit) = exit {
            group.pc = exit;
        }
        exit.is_some()
    }

    fn pass_one(&mut self, here: Here, awaited: Awaited) -> bool {
        let cluster = &mut self.clusters[here.cluster];
        match awaited {
            Awaited::Phase { at, .. } => {
                let Memory::Shared { block } = at.memory else {
                    return false;
                };
                let mut ctas = cluster.ctas.iter_mut();
                let cta = ctas.find(|cta| cta.number == block);
                let mbarrier = cta.and_then(|cta| cta.mbarriers.get_mut(&(at.address as usize)));
                mbarrier.map(|mbarrier| mbarrier.pass()).is_some()
            }
            Awaited::Barrier { barrier, .. } => {
                cluster.ctas[here.rank].barriers[barrier as usize].pass();
                true
            }
            Awaited::Cluster { .. } => {
                cluster.barrier.pass();
                true
            }
            Awaited::Registers { count, .. } => {
                let pool = cluster.ctas[here.rank].registers.as_mut();
                pool.map(|pool| pool.add(count * LANES as u32)).is_some()
            }
            _ => false,
        }
    }
}

/// Returns each circle, and the longest chain to each node without threads that would deliver.
fn walks(nodes: &[Node]) -> Vec<(Vec<usize>, bool)> {
    let mut circles: Vec<Vec<usize>> = Vec::new();
    let mut chains: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for start in 0..nodes.len() {
        let mut walk = vec![start];
        let mut at = start;
        loop {
            let Some((next, _)) = nodes[at].due_from else {
                let known = chains.entry(at).or_default();
                if walk.len() > known.len() {
                    *known = walk;
                }
                break;
            };
            if let Some(first) = walk.iter().position(|node| *node == next) {
                let circle = &walk[first..];
                let least = circle.iter().enumerate().min_by_key(|(_, node)| **node);
                let least = least.map_or(0, |(index, _)| index);
                let circle = [&circle[least..], &circle[..least]].concat();
                if !circles.contains(&circle) {
                    circles.push(circle);
                }
                break;
            }
            walk.push(next);
            at = next;
        }
    }
    let circles = circles.into_iter().map(|circle| (circle, true));
    circles
        .chain(chains.into_values().map(|chain| (chain, false)))
        .collect()
}

fn text(world: &World, code: &Code, nodes: &[Node], walk: &[usize], is_circle: bool) -> String {
    let mut text = match is_circle {
        true => "the circle of waits:".to_owned(),
        false => "what the waits lead to:".to_owned(),
    };
    for (number, index) in walk.iter().enumerate() {
        let node = &nodes[*index];
        let is_last = number + 1 == walk.len();
        let needs = match is_single(&node.groups) {
            true => "needs",
            false => "need",
        };
        text += &format!("\n  {} {needs} {}", who(world, &node.groups), node.needs);
        let verb = match node.awaited {
            Awaited::Value(_) => "a store there is due",
            Awaited::Registers { .. } => "registers are due",
            _ if node.is_one => "it is due",
            _ => "they are due",
        };
        let Some((holder, origin)) = &node.due_from else {
            text += &format!("\n    {}", without_holder(world, nodes, node));
            continue;
        };
        let by = match origin {
            Some(origin) => {
                let location = code.program.location(origin.instruction);
                let (file, line) = location.line_of_source();
                let opcode = code.program.opcode(origin.instruction);
                format!(" (`{opcode}` at {file}:{line})")
            }
            None => String::new(),
        };
        let holders = &nodes[*holder].groups;
        let end = match (is_last, is_single(holders)) {
            (true, _) => ": the circle is closed",
            (false, true) => ", which waits itself:",
            (false, false) => ", which wait themselves:",
        };
        text += &format!("\n    {verb} from {}{by}{end}", who(world, holders));
    }
    text
}

/// Returns why no thread delivers what a node waits for.
fn without_holder(world: &World, nodes: &[Node], node: &Node) -> String {
    let blocks: Vec<u64> = node
        .groups
        .iter()
        .map(|(here, _)| world.clusters[here.cluster].ctas[here.rank].number)
        .collect();
    let ended: u32 = blocks.first().map_or(0, |first| {
        let all = world.clusters.iter().flat_map(|cluster| &cluster.ctas);
        let ended = all
            .filter(|cta| cta.number == *first)
            .map(|cta| world.places.threads() - cta.alive);
        ended.sum()
    });
    let ended = match ended {
        0 => String::new(),
        _ => format!(
            "; {ended} of the {} threads of the block have ended",
            world.places.threads()
        ),
    };
    let came: Vec<String> = node
        .came
        .iter()
        .take(LISTED_THREADS)
        .map(|(block, warp, lanes)| name(world, world.places.block(*block), *warp, *lanes))
        .collect();
    let came = match (came.len(), node.came.len()) {
        (0, _) => String::new(),
        (shown, all) if shown < all => {
            format!(
                "; so far {} and {} more have arrived",
                came.join(", "),
                all - shown
            )
        }
        _ => format!("; so far {} arrived", came.join(", ")),
    };
    if matches!(node.awaited, Awaited::Phase { .. }) && node.needs.contains("fewer") {
        return format!("more bytes came than the phase expects{ended}");
    }
    let deliver = node.awaited.deliver();
    match nodes.iter().all(|node| node.has_ended) {
        true => format!("no thread {deliver}: all that wait would end without it{came}{ended}"),
        false => format!("no thread was found that {deliver} later{came}{ended}"),
    }
}

/// Returns whether the groups are one warp or one lane.
fn is_single(groups: &[(Here, Group)]) -> bool {
    matches!(groups, [(_, group)] if group.mask == u32::MAX || group.mask.count_ones() == 1)
}

fn name(world: &World, block: [u32; 3], warp: usize, lanes: u32) -> String {
    let has_blocks = world.places.grid.iter().product::<u32>() > 1;
    let block = match has_blocks {
        true => format!("block {block:?} "),
        false => String::new(),
    };
    let lanes = match lanes {
        u32::MAX => String::new(),
        lanes => format!(" {}", lane_names(lanes)),
    };
    format!("{block}warp {warp}{lanes}")
}

/// Names threads, the first two groups of them.
fn who(world: &World, groups: &[(Here, Group)]) -> String {
    let names: Vec<String> = groups
        .iter()
        .take(LISTED_THREADS / 2)
        .map(|(here, group)| {
            let id = world.clusters[here.cluster].ctas[here.rank].id;
            name(world, id, here.warp, group.mask)
        })
        .collect();
    let more = match groups.len().saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", names.join(", "))
}

/// Leaves the indices of blocks out of a text.
fn without_places(text: &str) -> String {
    let mut parts = text.split("block [");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        all + "block" + part.split_once(']').map_or(part, |(_, rest)| rest)
    })
}
