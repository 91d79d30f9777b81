//! Trials on a copy of the machine: waits of some threads are taken as over.

use super::{
    super::groups,
    Node, Threads,
    awaited::{Awaited, awaited, test_in_loop},
};
use crate::{
    inst::Code,
    machine::{
        Here, Trap, World,
        observer::{Event, Memory, Observer, Origin},
    },
    run::explore::polls,
    value::LANES,
};

/// Steps of a trial, and waits of its threads that are taken as over.
const STEPS: u64 = 100_000;
const ROUNDS: usize = 8;

/// Takes the waits of a node's threads as over, and returns what they then deliver to other nodes, and whether all of
/// them ended.
pub(super) fn deliveries(
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
    world.watches = true;
    world.config.max_steps = world.steps.saturating_add(STEPS);
    world.has_ended = true;
    let mut has_ended = false;
    for _ in 0..ROUNDS {
        if !world.pass(code, &seen.threads) {
            break;
        }
        let ran = world.run(code, &mut seen);
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
