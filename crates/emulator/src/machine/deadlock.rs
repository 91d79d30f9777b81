//! What is said when nothing can go on.

use std::fmt::Write;

use super::{Group, Here, Trapped, Wait, World};
use crate::{Program, action::Action, error::Trap, lanes::lanes_of};

/// Groups that are listed.
const LISTED: usize = 12;

/// Everybody waits.
pub(super) fn describe(world: &World, program: &Program) -> Trapped {
    let what = format!("deadlock: nothing can go on\n{}", list(world, program));
    Trapped {
        trap: Trap::Deadlock,
        what,
        origin: None,
    }
}

/// The kernel does not end.
pub(super) fn endless(world: &World, program: &Program) -> Trapped {
    let limit = world.config.max_steps;
    let what = format!(
        "the kernel is not over after {limit} steps\n{}",
        list(world, program)
    );
    Trapped {
        trap: Trap::Endless,
        what,
        origin: None,
    }
}

fn list(world: &World, program: &Program) -> String {
    // Threads that wait at the same place for the same thing share a line.
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for (cluster, state) in world.clusters.iter().enumerate() {
        for (rank, cta) in state.ctas.iter().enumerate() {
            for (warp, state) in cta.warps.iter().enumerate() {
                for group in &state.groups {
                    let here = Here {
                        cluster,
                        rank,
                        warp,
                    };
                    let who = format!("block {:?} warp {warp} {}", cta.id, lanes(group.mask));
                    let what = doing(world, program, here, group);
                    match lines.iter_mut().find(|(line, _)| *line == what) {
                        Some((_, all)) => all.push(who),
                        None => lines.push((what, vec![who])),
                    }
                }
            }
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
        let _ = writeln!(text, "  and {} other places", lines.len() - LISTED);
    }
    text.trim_end().to_owned()
}

fn lanes(mask: u32) -> String {
    if mask == u32::MAX {
        return "all lanes".to_owned();
    }
    // Lanes that follow one another are one range.
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for lane in lanes_of(mask) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => ranges.push((lane, lane)),
        }
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first} to {last}"),
        })
        .collect();
    let plural = if mask.count_ones() == 1 { "" } else { "s" };
    format!("lane{plural} {}", ranges.join(", "))
}

fn doing(world: &World, program: &Program, here: Here, group: &Group) -> String {
    let at = format!(
        "{}: `{}`",
        program.place(group.pc),
        program.opcode(group.pc)
    );
    let cluster = &world.clusters[here.cluster];
    let cta = &cluster.ctas[here.rank];
    let what = match &group.wait {
        None => return format!("{at} is executed"),
        Some(Wait::Cta { barrier, .. }) => cta.barriers[*barrier].describe(cta, *barrier),
        Some(Wait::Cluster) => cluster.barrier.describe(cluster),
        Some(Wait::Collective { members }) => {
            let warp = &cta.warps[here.warp];
            let missing = members & warp.alive & !group.mask;
            format!("for {} of its warp", lanes(missing))
        }
        Some(Wait::Bulk) => "for its bulk groups".to_owned(),
        Some(Wait::Mbarrier) => match program.operations.get(group.pc).map(|o| &o.action) {
            Some(Action::Mbarrier(operation)) => operation.describe(world, here, group),
            _ => "for an mbarrier".to_owned(),
        },
    };
    format!("{at} waits {what}")
}
