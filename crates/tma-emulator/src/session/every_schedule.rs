//! One launch under every schedule that can have another result.

mod story;

use std::collections::HashSet;

use tma_launch::{Failure, Launch, Stage};

use super::{ModuleId, Ready, Session, launch::State};
use crate::{
    check::CheckReport,
    machine::{Config, Memory, observer::Observer},
    run::{
        Ended, FailingSchedule, Schedule, ScheduleName, Search, Story, count_schedule,
        is_interrupted, obstacle,
    },
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
                let found = found.unwrap_or_else(|| Failure::new(Stage::Synchronise, ""));
                let what = format!(
                    "a schedule of `{entry}` has an error; repeat it with TMA_SEED={}\n{}",
                    failing.name, found.what
                );
                Some(Failure { what, ..found })
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
        let mut exploration = self.within(ready, |state, config| {
            explore(state, ready, config, bounds, Search::new(false))
        });
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
        Ok(self.check_schedule(&ready, schedule))
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
        if ready.kernel.digest != name.digest {
            return refused(format!(
                "the schedule {name} is of another PTX: the text with `{entry}` of launch {} has the digest {:08x}",
                name.launch, ready.kernel.digest
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
        if ready.number != name.launch || ready.kernel.digest != name.digest {
            return self.check_by_name(ready, name).map(drop);
        }
        self.within(ready, |state, config| {
            let mut search = Search::repeat(name.schedule.clone());
            let mut recorder = search.recorder(observer);
            let mut observer: &mut dyn Observer = &mut recorder;
            // A fault is the end of what is observed.
            let _ = state.observe(ready, config, &mut observer, Some(search.path()));
        });
        Ok(())
    }
}

/// Returns the name of a schedule of a launch.
fn name(ready: &Ready, schedule: Schedule) -> ScheduleName {
    ScheduleName::new(ready.kernel.digest, ready.number, schedule)
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
                    let (schedule, found) = shrink(search.schedule(), &exploration.report, again);
                    let (report, story) = found.unwrap_or((exploration.report, Story::default()));
                    let failing = FailingSchedule::new(name(ready, schedule), story);
                    exploration.verdict = Verdict::Found(failing);
                    exploration.report = report;
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
