//! Options, schedules and report shared by `tma emulate` and `tma replay`.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use anyhow::Result;
use tma_cli::emulate::{Diagnostic, Run, Stopped, Verdict, read_suppressions};
use tma_emulator::{Config, Jobs, Progress, check::Suppressions};
use tma_launch::{Failure, escape_text};

use super::{
    report::{Again, Report},
    seeds::{Seeds, seed},
};
use crate::{
    interrupt,
    reports::{ReportFiles, Reports},
};

/// Options for running kernels and reporting findings.
#[derive(clap::Args)]
pub(crate) struct Checking {
    /// Seed of the schedule
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Run several schedules, a range of seeds as in 0..64
    #[arg(
        long,
        value_name = "FROM..TO",
        conflicts_with = "seed",
        allow_hyphen_values = true
    )]
    seeds: Option<Seeds>,
    /// Number of schedules to run in parallel [default: number of cores]
    #[arg(
        long,
        value_name = "N",
        env = "TMA_JOBS",
        hide_env_values = true,
        allow_negative_numbers = true
    )]
    jobs: Option<Jobs>,
    /// Stop at the first seed with diagnostics
    #[arg(long, requires = "seeds")]
    fail_fast: bool,
    /// Step limit per kernel, in instructions counted per thread; a kernel beyond it counts as endless
    #[arg(long, value_name = "STEPS", default_value_t = MAX_STEPS)]
    max_steps: u64,
    /// Output limit of a kernel in bytes; further output is dropped
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().max_printed)]
    max_printed: usize,
    /// Run the kernels without the checker for synchronization errors
    #[arg(long)]
    no_check: bool,
    /// Also report findings without effect on results, such as same-value races, and report notes as warnings
    #[arg(long, conflicts_with = "no_check")]
    strict: bool,
    /// TOML file of accepted findings
    #[arg(long, value_name = "FILE", conflicts_with = "no_check")]
    suppressions: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reports: ReportFiles,
}

/// Enough for tests, and reached in less than a minute by a kernel that never ends.
pub(crate) const MAX_STEPS: u64 = 1_000_000_000;

impl Checking {
    /// Opens the report files of a verb. `inputs` must not be overwritten.
    pub(crate) fn open_reports(
        &self,
        verb: &str,
        inputs: &[&Path],
        folders: Vec<PathBuf>,
    ) -> Result<Reports> {
        let suppressions = self.suppressions.as_deref();
        let taken: Vec<&Path> = inputs.iter().copied().chain(suppressions).collect();
        self.reports.open(verb, &taken, folders)
    }

    /// Prints the report of a file and returns the exit code, also after the reader of the output has closed the
    /// pipe.
    pub(crate) fn report<W: Write>(
        &self,
        verb: &'static str,
        file: &Path,
        files: &mut Reports,
        out: &mut W,
        run: impl FnOnce(&mut Report<'_>, &mut W) -> io::Result<()>,
    ) -> io::Result<Verdict> {
        interrupt::watch();
        let again = self.again(verb, file);
        let mut report = Report::new(again, files, self.seeds, self.json);
        let _progress = Progress::on_terminal(&format!("tma {verb}"));
        let written = self.write(&mut report, out, run);
        report.close();
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // The pipe is closed, so this is the only place left to report the verdict.
                eprintln!("{}", escape_text(&report.verdict_line()));
                Ok(report.verdict())
            }
            written => written.map(|()| report.verdict()),
        }
    }

    /// Returns the command that runs the file again.
    pub(crate) fn again<'a>(&'a self, verb: &'static str, file: &'a Path) -> Again<'a> {
        Again {
            verb,
            file,
            max_steps: Some(self.max_steps).filter(|steps| *steps != MAX_STEPS),
            no_check: self.no_check,
            strict: self.strict,
            suppressions: self.suppressions.as_deref(),
        }
    }

    /// Reads the findings that are accepted.
    pub(crate) fn suppressions(&self) -> Result<Suppressions, Failure> {
        let suppressions = self.suppressions.as_deref().map(read_suppressions);
        Ok(suppressions.transpose()?.unwrap_or_default())
    }

    fn write<W: Write>(
        &self,
        report: &mut Report<'_>,
        out: &mut W,
        run: impl FnOnce(&mut Report<'_>, &mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        report.begin(out)?;
        match self.suppressions() {
            Ok(suppressions) => {
                report.suppressions = suppressions;
                run(report, out)?;
            }
            Err(failure) => report.stopped = Some(Stopped::Failure(failure)),
        }
        report.end(out)?;
        out.flush()
    }

    /// Returns whether the report is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the settings for a single seed.
    pub(crate) fn config_of_seed(&self) -> Config {
        self.config(self.seed)
    }

    fn config(&self, seed: u64) -> Config {
        Config {
            seed,
            max_steps: self.max_steps,
            max_printed: self.max_printed,
            checks: !self.no_check,
            strict: self.strict,
        }
    }

    /// Returns the number of schedules to run at a time.
    pub(crate) fn jobs(&self) -> Jobs {
        self.jobs.unwrap_or_default()
    }

    /// Runs each seed, several of them in parallel, and reports its findings. `finish` turns the state that a seed
    /// left into its results, in the order of the seeds.
    pub(crate) fn each_seed<T: Send>(
        &self,
        report: &mut Report<'_>,
        out: &mut impl Write,
        run: impl Fn(Config) -> Result<T, Stopped> + Sync,
        finish: impl Fn(T) -> Run,
    ) -> io::Result<()> {
        let seeds = self.seeds.unwrap_or(Seeds::one(self.seed));
        let jobs = match self.seeds {
            None => Jobs::ONE,
            Some(_) => self.jobs(),
        };
        let mut written = Ok(());
        let run = |seed| run(self.config(seed));
        jobs.in_order(seeds.iter(), run, |ran| {
            match ran {
                Ok(ran) => {
                    let mut run = finish(ran);
                    run.diagnostics.retain(|found| match found {
                        Diagnostic::Kernel(found) => !report.suppressions.suppress(found),
                        _ => true,
                    });
                    written = report.run(run, out);
                }
                Err(stopped) => report.stopped = Some(stopped),
            }
            let is_enough = self.fail_fast && report.verdict() != Verdict::Clean;
            match written.is_err() || report.stopped.is_some() || is_enough {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        written
    }
}
