//! The checker finds each seeded bug, with the same report for every seed and by a search through all schedules. It has
//! no finding in the kernel without it, which the search proves. `cargo xtask bless` renews the reports.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{
    BUGS_PTX, DEVICE_COMPILER,
    bugs::{Bug, Family, families, folders},
    golden, is_complete_run, is_long,
};
use tma_emulator::{
    Bounds, Config, EmulatorBackend, Exploration, Verdict,
    check::{CheckReport, DiagnosticKind},
};
use tma_launch::{Job, Ptx};

/// Schedules of each kernel, and with `--long`.
const SEEDS: u64 = 16;
const LONG_SEEDS: u64 = 64;
/// The most schedules of a search, and the kernels that are proved with 3 blocks: the order in which their blocks draw
/// numbers is a result.
const BOUNDS: Bounds = Bounds {
    schedules: 30_000,
    ..Bounds::NONE
};
const WITH_3_BLOCKS: &[&str] = &["ticket", "grid_barrier"];
/// Kernels whose proof takes longer than all others together: for `--long`.
const PROVED_LATE: &[&str] = &["barrier_of_the_grid"];
/// Step limit of threads; the kernels need far fewer, except while they wait for the words of a panic.
const MAX_STEPS: u64 = 1_000_000;

fn main() {
    let arguments = Arguments::from_args();
    let same_compiler = DEVICE_COMPILER == tma_build::TRIED_VERSION.to_string();
    if !same_compiler {
        println!(
            "skipped: the reports on kernels in Rust are by rustc {}, the kernels were compiled by {DEVICE_COMPILER}",
            tma_build::TRIED_VERSION
        );
    }
    let [module] = BUGS_PTX else {
        panic!("the kernels are compiled for one architecture");
    };
    let module = ptx::parse_named(module.arch, module.text);
    let module = Arc::new(module.unwrap_or_else(|errors| panic!("{errors}")));
    let mut trials: Vec<Trial> = DiagnosticKind::ALL
        .iter()
        .map(|kind| two_pairs(*kind))
        .collect();
    trials.push(Trial::test("report/none_is_left", no_report_is_left));
    for family in families() {
        let with = |bug: Option<&Bug>| {
            let (bug, module) = (bug.cloned(), Arc::clone(&module));
            move || Variant::new(family, bug, &module)
        };
        let clean = with(None);
        trials.push(Trial::test(format!("clean/{}", family.name), move || {
            is_clean(&clean(), &[])
        }));
        let clean = with(None);
        let proved = Trial::test(format!("proved/{}", family.name), move || {
            is_proved(&clean())
        });
        let is_left_out = PROVED_LATE.contains(&family.name) && !is_complete_run();
        trials.push(proved.with_ignored_flag(is_left_out));
        let skipped = !same_compiler && !family.is_ptx();
        for bug in family.bugs() {
            let name = format!("{}/{}", family.name, bug.name);
            let [found, searched, reported] = [(); 3].map(|()| with(Some(&bug)));
            let its = bug.clone();
            let test = move || is_found_by_search(&searched(), &its);
            trials.push(Trial::test(format!("searched/{name}"), test));
            let test = move || is_found(&found(), &bug);
            trials.push(Trial::test(format!("found/{name}"), test));
            let test = move || is_reported(&reported());
            trials.push(Trial::test(format!("report/{name}"), test).with_ignored_flag(skipped));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// A kernel with one bug or none.
#[derive(Clone)]
struct Variant {
    family: &'static Family,
    bug: Option<Bug>,
    entry: String,
    file: String,
    text: String,
    is_strict: bool,
}

impl Variant {
    fn new(family: &'static Family, bug: Option<Bug>, module: &ptx::Module) -> Self {
        let (file, text) = family.text(bug.as_ref(), module);
        Self {
            family,
            entry: family.entry(bug.as_ref()),
            file,
            text,
            is_strict: bug.as_ref().is_some_and(|bug| bug.strict),
            bug,
        }
    }

    fn ptx(&self) -> Ptx<'_> {
        Ptx {
            name: &self.file,
            text: &self.text,
        }
    }

    fn job(&self) -> Job<'_> {
        (self.family.scenario)(&self.entry).job(self.ptx())
    }

    fn backend(&self, seed: u64) -> EmulatorBackend {
        EmulatorBackend::with_config(Config {
            seed,
            max_steps: MAX_STEPS,
            strict: self.is_strict,
            ..Config::default()
        })
    }

    fn check(&self, seed: u64) -> Result<CheckReport, Failed> {
        let checked = self.backend(seed).check(&mut self.job());
        checked.map_err(|failure| failure.to_string().into())
    }

    fn search(&self, mut job: Job<'_>) -> Result<Vec<Exploration>, Failed> {
        let explored = self.backend(0).check_every_schedule(&mut job, BOUNDS);
        explored.map_err(|failure| failure.to_string().into())
    }
}

/// Every kind has bugs in two kernels or two ways.
fn two_pairs(kind: DiagnosticKind) -> Trial {
    Trial::test(format!("pairs/{kind}"), move || {
        let bugs = families().flat_map(Family::bugs);
        let count = bugs.filter(|bug| bug.finds.first() == Some(&kind)).count();
        match count {
            0 | 1 => Err(format!("`{kind}` has {count} bugs; it must have two").into()),
            _ => Ok(()),
        }
    })
}

fn seeds(variant: &Variant) -> u64 {
    match is_long(&variant.entry) {
        true => LONG_SEEDS,
        false => SEEDS,
    }
}

/// Checks that the checker has no findings, and these notes.
fn is_clean(variant: &Variant, notes: &[DiagnosticKind]) -> Result<(), Failed> {
    for seed in 0..seeds(variant) {
        let checked = variant.check(seed)?;
        if !checked.diagnostics.is_empty() {
            return Err(format!("with seed {seed}:\n{}", rendered(&checked)).into());
        }
        let noted: Vec<DiagnosticKind> = checked.notes.iter().map(|note| note.kind).collect();
        if noted != notes {
            return Err(format!("with seed {seed} the notes are {noted:?}").into());
        }
    }
    // The kernel has its intended results.
    let scenario = (variant.family.scenario)(&variant.entry);
    let result = scenario.emulate(&EmulatorBackend::new(0), variant.ptx());
    result.map(|_| ()).map_err(|wrong| wrong.to_string().into())
}

/// Checks that a search proves all launches.
fn is_proved(variant: &Variant) -> Result<(), Failed> {
    let mut job = variant.job();
    if WITH_3_BLOCKS.contains(&variant.family.name) {
        let launches = job.launches.iter_mut();
        launches.for_each(|launch| launch.shape.grid = 3.into());
    }
    for (number, explored) in variant.search(job)?.into_iter().enumerate() {
        if explored.verdict != Verdict::Proved {
            let (verdict, report) = (&explored.verdict, rendered(&explored.report));
            return Err(format!("launch {number}: {verdict:?}\n{report}").into());
        }
    }
    Ok(())
}

fn is_found_by_search(variant: &Variant, bug: &Bug) -> Result<(), Failed> {
    let explored = variant.search(variant.job())?;
    let findings = explored.iter().flat_map(|it| &it.report.diagnostics);
    // A loop that tests a value for ever is a wait there, and the first schedule of a waiter that misses a phase may be
    // one in which it waits for ever.
    let as_searched = |kind| match kind {
        DiagnosticKind::Endless | DiagnosticKind::LappedWaiter => DiagnosticKind::Deadlock,
        kind => kind,
    };
    let found: BTreeSet<DiagnosticKind> = findings.map(|found| as_searched(found.kind)).collect();
    match found == bug.finds.iter().copied().map(as_searched).collect() {
        true => Ok(()),
        false => {
            let reports = explored.iter().map(|it| rendered(&it.report));
            let reports: String = reports.collect();
            let kinds = &bug.finds;
            Err(format!("{kinds:?} are expected, and found are {found:?}:\n{reports}").into())
        }
    }
}

fn is_found(variant: &Variant, bug: &Bug) -> Result<(), Failed> {
    for seed in 0..seeds(variant) {
        let checked = variant.check(seed)?;
        let found: BTreeSet<DiagnosticKind> =
            checked.diagnostics.iter().map(|found| found.kind).collect();
        let matches = |kinds: &[DiagnosticKind]| found == kinds.iter().copied().collect();
        if !matches(&bug.finds) {
            let names =
                |kinds: &[DiagnosticKind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>();
            return Err(format!(
                "with seed {seed} {:?} are expected, and found are {:?}:\n{}",
                names(&bug.finds),
                names(&Vec::from_iter(found)),
                rendered(&checked)
            )
            .into());
        }
    }
    if bug.strict {
        let usual = Variant {
            is_strict: false,
            ..variant.clone()
        };
        let notes = bug.finds.iter().copied();
        let notes: Vec<DiagnosticKind> = notes
            .filter(|kind| *kind == DiagnosticKind::StagesFilledOnce)
            .collect();
        is_clean(&usual, &notes)?;
    }
    Ok(())
}

fn is_reported(variant: &Variant) -> Result<(), Failed> {
    let bug = variant.bug.as_ref().expect("a report is on a bug");
    let path = variant.family.report(bug).expect("a bug has a source");
    Ok(golden::check(&path, &rendered(&variant.check(0)?))?)
}

/// Checks that no report is left of a removed bug, and no marked source has no launches.
fn no_report_is_left() -> Result<(), Failed> {
    let of = |family: &'static Family| {
        let bugs = family.bugs().into_iter();
        let reports = bugs.filter_map(|bug| family.report(&bug));
        family.source().into_iter().chain(reports)
    };
    let known: BTreeSet<PathBuf> = families().flat_map(of).collect();
    let mut paths = Vec::from(folders());
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            for inner in fs::read_dir(path)? {
                paths.push(inner?.path());
            }
        } else if !known.contains(&path) {
            let is_report = path.extension().is_some_and(|it| it == "txt");
            if is_report || fs::read_to_string(&path)?.contains("//~ ") {
                return Err(format!("{} is of no bug of a known kernel", path.display()).into());
            }
        }
    }
    Ok(())
}

fn rendered(checked: &CheckReport) -> String {
    let diagnostics = checked.diagnostics.iter();
    let diagnostics: Vec<String> = diagnostics
        .map(|diagnostic| format!("{diagnostic}\n"))
        .collect();
    diagnostics.join("\n")
}
