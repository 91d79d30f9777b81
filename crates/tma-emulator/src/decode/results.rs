//! Finds instructions with a result that is never used.

use std::collections::{HashMap, HashSet};

use ptx::{Block, Instruction, Operand, OperandKind, Space, Span, Statement};

use super::InstructionSet;

/// A register: the number of the block that declares it, and its name.
type Name<'m> = (usize, &'m str);

/// The registers that an instruction reads, and those that it computes.
#[derive(Default)]
struct Flow<'m> {
    reads: Vec<Name<'m>>,
    /// `None` if the instruction does more than compute.
    computes: Option<Vec<Name<'m>>>,
}

/// The registers that are declared in a block.
#[derive(Default)]
struct Declared<'m> {
    number: usize,
    names: HashSet<&'m str>,
    /// `%r<12>`: the prefix, and how many there are.
    ranges: Vec<(&'m str, u32)>,
}

/// Collects the instructions of a function.
struct Walk<'m> {
    open: Vec<Declared<'m>>,
    blocks: usize,
    flows: Vec<Flow<'m>>,
    /// The requested instructions, with their results.
    asked: Vec<(Span, Vec<Name<'m>>)>,
}

/// Returns the locations of instructions that [should have a used result](InstructionSet::has_result_to_use)
/// but do not in this function: no branch, guard, store, or operand of an instruction that does more than
/// compute depends on it.
pub(super) fn without_effect<A: InstructionSet>(body: &Block) -> HashSet<Span> {
    if !asks::<A>(body) {
        return HashSet::new();
    }
    let mut walk = Walk {
        open: Vec::new(),
        blocks: 0,
        flows: Vec::new(),
        asked: Vec::new(),
    };
    walk.block::<A>(body);
    let mut readers: HashMap<Name<'_>, Vec<usize>> = HashMap::new();
    for (index, flow) in walk.flows.iter().enumerate() {
        for name in &flow.reads {
            readers.entry(*name).or_default().push(index);
        }
    }
    let decides = |results: &[Name<'_>]| {
        let mut next = results.to_vec();
        let mut seen: HashSet<Name<'_>> = next.iter().copied().collect();
        while let Some(name) = next.pop() {
            for index in readers.get(&name).into_iter().flatten() {
                let Some(computed) = &walk.flows[*index].computes else {
                    return true;
                };
                next.extend(computed.iter().filter(|name| seen.insert(**name)));
            }
        }
        false
    };
    let asked = walk.asked.iter();
    let unused = asked.filter(|(_, results)| !decides(results));
    unused.map(|(span, _)| *span).collect()
}

fn asks<A: InstructionSet>(block: &Block) -> bool {
    block.statements.iter().any(|statement| match statement {
        Statement::Instruction(instruction) => A::has_result_to_use(&instruction.opcode),
        Statement::Block(inner) => asks::<A>(inner),
        _ => false,
    })
}

impl<'m> Walk<'m> {
    fn block<A: InstructionSet>(&mut self, block: &'m Block) {
        self.blocks += 1;
        self.open.push(Declared {
            number: self.blocks,
            ..Declared::default()
        });
        for statement in &block.statements {
            match statement {
                Statement::Variable(variable) if variable.space == Space::Reg => {
                    self.declare(variable);
                }
                Statement::Instruction(instruction) => self.instruction::<A>(instruction),
                Statement::Block(inner) => self.block::<A>(inner),
                _ => {}
            }
        }
        self.open.pop();
    }

    fn declare(&mut self, variable: &'m ptx::Variable) {
        let Some(declared) = self.open.last_mut() else {
            return;
        };
        for declarator in &variable.declarators {
            let name = declarator.name.as_str();
            match declarator.range {
                Some(count) => declared.ranges.push((name, count)),
                None => {
                    declared.names.insert(name);
                }
            }
        }
    }

    fn instruction<A: InstructionSet>(&mut self, instruction: &'m Instruction) {
        let opcode = &instruction.opcode;
        let (is_asked, only_computes) = (A::has_result_to_use(opcode), A::only_computes(opcode));
        let mut flow = Flow::default();
        let guard = instruction.guard.as_ref();
        flow.reads
            .extend(guard.map(|guard| self.resolve(guard.register.as_str())));
        let results = match instruction.operands.split_first() {
            Some((first, rest)) if is_asked || only_computes => {
                rest.iter()
                    .for_each(|operand| self.names(operand, &mut flow.reads));
                let mut results = Vec::new();
                self.names(first, &mut results);
                results
            }
            _ => {
                let operands = instruction.operands.iter();
                operands.for_each(|operand| self.names(operand, &mut flow.reads));
                Vec::new()
            }
        };
        if is_asked {
            self.asked.push((*instruction.span, results));
        } else if only_computes {
            flow.computes = Some(results);
        }
        self.flows.push(flow);
    }

    fn names(&self, operand: &'m Operand, to: &mut Vec<Name<'m>>) {
        let mut each = |operands: &'m [Operand]| {
            for operand in operands {
                self.names(operand, to);
            }
        };
        match &operand.kind {
            OperandKind::Not(inner) => self.names(inner, to),
            OperandKind::Pair(one, two) => {
                self.names(one, to);
                self.names(two, to);
            }
            OperandKind::Vector(all) | OperandKind::List(all) => each(all),
            OperandKind::Memory { address, rest } => {
                each(rest);
                self.names(address, to);
            }
            OperandKind::Symbol(_) | OperandKind::Offset(_) | OperandKind::Element(_) => {
                let symbol = operand.base_and_offset();
                let name = symbol.map(|(symbol, _)| symbol.name.as_str());
                to.extend(name.map(|name| self.resolve(name)));
            }
            OperandKind::Constant(_) | OperandKind::Sink => {}
        }
    }

    fn resolve(&self, name: &'m str) -> Name<'m> {
        let in_range = |(prefix, count): &(&str, u32)| {
            let number = name.strip_prefix(prefix);
            let number = number.and_then(|number| number.parse::<u32>().ok());
            number.is_some_and(|number| number < *count)
        };
        let declares = |declared: &&Declared<'m>| {
            declared.ranges.iter().any(in_range) || declared.names.contains(name)
        };
        let declared = self.open.iter().rev().find(declares);
        (declared.map_or(0, |declared| declared.number), name)
    }
}
