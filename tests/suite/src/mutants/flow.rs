//! Ways through the instructions of a function.

use std::collections::{HashMap, HashSet};

use ptx::{Block, Instruction, LabelList, Statement};

/// Instructions in the order of the text, with their successors.
pub(super) struct Flow<'a> {
    pub(super) instructions: Vec<&'a Instruction>,
    /// Successors; of a branch with a guard: first the next one in the text, then its targets.
    next: Vec<Vec<usize>>,
    /// Predecessors.
    before: Vec<Vec<usize>>,
    /// The ends of the function. A `trap` is not an end, nor is a call that does not return.
    ends: Vec<usize>,
}

impl<'a> Flow<'a> {
    /// Builds the flow; calls of the functions in `endless` do not return.
    pub(super) fn new(body: &'a Block, endless: &HashSet<&str>) -> Self {
        let mut instructions: Vec<&Instruction> = Vec::new();
        let mut labels: HashMap<&str, usize> = HashMap::new();
        let mut lists: HashMap<&str, &LabelList> = HashMap::new();
        for statement in body.walk() {
            match statement {
                Statement::Label(label) => {
                    labels.insert(label.as_str(), instructions.len());
                }
                Statement::LabelList(list) => {
                    lists.insert(list.label.as_str(), list);
                }
                Statement::Instruction(instruction) => instructions.push(instruction),
                _ => {}
            }
        }
        let next = |(at, instruction): (usize, &&Instruction)| {
            let stem = instruction.opcode.stem();
            let jumps = matches!(stem, "bra" | "brx");
            let mut names = instruction.operands.iter().filter_map(|o| o.as_name());
            let ends = match stem {
                "call" => names.clone().any(|name| endless.contains(name)),
                "ret" | "exit" | "trap" => true,
                _ => jumps,
            };
            let mut next = Vec::new();
            if !ends || instruction.guard.is_some() {
                next.push(at + 1);
            }
            for name in names.by_ref().filter(|_| jumps) {
                next.extend(labels.get(name));
                let listed = lists.get(name).into_iter().flat_map(|list| &list.targets);
                next.extend(listed.filter_map(|target| labels.get(target.as_str())));
            }
            next.retain(|to| *to < instructions.len());
            next
        };
        let next: Vec<Vec<usize>> = instructions.iter().enumerate().map(next).collect();
        let mut before = vec![Vec::new(); next.len()];
        for (at, to) in next.iter().enumerate() {
            to.iter().for_each(|to| before[*to].push(at));
        }
        let is_end = |at: &usize| matches!(instructions[*at].opcode.stem(), "ret" | "exit");
        Self {
            ends: (0..next.len()).filter(is_end).collect(),
            instructions,
            next,
            before,
        }
    }

    /// The branches that may or may not be taken.
    pub(super) fn branches(&self) -> impl Iterator<Item = usize> {
        let is_branch =
            |at: &usize| self.instructions[*at].opcode.stem() == "bra" && self.next[*at].len() == 2;
        (0..self.instructions.len()).filter(is_branch)
    }

    /// Returns the successor of a branch that is taken or not.
    pub(super) fn arm(&self, branch: usize, is_taken: bool) -> usize {
        self.next[branch][usize::from(is_taken)]
    }

    /// Returns for each instruction whether every path from it to the end of the function passes `by`.
    pub(super) fn must_pass(&self, by: usize) -> Vec<bool> {
        let mut must = vec![true; self.instructions.len()];
        let mut open = self.ends.clone();
        while let Some(at) = open.pop() {
            if at != by && std::mem::replace(&mut must[at], false) {
                open.extend(&self.before[at]);
            }
        }
        must
    }
}
