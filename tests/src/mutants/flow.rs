//! Ways through the instructions of a function.

use std::collections::{HashMap, HashSet};

use ptx::{Block, Instruction, LabelList, Statement};

/// Instructions in the order of the text, and where each goes on.
pub(super) struct Flow<'a> {
    pub(super) instructions: Vec<&'a Instruction>,
    /// Of a branch with a guard: first what comes next in the text, then its targets.
    next: Vec<Vec<usize>>,
}

impl<'a> Flow<'a> {
    /// Calls of the functions in `endless` do not come back.
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
        Self {
            next: instructions.iter().enumerate().map(next).collect(),
            instructions,
        }
    }

    /// The branches that may or may not be taken.
    pub(super) fn branches(&self) -> impl Iterator<Item = usize> {
        let is_branch =
            |at: &usize| self.instructions[*at].opcode.stem() == "bra" && self.next[*at].len() == 2;
        (0..self.instructions.len()).filter(is_branch)
    }

    /// Where a branch goes when it is taken or not.
    pub(super) fn arm(&self, branch: usize, is_taken: bool) -> usize {
        self.next[branch][usize::from(is_taken)]
    }

    /// Returns whether every path from `start` to the end of the function passes `by`. A `trap` is
    /// no end, nor is a call that does not come back.
    pub(super) fn must_pass(&self, start: usize, by: usize) -> bool {
        let mut seen = vec![false; self.instructions.len()];
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if at == by || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if matches!(self.instructions[at].opcode.stem(), "ret" | "exit") {
                return false;
            }
            open.extend(&self.next[at]);
        }
        true
    }
}
