//! Branches by which some threads alone come to an instruction that matters.

use std::collections::HashSet;

use ptx::{Block, Instruction, OperandKind, Span};

use super::{
    Operator,
    change::{Change, matters},
    flow::Flow,
};

/// What tells the threads of a block apart: PTX ISA 9.1, section 10.
const IDENTITIES: [&str; 3] = ["%tid", "%laneid", "%warpid"];

/// For each such branch the change that lets all threads in; both, where something that matters
/// stands on either side.
pub(super) fn opened(body: &Block) -> Vec<(Span, Change)> {
    let flow = Flow::new(body);
    let by_thread = registers_by_thread(&flow.instructions);
    let mut important: Vec<usize> = (0..flow.instructions.len())
        .filter(|at| matters(&flow.instructions[*at].opcode))
        .collect();
    let mut arms = HashSet::new();
    let mut done = 0;
    // A branch to something that matters matters.
    while let Some(to) = important.get(done).copied() {
        done += 1;
        for branch in flow.branches() {
            if branch == to || flow.must_pass(branch, to) {
                continue;
            }
            for is_taken in [false, true] {
                if flow.must_pass(flow.arm(branch, is_taken), to) {
                    arms.insert((branch, is_taken));
                    if !important.contains(&branch) {
                        important.push(branch);
                    }
                }
            }
        }
    }
    let mut arms: Vec<_> = arms.into_iter().collect();
    arms.sort_unstable();
    let mut changes = Vec::new();
    for (branch, is_taken) in arms {
        let instruction = flow.instructions[branch];
        let guard = instruction.guard.as_ref();
        if !guard.is_some_and(|guard| by_thread.contains(guard.register.as_str())) {
            continue;
        }
        let mut always = instruction.clone();
        always.guard = None;
        let after = if is_taken {
            always.to_string()
        } else {
            String::new()
        };
        let operator = Operator::OpenGuard;
        changes.push((*instruction.span, Change { operator, after }));
    }
    changes
}

/// Registers whose value depends on the thread by arithmetic alone.
fn registers_by_thread<'a>(instructions: &[&'a Instruction]) -> HashSet<&'a str> {
    let mut found: HashSet<&str> = HashSet::new();
    loop {
        let before = found.len();
        for instruction in instructions {
            if !computes(instruction) {
                continue;
            }
            let elects = instruction.opcode.starts_with("elect.sync");
            let Some((written, read)) = instruction.operands.split_first() else {
                continue;
            };
            let mut depends = elects;
            let mut see = |name: &str| {
                depends |= found.contains(name) || IDENTITIES.contains(&name);
            };
            read.iter()
                .for_each(|operand| operand.for_each_name(|name| see(name.as_str())));
            // What is written under a guard depends on it.
            if let Some(guard) = &instruction.guard {
                see(guard.register.as_str());
            }
            if depends && !matches!(written.kind, OperandKind::Memory { .. }) {
                written.for_each_name(|name| {
                    found.insert(name.as_str());
                });
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether what it writes is computed from its operands, and not read or waited for.
fn computes(instruction: &Instruction) -> bool {
    let opcode = &instruction.opcode;
    let is_other = matches!(
        opcode.stem(),
        "ld" | "ldu" | "call" | "bra" | "brx" | "st" | "prefetch" | "nanosleep"
    );
    !(is_other || matters(opcode))
}
