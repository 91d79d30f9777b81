//! All mutants of all subjects, on several threads.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::{Mutant, Subject};

/// Who noticed a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Caught {
    /// The checker, in a kernel that went on to its end or not.
    Checker,
    /// The emulator: a fault, a deadlock, or too many steps.
    Fault,
    /// The comparison of the results alone.
    Data,
}

impl Caught {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checker => "checker",
            Self::Fault => "fault",
            Self::Data => "data",
        }
    }
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who noticed; nobody where it survived.
    pub caught: Option<Caught>,
    /// The kinds of findings.
    pub kinds: Vec<&'static str>,
    /// What was said.
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

/// Told after each mutant: how many are done.
pub type Progress<'a> = &'a (dyn Fn(usize) + Sync);

/// Counts of what became of mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All.
    pub mutants: usize,
    /// Found by the checker.
    pub checker: usize,
    /// Ended by a fault, a deadlock or the limit of steps.
    pub fault: usize,
    /// Found by wrong results alone.
    pub data: usize,
    /// Found by nobody, and explained.
    pub explained: usize,
    /// Found by nobody.
    pub unexplained: usize,
}

impl Summary {
    /// Adds one.
    pub fn add(&mut self, outcome: &Outcome, is_explained: bool) {
        self.mutants += 1;
        *match (outcome.caught, is_explained) {
            (Some(Caught::Checker), _) => &mut self.checker,
            (Some(Caught::Fault), _) => &mut self.fault,
            (Some(Caught::Data), _) => &mut self.data,
            (None, true) => &mut self.explained,
            (None, false) => &mut self.unexplained,
        } += 1;
    }

    /// Those that are bugs: all but the explained ones.
    pub fn bugs(&self) -> usize {
        self.mutants - self.explained
    }

    /// Those that were caught.
    pub fn caught(&self) -> usize {
        self.checker + self.fault + self.data
    }
}

/// Tries all mutants under this many seeds each; gives the outcomes in the order of the mutants,
/// subject by subject.
///
/// # Errors
/// A mutant that cannot be run.
pub fn run(
    subjects: &[Subject],
    wanted: &(dyn Fn(&Mutant) -> bool + Sync),
    seeds: u64,
    threads: usize,
    progress: Progress<'_>,
) -> Result<Vec<Vec<Option<Outcome>>>, String> {
    let all: Vec<(&Subject, &Mutant)> = subjects
        .iter()
        .flat_map(|subject| subject.mutants.iter().map(move |mutant| (subject, mutant)))
        .collect();
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let outcomes = Mutex::new(vec![None; all.len()]);
    let work = || -> Result<(), String> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((subject, mutant)) = all.get(at) else {
                return Ok(());
            };
            if wanted(mutant) {
                let outcome = subject.try_out(mutant, seeds)?;
                let mut outcomes = outcomes.lock().map_err(|_| "another thread panicked")?;
                outcomes[at] = Some(outcome);
            }
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut ends = threads.into_iter().map(|thread| thread.join());
        ends.try_for_each(|end| end.map_err(|_| "a mutant made the emulator panic")?)
    })?;
    let mut outcomes = outcomes
        .into_inner()
        .map_err(|_| "a thread panicked")?
        .into_iter();
    let of = |subject: &Subject| outcomes.by_ref().take(subject.mutants.len()).collect();
    Ok(subjects.iter().map(of).collect())
}
