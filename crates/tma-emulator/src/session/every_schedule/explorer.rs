//! The search through the schedules of a launch, on several threads with the answer of one.
//!
//! Each thread explores a subtree of the choices. One that is free gets the largest subtree that another one has left, and
//! keeps what it found until the search comes there. A subtree in which the search would have ended, by a bound or a limit,
//! is explored again by the thread that gave it away, so that the search ends at the same execution.

use std::{
    collections::{BTreeMap, HashSet},
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    thread::{Scope, ScopedJoinHandle},
    time::Instant,
};

use super::{Bounds, contents, counted};
use crate::{
    check::{CheckReport, Diagnostic, Suppressions},
    machine::Config,
    run::{
        Branch, Ended, Explored, Schedule, Search, Unsearched, count_schedule, in_thread,
        is_called_off, is_interrupted,
    },
    session::{Ready, launch::State},
};

/// The launch, and what its threads share.
pub(super) struct Explorer<'a> {
    pub(super) before: &'a State,
    pub(super) ready: &'a Ready,
    pub(super) config: Config,
    pub(super) bounds: Bounds,
    /// The suppressions, none of them used.
    pub(super) suppressions: &'a Suppressions,
    pub(super) ends_at: Option<Instant>,
    /// The number of threads that may be started.
    free: AtomicI64,
}

/// The results of some of the executions.
#[derive(Default)]
pub(super) struct Part {
    pub(super) schedules: u64,
    pub(super) covered: u64,
    pub(super) steps: u64,
    /// The numbers of executions and steps before the last execution.
    before_last: (u64, u64),
    pub(super) results: HashSet<u64>,
    pub(super) suppressions: Suppressions,
    /// The state and the report of the first execution.
    pub(super) first: Option<(State, CheckReport)>,
    /// The warnings of the first execution that has some.
    pub(super) warnings: Vec<Diagnostic>,
    /// The schedules that were left out.
    pub(super) unsearched: Option<Unsearched>,
    /// The reason why the rest was not explored.
    pub(super) stop: Option<Stop>,
}

pub(super) enum Stop {
    /// A schedule has an error.
    Found(Schedule, CheckReport),
    /// A limit is reached, by the executions that were run.
    Limit(String),
    /// The time is over, or the search was interrupted.
    Cut(String),
}

/// A subtree that another thread explores.
struct Given<'scope> {
    is_over: Arc<AtomicBool>,
    thread: Option<ScopedJoinHandle<'scope, (Part, Option<Explored>)>>,
}

impl Drop for Given<'_> {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl<'a> Explorer<'a> {
    pub(super) fn new(
        before: &'a State,
        ready: &'a Ready,
        config: Config,
        bounds: Bounds,
        suppressions: &'a Suppressions,
    ) -> Self {
        Self {
            before,
            ready,
            config,
            bounds,
            suppressions,
            ends_at: bounds
                .time
                .and_then(|time| Instant::now().checked_add(time)),
            free: AtomicI64::new(bounds.jobs.threads() as i64 - 1),
        }
    }

    /// Runs the executions of a search to its end.
    pub(super) fn explore<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        search: &mut Search,
    ) -> Part {
        let mut part = Part {
            suppressions: self.suppressions.clone(),
            ..Part::default()
        };
        let mut given: BTreeMap<usize, Given<'scope>> = BTreeMap::new();
        loop {
            self.execute(search, &mut part);
            while part.stop.is_none() && self.takes_thread() {
                match self.give(scope, search) {
                    Some((choices, to)) => drop(given.insert(choices, to)),
                    None => {
                        self.free.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                }
            }
            loop {
                if part.stop.is_some() {
                    return part;
                }
                let Some(choices) = search.next() else {
                    return part;
                };
                part.stop = self.reached(&part);
                if part.stop.is_some() {
                    return part;
                }
                let Some((other, explored)) = given.remove(&choices).and_then(|it| self.join(it))
                else {
                    break;
                };
                if let (true, Some(explored)) = (self.is_within(&part, &other), explored) {
                    search.adopt(explored);
                    part.add(other);
                } else {
                    break;
                }
            }
        }
    }

    fn execute(&self, search: &mut Search, part: &mut Part) {
        let mut state = self.before.clone();
        let mut report = state.check_by(self.ready, self.config, search);
        count_schedule();
        part.before_last = (part.executions(), part.steps);
        part.steps += search.steps();
        part.unsearched = part.unsearched.or(search.unsearched());
        if is_interrupted() || is_called_off() {
            part.stop = Some(Stop::Cut("it was interrupted".to_owned()));
            return;
        }
        match search.ended() {
            Ended::Covered => part.covered += 1,
            Ended::TooLong | Ended::Diverged => {
                let why = "a schedule has more events or steps than the limit";
                part.stop = Some(Stop::Limit(why.to_owned()));
            }
            Ended::Complete => {
                part.schedules += 1;
                part.results.insert(contents(&state.memory));
                report.suppress(&mut part.suppressions);
                let is_clean = report.is_clean();
                if is_clean && part.warnings.is_empty() {
                    part.warnings.clone_from(&report.diagnostics);
                }
                if search.is_whole() && part.first.is_none() {
                    part.first = Some((state, report.clone()));
                }
                if !is_clean {
                    part.stop = Some(Stop::Found(search.schedule(), report));
                }
            }
        }
    }

    /// Returns the bound that is reached.
    fn reached(&self, part: &Part) -> Option<Stop> {
        let Bounds {
            schedules, steps, ..
        } = self.bounds;
        if part.executions() >= schedules {
            let bound = counted(schedules, "schedule");
            return Some(Stop::Limit(format!("the bound of {bound} is reached")));
        }
        if part.steps >= steps {
            let bound = counted(steps, "step");
            return Some(Stop::Limit(format!("the bound of {bound} is reached")));
        }
        let time = self.bounds.time?.as_secs_f64();
        let is_over = self.ends_at.is_some_and(|end| Instant::now() >= end);
        is_over.then(|| Stop::Cut(format!("the bound of {time} s is reached")))
    }

    /// Returns whether a search that has come here would run all executions of another part.
    fn is_within(&self, part: &Part, other: &Part) -> bool {
        let (executions, steps) = other.before_last;
        part.executions() + executions < self.bounds.schedules
            && part.steps + steps < self.bounds.steps
            && !matches!(other.stop, Some(Stop::Limit(_)))
    }

    fn takes_thread(&self) -> bool {
        let take = |free| (free > 0).then_some(free - 1);
        let order = Ordering::Relaxed;
        self.free.fetch_update(order, order, take).is_ok()
    }

    fn give<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        search: &mut Search,
    ) -> Option<(usize, Given<'scope>)> {
        let (choices, branch) = search.give()?;
        let is_over = Arc::<AtomicBool>::default();
        let work = move || self.explore_branch(scope, branch);
        let thread = in_thread(scope, Arc::clone(&is_over), work);
        if thread.is_none() {
            self.free.fetch_add(1, Ordering::Relaxed);
        }
        Some((choices, Given { is_over, thread }))
    }

    fn explore_branch<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        branch: Branch,
    ) -> (Part, Option<Explored>) {
        let mut search = Search::of_branch(branch);
        let part = self.explore(scope, &mut search);
        self.free.fetch_add(1, Ordering::Relaxed);
        (part, search.into_explored())
    }

    /// Waits for a subtree; meanwhile another thread may run. Returns `None` if none was started.
    fn join(&self, mut given: Given<'_>) -> Option<(Part, Option<Explored>)> {
        let thread = given.thread.take()?;
        self.free.fetch_add(1, Ordering::Relaxed);
        let result = thread.join();
        self.free.fetch_sub(1, Ordering::Relaxed);
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl Part {
    fn executions(&self) -> u64 {
        self.schedules + self.covered
    }

    /// Adds the executions that come next.
    fn add(&mut self, other: Self) {
        self.unsearched = self.unsearched.or(other.unsearched);
        if self.warnings.is_empty() {
            self.warnings = other.warnings;
        }
        let (executions, steps) = other.before_last;
        self.before_last = (self.executions() + executions, self.steps + steps);
        self.schedules += other.schedules;
        self.covered += other.covered;
        self.steps += other.steps;
        self.results.extend(other.results);
        self.suppressions.add(&other.suppressions);
        self.stop = other.stop;
    }
}
