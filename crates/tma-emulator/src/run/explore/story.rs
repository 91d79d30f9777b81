//! The story of a schedule: the events of the warps that a finding depends on, side by side.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Display, Formatter},
};

use super::{
    ScheduleName,
    event::{
        BarrierName, BarrierUse, Event, MbarrierUse, Process, Registers, Relation, Use, relation,
    },
    path::Path,
};
use crate::{
    machine::{
        Names, Program, World,
        observer::{Memory, Range},
    },
    value::LANES,
};

/// Limits of lanes and of steps.
const MOST_LANES: usize = 3;
const MOST_STEPS: usize = 14;
/// The number of events at the end that are compared with each other.
const COMPARED: usize = 600;
/// Columns of a story, and those before it.
const WIDTH: usize = 100;
const INDENT: usize = 4;

/// The number of a block in its grid, and that of a warp in its block.
type Lane = (u64, u32);

/// The events of a schedule that a finding depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Story {
    /// The warps, as `warp 0` or `block 1 warp 0`.
    pub lanes: Vec<String>,
    /// Events in the order of the schedule.
    pub steps: Vec<StoryStep>,
}

/// An event of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoryStep {
    /// Index of the warp among the lanes.
    pub lane: usize,
    /// The event in words.
    pub what: String,
    /// Line of the source, as `ring.cu:12`; empty for the end of the story.
    pub at: String,
    /// True if the schedule has chosen this event in place of the usual one.
    pub is_choice: bool,
}

/// A schedule with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailingSchedule {
    /// The choices, as few as were found, and the launch.
    pub name: ScheduleName,
    /// The events that the error depends on; empty if their order does not matter.
    pub story: Story,
}

impl FailingSchedule {
    pub(crate) fn new(name: ScheduleName, story: Story) -> Self {
        Self { name, story }
    }
}

/// The names and the waits at the end of an execution, for its story.
#[derive(Default)]
pub(crate) struct Aftermath {
    /// Names of each block's shared memory.
    shared: BTreeMap<u64, Names>,
    global: Names,
    /// The waits of a deadlock.
    waits: Vec<(Lane, String)>,
    /// The instruction that each warp has come to.
    at: BTreeMap<Lane, usize>,
    has_blocks: bool,
}

impl Aftermath {
    pub(in crate::run) fn new(
        world: &World,
        program: &Program,
        waits: Vec<(Lane, String)>,
    ) -> Self {
        let ctas = || world.clusters.iter().flat_map(|cluster| &cluster.ctas);
        let at = ctas().flat_map(|cta| {
            let warps = cta.warps.iter().enumerate();
            warps.filter_map(|(warp, state)| {
                let groups = state.groups.iter();
                let first = groups.min_by_key(|group| group.mask.trailing_zeros())?;
                Some(((cta.number, warp as u32), first.pc))
            })
        });
        Self {
            at: at.collect(),
            shared: ctas()
                .map(|cta| (cta.number, program.names_in(cta)))
                .collect(),
            global: world.memory.names(),
            waits,
            has_blocks: world.places.grid.iter().product::<u32>() > 1,
        }
    }

    fn mbarrier(&self, (block, offset): (u64, u64), from: u64) -> String {
        let name = self.shared.get(&block).map(|names| names.mbarrier(offset));
        let name = name.unwrap_or_else(|| format!("mbarrier at shared address {offset:#x}"));
        // The name says which one it is, and the report has the address.
        let name = match name.split_once(" at shared address ") {
            Some((name, _)) if name.contains('`') => {
                name.trim_start_matches("mbarrier ").to_owned()
            }
            _ => format!("the {name}"),
        };
        match block == from {
            true => name,
            false => format!("{name} of block {block}"),
        }
    }

    fn range(&self, range: &Range) -> String {
        let (space, suffix) = match range.memory {
            Memory::Shared { block } => {
                let names = self.shared.get(&block);
                ("shared", names.map(|names| names.suffix(range.address)))
            }
            _ => ("global", Some(self.global.suffix(range.address))),
        };
        let name = suffix.unwrap_or_default();
        let name = name.trim_start_matches(" (").trim_end_matches(')');
        match name.is_empty() {
            true => format!(
                "{} bytes at {space} address {:#x}",
                range.bytes, range.address
            ),
            false => format!("{} bytes of {name}", range.bytes),
        }
    }
}

fn lane_of(process: &Process) -> Lane {
    match process {
        Process::Lanes { block, thread } | Process::Copy { block, thread, .. } => {
            (*block, thread / LANES as u32)
        }
    }
}

impl Path {
    /// Returns the story of the last execution, which made the choices of `choices`. `ends` is what the finding says
    /// about warps.
    pub(super) fn story(&self, program: &Program, ends: &[(Lane, String)]) -> Story {
        let events = self.events();
        let choices = self.repeated().into_iter().flat_map(|schedule| &schedule.0);
        // What a warp does by itself is told by what it does next.
        let told = |(choice, _): &(usize, usize)| {
            let process = events.get(*choice)?.process;
            let mut next =
                (*choice..events.len()).filter(|index| events[*index].process == process);
            next.find(|index| !events[*index].is_alone())
        };
        let choices: BTreeSet<usize> = choices.filter_map(told).collect();
        let after = &self.after;
        let last: Vec<&(Lane, String)> = match ends.is_empty() {
            true => after.waits.iter().collect(),
            false => ends.iter().collect(),
        };
        let put_off = self.repeated().into_iter().flat_map(|schedule| &schedule.0);
        let put_off: Vec<Lane> = put_off
            .filter_map(|(event, _)| self.usual_at(*event))
            .map(|process| lane_of(&process))
            .collect();
        let lanes = lanes(events, &choices, &last, &put_off);
        let mut chosen = BTreeSet::new();
        let is_told = |index: &usize| lanes.contains(&lane_of(&events[*index].process));
        chosen.extend(choices.iter().copied().filter(is_told));
        for lane in &lanes {
            let own = |event: &Event| lane_of(&event.process) == *lane && !event.is_alone();
            chosen.extend(events.iter().rposition(own));
        }
        let conflicts = related_events(events, &lanes, Relation::Conflicts);
        if choices.is_empty() && conflicts.is_empty() {
            // Every order of these warps leads here.
            return Story::default();
        }
        for index in conflicts
            .into_iter()
            .chain(related_events(events, &lanes, Relation::Enables))
        {
            if chosen.len() >= MOST_STEPS {
                break;
            }
            chosen.insert(index);
        }
        let mut story = Story {
            lanes: lanes.iter().map(|lane| after.name_of(*lane)).collect(),
            steps: Vec::new(),
        };
        let index_of = |lane: Lane| lanes.iter().position(|other| *other == lane);
        for index in chosen {
            let event = &events[index];
            let Some(lane) = index_of(lane_of(&event.process)) else {
                continue;
            };
            let (file, line) = program.location(event.instruction).line_of_source();
            story.steps.push(StoryStep {
                lane,
                what: after.words(event, program),
                at: format!("{file}:{line}"),
                is_choice: choices.contains(&index),
            });
        }
        for (lane, what) in last {
            let Some(lane) = index_of(*lane) else {
                continue;
            };
            let step = StoryStep {
                lane,
                what: what.clone(),
                at: String::new(),
                is_choice: false,
            };
            if !story.steps.contains(&step) {
                story.steps.push(step);
            }
        }
        for (lane, of) in lanes.iter().enumerate() {
            let is_told = story.steps.iter().any(|step| step.lane == lane);
            if let (false, Some(instruction)) = (is_told, after.at.get(of)) {
                let (file, line) = program.location(*instruction).line_of_source();
                story.steps.push(StoryStep {
                    lane,
                    what: format!("has not executed `{}` yet", program.opcode(*instruction)),
                    at: format!("{file}:{line}"),
                    is_choice: false,
                });
            }
        }
        story
    }
}

/// Returns the warps of a story: first the finding's, then the warps that were chosen or would have gone on.
fn lanes(
    events: &[Event],
    choices: &BTreeSet<usize>,
    last: &[&(Lane, String)],
    put_off: &[Lane],
) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = last.iter().map(|(lane, _)| *lane).collect();
    let chosen = choices.iter().rev();
    lanes.extend(chosen.map(|choice| lane_of(&events[*choice].process)));
    lanes.extend(put_off.iter().rev());
    let mut known = Vec::new();
    for lane in lanes {
        if known.len() < MOST_LANES && !known.contains(&lane) {
            known.push(lane);
        }
    }
    known.sort();
    known
}

/// Returns the events of these warps that have this relation with an event of another of these warps, the last ones first.
fn related_events(events: &[Event], lanes: &[Lane], wanted: Relation) -> Vec<usize> {
    let first = events.len().saturating_sub(COMPARED);
    let told: Vec<usize> = (first..events.len())
        .filter(|index| lanes.contains(&lane_of(&events[*index].process)))
        .collect();
    let mut found = Vec::new();
    for (number, later) in told.iter().enumerate().rev() {
        let is_related = |earlier: &&usize| {
            let (one, other) = (&events[**earlier], &events[*later]);
            lane_of(&one.process) != lane_of(&other.process)
                && relation(&one.uses, &other.uses) == wanted
        };
        if let Some(earlier) = told[..number].iter().rev().find(is_related) {
            let new = [*later, *earlier].into_iter();
            let new: Vec<usize> = new.filter(|index| !found.contains(index)).collect();
            found.extend(new);
        }
        if found.len() > MOST_STEPS {
            break;
        }
    }
    found
}

impl Aftermath {
    fn name_of(&self, (block, warp): Lane) -> String {
        match self.has_blocks {
            true => format!("block {block} warp {warp}"),
            false => format!("warp {warp}"),
        }
    }

    /// Describes an event by what it uses.
    fn words(&self, event: &Event, program: &Program) -> String {
        let opcode = program.opcode(event.instruction);
        let (block, _) = lane_of(&event.process);
        let mut words: Vec<String> = Vec::new();
        for used in &event.uses {
            let word = self.word(used, block, opcode);
            if !word.is_empty() && !words.contains(&word) {
                words.push(word);
            }
        }
        let words = match words.is_empty() {
            true => format!("executes `{opcode}`"),
            false => words.join(", "),
        };
        match event.process {
            Process::Copy { .. } => format!("its copy completes: {words}"),
            Process::Lanes { thread, .. } if thread % LANES as u32 != 0 => {
                format!("lane {}: {words}", thread % LANES as u32)
            }
            Process::Lanes { .. } => words,
        }
    }

    fn word(&self, used: &Use, from: u64, opcode: &str) -> String {
        match used {
            Use::Mbarrier(at, used) => {
                let name = self.mbarrier(*at, from);
                match *used {
                    MbarrierUse::Update {
                        phase,
                        arrivals,
                        completes,
                        pending,
                    } => {
                        let come = match arrivals {
                            0 => "bytes come",
                            _ => "arrives",
                        };
                        let rest = match (completes, pending) {
                            (true, _) => "and completes it".to_owned(),
                            (false, 0) => "where bytes are missing".to_owned(),
                            (false, 1) => "where 1 arrival is missing".to_owned(),
                            (false, more) => format!("where {more} arrivals are missing"),
                        };
                        format!("{come} in phase {phase} of {name}, {rest}")
                    }
                    MbarrierUse::Expect { phase, .. } => {
                        format!("expects more in phase {phase} of {name}")
                    }
                    MbarrierUse::Wait { current } => {
                        let phase = current.saturating_sub(1);
                        format!("passes its wait at {name}: phase {phase} is complete")
                    }
                    MbarrierUse::Test { current } => {
                        format!("tests {name}, which is in phase {current}")
                    }
                    MbarrierUse::Whole => format!("`{opcode}` at {name}"),
                }
            }
            Use::Barrier(BarrierName::Block(block, barrier), used) => {
                let of = match *block == from {
                    true => String::new(),
                    false => format!(" of block {block}"),
                };
                match used {
                    BarrierUse::Arrive { .. } => format!("arrives at barrier {barrier}{of}"),
                    BarrierUse::Pass(_) => format!("passes barrier {barrier}{of}"),
                    BarrierUse::End(_) => format!("counts at barrier {barrier}{of} by its end"),
                }
            }
            Use::Barrier(BarrierName::Cluster(_), used) => match used {
                BarrierUse::Arrive { .. } => "arrives at the barrier of the cluster".to_owned(),
                BarrierUse::Pass(_) => "passes the barrier of the cluster".to_owned(),
                BarrierUse::End(_) => "counts at the barrier of the cluster by its end".to_owned(),
            },
            Use::Group { waits: true, .. } => "waits for its groups of copies".to_owned(),
            Use::Group { waits: false, .. } => "it counts in its group".to_owned(),
            Use::Bytes { range, writes, .. } => {
                let range = self.range(range);
                match writes {
                    true if opcode.starts_with("atom") || opcode.starts_with("red") => {
                        format!("`{opcode}` on {range}")
                    }
                    true => format!("`{opcode}` writes {range}"),
                    false => format!("`{opcode}` reads {range}"),
                }
            }
            Use::Registers(Registers { gives, takes, .. }) => match (gives, takes) {
                (0, takes) => format!("takes {takes} registers a thread"),
                (gives, _) => format!("gives back {gives} registers a thread"),
            },
            Use::Warp { ends: true, .. } => "ends".to_owned(),
            Use::Warp { ends: false, .. } | Use::Begin { .. } => String::new(),
            Use::Fences => "executes `fence.sc`".to_owned(),
            Use::Heap => format!("`{opcode}`"),
        }
    }
}

impl Story {
    /// Returns whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

/// Draws the lanes side by side, within 100 columns.
impl Display for Story {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = self.lanes.len().max(1);
        let width = (WIDTH - INDENT - 3 * (count - 1)) / count;
        let row = |f: &mut Formatter<'_>, cells: &[&str]| {
            let mut line = " ".repeat(INDENT);
            for (index, cell) in cells.iter().enumerate() {
                let separator = if index == 0 { "" } else { " | " };
                line += &format!("{separator}{cell:width$}");
            }
            writeln!(f, "{}", line.trim_end())
        };
        let lanes: Vec<&str> = self.lanes.iter().map(String::as_str).collect();
        row(f, &lanes)?;
        let rule = vec!["-".repeat(width); count].join("-+-");
        writeln!(f, "{}{rule}", " ".repeat(INDENT))?;
        for step in &self.steps {
            let mark = if step.is_choice { "* " } else { "  " };
            let at = match step.at.is_empty() {
                true => String::new(),
                // The lanes have room for a name, but not for a path.
                false => format!(" ({})", step.at.rsplit('/').next().unwrap_or_default()),
            };
            for (line, text) in wrapped(&format!("{}{at}", step.what), width - 2)
                .iter()
                .enumerate()
            {
                let cell = format!("{}{text}", if line == 0 { mark } else { "  " });
                let mut cells = vec![""; count];
                cells[step.lane.min(count - 1)] = &cell;
                row(f, &cells)?;
            }
        }
        Ok(())
    }
}

/// Breaks a text into lines of at most `width` characters at its spaces, and longer words anywhere.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() {
            if line.chars().count() + 1 + word.len() <= width {
                line.push(' ');
            } else {
                lines.push(String::new());
            }
        }
        while word.len() > width {
            let rest = word.split_off(width);
            lines.last_mut().expect("there is a line").extend(word);
            lines.push(String::new());
            word = rest;
        }
        lines.last_mut().expect("there is a line").extend(word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_and_lines_are_broken() {
        assert_eq!(wrapped("ab cd efg", 5), ["ab cd", "efg"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 3), [""]);
    }

    #[test]
    fn lanes_are_side_by_side_within_100_columns() {
        let step = |lane, what: &str, is_choice| StoryStep {
            lane,
            what: what.to_owned(),
            at: "/folder/k.ptx:7".to_owned(),
            is_choice,
        };
        let story = Story {
            lanes: vec!["warp 0".to_owned(), "warp 1".to_owned()],
            steps: vec![
                step(
                    0,
                    "arrives in phase 1 of `full[0]`, where 31 arrivals are missing",
                    false,
                ),
                step(1, "ends", true),
            ],
        };
        let text = story.to_string();
        let expected = "    warp 0                                         | warp 1
    -----------------------------------------------+-----------------------------------------------
      arrives in phase 1 of `full[0]`, where 31    |
      arrivals are missing (k.ptx:7)               |
                                                   | * ends (k.ptx:7)
";
        assert_eq!(text, expected);
        assert!(text.lines().all(|line| line.len() <= 100));
    }
}
