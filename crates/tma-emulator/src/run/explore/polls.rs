//! Loops that only test again and again.

use crate::{
    inst::{Action, Code},
    machine::Slot,
};

/// Limit of operations in such a loop.
const LONGEST: usize = 32;

/// Registers that an operation computes, each with its sources.
type Computed = Vec<(Slot, Vec<Slot>)>;

/// Returns whether the operation at `start` is in a loop that does nothing else: a test that fails changes nothing but
/// registers, which each turn of the loop computes anew from the result of the test and from what the loop does not
/// change.
///
/// A thread that waits there can be taken as one that sleeps until the test succeeds.
pub(super) fn only_polls(code: &Code, start: usize) -> bool {
    let test = &code.operations[start];
    let mut written: Vec<Slot> = results(&test.action);
    if test.guard.is_some() || written.is_empty() {
        return false;
    }
    // Up to the branch that leaves the loop, all is computed in the last turn, too.
    let mut at = start + 1;
    let mut seen = 0;
    let exit = loop {
        seen += 1;
        let Some(operation) = code.operations.get(at).filter(|_| seen <= LONGEST) else {
            return false;
        };
        match (&operation.action, operation.guard) {
            (Action::Branch(branch), Some((guard, _))) => {
                let [target] = branch.targets[..] else {
                    return false;
                };
                if !written.contains(&guard) {
                    return false;
                }
                break [target, at + 1];
            }
            (Action::Branch(branch), None) if branch.targets.len() == 1 => at = branch.targets[0],
            (Action::Nothing(_) | Action::Sleep(_), _) => at += 1,
            (action, None) => {
                let Some(computed) = action.computes() else {
                    return false;
                };
                written.extend(computed.into_iter().map(|(d, _)| d));
                at += 1;
            }
            _ => return false,
        }
    };
    let Some((back, first)) = exit.into_iter().find_map(|at| way_back(code, at, start)) else {
        return false;
    };
    // On the way back, the same is computed as on the way to the first test.
    let is_of_loop = |slot: &Slot| written.contains(slot);
    let computes_anew = back.iter().enumerate().all(|(number, (d, sources))| {
        let before = &back[..number];
        let mut sources = sources.iter();
        let is_known = |slot: &Slot| before.iter().any(|(d, _)| d == slot);
        !is_of_loop(d) && sources.all(|slot| is_known(slot) || !is_of_loop(slot) && slot != d)
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
    computes_anew
        && (back.is_empty() || !is_entered_in_between)
        && reads_nothing_old(code, start, &written)
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
    if !only_polls(code, start) {
        return None;
    }
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

/// Returns what is computed on the way from an operation to the test, and the first operation of the last straight piece
/// of it.
fn way_back(code: &Code, mut at: usize, start: usize) -> Option<(Computed, usize)> {
    let mut computed = Vec::new();
    let mut first = at;
    for _ in 0..LONGEST {
        if at == start {
            return Some((computed, first));
        }
        let operation = code.operations.get(at)?;
        match &operation.action {
            Action::Branch(branch) if operation.guard.is_none() && branch.targets.len() == 1 => {
                at = branch.targets[0];
                first = at;
                continue;
            }
            Action::Nothing(_) | Action::Sleep(_) => {}
            action if operation.guard.is_none() => computed.extend(action.computes()?),
            _ => return None,
        }
        at += 1;
    }
    None
}

fn results(action: &Action) -> Vec<Slot> {
    match action {
        Action::Mbarrier(operation) => operation.results(),
        Action::LoadStore(access) => access.loads().into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}
