//! Dominance: the instructions that precede another one on every path through a function.

use std::collections::HashMap;

use ptx::{Block, Instruction, LabelList, Statement};

/// The instructions of a function as basic blocks.
pub(crate) struct ControlFlow<'a> {
    /// Each instruction with the `.loc` before it and the block that it is in, in the order of the
    /// text.
    pub(crate) instructions: Vec<InBlock<'a>>,
    /// The immediate dominator of each block; the entry has itself, a block that
    /// cannot be reached none.
    immediate_dominators: Vec<Option<usize>>,
    /// The successors of each block.
    successors: Vec<Vec<usize>>,
}

/// An instruction in its block.
pub(crate) struct InBlock<'a> {
    pub(crate) instruction: &'a Instruction,
    pub(crate) location: Option<&'a ptx::Location>,
    block: usize,
}

impl<'a> ControlFlow<'a> {
    pub(crate) fn new(body: &'a Block) -> Self {
        let mut instructions: Vec<InBlock<'a>> = Vec::new();
        let mut labels: HashMap<&str, usize> = HashMap::new();
        let mut targets: HashMap<&str, &LabelList> = HashMap::new();
        let mut location = None;
        let mut block = 0;
        let mut block_has_instructions = false;
        for statement in body.walk() {
            match statement {
                Statement::Label(label) => {
                    block += usize::from(block_has_instructions);
                    block_has_instructions = false;
                    labels.insert(label.as_str(), block);
                }
                Statement::LabelList(list) => drop(targets.insert(list.label.as_str(), list)),
                Statement::Location(at) => location = Some(at),
                Statement::Instruction(instruction) => {
                    instructions.push(InBlock {
                        instruction,
                        location,
                        block,
                    });
                    block_has_instructions = !ends_block(instruction);
                    block += usize::from(ends_block(instruction));
                }
                _ => {}
            }
        }
        let successors = successors(&instructions, block + 1, &labels, &targets);
        Self {
            immediate_dominators: immediate_dominators(&successors),
            successors,
            instructions,
        }
    }

    /// Returns whether two instructions are in arms of a branch that exclude each other: from neither does a path lead
    /// to the other, but through the branch once more.
    pub(crate) fn exclusive(&self, left: &InBlock<'_>, right: &InBlock<'_>) -> bool {
        let (left, right) = (left.block, right.block);
        let mut branch = left;
        while !self.dominates(branch, right) {
            match self.immediate_dominators[branch] {
                Some(above) if above != branch => branch = above,
                // One of them cannot be reached.
                _ => return false,
            }
        }
        let lead = |from, to| self.reaches(from, to, branch);
        branch != left && branch != right && !lead(left, right) && !lead(right, left)
    }

    /// Returns whether a path that does not come by a block leads from one to another.
    fn reaches(&self, from: usize, to: usize, without: usize) -> bool {
        let mut seen = vec![false; self.successors.len()];
        seen[without] = true;
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            for next in &self.successors[block] {
                if !std::mem::replace(&mut seen[*next], true) {
                    open.push(*next);
                }
            }
        }
        seen[to]
    }

    fn dominates(&self, above: usize, mut below: usize) -> bool {
        while below != above {
            match self.immediate_dominators[below] {
                Some(dominator) if dominator != below => below = dominator,
                _ => return false,
            }
        }
        true
    }
}

fn ends_block(instruction: &Instruction) -> bool {
    matches!(
        instruction.opcode.stem(),
        "bra" | "brx" | "ret" | "exit" | "trap"
    )
}

fn successors(
    instructions: &[InBlock<'_>],
    blocks: usize,
    labels: &HashMap<&str, usize>,
    targets: &HashMap<&str, &LabelList>,
) -> Vec<Vec<usize>> {
    // A block without a jump at its end falls through.
    let mut successors: Vec<Vec<usize>> = (1..=blocks).map(|next| vec![next]).collect();
    for item in instructions
        .iter()
        .filter(|item| ends_block(item.instruction))
    {
        let instruction = item.instruction;
        let next = &mut successors[item.block];
        if instruction.guard.is_none() {
            next.clear();
        }
        let names = instruction
            .operands
            .iter()
            .filter_map(|operand| operand.as_name());
        for name in names {
            next.extend(labels.get(name));
            let listed = targets.get(name).into_iter().flat_map(|list| &list.targets);
            next.extend(listed.filter_map(|target| labels.get(target.as_str())));
        }
    }
    for next in &mut successors {
        next.retain(|block| *block < blocks);
    }
    successors
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
fn immediate_dominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let order = reverse_postorder(successors);
    let mut position = vec![usize::MAX; successors.len()];
    for (index, block) in order.iter().enumerate() {
        position[*block] = index;
    }
    let mut predecessors = vec![Vec::new(); successors.len()];
    for block in &order {
        for next in &successors[*block] {
            predecessors[*next].push(*block);
        }
    }
    let mut dominators: Vec<Option<usize>> = vec![None; successors.len()];
    if let Some(entry) = order.first() {
        dominators[*entry] = Some(*entry);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().skip(1) {
            let known = predecessors[*block]
                .iter()
                .copied()
                .filter(|block| dominators[*block].is_some());
            let common = known.reduce(|mut left, mut right| {
                while left != right {
                    let later = if position[left] > position[right] {
                        &mut left
                    } else {
                        &mut right
                    };
                    *later = dominators[*later].unwrap_or(*later);
                }
                left
            });
            changed |= dominators[*block] != common;
            dominators[*block] = common;
        }
    }
    dominators
}

fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut open = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = open.last_mut() {
        match successors[*block].get(*next) {
            Some(successor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[*successor], true) {
                    open.push((*successor, 0));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the two `bar.sync` of a body exclude each other.
    fn barriers_exclude_each_other(body: &str) -> bool {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p;\n{body}\n}}"
        );
        let module = ptx::parse(&text).unwrap();
        let entry = module.function("k").unwrap();
        let flow = ControlFlow::new(entry.body.as_ref().unwrap());
        let barriers: Vec<_> = flow
            .instructions
            .iter()
            .filter(|p| p.instruction.opcode.stem() == "bar")
            .collect();
        assert_eq!(barriers.len(), 2);
        flow.exclusive(barriers[0], barriers[1])
    }

    #[test]
    fn arms_of_a_branch_exclude_each_other() {
        assert!(barriers_exclude_each_other(
            "@%p bra A;\nbar.sync 0;\nbra.uni B;\nA:\nbar.sync 0;\nB:\nret;"
        ));
    }

    #[test]
    fn one_may_come_after_the_other() {
        assert!(!barriers_exclude_each_other(
            "bar.sync 0;\n@%p bra A;\nA:\nbar.sync 0;\nret;"
        ));
    }

    #[test]
    fn an_unrolled_loop_has_one_after_the_other() {
        assert!(!barriers_exclude_each_other(
            "A:\nbar.sync 0;\n@%p bra B;\nbar.sync 0;\n@%p bra A;\nB:\nret;"
        ));
    }

    #[test]
    fn what_an_unrolled_loop_leaves_over_comes_after_it() {
        assert!(!barriers_exclude_each_other(
            "@%p bra B;\nA:\nbar.sync 0;\n@%p bra A;\nB:\nbar.sync 0;\n@%p bra B;\nret;"
        ));
    }

    #[test]
    fn arms_in_a_loop_exclude_each_other_all_the_same() {
        assert!(barriers_exclude_each_other(
            "L:\n@%p bra A;\nbar.sync 0;\nbra.uni B;\nA:\nbar.sync 0;\nB:\n@%p bra L;\nret;"
        ));
    }

    #[test]
    fn a_function_may_end_without_a_return() {
        assert!(!barriers_exclude_each_other(
            "@%p bra A;\nbar.sync 0;\nA:\nbar.sync 0;"
        ));
    }

    #[test]
    fn indirect_branches_reach_their_targets() {
        let body = "T: .branchtargets A, B;\n.reg .u32 %r;\nbrx.idx %r, T;\nA:\nbar.sync 0;\nret;\nB:\nbar.sync 0;\nret;";
        assert!(barriers_exclude_each_other(body));
    }
}
