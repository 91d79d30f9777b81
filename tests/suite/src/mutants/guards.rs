//! Branches that restrict an important instruction to some threads.

use std::collections::HashSet;

use ptx::{Block, Instruction, OperandKind, Span};

use super::{
    Operator,
    change::{Change, matters},
    flow::Flow,
};

/// The special registers that identify the threads of a block: PTX ISA 9.1, section 10.
const IDENTITIES: [&str; 3] = ["%tid", "%laneid", "%warpid"];

/// Returns, for each such branch, the change that lets all threads in; both changes, if both sides have an
/// important instruction. Calls of the functions in `endless` do not return.
pub(super) fn opened(body: &Block, endless: &HashSet<&str>) -> Vec<(Span, Change)> {
    let flow = Flow::new(body, endless);
    let by_thread = registers_by_thread(&flow.instructions);
    let mut important: Vec<usize> = (0..flow.instructions.len())
        .filter(|at| matters(&flow.instructions[*at].opcode))
        .collect();
    let branches: Vec<usize> = flow.branches().collect();
    let mut arms = HashSet::new();
    let mut done = 0;
    // A branch to relevant code is relevant.
    while let Some(to) = important.get(done).copied() {
        done += 1;
        let must_pass = flow.must_pass(to);
        for branch in &branches {
            if must_pass[*branch] {
                continue;
            }
            for is_taken in [false, true] {
                if must_pass[flow.arm(*branch, is_taken)] {
                    arms.insert((*branch, is_taken));
                    if !important.contains(branch) {
                        important.push(*branch);
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

/// Returns the registers whose value depends on the thread by arithmetic only.
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
            // A result that is written under a guard depends on it.
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

/// Returns whether its result is computed from its operands, and not read or waited for.
fn computes(instruction: &Instruction) -> bool {
    let opcode = &instruction.opcode;
    let is_other = matches!(
        opcode.stem(),
        "ld" | "ldu" | "call" | "bra" | "brx" | "st" | "prefetch" | "nanosleep"
    );
    !(is_other || matters(opcode))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with each change in turn, as `before => after`.
    fn of(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0 .target sm_90a .address_size 64
             .func stop() .noreturn {{ trap; }}
             .visible .entry k() {{ .reg .pred %p<9>; .reg .b32 %r<9>; {body} }}"
        );
        let module = ptx::parse(&text).unwrap();
        let body = module.function("k").unwrap().body.as_ref().unwrap();
        let opened = opened(body, &HashSet::from(["stop"]));
        let shown =
            |(span, change): &(Span, Change)| format!("{} => {}", span.slice(&text), change.after);
        opened.iter().map(shown).collect()
    }

    #[test]
    fn a_branch_around_an_initialisation_goes() {
        let body = "mov.u32 %r1, %tid.x; setp.ne.b32 %p1, %r1, 0; @%p1 bra L;
            mbarrier.init.shared::cta.b64 [%r2], 1; L: bar.sync 0; ret;";
        assert_eq!(of(body), ["@%p1 bra L; => "]);
    }

    #[test]
    fn a_branch_to_something_that_matters_matters() {
        let body = "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; setp.eq.b32 %p1, %r2, 1; @%p1 bra A;
            bra.uni B; A: elect.sync %r3|%p2, -1; not.pred %p3, %p2; @%p3 bra B;
            cp.async.bulk.commit_group; B: ret;";
        assert_eq!(of(body), ["@%p1 bra A; => bra A;", "@%p3 bra B; => "]);
    }

    #[test]
    fn both_sides_of_a_branch_can_matter() {
        let body = "elect.sync %r1|%p1, -1; @%p1 bra A; bar.sync 1; bra.uni B;
            A: fence.proxy.async; B: ret;";
        assert_eq!(of(body), ["@%p1 bra A; => ", "@%p1 bra A; => bra A;"]);
    }

    #[test]
    fn other_branches_stay() {
        for body in [
            // The same for all threads.
            "ld.param.b32 %r1, [n]; setp.eq.b32 %p1, %r1, 0; @%p1 bra L; bar.sync 0; L: ret;",
            // No important instruction.
            "mov.u32 %r1, %tid.x; setp.ne.b32 %p1, %r1, 0; @%p1 bra L; add.s32 %r1, %r1, 1;
             L: bar.sync 0; ret;",
            // A loop of each thread, before an instruction of all threads.
            "mov.u32 %r1, %tid.x; L: add.s32 %r1, %r1, 32; setp.lt.u32 %p1, %r1, 99; @%p1 bra L;
             bar.sync 0; ret;",
            // A panic.
            "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 99; @%p1 bra L; bar.sync 0; ret;
             L: { call.uni stop, (); } exit;",
            // A wait, whose result does not depend on the thread.
            "mov.u32 %r1, %tid.x; L: mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;
             @!%p1 bra L; ret;",
        ] {
            assert_eq!(of(body), [""; 0], "{body}");
        }
    }
}
