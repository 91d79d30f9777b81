//! The tracks of warps: their turns, events and waits.

use std::collections::BTreeMap;

use super::json::{Json, Track};
use crate::machine::{
    Program,
    observer::{Pause, Turn},
};

/// Tracks of a warp: the first is its own, the others are for lanes that wait apart from the rest.
const TRACKS: u64 = 16;

/// The warps of a launch, by block and number.
#[derive(Debug, Default)]
pub(super) struct Warps(BTreeMap<(u64, u32), Warp>);

#[derive(Debug)]
struct Warp {
    track: Track,
    run: Option<LaneTurns>,
    waits: Vec<Waiting>,
    did: Option<Did>,
    /// Number of its tracks that have a name.
    named: u64,
}

/// Turns of the same lanes, without a wait between them.
#[derive(Debug)]
struct LaneTurns {
    lanes: u32,
    is_whole: bool,
    start: u64,
    end: u64,
    first: usize,
    last: usize,
    turns: u64,
    steps: u64,
}

#[derive(Debug)]
struct Waiting {
    lanes: u32,
    pause: Pause,
    instruction: usize,
    start: u64,
    /// The warp's track that shows it.
    track: u64,
}

/// Something that lanes of the warp did by one instruction.
#[derive(Debug)]
struct Did {
    label: &'static str,
    instruction: usize,
    at: u64,
    lanes: u32,
}

impl Warps {
    /// Returns the warp's own track, and names the block's process `name`.
    pub(super) fn track(
        &mut self,
        json: &mut Json,
        process: u64,
        (block, warp): (u64, u32),
        name: impl Fn() -> String,
    ) -> Track {
        let is_new_block = self
            .0
            .range((block, 0)..=(block, u32::MAX))
            .next()
            .is_none();
        let track = Track {
            process,
            thread: (u64::from(warp) + 1) * TRACKS,
        };
        self.0.entry((block, warp)).or_insert_with(|| {
            if is_new_block {
                json.name_process(track, &name());
            }
            json.name_track(track, &format!("warp {warp}"));
            Warp {
                track,
                run: None,
                waits: Vec::new(),
                did: None,
                named: 1,
            }
        });
        track
    }

    /// Merges a lane's action into the same action by other lanes of its warp just before. Returns the time of
    /// that action.
    pub(super) fn joins(
        &mut self,
        (block, warp): (u64, u32),
        (label, instruction): (&'static str, usize),
        lane: u32,
    ) -> Option<u64> {
        let did = self.0.get_mut(&(block, warp))?.did.as_mut()?;
        let same = (did.label, did.instruction) == (label, instruction);
        (same && did.lanes >> lane & 1 == 0).then(|| {
            did.lanes |= 1 << lane;
            did.at
        })
    }

    pub(super) fn did(
        &mut self,
        json: &mut Json,
        (block, warp): (u64, u32),
        (label, instruction): (&'static str, usize),
        (lane, at): (u32, u64),
        program: &Program,
    ) {
        let Some(warp) = self.0.get_mut(&(block, warp)) else {
            return;
        };
        warp.end_did(json, program);
        warp.did = Some(Did {
            label,
            instruction,
            at,
            lanes: 1 << lane,
        });
    }

    pub(super) fn turn(
        &mut self,
        json: &mut Json,
        (start, end): (u64, u64),
        turn: &Turn,
        program: &Program,
    ) {
        let Some(warp) = self.0.get_mut(&(turn.block, turn.warp)) else {
            return;
        };
        warp.end_did(json, program);
        let over = |wait: &mut Waiting| wait.lanes & turn.lanes != 0;
        for wait in warp.waits.extract_if(.., over).collect::<Vec<_>>() {
            warp.end_wait(json, &wait, start, program);
        }
        match &mut warp.run {
            Some(run) if run.lanes == turn.lanes => {
                run.end = end;
                run.last = turn.next;
                run.turns += 1;
                run.steps += turn.steps;
            }
            _ => {
                warp.end_run(json, program);
                warp.run = Some(LaneTurns {
                    lanes: turn.lanes,
                    is_whole: turn.lanes & turn.alive == turn.alive,
                    start,
                    end,
                    first: turn.first,
                    last: turn.next,
                    turns: 1,
                    steps: turn.steps,
                });
            }
        }
        if let Some((pause, lanes)) = turn.pause {
            warp.end_run(json, program);
            let track = warp.free_track(json, lanes == turn.alive);
            warp.waits.push(Waiting {
                lanes,
                pause,
                instruction: turn.next,
                start: end,
                track,
            });
        }
    }

    /// Closes all tracks.
    pub(super) fn close(mut self, json: &mut Json, now: u64, program: &Program) {
        for warp in self.0.values_mut() {
            warp.end_did(json, program);
            warp.end_run(json, program);
            for wait in std::mem::take(&mut warp.waits) {
                warp.end_wait(json, &wait, now, program);
            }
        }
    }
}

impl Warp {
    /// Returns the warp's own track if the whole warp waits, or else the first other track without a waiting
    /// group.
    fn free_track(&mut self, json: &mut Json, is_whole: bool) -> u64 {
        if is_whole {
            return 0;
        }
        let is_free = |track: &u64| self.waits.iter().all(|wait| wait.track != *track);
        let track = (1..TRACKS).find(is_free).unwrap_or(TRACKS - 1);
        if track >= self.named {
            self.named = track + 1;
            let number = self.track.thread / TRACKS - 1;
            let name = format!("warp {number}, lanes apart");
            json.name_track(self.other(track), &name);
        }
        track
    }

    fn other(&self, track: u64) -> Track {
        Track {
            thread: self.track.thread + track,
            ..self.track
        }
    }

    fn end_did(&mut self, json: &mut Json, program: &Program) {
        if let Some(did) = self.did.take() {
            let location = super::location(program, did.instruction);
            let args = format!("{location},\"lanes\":\"{:#010x}\"", did.lanes);
            json.slice(self.track, (did.at, did.at + 1), did.label, &args);
        }
    }

    fn end_run(&mut self, json: &mut Json, program: &Program) {
        let Some(run) = self.run.take() else {
            return;
        };
        let name = match run.is_whole {
            true => "runs".to_owned(),
            false => format!("runs, {} lanes", run.lanes.count_ones()),
        };
        let (location, last) = (
            super::location(program, run.first),
            super::json::quoted(&program.location(run.last).to_string()),
        );
        let args = format!(
            "{location},\"to\":{last},\"lanes\":\"{:#010x}\",\"turns\":{},\"steps\":{}",
            run.lanes, run.turns, run.steps
        );
        json.slice(self.track, (run.start, run.end), &name, &args);
    }

    fn end_wait(&self, json: &mut Json, wait: &Waiting, now: u64, program: &Program) {
        if now <= wait.start {
            return;
        }
        let name = format!("waits {}", wait.pause);
        let location = super::location(program, wait.instruction);
        let args = format!("{location},\"lanes\":\"{:#010x}\"", wait.lanes);
        json.slice(self.other(wait.track), (wait.start, now), &name, &args);
    }
}
