//! One launch under every schedule that can have another result.

use std::collections::HashSet;

use tma_launch::{Failure, Launch, Stage};

use super::{ModuleId, Ready, Session, launch::State};
use crate::{
    check::CheckReport,
    machine::{Config, Memory},
    run::{Ended, Process, Schedule, Search, count_schedule, is_interrupted, obstacle},
};

/// Limits of a search through schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The number of executions.
    pub schedules: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { schedules: 10_000 }
    }
}

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
    /// The number of different contents of global memory at the end.
    pub results: usize,
    /// The findings of the schedule of [`Verdict::Found`], otherwise of the first schedule. The findings of the
    /// seed's schedule if no schedule could be explored.
    pub report: CheckReport,
}

impl Exploration {
    /// Returns the error of a launch of the entry that is not proved: the report of a schedule with an error, or the reason
    /// why the search has not come to its end.
    pub fn failure(&self, entry: &str) -> Option<Failure> {
        let found = self.report.failure();
        match &self.verdict {
            Verdict::Proved => found,
            Verdict::Found(failing) => {
                let failure = found.unwrap_or_else(|| {
                    Failure::new(
                        Stage::Synchronise,
                        format!("a schedule of `{entry}` has an error"),
                    )
                });
                Some(failure.hint(format!(
                    "`Session::launch_by_schedule` repeats the schedule `{}`",
                    failing.schedule
                )))
            }
            Verdict::Unfinished { why, open } => Some(found.unwrap_or_else(|| {
                let schedules = self.schedules;
                let what = format!(
                    "the search through the schedules of `{entry}` is not finished: {why}; \
                     {schedules} explored, {open} choices with more to try"
                );
                Failure::new(Stage::Synchronise, what)
                    .hint("launch fewer blocks and warps on less data, or raise the bound")
            })),
        }
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
        /// The number of choices with more to try.
        open: usize,
    },
}

/// A schedule with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailingSchedule {
    /// The choices, as few as were found.
    pub schedule: Schedule,
    /// Its steps: the process that goes on, and the line with its instruction.
    pub steps: Vec<(Process, String)>,
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
        self.within(ready, |state, config| {
            explore(state, ready, config, bounds, Search::new(false))
        })
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
        Ok(self.check_schedule(&ready, schedule))
    }

    pub(crate) fn check_schedule(
        &mut self,
        ready: &Ready,
        schedule: &Schedule,
    ) -> Option<CheckReport> {
        self.within(ready, |state, config| {
            let mut search = Search::repeat(schedule.clone());
            let report = state.check_by(ready, config, Some(&mut search));
            (search.ended() == Ended::Complete).then_some(report)
        })
    }
}

fn explore(
    state: &mut State,
    ready: &Ready,
    config: Config,
    bounds: Bounds,
    mut search: Search,
) -> Exploration {
    let before = state.clone();
    let mut exploration = Exploration {
        verdict: Verdict::Proved,
        schedules: 0,
        covered: 0,
        results: 0,
        report: CheckReport::default(),
    };
    let unfinished = |why: String, search: &Search| Verdict::Unfinished {
        why,
        open: search.open(),
    };
    if let Some(why) = obstacle(&ready.kernel.code) {
        exploration.verdict = unfinished(why, &search);
        exploration.report = state.check(ready, config);
        return exploration;
    }
    let mut results = HashSet::new();
    let mut is_first = true;
    loop {
        let mut now = before.clone();
        let report = now.check_by(ready, config, Some(&mut search));
        count_schedule();
        if is_interrupted() {
            exploration.verdict = unfinished("it was interrupted".to_owned(), &search);
            break;
        }
        match search.ended() {
            Ended::Covered => exploration.covered += 1,
            Ended::TooLong | Ended::Diverged => {
                let why = "a schedule has more events than the limit".to_owned();
                exploration.verdict = unfinished(why, &search);
                if is_first {
                    exploration.report = state.check(ready, config);
                }
                break;
            }
            Ended::Complete => {
                exploration.schedules += 1;
                results.insert(contents(&now.memory));
                let is_clean = report.is_clean();
                if is_first || !is_clean {
                    exploration.report = report;
                }
                if is_first {
                    *state = now;
                    is_first = false;
                }
                if !is_clean {
                    let again = |schedule| repeat(&before, ready, config, schedule);
                    let found = shrink(search.schedule(), &exploration.report, again);
                    exploration.verdict = Verdict::Found(found.0);
                    exploration.report = found.1.unwrap_or(exploration.report);
                    break;
                }
            }
        }
        if !search.next() {
            break;
        }
        if exploration.schedules + exploration.covered >= bounds.schedules {
            let why = format!("the bound of {} schedules is reached", bounds.schedules);
            exploration.verdict = unfinished(why, &search);
            break;
        }
    }
    exploration.results = results.len();
    exploration
}

/// A run of a schedule: the findings and the steps; `None` if the schedule does not fit.
type Again = Option<(CheckReport, Vec<(Process, String)>)>;

fn repeat(before: &State, ready: &Ready, config: Config, schedule: Schedule) -> Again {
    let mut search = Search::repeat(schedule);
    let report = before.clone().check_by(ready, config, Some(&mut search));
    let program = &ready.kernel.code.program;
    let steps = search.switches().into_iter().map(|(process, instruction)| {
        let location = program.location(instruction);
        let (file, line) = location.line_of_source();
        let at = format!("`{}` at {file}:{line}", program.opcode(instruction));
        (process, at)
    });
    (search.ended() == Ended::Complete).then(|| (report, steps.collect()))
}

/// Leaves choices out of a schedule as long as it has an error of the same kind.
fn shrink(
    schedule: Schedule,
    report: &CheckReport,
    again: impl Fn(Schedule) -> Again,
) -> (FailingSchedule, Option<CheckReport>) {
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
    let (report, steps) = last.map_or((None, Vec::new()), |(report, steps)| (Some(report), steps));
    let schedule = FailingSchedule {
        schedule: best,
        steps,
    };
    (schedule, report)
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
