//! One launch under every schedule that can have another result.

mod bounds;
mod explorer;
mod story;

use std::{collections::BTreeMap, mem, thread};

use tma_launch::{Failure, Launch, Stage};

use super::{ModuleId, Ready, Session, launch::State};
use crate::{
    check::{CheckReport, Suppressions},
    machine::{Config, Memory, Program, observer::Observer},
    run::{FailingSchedule, Schedule, ScheduleName, Search, Story, obstacle},
};

pub use bounds::Bounds;
use explorer::{Explorer, Stop};

/// Limit of operations that are named of a search that is not finished.
const NAMED: usize = 4;

/// The result of a search through the schedules of a launch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exploration {
    /// The answer.
    pub verdict: Verdict,
    /// The number of schedules that ran to their end.
    pub schedules: u64,
    /// The number of executions that ended early, since another one covers them.
    pub covered: u64,
    /// The number of steps of all executions.
    pub steps: u64,
    /// The number of different contents of global memory at the end.
    pub results: usize,
    /// The findings of the schedule of [`Verdict::Found`], otherwise of the first schedule that has some. The findings of the
    /// seed's schedule if none could be explored, unless there is a bound of time or steps. None of them is suppressed.
    pub report: CheckReport,
    /// True if schedules have findings that are suppressed, so that accesses in an order of no concern may leave other bytes.
    pub has_suppressed: bool,
    /// The operations after which most choices are left to try if the search is not finished, each with their number.
    pub frontier: Vec<(String, usize)>,
}

impl Exploration {
    /// Returns the error of a launch of the entry that is not proved: the report of a schedule with an error, or the reason
    /// why the search has not come to its end.
    pub fn failure(&self, entry: &str) -> Option<Failure> {
        let found = self.report.failure();
        match &self.verdict {
            Verdict::Proved => found,
            Verdict::Found(failing) => {
                let found = found.unwrap_or_else(|| Failure::new(Stage::Synchronise, ""));
                let what = format!(
                    "a schedule of `{entry}` has an error; repeat it with TMA_SEED={}\n{}",
                    failing.name, found.what
                );
                Some(Failure { what, ..found })
            }
            Verdict::Unfinished { .. } => Some(found.unwrap_or_else(|| {
                let why = self.unfinished().unwrap_or_default();
                let what =
                    format!("the search through the schedules of `{entry}` is not finished: {why}");
                Failure::new(Stage::Synchronise, what)
                    .hint("launch fewer blocks and warps on less data, or raise the bound")
            })),
        }
    }

    /// Returns the name of the schedule that has an error.
    pub fn schedule(&self) -> Option<&ScheduleName> {
        match &self.verdict {
            Verdict::Found(failing) => Some(&failing.name),
            _ => None,
        }
    }

    /// Returns why the search has not come to its end, how far it has come, and the operations that make it large.
    pub fn unfinished(&self) -> Option<String> {
        let Verdict::Unfinished { why, open } = &self.verdict else {
            return None;
        };
        let schedules = counted(self.schedules, "schedule");
        let open = counted(*open as u64, "choice");
        let mut text = format!("{why}; {schedules} explored, {open} left to try");
        for (number, (operation, count)) in self.frontier.iter().enumerate() {
            text += if number == 0 { ": " } else { ", " };
            text += &format!("{count} at {operation}");
        }
        Some(text)
    }
}

/// The answer of a search through schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// No schedule of this launch has an error.
    Proved,
    /// A schedule has an error.
    Found(FailingSchedule),
    /// The search has not come to its end.
    Unfinished {
        /// The reason.
        why: String,
        /// The number of choices that are left to try.
        open: usize,
    },
}

impl Session {
    /// Runs a kernel under the checker once for each schedule that can have another result, up to the first with an error.
    /// Each run starts with the same memory; the memory of the first is kept. Output is discarded.
    ///
    /// # Errors
    /// The launch is invalid, and memory is unchanged.
    pub fn launch_every_schedule(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        bounds: Bounds,
    ) -> Result<Exploration, Failure> {
        let ready = self.ready(module, launch)?;
        Ok(self.check_every_schedule(&ready, bounds))
    }

    pub(crate) fn check_every_schedule(&mut self, ready: &Ready, bounds: Bounds) -> Exploration {
        let mut suppressions = mem::take(&mut self.suppressions);
        let mut exploration = self.within(ready, |state, config| {
            explore(
                state,
                ready,
                config,
                bounds,
                Search::new(),
                &mut suppressions,
            )
        });
        self.suppressions = suppressions;
        if let Verdict::Found(failing) = &exploration.verdict {
            story::attach(failing, &mut exploration.report);
        }
        exploration
    }

    /// Runs a kernel under the checker by one schedule. Returns `None` if the schedule does not fit the kernel.
    ///
    /// # Errors
    /// The launch is invalid, and memory is unchanged.
    pub fn launch_by_schedule(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        schedule: &Schedule,
    ) -> Result<Option<CheckReport>, Failure> {
        let ready = self.ready(module, launch)?;
        let mut report = self.check_schedule(&ready, schedule);
        if let Some(report) = &mut report {
            report.suppress(&mut self.suppressions);
        }
        Ok(report)
    }

    pub(crate) fn check_schedule(
        &mut self,
        ready: &Ready,
        schedule: &Schedule,
    ) -> Option<CheckReport> {
        self.within(ready, |state, config| {
            let (after, mut report, story) = story::run(state, ready, config, schedule.clone())?;
            *state = after;
            let failing = FailingSchedule::new(name(ready, schedule.clone()), story);
            story::attach(&failing, &mut report);
            Some(report)
        })
    }

    /// Runs a kernel under the checker as a search had it: the launch of a name by its schedule, and others by the one
    /// that a search begins with.
    ///
    /// # Errors
    /// The launch is invalid, the name is of another PTX text, or its choices do not fit the kernel; memory is
    /// unchanged.
    pub fn launch_by_name(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        name: &ScheduleName,
    ) -> Result<CheckReport, Failure> {
        let ready = self.ready(module, launch)?;
        let mut report = self.check_by_name(&ready, name)?;
        report.suppress(&mut self.suppressions);
        Ok(report)
    }

    pub(crate) fn check_by_name(
        &mut self,
        ready: &Ready,
        name: &ScheduleName,
    ) -> Result<CheckReport, Failure> {
        if ready.number != name.launch {
            let usual = match obstacle(&ready.kernel.code) {
                None => self.check_schedule(ready, &Schedule::default()),
                Some(_) => None,
            };
            return Ok(usual.unwrap_or_else(|| self.check(ready)));
        }
        let entry = &ready.kernel.signature.entry;
        let refused = |what: String| {
            let hint = "run every schedule again for the name of one that fails";
            Err(Failure::new(Stage::Check, what).hint(hint))
        };
        if ready.kernel.digest() != name.digest {
            return refused(format!(
                "the schedule {name} is of another PTX: the text with `{entry}` of launch {} has the digest {:08x}",
                name.launch,
                ready.kernel.digest()
            ));
        }
        match self.check_schedule(ready, &name.schedule) {
            Some(report) => Ok(report),
            None => refused(format!(
                "the schedule {name} does not fit launch {}, `{entry}`: it has choices that the kernel does not have \
                 with this grid and this memory",
                name.launch
            )),
        }
    }
}

impl Session {
    /// Like [`check_by_name`](Self::check_by_name), with an observer of the launch of the name in place of the checker.
    pub(crate) fn observe_by_name(
        &mut self,
        ready: &Ready,
        name: &ScheduleName,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        if ready.number != name.launch || ready.kernel.digest() != name.digest {
            return self.check_by_name(ready, name).map(drop);
        }
        self.within(ready, |state, config| {
            let mut search = Search::repeat(name.schedule.clone());
            let mut recorder = search.recorder(observer);
            // A fault is the end of what is observed.
            let _ = state.observe(ready, config, &mut recorder, Some(search.path()));
        });
        Ok(())
    }
}

/// Returns the name of a schedule of a launch.
fn name(ready: &Ready, schedule: Schedule) -> ScheduleName {
    ScheduleName::new(ready.kernel.digest(), ready.number, schedule)
}

fn explore(
    state: &mut State,
    ready: &Ready,
    config: Config,
    bounds: Bounds,
    mut search: Search,
    suppressions: &mut Suppressions,
) -> Exploration {
    let code = &ready.kernel.code;
    let mut exploration = Exploration {
        verdict: Verdict::Proved,
        schedules: 0,
        covered: 0,
        steps: 0,
        results: 0,
        report: CheckReport::default(),
        frontier: Vec::new(),
        has_suppressed: false,
    };
    if let Some(why) = obstacle(code) {
        exploration.verdict = Verdict::Unfinished { why, open: 0 };
        exploration.report = state.check(ready, config);
        exploration.report.suppress(suppressions);
        return exploration;
    }
    let before = state.clone();
    let unused = suppressions.unused();
    let explorer = Explorer::new(&before, ready, config, bounds, &unused);
    let part = thread::scope(|scope| explorer.explore(scope, &mut search));
    suppressions.add(&part.suppressions);
    exploration.schedules = part.schedules;
    exploration.covered = part.covered;
    exploration.steps = part.steps;
    exploration.results = part.results.len();
    exploration.report = match part.first {
        Some((after, report)) => {
            *state = after;
            report
        }
        // The seed's schedule has no bound but `max_steps`.
        None if bounds.time.is_some() || bounds.steps < u64::MAX => CheckReport::default(),
        None if matches!(part.stop, Some(Stop::Cut(_))) => CheckReport::default(),
        None => {
            let mut report = state.check(ready, config);
            report.suppress(suppressions);
            report
        }
    };
    if exploration.report.diagnostics.is_empty() {
        exploration.report.diagnostics = part.warnings;
    }
    exploration.has_suppressed = part.suppressions.counts().any(|(_, count)| count > 0);
    match part.stop {
        None => {
            if let Some(left_out) = part.unsearched {
                let why = left_out.to_string();
                exploration.verdict = Verdict::Unfinished { why, open: 0 };
            }
        }
        Some(Stop::Found(schedule, report)) => {
            let again = |schedule| {
                let mut again = repeat(&before, ready, config, schedule);
                if let Some((report, _)) = &mut again {
                    report.suppress(&mut unused.clone());
                }
                again
            };
            let (schedule, found) = shrink(schedule, &report, again);
            let (report, story) = found.unwrap_or((report, Story::default()));
            let failing = FailingSchedule::new(name(ready, schedule), story);
            exploration.verdict = Verdict::Found(failing);
            exploration.report = report;
        }
        Some(Stop::Limit(why) | Stop::Cut(why)) => {
            let open = search.frontier().map(|(_, left)| left).sum();
            exploration.verdict = Verdict::Unfinished { why, open };
            exploration.frontier = named(search.frontier(), &code.program);
        }
    }
    exploration
}

/// Returns the operations with the most choices.
fn named(
    frontier: impl Iterator<Item = (usize, usize)>,
    program: &Program,
) -> Vec<(String, usize)> {
    let mut all: BTreeMap<usize, usize> = BTreeMap::new();
    for (instruction, left) in frontier {
        *all.entry(instruction).or_default() += left;
    }
    let mut all: Vec<(usize, usize)> = all.into_iter().collect();
    all.sort_by_key(|(_, left)| std::cmp::Reverse(*left));
    let all = all.into_iter().take(NAMED);
    all.map(|(instruction, left)| (at(program, instruction), left))
        .collect()
}

fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Returns an instruction and its line of the source.
fn at(program: &Program, instruction: usize) -> String {
    let location = program.location(instruction);
    let (file, line) = location.line_of_source();
    format!("`{}` at {file}:{line}", program.opcode(instruction))
}

/// A run of a schedule: the findings and the story; `None` if the schedule does not fit.
type Again = Option<(CheckReport, Story)>;

fn repeat(before: &State, ready: &Ready, config: Config, schedule: Schedule) -> Again {
    let (_, report, story) = story::run(before, ready, config, schedule)?;
    Some((report, story))
}

/// Leaves choices out of a schedule as long as it has an error of the same kind.
fn shrink(
    schedule: Schedule,
    report: &CheckReport,
    again: impl Fn(Schedule) -> Again,
) -> (Schedule, Again) {
    let kinds = |report: &CheckReport| {
        let errors = report.diagnostics.iter().map(|found| found.kind);
        errors.collect::<Vec<_>>()
    };
    let wanted = kinds(report).first().copied();
    let has_it = |report: &CheckReport| {
        !report.is_clean() && wanted.is_none_or(|kind| kinds(report).contains(&kind))
    };
    let mut best = schedule;
    let mut size = best.0.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < best.0.len() {
            let mut fewer = best.clone();
            fewer.0.drain(at..(at + size).min(fewer.0.len()));
            match again(fewer.clone()) {
                Some((report, _)) if has_it(&report) => best = fewer,
                _ => at += size,
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    let last = again(best.clone()).filter(|(report, _)| has_it(report));
    (best, last)
}

/// Returns a number for the contents of global memory.
fn contents(memory: &Memory) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    for (address, bytes) in memory.contents() {
        (address, bytes).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
