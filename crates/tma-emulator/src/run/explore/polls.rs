//! Loops that only test again and again.

use crate::{
    inst::{Action, Code},
    machine::{Constant, Slot},
    value::LANES,
};

/// Limit of operations in such a loop.
const LONGEST: usize = 32;

/// The way from the branch that ends a turn back to the test.
#[derive(Default)]
struct Back {
    operations: Vec<usize>,
    /// The registers that are computed, each with its sources and its operation.
    computed: Vec<(usize, Slot, Vec<Slot>)>,
    /// The first operation of the last straight piece of the way.
    first: usize,
}

/// Returns the operations of a turn of the loop that begins with the operation at `start`, if the loop only tests: a test that
/// fails changes nothing but registers, which each turn of the loop computes anew from the result of the test and from what
/// the loop does not change.
///
/// A thread that waits there can be taken as one that sleeps until the test succeeds.
pub(super) fn failing_turn(code: &Code, start: usize) -> Option<Vec<usize>> {
    let test = code.operations.get(start)?;
    let mut written: Vec<Slot> = results(&test.action);
    if test.guard.is_some() || written.is_empty() {
        return None;
    }
    let mut turn = vec![start];
    // Up to the branch that leaves the loop, all is computed in the last turn, too.
    let mut at = start + 1;
    let exit = loop {
        let operation = code.operations.get(at).filter(|_| turn.len() <= LONGEST)?;
        turn.push(at);
        match (&operation.action, operation.guard) {
            (Action::Branch(branch), Some((guard, _))) => {
                let [target] = branch.targets[..] else {
                    return None;
                };
                if !written.contains(&guard) {
                    return None;
                }
                break [target, at + 1];
            }
            (Action::Branch(branch), None) if branch.targets.len() == 1 => at = branch.targets[0],
            (Action::Nothing(_) | Action::Sleep(_), _) => at += 1,
            (action, None) => {
                let computed = action.computes()?;
                written.extend(computed.into_iter().map(|(d, _)| d));
                at += 1;
            }
            _ => return None,
        }
    };
    let mut ways = exit.into_iter().enumerate();
    let (number, back) =
        ways.find_map(|(number, at)| Some((number, way_back(code, at, start)?)))?;
    let (computed, first) = (&back.computed, back.first);
    // The last straight piece of the way back is on the way to the first test, too, and computes the same there.
    let is_of_loop =
        |slot: &Slot| written.contains(slot) || computed.iter().any(|(_, d, _)| d == slot);
    let computes_anew = computed
        .iter()
        .enumerate()
        .all(|(number, (at, d, sources))| {
            let before = &computed[..number];
            let is_known = |slot: &Slot| before.iter().any(|(_, d, _)| d == slot);
            let mut sources = sources.iter();
            (first..start).contains(at)
                && !written.contains(d)
                && sources.all(|slot| is_known(slot) || !is_of_loop(slot))
        });
    let is_entered_in_between = code
        .operations
        .iter()
        .any(|operation| match &operation.action {
            Action::Branch(branch) => branch
                .targets
                .iter()
                .any(|target| first < *target && *target <= start),
            _ => false,
        });
    let is_of_turn = |slot: &Slot| written.contains(slot);
    let only_tests = computes_anew
        && !reads(&test.action).iter().any(is_of_turn)
        && ends_with_the_phase(code, &turn, number == 0)
        && (computed.is_empty() || !is_entered_in_between)
        && reads_nothing_old(code, start, &written);
    turn.extend(back.operations);
    only_tests.then_some(turn)
}

/// Returns whether a wait for a phase ends a loop when the phase is complete, and only then. Other tests are executed.
fn ends_with_the_phase(code: &Code, turn: &[usize], goes_back_if_taken: bool) -> bool {
    let [start, rest @ .., end] = turn else {
        return false;
    };
    let Action::Mbarrier(wait) = &code.operations[*start].action else {
        return true;
    };
    let functions = code.program.functions.iter();
    let Some(function) = functions
        .filter(|it| it.start <= *start)
        .max_by_key(|it| it.start)
    else {
        return false;
    };
    let goes_back = |result: u64| -> Option<bool> {
        let mut frame = vec![[0; LANES]; function.slots];
        let mut known = wait.results();
        for slot in &known {
            frame[*slot] = [result; LANES];
        }
        for (slot, constant) in &function.constants {
            if let Constant::Value(value) = constant {
                frame[*slot] = [*value; LANES];
                known.push(*slot);
            }
        }
        for at in rest {
            match &code.operations[*at].action {
                Action::Alu(alu) => {
                    for (d, sources) in code.operations[*at].action.computes()? {
                        if !sources.iter().all(|slot| known.contains(slot)) {
                            return None;
                        }
                        known.push(d);
                    }
                    alu.compute(&mut frame, 1);
                }
                Action::Nothing(_) | Action::Sleep(_) | Action::Branch(_) => {}
                _ => return None,
            }
        }
        let (guard, negated) = code.operations[*end].guard?;
        let is_taken = (frame[guard][0] & 1 != 0) != negated;
        Some(is_taken == goes_back_if_taken)
    };
    goes_back(0) == Some(true) && goes_back(1) == Some(false)
}

/// Returns where lanes go on after a loop that only tests, once the test succeeds.
pub(in crate::run) fn exit(code: &Code, start: usize) -> Option<usize> {
    let at = end(code, start)?;
    let Action::Branch(branch) = &code.operations[at].action else {
        return None;
    };
    let ways = [*branch.targets.first()?, at + 1];
    let leaves = |way: &usize| way_back(code, *way, start).is_none();
    ways.into_iter().find(leaves)
}

/// Returns the branch that ends a turn of a loop that only tests.
pub(in crate::run) fn end(code: &Code, start: usize) -> Option<usize> {
    failing_turn(code, start)?;
    let mut at = start + 1;
    loop {
        let operation = code.operations.get(at)?;
        at = match (&operation.action, operation.guard) {
            (Action::Branch(_), Some(_)) => return Some(at),
            (Action::Branch(branch), None) => *branch.targets.first()?,
            _ => at + 1,
        };
    }
}

/// Returns whether the operations after the test read registers of the loop only after it has written them.
fn reads_nothing_old(code: &Code, start: usize, written: &[Slot]) -> bool {
    let mut known = results(&code.operations[start].action);
    let mut at = start + 1;
    for _ in 0..LONGEST {
        let operation = &code.operations[at];
        at = match (&operation.action, operation.guard) {
            (Action::Branch(_), Some(_)) => return true,
            (Action::Branch(branch), None) => branch.targets[0],
            (action, _) => {
                for (d, sources) in action.computes().unwrap_or_default() {
                    let is_old = |slot: &Slot| written.contains(slot) && !known.contains(slot);
                    if sources.iter().any(is_old) {
                        return false;
                    }
                    known.push(d);
                }
                at + 1
            }
        };
    }
    false
}

/// Returns the way from an operation to the test; `None` if a branch with a guard or an effect is on it.
fn way_back(code: &Code, mut at: usize, start: usize) -> Option<Back> {
    let mut back = Back {
        first: at,
        ..Back::default()
    };
    for _ in 0..LONGEST {
        if at == start {
            return Some(back);
        }
        let operation = code.operations.get(at)?;
        back.operations.push(at);
        match &operation.action {
            Action::Branch(branch) if operation.guard.is_none() && branch.targets.len() == 1 => {
                at = branch.targets[0];
                back.first = at;
                continue;
            }
            Action::Nothing(_) | Action::Sleep(_) => {}
            action if operation.guard.is_none() => {
                let computed = action.computes()?.into_iter();
                back.computed
                    .extend(computed.map(|(d, sources)| (at, d, sources)));
            }
            _ => return None,
        }
        at += 1;
    }
    None
}

/// Returns the registers that a test reads.
fn reads(action: &Action) -> Vec<Slot> {
    match action {
        Action::Mbarrier(operation) => operation.reads(),
        Action::LoadStore(access) => vec![access.base()],
        _ => Vec::new(),
    }
}

fn results(action: &Action) -> Vec<Slot> {
    match action {
        Action::Mbarrier(operation) => operation.results(),
        Action::LoadStore(access) => access.loads().into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}
