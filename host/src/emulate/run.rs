//! Runs a launch file on the emulator.

use std::path::Path;

use emulator::{Config, EmulatorBackend, Observer, observer};
use launch::{Buffer, Failure, Ptx, Stage};

use super::{LaunchFile, Mistakes};
use crate::{Capability, Source};

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
    Mistakes(Mistakes),
    /// Something that it names is wrong.
    Failure(Failure),
    /// The emulator does not have what is needed.
    Unsupported(String),
}

impl Stopped {
    /// [`Verdict::Error`] or [`Verdict::Unsupported`].
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Mistakes(_) | Self::Failure(_) => Verdict::Error,
            Self::Unsupported(_) => Verdict::Unsupported,
        }
    }
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mistakes(mistakes) => mistakes.fmt(f),
            Self::Failure(failure) => failure.fmt(f),
            Self::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Stopped {}

/// Something that is wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// `mismatch`, or `fault` for what ends a kernel.
    pub kind: String,
    /// The driver's name for a fault.
    pub error_name: Option<String>,
    /// What, where, and what was expected.
    pub message: String,
}

/// What one seed gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// Everything that is wrong; nothing if the kernels are right.
    pub findings: Vec<Finding>,
    /// What the kernels printed.
    pub printed: String,
    /// Instructions, each counted once for each thread; nothing where a kernel did not end.
    pub steps: Option<u64>,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kind,
            error_name,
            message,
        } = self;
        match error_name {
            Some(name) => write!(f, "{kind} ({name}): {message}"),
            None => write!(f, "{kind}: {message}"),
        }
    }
}

impl Run {
    /// [`Verdict::Clean`] or [`Verdict::Findings`].
    pub fn verdict(&self) -> Verdict {
        match self.findings.is_empty() {
            true => Verdict::Clean,
            false => Verdict::Findings,
        }
    }
}

/// A launch file and its module, ready to run.
#[derive(Clone, Debug)]
pub struct Emulation {
    file: LaunchFile,
    source: Source,
    /// What the buffers hold before the first launch.
    before: Vec<Buffer>,
}

/// The architecture whose semantics the emulator has.
const ARCH: &str = "sm_90a";

impl Emulation {
    /// Reads a launch file and its module, and checks that they fit.
    ///
    /// # Errors
    /// Everything that is wrong with the input.
    pub fn open(path: &Path) -> Result<Self, Stopped> {
        Self::new(LaunchFile::read(path).map_err(Stopped::Mistakes)?)
    }

    /// As [`open`](Self::open), of a file that was read.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn new(file: LaunchFile) -> Result<Self, Stopped> {
        let source = Source::read(file.module()).map_err(Stopped::Failure)?;
        supported(&file, &source)?;
        let before = file.buffers().map_err(Stopped::Failure)?;
        file.check(&source, &before).map_err(Stopped::Mistakes)?;
        Ok(Self {
            file,
            source,
            before,
        })
    }

    /// The launch file.
    pub fn file(&self) -> &LaunchFile {
        &self.file
    }

    /// Runs all launches, compares what is expected, and writes what is to be written.
    ///
    /// # Errors
    /// The module needs what the emulator does not have, or a file cannot be read or written.
    pub fn run(&self, config: Config) -> Result<Run, Stopped> {
        let mut printed = Printed::default();
        let (result, after) = self.observe(config, &mut printed)?;
        let mut run = Run {
            seed: config.seed,
            findings: Vec::new(),
            printed: printed.0,
            steps: None,
        };
        match result {
            Ok(steps) => {
                run.steps = Some(steps);
                let mismatches = self.file.mismatches(&self.before, &after);
                let mismatches = mismatches.map_err(Stopped::Failure)?;
                run.findings = mismatches.into_iter().map(mismatch).collect();
                self.file.dump(&after).map_err(Stopped::Failure)?;
            }
            Err(fault) => run.findings.push(fault),
        }
        Ok(run)
    }

    /// Runs all launches with an observer. Gives the number of steps, or what ended a kernel, and the
    /// buffers.
    ///
    /// # Errors
    /// The module needs what the emulator does not have.
    pub fn observe<O: Observer>(
        &self,
        config: Config,
        observer: &mut O,
    ) -> Result<(Result<u64, Finding>, Vec<Buffer>), Stopped> {
        let ptx = Ptx {
            name: self.source.name(),
            text: self.source.text(),
        };
        let mut job = self.file.job(ptx, self.before.clone());
        let backend = EmulatorBackend::with_config(config);
        let result = match backend.observe(&mut job, observer) {
            Ok(reports) => Ok(reports.iter().map(|report| report.steps).sum()),
            Err(failure) => Err(fault(failure)?),
        };
        Ok((result, job.buffers))
    }
}

/// What ended a kernel is a finding; all else stopped the run before it began.
fn fault(failure: Failure) -> Result<Finding, Stopped> {
    match failure.stage {
        Stage::Synchronise => Ok(Finding {
            kind: "fault".to_owned(),
            error_name: failure.error_name,
            message: failure.what,
        }),
        _ if failure.error_name.as_deref() == Some("UNSUPPORTED") => {
            Err(Stopped::Unsupported(failure.what))
        }
        _ => Err(Stopped::Failure(failure)),
    }
}

fn mismatch(message: String) -> Finding {
    Finding {
        kind: "mismatch".to_owned(),
        error_name: None,
        message,
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
    let target = source.target();
    match Capability::LEAST.runs(target) {
        Some(true) => Ok(()),
        Some(false) => Err(Stopped::Unsupported(format!(
            "{}: the module is for `{target}`, which does not run on {ARCH}, what the emulator is",
            source.name()
        ))),
        None => {
            let what = format!("{} is for the unknown target `{target}`", source.name());
            Err(Stopped::Failure(Failure::new(Stage::Load, what)))
        }
    }
}

/// Keeps what kernels print.
#[derive(Default)]
struct Printed(String);

impl Observer for Printed {
    const WATCHES: bool = false;

    fn see(&mut self, _: observer::Origin, _: observer::Event) {}

    fn print(&mut self, text: &str) {
        self.0.push_str(text);
    }
}
