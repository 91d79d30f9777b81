//! Runs a launch file on the emulator.

use std::path::Path;

use tma_emulator::{
    Bounds, Config, EmulatorBackend, Exploration, Observer, Report, ScheduleName,
    check::{self, Suppressions},
};
use tma_launch::{Buffer, Failure, Job, Ptx, Stage};

use super::{Diagnostic, LaunchFile, Output, Violations};
use ptx_source::Source;

/// The outcome of an emulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The kernels ran to their end, and all results are as expected.
    Clean,
    /// A kernel made an error, or a result is not as expected.
    Findings,
    /// A module needs something that the emulator does not support; no kernel ran.
    Unsupported,
    /// The input is invalid; no kernel ran.
    Error,
}

impl Verdict {
    /// Returns the verdict's name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Findings => "findings",
            Self::Unsupported => "unsupported",
            Self::Error => "error",
        }
    }

    /// Returns the exit code of `tma emulate`.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Error => 2,
            Self::Unsupported => 3,
        }
    }
}

/// The reason why no kernel ran.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// The launch file is invalid.
    Violations(Violations),
    /// A file or kernel that the launch file names is invalid.
    Failure(Failure),
    /// The emulator does not support something that a kernel needs.
    Unsupported(String),
}

impl Stopped {
    /// Returns [`Verdict::Error`] or [`Verdict::Unsupported`].
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Violations(_) | Self::Failure(_) => Verdict::Error,
            Self::Unsupported(_) => Verdict::Unsupported,
        }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Violations(violations) => violations.fmt(f),
            Self::Failure(failure) => failure.fmt(f),
            Self::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Stopped {}

/// The results of one seed.
#[derive(Clone, Debug)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// All findings; empty if the kernels are correct.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts of a kernel that the run did not test. They do not change the verdict.
    pub notes: Vec<Diagnostic>,
    /// The output of the kernels.
    pub printed: String,
    /// Instructions counted per thread; `None` if a kernel did not end.
    pub steps: Option<u64>,
    /// The reason why expected contents could not be compared or a file could not be written.
    pub failed: Option<Failure>,
}

impl Run {
    /// Returns an empty result.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            diagnostics: Vec::new(),
            notes: Vec::new(),
            printed: String::new(),
            steps: None,
            failed: None,
        }
    }

    /// Returns the results in a report of the checker.
    pub fn of(report: check::CheckReport) -> Self {
        let mut run = Self::new(0);
        run.take(report);
        run
    }

    /// Adds the checker's report about finished launches.
    pub fn take(&mut self, report: check::CheckReport) {
        let mut diagnostics = report.diagnostics.iter();
        if !diagnostics.any(check::Diagnostic::ends_kernel) {
            self.steps = Some(report.reports.iter().map(|report| report.steps).sum());
        }
        self.printed = report.printed;
        let kernels = |all: Vec<check::Diagnostic>| {
            let all = all.into_iter().map(Box::new);
            all.map(Diagnostic::Kernel).collect()
        };
        self.diagnostics = kernels(report.diagnostics);
        self.notes = kernels(report.notes);
    }

    /// Returns [`Verdict::Clean`] or [`Verdict::Findings`].
    pub fn verdict(&self) -> Verdict {
        match self.diagnostics.iter().any(Diagnostic::is_error) {
            true => Verdict::Findings,
            false => Verdict::Clean,
        }
    }
}

/// The results of one seed, and the files that they are [written](Emulation::write) to.
#[derive(Debug)]
pub struct Ran {
    run: Run,
    dumps: Vec<Output>,
    /// The buffers, if they are to be written to files.
    buffers: Option<Vec<Buffer>>,
}

/// A launch file and its modules, ready to run.
#[derive(Clone, Debug)]
pub struct Emulation {
    file: LaunchFile,
    sources: Vec<Source>,
    suppressions: Suppressions,
}

/// The architecture that the emulator implements.
const ARCH: &str = "sm_90a";

impl Emulation {
    /// Reads a launch file and its modules, and checks that they fit.
    ///
    /// # Errors
    /// The input is invalid; the error lists every violation.
    pub fn open(path: &Path) -> Result<Self, Stopped> {
        Self::new(LaunchFile::read(path).map_err(Stopped::Violations)?)
    }

    /// Reads the modules of a parsed launch file, and checks that they fit.
    ///
    /// # Errors
    /// The input is invalid; the error lists every violation.
    pub fn new(file: LaunchFile) -> Result<Self, Stopped> {
        let sources = file.modules().map(Source::read);
        let sources = sources.collect::<Result<_, _>>();
        Self::with_sources(file, sources.map_err(Stopped::Failure)?)
    }

    /// Checks that a launch file fits the sources of its modules, which are in the file's order.
    ///
    /// # Errors
    /// The input is invalid; the error lists every violation.
    pub fn with_sources(mut file: LaunchFile, sources: Vec<Source>) -> Result<Self, Stopped> {
        for source in &sources {
            supported(&file, source)?;
        }
        file.resolve(&sources).map_err(Stopped::Violations)?;
        let before = file.buffers().map_err(Stopped::Failure)?;
        file.check(&sources, &before).map_err(Stopped::Violations)?;
        Ok(Self {
            file,
            sources,
            suppressions: Suppressions::default(),
        })
    }

    /// Returns the launch file.
    pub fn file(&self) -> &LaunchFile {
        &self.file
    }

    /// Returns the texts of the modules, in the file's order.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Runs all launches and compares the results with the expected ones.
    ///
    /// With `config.checks`, the checker runs too, and its findings are part of the result.
    ///
    /// # Errors
    /// A module needs something that the emulator does not support, or a file cannot be opened. Later errors are
    /// part of the result, next to the findings.
    pub fn run(&self, config: Config) -> Result<Ran, Stopped> {
        let dumps = self.file.open_dumps().map_err(Stopped::Failure)?;
        let (run, buffers) = self.run_in_memory(config)?;
        // Buffers may be large, and are kept until they are written.
        let is_written = run.steps.is_some() && !dumps.is_empty();
        let buffers = is_written.then_some(buffers);
        Ok(Ran {
            run,
            dumps,
            buffers,
        })
    }

    /// Runs all launches like [`run`](Self::run), and returns the buffers in place of writing files.
    ///
    /// # Errors
    /// A module needs something that the emulator does not support.
    pub fn run_in_memory(&self, config: Config) -> Result<(Run, Vec<Buffer>), Stopped> {
        self.run_by(config.seed, |job, run| {
            let backend = self.backend(config);
            if config.checks {
                run.take(backend.check(job).map_err(stopped)?);
                return Ok(());
            }
            let print = &mut |text: &str| run.printed += text;
            match steps(backend.run_unchecked(job, print))? {
                Ok(steps) => run.steps = Some(steps),
                Err(fault) => run.diagnostics.push(fault),
            }
            Ok(())
        })
    }

    /// Runs all launches under the checker like [`run`](Self::run), with a further observer, and without writing files.
    ///
    /// # Errors
    /// A module needs something that the emulator does not support.
    pub fn run_beside(&self, config: Config, observer: &mut dyn Observer) -> Result<Run, Stopped> {
        let ran = self.run_by(config.seed, |job, run| {
            let checked = self.backend(config).check_beside(job, observer);
            run.take(checked.map_err(stopped)?);
            Ok(())
        });
        ran.map(|(run, _)| run)
    }

    /// Runs all launches by `launch`, and compares the results with the expected ones.
    fn run_by(
        &self,
        seed: u64,
        launch: impl FnOnce(&mut Job<'_>, &mut Run) -> Result<(), Stopped>,
    ) -> Result<(Run, Vec<Buffer>), Stopped> {
        let mut job = self.job()?;
        let mut run = Run::new(seed);
        launch(&mut job, &mut run)?;
        if run.steps.is_some() {
            match self.file.mismatches(&job.buffers) {
                Ok(mismatches) => {
                    let mismatches = mismatches.into_iter().map(Diagnostic::Mismatch);
                    run.diagnostics.extend(mismatches);
                }
                Err(failure) => run.failed = Some(failure),
            }
        }
        Ok((run, job.buffers))
    }

    /// Writes the output files of a run.
    pub fn write(&self, ran: Ran) -> Run {
        let Ran {
            mut run,
            dumps,
            buffers,
        } = ran;
        if let Some(buffers) = buffers {
            let dumped = self.file.dump(dumps, &buffers);
            run.failed = run.failed.or(dumped.err());
        }
        run
    }

    /// Runs all launches with an observer, without comparing results or writing files.
    ///
    /// # Errors
    /// A module needs something that the emulator does not support.
    pub fn observe(&self, config: Config, observer: &mut dyn Observer) -> Result<(), Stopped> {
        let backend = self.backend(config);
        steps(backend.observe(&mut self.job()?, observer)).map(drop)
    }

    /// Sets the findings that [`every_schedule`](Self::every_schedule) and [`by_name`](Self::by_name) do not report.
    #[must_use]
    pub fn with_suppressions(self, suppressions: Suppressions) -> Self {
        Self {
            suppressions,
            ..self
        }
    }

    /// Runs each launch under every schedule that can have another result, without comparing results or writing files.
    ///
    /// # Errors
    /// A module needs something that the emulator does not support.
    pub fn every_schedule(
        &self,
        config: Config,
        bounds: Bounds,
    ) -> Result<Vec<Exploration>, Stopped> {
        let explored = self
            .backend(config)
            .check_every_schedule(&mut self.job()?, bounds);
        explored.map_err(stopped)
    }

    /// Runs the launches up to that of a schedule, which runs by its choices.
    ///
    /// # Errors
    /// A module needs something that the emulator does not support, or the schedule is of another PTX or launch.
    pub fn by_name(&self, config: Config, name: &ScheduleName) -> Result<Run, Stopped> {
        let checked = self.backend(config).check_by_name(&mut self.job()?, name);
        Ok(Run::of(checked.map_err(stopped)?))
    }

    /// Runs the launch of a schedule with an observer.
    ///
    /// # Errors
    /// The errors of [`by_name`](Self::by_name).
    pub fn observe_by_name(
        &self,
        config: Config,
        name: &ScheduleName,
        observer: &mut dyn Observer,
    ) -> Result<(), Stopped> {
        let backend = self.backend(config);
        let observed = backend.observe_by_name(&mut self.job()?, name, observer);
        observed.map_err(stopped)
    }

    fn backend(&self, config: Config) -> EmulatorBackend {
        EmulatorBackend::with_config(config)
            .with_textures(self.file.textures())
            .with_suppressions(self.suppressions.clone())
    }

    fn job(&self) -> Result<Job<'_>, Stopped> {
        let buffers = self.file.buffers().map_err(Stopped::Failure)?;
        let mut texts = self.sources.iter().map(|source| Ptx {
            name: source.name(),
            text: source.text(),
        });
        let first = texts.next().unwrap_or(Ptx { name: "", text: "" });
        Ok(self.file.job(first, texts.collect(), buffers))
    }
}

/// Returns the number of steps, or the diagnostic that ended a kernel.
fn steps(result: Result<Vec<Report>, Failure>) -> Result<Result<u64, Diagnostic>, Stopped> {
    match result {
        Ok(reports) => Ok(Ok(reports.iter().map(|report| report.steps).sum())),
        Err(failure) if failure.stage == Stage::Synchronise => Ok(Err(Diagnostic::Fault {
            error_name: failure.error_name,
            what: failure.what,
        })),
        Err(failure) => Err(stopped(failure)),
    }
}

/// Returns the reason that a failure of the emulator stands for.
pub fn stopped(failure: Failure) -> Stopped {
    match failure.error_name.as_deref() {
        Some("UNSUPPORTED") => Stopped::Unsupported(failure.what),
        _ => Stopped::Failure(failure),
    }
}

/// Refuses launches for other GPUs than the emulated one, which has compute capability 9.0.
fn supported(file: &LaunchFile, source: &Source) -> Result<(), Stopped> {
    let arch = file.arch();
    if !["sm_90", ARCH].contains(&arch) {
        let what = format!(
            "{}: the launches are for `{arch}`, but the emulator implements {ARCH}",
            file.name()
        );
        return Err(Stopped::Unsupported(what));
    }
    runs_here(source.name(), source.target())
}

/// Refuses a module for GPUs that the emulator does not implement.
///
/// # Errors
/// The module is for another GPU, or for an unknown one.
pub fn runs_here(name: &str, target: &str) -> Result<(), Stopped> {
    let number = target.strip_prefix("sm_");
    let (number, suffix) = number.map_or(("", ""), |number| {
        number.split_at(number.trim_end_matches(['a', 'f']).len())
    });
    let runs = match (number.parse::<u32>(), suffix) {
        (Ok(number), "") => number <= 90,
        (Ok(number), "a" | "f") => number == 90,
        _ => {
            let what = format!("{name} is for the unknown target `{target}`");
            return Err(Stopped::Failure(Failure::new(Stage::Load, what)));
        }
    };
    match runs {
        true => Ok(()),
        false => Err(Stopped::Unsupported(format!(
            "{name}: the module is for `{target}`, which cannot run on the emulator, which implements {ARCH}"
        ))),
    }
}
