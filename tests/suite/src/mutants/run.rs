//! All mutants of all subjects, on several threads.

use std::{
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use ptx::Module;

use super::{Allowed, Explanation, Mutant, Subject};
use crate::Kernel;

/// The check that noticed a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Caught {
    /// The checker, in a kernel that went on to its end or not.
    Checker,
    /// The emulator: a fault, a deadlock, or too many steps.
    Fault,
    /// Only the comparison of the results.
    Data,
}

impl Caught {
    /// Returns the verdict as one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checker => "checker",
            Self::Fault => "fault",
            Self::Data => "data",
        }
    }
}

/// The outcome of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The check that noticed; `None` for a survivor.
    pub caught: Option<Caught>,
    /// The kinds of findings.
    pub kinds: Vec<&'static str>,
    /// The message.
    pub report: String,
    /// The case on which it was caught.
    pub case: String,
    /// The schedule.
    pub seed: u64,
}

impl Outcome {
    pub(super) const fn survived() -> Self {
        Self {
            caught: None,
            kinds: Vec::new(),
            report: String::new(),
            case: String::new(),
            seed: 0,
        }
    }
}

/// A mutant that was tried.
#[derive(Clone, Debug)]
pub struct Tried<'a> {
    /// The entry that was changed.
    pub subject: &'a Subject,
    /// The mutant.
    pub mutant: &'a Mutant,
    /// The outcome.
    pub outcome: Outcome,
    /// Why it may survive.
    pub explanation: Option<&'a Explanation>,
}

/// The schedules of the table in `docs/mutation.md`.
pub const SEEDS: Range<u64> = 0..2;

/// The mutants to try, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The schedules on which each case is tried.
    pub seeds: Range<u64>,
    /// Mutants that are tried at the same time.
    pub threads: usize,
    /// The id of the only mutant to try; `None` tries all mutants.
    pub only: Option<String>,
    /// The number of parts and the index of the part to try; `None` tries all parts.
    pub part: Option<[usize; 2]>,
}

/// Counts of outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All mutants.
    pub mutants: usize,
    /// Found by the checker.
    pub checker: usize,
    /// Ended by a fault, a deadlock or the limit of steps.
    pub fault: usize,
    /// Found only by wrong results.
    pub data: usize,
    /// The mutation was not noticed, and has an explanation.
    pub explained: usize,
    /// The mutation was not noticed, and has no explanation.
    pub unexplained: usize,
}

impl Summary {
    /// Counts these mutants.
    pub fn of<'a, 'b: 'a>(tried: impl IntoIterator<Item = &'a Tried<'b>>) -> Self {
        let mut all = Self::default();
        tried.into_iter().for_each(|one| all.add(one));
        all
    }

    fn add(&mut self, one: &Tried<'_>) {
        self.mutants += 1;
        *match (one.outcome.caught, one.explanation.is_some()) {
            (Some(Caught::Checker), _) => &mut self.checker,
            (Some(Caught::Fault), _) => &mut self.fault,
            (Some(Caught::Data), _) => &mut self.data,
            (None, true) => &mut self.explained,
            (None, false) => &mut self.unexplained,
        } += 1;
    }

    /// The number of mutants that are bugs: all but the explained ones.
    pub fn bugs(&self) -> usize {
        self.mutants - self.explained
    }

    /// The number of mutants that were caught.
    pub fn caught(&self) -> usize {
        self.checker + self.fault + self.data
    }

    /// Returns the caught share of the bugs, from 0 to 1; 1 if there are none.
    pub fn share(&self) -> f64 {
        match self.bugs() {
            0 => 1.0,
            bugs => self.caught() as f64 / bugs as f64,
        }
    }
}

/// Receives the number that is done, and the total.
type Progress<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Tries the mutants of all subjects and returns them in the order of the subjects. `progress` receives
/// the number that is done, and the total, after each.
///
/// # Errors
/// A mutant that cannot be run.
pub fn run<'a>(
    subjects: &'a [Subject],
    allowed: &'a Allowed,
    plan: &Plan,
    progress: &Progress<'_>,
) -> Result<Vec<Tried<'a>>, String> {
    let is_wanted = |mutant: &Mutant| plan.only.as_ref().is_none_or(|id| mutant.id == *id);
    let of = |subject: &'a Subject| subject.mutants.iter().map(move |mutant| (subject, mutant));
    let [parts, number] = plan.part.unwrap_or([1, 0]);
    let all: Vec<(&'a Subject, &'a Mutant)> = subjects
        .iter()
        .flat_map(of)
        .skip(number)
        .step_by(parts.max(1))
        .filter(|(_, mutant)| is_wanted(mutant))
        .collect();
    let try_out = |(subject, mutant): &(&'a Subject, &'a Mutant)| {
        let explanation = allowed.explain(&mutant.id);
        let mut seeds = plan.seeds.clone();
        // A mutant with an explanation runs all cases, which takes longest.
        if explanation.is_some() {
            seeds.end = seeds.end.min(seeds.start + 1);
        }
        Ok(Tried {
            subject,
            mutant,
            outcome: subject.try_out(mutant, seeds)?,
            explanation,
        })
    };
    at_once(&all, plan.threads, try_out, progress)
}

/// Returns the entries of kernels with their mutants and cases, in the order of the kernels; `progress` receives the
/// number of kernels that are done, and the total.
///
/// # Errors
/// A kernel fails without a mutation.
pub fn subjects(
    kernels: &[&Kernel],
    module: &Module,
    threads: usize,
    progress: &Progress<'_>,
) -> Result<Vec<Subject>, String> {
    let of = |kernel: &&Kernel| Subject::of_kernel(kernel, module);
    let subjects = at_once(kernels, threads, of, progress)?;
    Ok(subjects.into_iter().flatten().collect())
}

/// Applies `make` to each item, several at the same time, and returns the results in order.
fn at_once<T: Sync, R: Send>(
    all: &[T],
    threads: usize,
    make: impl Fn(&T) -> Result<R, String> + Sync,
    progress: &Progress<'_>,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Vec::new());
    let work = || -> Result<(), String> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(at) else {
                return Ok(());
            };
            let one = make(one)?;
            let mut made = made.lock().map_err(|_| "another thread panicked")?;
            made.push((at, one));
            progress(made.len(), all.len());
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut ends = threads.into_iter().map(|thread| thread.join());
        ends.try_for_each(|end| end.map_err(|_| "a mutant made the emulator panic")?)
    })?;
    let mut made = made.into_inner().map_err(|_| "a thread panicked")?;
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, one)| one).collect())
}
