//! The order in which lanes of a warp run if they are to stay together.
//!
//! On a GPU, lanes that have taken different ways wait for each other where the ways meet. Here lanes that are further
//! back in an order of the operations run first, and the others wait for them (thread frontiers; Diamos, Ashbaugh,
//! Maiyuran, Kerr, Wu and Yalamanchili, MICRO 2011). The order is a weak topological one (Bourdoncle, FMPA 1993): each
//! operation follows those that lead to it, and a loop as a whole precedes the code after it.

use std::iter::once;

use crate::{
    inst::Code,
    machine::{Group, Here, Wait, Warp, World},
};

/// Turns of a warp in which lanes were held back, after which they run: they may be what the others wait for.
const MOST_HELD_BACK: u32 = 1 << 16;

/// Returns the position of each operation in the order.
pub(super) fn order(code: &Code) -> Vec<u32> {
    let graph = Graph::new(code);
    let mut blocks = Vec::new();
    graph.arrange((0..graph.next.len()).collect(), &mut blocks);
    let mut order = vec![0; code.operations.len()];
    let operations = blocks
        .into_iter()
        .flat_map(|block| graph.starts[block]..graph.end(block));
    for (position, operation) in (0..).zip(operations) {
        order[operation] = position;
    }
    order
}

/// Blocks of operations without jumps between, in the order of the text.
#[derive(Debug, Default)]
struct Graph {
    starts: Vec<usize>,
    operations: usize,
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl Graph {
    fn new(code: &Code) -> Self {
        let count = code.operations.len();
        let successors = |at: usize| {
            let operation = &code.operations[at];
            let targets = operation.action.targets();
            let mut next = targets.unwrap_or_default().to_vec();
            if targets.is_none() || operation.guard.is_some() {
                next.push(at + 1);
            }
            next.retain(|next| *next < count);
            next
        };
        let is_jump = |at: usize| code.operations[at].action.targets().is_some();
        let mut starts = vec![0];
        starts.extend(code.program.functions.iter().map(|function| function.start));
        for at in (0..count).filter(|at| is_jump(*at)) {
            starts.push(at + 1);
            starts.extend(successors(at));
        }
        starts.retain(|start| *start < count);
        starts.sort();
        starts.dedup();
        let mut graph = Self {
            next: vec![Vec::new(); starts.len()],
            before: vec![Vec::new(); starts.len()],
            starts,
            operations: count,
        };
        for block in 0..graph.starts.len() {
            for to in successors(graph.end(block) - 1) {
                if let Ok(to) = graph.starts.binary_search(&to) {
                    graph.next[block].push(to);
                    graph.before[to].push(block);
                }
            }
            // The first successor in the text is visited last, and comes first in the order.
            graph.next[block].sort_by(|one, other| other.cmp(one));
        }
        graph
    }

    fn end(&self, block: usize) -> usize {
        let end = self.starts.get(block + 1);
        end.copied().unwrap_or(self.operations)
    }

    /// Appends these blocks in order: components one after another, in each the head of its loop and then the rest.
    fn arrange(&self, blocks: Vec<usize>, arranged: &mut Vec<usize>) {
        for mut component in self.components(&blocks) {
            if component.len() > 1 {
                component.sort();
                let is_entered = |block: &&usize| {
                    let mut before = self.before[**block].iter();
                    before.any(|before| component.binary_search(before).is_err())
                };
                let head = component.iter().find(is_entered).copied();
                let head = head.unwrap_or(component[0]);
                component.retain(|block| *block != head);
                arranged.push(head);
                self.arrange(component, arranged);
            } else {
                arranged.extend(component);
            }
        }
    }

    /// Returns the strongly connected components of these blocks, each after those that lead to it (Kosaraju).
    fn components(&self, blocks: &[usize]) -> Vec<Vec<usize>> {
        let mut is_open = vec![false; self.next.len()];
        blocks.iter().for_each(|block| is_open[*block] = true);
        let mut finished = Vec::new();
        for block in blocks.iter().rev() {
            visit(*block, &self.next, &mut is_open, &mut finished);
        }
        finished.iter().for_each(|block| is_open[*block] = true);
        let mut components = Vec::new();
        for block in finished.iter().rev() {
            let mut component = Vec::new();
            visit(*block, &self.before, &mut is_open, &mut component);
            if !component.is_empty() {
                components.push(component);
            }
        }
        components
    }
}

/// Closes the open blocks that a block leads to, and appends them: each after those that it leads to.
fn visit(from: usize, next: &[Vec<usize>], is_open: &mut [bool], finished: &mut Vec<usize>) {
    if !std::mem::take(&mut is_open[from]) {
        return;
    }
    let mut path = vec![(from, 0)];
    while let Some((block, visited)) = path.last_mut() {
        match next[*block].get(*visited) {
            Some(to) => {
                *visited += 1;
                if std::mem::take(&mut is_open[*to]) {
                    path.push((*to, 0));
                }
            }
            None => {
                finished.push(*block);
                path.pop();
            }
        }
    }
}

impl World {
    /// Returns whether lanes of a warp that are ahead of others wait for them.
    pub(super) fn holds_back(&self, warp: &Warp) -> bool {
        !self.convergence.is_empty() && warp.turns_held_back < MOST_HELD_BACK
    }

    /// Returns whether a group is ahead of another one of its warp that may come to where it is.
    pub(super) fn is_ahead(&self, group: &Group, warp: &Warp) -> bool {
        let is_behind = |other: &Group| self.way(other).lt(self.way(group));
        let may_come = |other: &&Group| {
            let wait = &other.wait;
            matches!(
                wait,
                None | Some(Wait::Mbarrier | Wait::MbarrierInit { .. } | Wait::Bulk)
            )
        };
        warp.groups.iter().filter(may_come).any(is_behind)
    }

    /// Returns the positions of a group's calls, and its own.
    fn way(&self, group: &Group) -> impl Iterator<Item = u32> {
        let calls = group.frames.iter().map(|frame| frame.pc - 1);
        let operations = calls.chain(once(group.pc));
        operations.map(|at| self.convergence.get(at).copied().unwrap_or_default())
    }

    /// Returns the group of a warp that is furthest back of those that can run, and whether it is ahead of others that
    /// cannot.
    pub(super) fn furthest_back(
        &mut self,
        code: &Code,
        here: Here,
        may_give_up: bool,
    ) -> Option<(usize, bool)> {
        let warp = &self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
        let ready = warp.groups.iter().enumerate();
        let mut ready =
            ready.filter(|(_, group)| self.can_run(code, here, warp, group, may_give_up));
        let (mut index, mut last) = ready.next()?;
        let mut is_held_back = false;
        for (other, group) in ready {
            is_held_back = true;
            if self.way(group).lt(self.way(last)) {
                (index, last) = (other, group);
            }
        }
        let is_ahead = self.is_ahead(last, warp);
        is_held_back |= is_ahead;
        let warp = &mut self.clusters[here.cluster].ctas[here.rank].warps[here.warp];
        warp.turns_held_back = match is_held_back {
            true => warp.turns_held_back.saturating_add(1),
            false => 0,
        };
        Some((index, is_ahead))
    }
}
