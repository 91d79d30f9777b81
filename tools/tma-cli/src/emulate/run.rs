//! Runs a launch file on the emulator.

use std::path::Path;

use tma_emulator::{Config, EmulatorBackend, Observer, Report, check};
use tma_launch::{Buffer, Failure, Job, Ptx, Stage};

use super::{Diagnostic, LaunchFile, Output, Violations};
use tma_host::{Capability, Source};

/// How an emulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The kernels ran to their end, and everything is as expected.
    Clean,
    /// A kernel did something wrong, or did not do what was expected.
    Findings,
    /// The emulator does not have what the module needs; nothing was run.
    Unsupported,
    /// The input is wrong; nothing was run.
    Error,
}

impl Verdict {
    /// Its word in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Findings => "findings",
            Self::Unsupported => "unsupported",
            Self::Error => "error",
        }
    }

    /// The exit code of `tma emulate`.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Error => 2,
            Self::Unsupported => 3,
        }
    }
}

/// Why nothing was run.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// The launch file is wrong.
    Violations(Violations),
    /// Something that it names is wrong.
    Failure(Failure),
    /// The emulator does not have what is needed.
    Unsupported(String),
}

impl Stopped {
    /// [`Verdict::Error`] or [`Verdict::Unsupported`].
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
    /// Everything that was found; nothing if the kernels are right.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts that the run has not tested. The verdict does not depend on them.
    pub notes: Vec<Diagnostic>,
    /// The output of the kernels.
    pub printed: String,
    /// Instructions, each counted once for each thread; nothing where a kernel did not end.
    pub steps: Option<u64>,
    /// Why what was expected could not be compared, or a file not be written.
    pub failed: Option<Failure>,
}

impl Run {
    /// Nothing yet.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            diagnostics: Vec::new(),
            notes: Vec::new(),
            printed: String::new(),
            steps: None,
            failed: None,
        }
    }

    /// Takes what the checker says of launches that were run.
    pub(crate) fn take(&mut self, report: check::CheckReport) {
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

    /// [`Verdict::Clean`] or [`Verdict::Findings`].
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
    /// Where there is something to write.
    buffers: Option<Vec<Buffer>>,
}

/// A launch file and its modules, ready to run.
#[derive(Clone, Debug)]
pub struct Emulation {
    file: LaunchFile,
    sources: Vec<Source>,
}

/// The architecture whose semantics the emulator has.
const ARCH: &str = "sm_90a";

impl Emulation {
    /// Reads a launch file and its modules, and checks that they fit.
    ///
    /// # Errors
    /// Everything that is wrong with the input.
    pub fn open(path: &Path) -> Result<Self, Stopped> {
        Self::new(LaunchFile::read(path).map_err(Stopped::Violations)?)
    }

    /// As [`open`](Self::open), of a file that was read.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn new(mut file: LaunchFile) -> Result<Self, Stopped> {
        let sources = file.modules().map(Source::read);
        let sources: Vec<Source> = sources
            .collect::<Result<_, _>>()
            .map_err(Stopped::Failure)?;
        for source in &sources {
            supported(&file, source)?;
        }
        file.resolve(&sources).map_err(Stopped::Violations)?;
        let before = file.buffers().map_err(Stopped::Failure)?;
        file.check(&sources, &before).map_err(Stopped::Violations)?;
        Ok(Self { file, sources })
    }

    /// The launch file.
    pub fn file(&self) -> &LaunchFile {
        &self.file
    }

    /// Runs all launches and compares what is expected.
    ///
    /// With `config.checks` the checker watches, and what it finds is in the result.
    ///
    /// # Errors
    /// The module needs what the emulator does not have, or a file cannot be opened. What goes wrong
    /// later stands in the result, beside what was found.
    pub fn run(&self, config: Config) -> Result<Ran, Stopped> {
        let dumps = self.file.open_dumps().map_err(Stopped::Failure)?;
        let mut job = self.job()?;
        let mut run = Run::new(config.seed);
        match config.checks {
            true => check(&self.backend(config), &mut job, &mut run)?,
            false => {
                let print = &mut |text: &str| run.printed += text;
                let result = self.backend(config).run_unchecked(&mut job, print);
                match steps(result)? {
                    Ok(steps) => run.steps = Some(steps),
                    Err(fault) => run.diagnostics.push(fault),
                }
            }
        }
        if run.steps.is_some() {
            match self.file.mismatches(&job.buffers) {
                Ok(mismatches) => {
                    let mismatches = mismatches.into_iter().map(Diagnostic::Mismatch);
                    run.diagnostics.extend(mismatches);
                }
                Err(failure) => run.failed = Some(failure),
            }
        }
        // They may be large, and wait for their turn.
        let is_written = run.steps.is_some() && !dumps.is_empty();
        let buffers = is_written.then(|| std::mem::take(&mut job.buffers));
        Ok(Ran {
            run,
            dumps,
            buffers,
        })
    }

    /// Writes what is to be written of a run.
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

    /// Runs all launches with an observer, and does nothing else.
    ///
    /// # Errors
    /// The module needs what the emulator does not have.
    pub fn observe(&self, config: Config, observer: &mut dyn Observer) -> Result<(), Stopped> {
        let backend = self.backend(config);
        steps(backend.observe(&mut self.job()?, observer)).map(drop)
    }

    fn backend(&self, config: Config) -> EmulatorBackend {
        EmulatorBackend::with_config(config).with_textures(self.file.textures())
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

fn check(backend: &EmulatorBackend, job: &mut Job<'_>, run: &mut Run) -> Result<(), Stopped> {
    run.take(backend.check(job).map_err(stopped)?);
    Ok(())
}

/// The number of steps, or what ended a kernel.
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

pub(crate) fn stopped(failure: Failure) -> Stopped {
    match failure.error_name.as_deref() {
        Some("UNSUPPORTED") => Stopped::Unsupported(failure.what),
        _ => Stopped::Failure(failure),
    }
}

/// The emulator is a GPU of compute capability 9.0.
fn supported(file: &LaunchFile, source: &Source) -> Result<(), Stopped> {
    let arch = file.arch();
    if !["sm_90", ARCH].contains(&arch) {
        let what = format!(
            "{}: the launches are for `{arch}`, and the emulator has the semantics of {ARCH}",
            file.name()
        );
        return Err(Stopped::Unsupported(what));
    }
    runs_here(source.name(), source.target())
}

/// Refuses a module for GPUs that the emulator is none of.
pub(crate) fn runs_here(name: &str, target: &str) -> Result<(), Stopped> {
    match Capability::LEAST.runs(target) {
        Some(true) => Ok(()),
        Some(false) => Err(Stopped::Unsupported(format!(
            "{name}: the module is for `{target}`, which does not run on {ARCH}, what the emulator is"
        ))),
        None => {
            let what = format!("{name} is for the unknown target `{target}`");
            Err(Stopped::Failure(Failure::new(Stage::Load, what)))
        }
    }
}
