//! Pipelines in which a launch filled no stage twice, so that the release of stages was not tested.
//!
//! A stage has a barrier for its fillers and one, `empty`, for its readers. The `empty` barrier is recognised
//! even if no stage is filled twice. Either a filler waits there before its first phase and passes at once, or
//! readers arrive there and no thread ever waits. A barrier that is used once shows neither.

use super::state::{At, MbarrierState, Mbarriers, Stage};
use crate::{
    check::{checker::Checker, finding::FindingEnd, kind::DiagnosticKind},
    machine::{Program, observer::Origin},
};

/// Barriers that are kept for one.
const LINKS: usize = 8;
/// Largest distance in bytes between `empty` barriers of a ring: the stage's other barrier may be between them.
const APART_BYTES: u64 = 16;

/// A line of the source, and the lines that it was inlined to.
type Line = ((String, usize), Vec<(String, u32)>);

/// Stages of one pipeline.
struct Ring {
    at: Line,
    last_offset: u64,
    first: (u64, Stage),
    stages: u64,
    fills: u64,
}

fn add(links: &mut Vec<At>, at: At) {
    if links.len() < LINKS && !links.contains(&at) {
        links.push(at);
    }
}

impl MbarrierState {
    /// Returns the number of filled phases, if this is the barrier of fillers.
    fn fills(&self) -> u64 {
        self.phase + u64::from(!self.issued.is_empty())
    }
}

impl Checker {
    /// Records that a thread arrives at a barrier, or issues bytes that count there.
    pub(in crate::check) fn turn_steps(&mut self, origin: Origin, at: At, arrives: bool) {
        let block = self.grid.blocks.get(origin.block as u32);
        let state = block.and_then(|block| block.threads.get(origin.thread as usize));
        let from = state.and_then(|state| state.last_wait).map(|wait| wait.at);
        let from = from.filter(|from| *from != at);
        let objects = &mut self.mbarriers.objects;
        if let Some(object) = objects.get_mut(&at) {
            let turns = &mut object.turns;
            match arrives {
                true => _ = turns.arrived.get_or_insert(origin),
                false => turns.has_bytes = true,
            }
            match from {
                Some(from) if !turns.before.contains(&from) => add(&mut turns.before, from),
                _ => return,
            }
        }
        if let Some(from) = from.and_then(|from| objects.get_mut(&from)) {
            add(&mut from.turns.next, at);
        }
    }
}

impl Mbarriers {
    /// Drops the barriers of a block that ends, and keeps its stages.
    pub(in crate::check) fn forget(&mut self, block: u32) {
        self.end_turns(block);
        self.objects.retain(|(of, _), _| *of != block);
    }

    fn end_turns(&mut self, block: u32) {
        let mut ended = Vec::new();
        for object in self.of_block(block) {
            let turns = &object.turns;
            if turns.has_bytes || turns.is_again {
                continue;
            }
            let (origin, is_wait, links) = match (turns.passed, turns.arrived) {
                (Some(passed), _) => (passed, true, &turns.next),
                (None, Some(arrived)) if !turns.is_waited_for => (arrived, false, &turns.before),
                _ => continue,
            };
            let full: Vec<_> = links.iter().map(|at| self.objects.get(at)).collect();
            let counts_bytes =
                |full: &&Option<&MbarrierState>| full.is_some_and(|it| it.turns.has_bytes);
            let any_bytes = full.iter().any(|full| counts_bytes(&full));
            let full = full.iter().filter(|full| !any_bytes || counts_bytes(full));
            // An ended block has no record: its stage may have been filled again.
            let fills = full
                .map(|full| full.map_or(u64::MAX, MbarrierState::fills))
                .max();
            if let Some(fills) = fills {
                ended.push((
                    object.offset,
                    Stage {
                        origin,
                        is_wait,
                        fills,
                    },
                ));
            }
        }
        for (offset, stage) in ended {
            let known = self.stages.0.entry(offset).or_insert(stage);
            known.fills = known.fills.max(stage.fills);
            if stage.origin.block < known.origin.block {
                (known.origin, known.is_wait) = (stage.origin, stage.is_wait);
            }
        }
    }
}

impl Checker {
    /// Reports the pipelines of a launch that has ended.
    pub(in crate::check) fn stages_filled_once(&mut self, program: &Program) {
        let mut rings: Vec<Ring> = Vec::new();
        for (offset, stage) in &self.mbarriers.stages.0 {
            let location = self.sites.location(program, stage.origin.instruction);
            let line = (location.line_of_source(), location.inlined);
            let same = rings
                .iter_mut()
                .find(|ring| ring.at == line || offset - ring.last_offset <= APART_BYTES);
            match same {
                Some(ring) => {
                    ring.last_offset = *offset;
                    ring.stages += u64::from(stage.fills > 0);
                    ring.fills = ring.fills.max(stage.fills);
                }
                None => rings.push(Ring {
                    at: line,
                    last_offset: *offset,
                    first: (*offset, *stage),
                    stages: u64::from(stage.fills > 0),
                    fills: stage.fills,
                }),
            }
        }
        for ring in rings.iter().filter(|ring| ring.fills == 1) {
            let (offset, stage) = ring.first;
            let mbarrier = self.shared_names.mbarrier(offset);
            let what = match stage.is_wait {
                true => {
                    format!("waits at the {mbarrier} before its first phase, and goes on at once")
                }
                false => format!("arrives at the {mbarrier}, where no thread waits"),
            };
            let stages = match ring.stages {
                1 => "one stage was filled, once".to_owned(),
                stages => format!("{stages} stages were filled, each once"),
            };
            let here = FindingEnd::new(stage.origin, what);
            self.report(DiagnosticKind::StagesFilledOnce, here, None, |_| {
                vec![format!(
                    "{stages} in each block: an early or missing release would not have been found"
                )]
            });
        }
    }
}
