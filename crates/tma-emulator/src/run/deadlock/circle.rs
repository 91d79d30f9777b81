//! The circles and chains of a deadlock's waits: which waiting threads would deliver what the others wait for.
//!
//! The threads are found by trial. On a copy of the machine, one wait is taken as over, and the kernel goes on. Whatever
//! its threads then deliver to another wait is held up by their own wait. They may meet further waits on the way, which
//! are taken as over, too.

mod awaited;
mod trial;

use std::collections::BTreeMap;

use super::groups;
use crate::{
    inst::Code,
    machine::{Group, Here, World, observer::Origin},
    run::is_interrupted,
    value::lane_names,
};
use awaited::{Awaited, awaited, came, is_missing, test_in_loop};
use trial::deliveries;

/// Limit of different waits to try.
const MOST_WAITS: usize = 16;
/// Limit of global memory to copy, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Limit of chains in a report.
const LISTED: usize = 2;
/// Limit of warps that are named.
const LISTED_THREADS: usize = 4;

/// A block, a warp, and its lanes.
type Threads = (u64, usize, u32);

/// Threads that wait for the same.
struct Node {
    awaited: Awaited,
    /// The missing part in words, as `1 arrival in phase 0 of …`.
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
