//! Every schedule of a launch that can have another result.
//!
//! An execution is a sequence of events. An event is one operation of lanes of a warp that others can see (of an mbarrier,
//! a barrier, an atomic, an ordered access, `setmaxnreg`, an exit) with the operations up to the next such one, or a whole
//! copy. Ordinary accesses are no events: if two of them depend on the order, the checker finds the race by the events'
//! order, whichever came first.
//!
//! Two events conflict if their order can matter. Executions with the same order of all conflicting events have the same
//! result, so that one of them is enough. The search is a dynamic partial order reduction with source sets and sleep sets
//! (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014): after each execution, each pair of conflicting events that nothing else
//! orders is tried in the other order.
//!
//! A loop that only tests whether a phase is complete, or whether a value has changed, is no event until the test
//! succeeds: its failures change nothing.

mod branch;
mod event;
mod execution;
mod failed_tests;
mod joins;
mod name;
mod path;
pub(in crate::run) mod polls;
mod recorder;
mod story;
mod symmetry;
mod unsearched;

use std::fmt::{self, Display, Formatter};

pub(crate) use branch::{Branch, Explored};
pub use event::Process;
pub use name::ScheduleName;
pub(crate) use path::Path;
use path::{End, Step};
pub(crate) use story::Aftermath;
pub use story::{FailingSchedule, Story, StoryStep};
pub(crate) use unsearched::Unsearched;

use crate::{
    inst::{Action, Code},
    machine::{Program, observer::Observer},
};
use recorder::Recorder;

/// Choices of an execution that differ from the usual ones: the number of the event, and the process among those that could
/// go on. Usually the process of the last event goes on, or else the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule(pub(crate) Vec<(usize, usize)>);

impl Schedule {
    fn at(&self, event: usize) -> Option<usize> {
        let found = self.0.binary_search_by_key(&event, |(at, _)| *at).ok()?;
        Some(self.0[found].1)
    }

    /// Reads a schedule that was written by [`Display`].
    pub fn parse(text: &str) -> Option<Self> {
        if text == "usual" {
            return Some(Self::default());
        }
        let choices = text.split('-').map(|choice| {
            let (event, index) = choice.split_once('.')?;
            Some((event.parse().ok()?, index.parse().ok()?))
        });
        let choices: Option<Vec<(usize, usize)>> = choices.collect();
        choices
            .filter(|all| all.is_sorted_by(|one, next| one.0 < next.0))
            .map(Self)
    }
}

/// Writes `12.3-17.0`: event 12 is of process 3 of those that could go on, and event 17 of process 0; or `usual`.
impl Display for Schedule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("usual");
        }
        for (number, (event, index)) in self.0.iter().enumerate() {
            let separator = if number == 0 { "" } else { "-" };
            write!(f, "{separator}{event}.{index}")?;
        }
        Ok(())
    }
}

/// The outcome of one execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The kernel ended, or failed.
    Complete,
    /// Another execution covers it.
    Covered,
    /// It was too long.
    TooLong,
    /// The schedule does not fit the kernel.
    Diverged,
}

/// The search through the schedules of a launch.
pub(crate) struct Search {
    path: Path,
}

impl Search {
    /// Starts a search.
    pub(crate) fn new() -> Self {
        Self {
            path: Path::new(None, false),
        }
    }

    /// Starts a search without the reduction: it tries every order.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self {
            path: Path::new(None, true),
        }
    }

    /// Repeats one schedule.
    pub(crate) fn repeat(schedule: Schedule) -> Self {
        Self {
            path: Path::new(Some(schedule), false),
        }
    }

    /// Starts a search through a subtree.
    pub(crate) fn of_branch(branch: Branch) -> Self {
        Self {
            path: Path::of_branch(branch),
        }
    }

    /// Gives a subtree away that is left, with its number of choices, unless it is the only one.
    pub(crate) fn give(&mut self) -> Option<(usize, Branch)> {
        self.path.give()
    }

    /// Returns what the whole tree is to know of a subtree that was explored.
    pub(crate) fn into_explored(self) -> Option<Explored> {
        self.path.into_explored()
    }

    /// Takes a subtree that was explored elsewhere in place of the next execution.
    pub(crate) fn adopt(&mut self, explored: Explored) {
        self.path.adopt(explored);
    }

    /// Returns whether this is no subtree.
    pub(crate) fn is_whole(&self) -> bool {
        self.path.floor == 0
    }

    /// Returns an observer in front of `inner` that the search needs.
    pub(crate) fn recorder<'a>(&self, inner: &'a mut dyn Observer) -> Recorder<'a> {
        Recorder::new(inner, self.path.record())
    }

    pub(crate) fn path(&mut self) -> &mut Path {
        &mut self.path
    }

    pub(crate) fn ended(&self) -> Ended {
        match self.path.end() {
            End::Complete => Ended::Complete,
            End::Covered => Ended::Covered,
            End::TooLong => Ended::TooLong,
            End::Diverged => Ended::Diverged,
        }
    }

    /// Returns the schedules that the search has left out.
    pub(crate) fn unsearched(&self) -> Option<Unsearched> {
        self.path.unsearched
    }

    /// Goes to the next execution and returns the number of its choices that are already made; `None` if there is none.
    pub(crate) fn next(&mut self) -> Option<usize> {
        self.path.next().then_some(self.path.nodes.len())
    }

    /// Returns the choices with more to try: their instructions, and how much is left.
    pub(crate) fn frontier(&self) -> impl Iterator<Item = (usize, usize)> {
        self.path.frontier()
    }

    /// Returns the steps of the last execution.
    pub(crate) fn steps(&self) -> u64 {
        self.path.steps
    }

    pub(crate) fn schedule(&self) -> Schedule {
        self.path.schedule()
    }

    /// Returns the story of the last execution, whose finding concerns these warps, by block and warp.
    pub(crate) fn story(&self, program: &Program, ends: &[((u64, u32), String)]) -> Story {
        self.path.story(program, ends)
    }
}

/// Returns why the schedules of a kernel cannot be explored, if they cannot.
pub(crate) fn obstacle(code: &Code) -> Option<String> {
    let operations = code.operations.iter().enumerate();
    let mut found = operations.filter_map(|(index, operation)| {
        let why = match &operation.action {
            Action::Clock(_) => "reads a clock",
            Action::TryCancel(_) => "takes clusters from the grid",
            Action::Activemask(_) => "asks which lanes run together",
            _ if code
                .program
                .opcode(index)
                .starts_with("mbarrier.pending_count") =>
            {
                "reads the number of pending arrivals"
            }
            _ => return None,
        };
        Some(format!("`{}` {why}", code.program.opcode(index)))
    });
    found.next()
}
