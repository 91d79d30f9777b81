//! Describes a deadlock: the waiting threads, their locations and the missing events.

mod circle;

use std::{collections::BTreeMap, fmt::Write};

use super::is_interrupted;
use crate::{
    inst::{Code, Execute, Operation, Waiting},
    machine::{Group, Here, MANY_GROUPS, Trap, Trapped, Unwaited, World},
    value::lane_names,
};

pub(super) use circle::Chains;

/// Limit of listed groups.
const LISTED: usize = 12;

/// Describes a deadlock: all threads wait.
pub(super) fn describe(world: &World, code: &Code) -> Trapped {
    let what = format!(
        "deadlock: no thread can make progress\n{}",
        list(world, code)
    );
    let waits = waiting(world, code);
    let stuck = waits.filter_map(|(operation, waiting)| operation.action.stuck(&waiting));
    Trapped {
        trap: Trap::Deadlock,
        what,
        origin: None,
        stuck: stuck.min(),
    }
}

/// Describes a kernel that does not end.
pub(super) fn endless(world: &World, code: &Code) -> Trapped {
    let limit = world.config.max_steps;
    let why = match is_interrupted() {
        true => "the kernel was interrupted".to_owned(),
        false => format!("the kernel has not ended after {limit} steps"),
    };
    let what = format!("{why}\n{}{}", list(world, code), unwaited(world, code));
    Trapped {
        trap: Trap::Endless,
        what,
        origin: None,
        stuck: None,
    }
}

/// Returns whether a kernel was ended by a deadlock, or since its threads only wait for values that none of them changes.
pub(super) fn is_stuck(world: &World, code: &Code, trapped: &Trapped) -> bool {
    match trapped.trap {
        Trap::Deadlock => true,
        Trap::Endless => !is_interrupted() && circle::all_wait(world, code),
        _ => false,
    }
}

/// Returns all groups of threads, each with its number in its warp.
pub(super) fn groups(world: &World) -> impl Iterator<Item = (Here, usize, &Group)> {
    let clusters = world.clusters.iter().enumerate();
    let ctas = clusters.flat_map(|(cluster, state)| {
        let ctas = state.ctas.iter().enumerate();
        ctas.map(move |(rank, cta)| (cluster, rank, cta))
    });
    ctas.flat_map(|(cluster, rank, cta)| {
        let warps = cta.warps.iter().enumerate();
        warps.flat_map(move |(warp, state)| {
            let here = Here {
                cluster,
                rank,
                warp,
            };
            let groups = state.groups.iter().enumerate();
            groups.map(move |(index, group)| (here, index, group))
        })
    })
}

/// Returns the operation that a group waits in, and the state of its wait.
fn waiting_in<'a>(
    world: &'a World,
    code: &'a Code,
    (here, group): (Here, &'a Group),
) -> Option<(&'a Operation, Waiting<'a>)> {
    let waiting = Waiting {
        world,
        program: &code.program,
        operations: &code.operations,
        here,
        warp: &world.clusters[here.cluster].ctas[here.rank].warps[here.warp],
        group,
        wait: group.wait.as_ref()?,
    };
    Some((code.operations.get(group.pc)?, waiting))
}

fn waiting<'a>(
    world: &'a World,
    code: &'a Code,
) -> impl Iterator<Item = (&'a Operation, Waiting<'a>)> {
    groups(world).filter_map(|(here, _, group)| waiting_in(world, code, (here, group)))
}

/// Returns a line for each instruction that a thread keeps issuing copies by, without a wait for their groups.
fn unwaited(world: &World, code: &Code) -> String {
    let mut found: BTreeMap<usize, (u64, [u32; 3], u32)> = BTreeMap::new();
    for cta in world.clusters.iter().flat_map(|cluster| &cluster.ctas) {
        for (thread, groups) in cta.bulk.iter().chain(&cta.async_groups) {
            // Groups without copies are complete.
            let Some(last) = groups.last else { continue };
            let count = groups.unwaited();
            let most = found.get(&last).map_or(MANY_GROUPS - 1, |most| most.0);
            if count > most {
                found.insert(last, (count, cta.id, *thread));
            }
        }
    }
    let line = |(at, (count, block, thread))| {
        let unwaited = Unwaited {
            instruction: at,
            block,
            thread,
        };
        let [place, what] = unwaited_words(unwaited, count, code);
        format!("\n  {place}: {what}")
    };
    found.into_iter().take(LISTED).map(line).collect()
}

/// Returns the instruction that a thread keeps issuing copies by, and a description of the defect.
pub(super) fn unwaited_words(unwaited: Unwaited, groups: u64, code: &Code) -> [String; 2] {
    let Unwaited {
        instruction,
        block,
        thread,
    } = unwaited;
    let place = format!(
        "{}: `{}`",
        code.program.location(instruction),
        code.program.opcode(instruction)
    );
    let what = format!(
        "block {block:?} thread {thread} has closed {groups} groups of copies and waits for none; \
         put a wait for the groups into the loop"
    );
    [place, what]
}

fn list(world: &World, code: &Code) -> String {
    // Threads that wait at the same location for the same thing share a line.
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for (here, _, group) in groups(world) {
        let id = world.clusters[here.cluster].ctas[here.rank].id;
        let (warp, lanes) = (here.warp, lane_names(group.mask));
        let who = format!("block {id:?} warp {warp} {lanes}");
        let what = doing(world, code, here, group);
        match lines.iter_mut().find(|(line, _)| *line == what) {
            Some((_, all)) => all.push(who),
            None => lines.push((what, vec![who])),
        }
    }
    let mut text = String::new();
    for (what, who) in lines.iter().take(LISTED) {
        let more = match who.len().saturating_sub(2) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let first: Vec<&str> = who.iter().take(2).map(String::as_str).collect();
        let _ = writeln!(text, "  {what}\n    {}{more}", first.join("; "));
    }
    if lines.len() > LISTED {
        let _ = writeln!(text, "  and {} other locations", lines.len() - LISTED);
    }
    let to_come = world.blocks_to_come();
    if to_come > 0 {
        let all: u64 = world.places.grid.iter().map(|n| u64::from(*n)).product();
        let _ = writeln!(
            text,
            "  {to_come} of {all} blocks have not begun: they start when others end, or have waited long enough to make room"
        );
    }
    text.trim_end().to_owned()
}

fn doing(world: &World, code: &Code, here: Here, group: &Group) -> String {
    let at = format!(
        "{}: `{}`",
        code.program.location(group.pc),
        code.program.opcode(group.pc)
    );
    if group.wait.is_none() {
        return format!("{at} is executed");
    }
    let waits = waiting_in(world, code, (here, group));
    let what = waits.map(|(operation, waiting)| operation.action.describe(&waiting));
    format!("{at} waits {}", what.unwrap_or_default())
}
