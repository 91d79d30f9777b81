pub(crate) mod report;
pub(crate) mod seeds;
mod timeline;

use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Result;
use tma_cli::emulate::{Diagnostic, Emulation, Output, Ran, Stopped, Verdict, read_suppressions};
use tma_emulator::{Config, Jobs, Trace};

use crate::interrupt;
use report::{Again, Report};
use seeds::Seeds;

/// Runs the kernels of a launch file on the CPU and says what is wrong with them
///
/// `docs/emulate.md` describes launch files. Exit codes: 0 when all is clean, 1 when there are
/// diagnostics, 2 when the input is wrong, 3 when the emulator does not have what a kernel needs.
#[derive(clap::Args)]
pub(crate) struct Emulate {
    /// The launch file
    file: PathBuf,
    /// The schedule's seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Many schedules: 0..64
    #[arg(long, value_name = "FROM..TO", conflicts_with = "seed")]
    seeds: Option<Seeds>,
    /// Schedules that run at a time; as many as there are cores unless given
    #[arg(long, value_name = "N", env = "TMA_JOBS", hide_env_values = true)]
    jobs: Option<Jobs>,
    /// Stop at the first seed with diagnostics
    #[arg(long, requires = "seeds")]
    fail_fast: bool,
    /// Instructions, counted for each thread, after which a kernel counts as endless
    #[arg(long, value_name = "STEPS", default_value_t = MAX_STEPS)]
    max_steps: u64,
    /// Bytes that a kernel may print
    #[arg(long, value_name = "BYTES", default_value_t = Config::default().max_printed)]
    max_printed: usize,
    /// Only run the kernels, without the checker that looks for errors of synchronisation
    #[arg(long)]
    no_check: bool,
    /// Report also what is a mistake by the letter alone
    #[arg(long, conflicts_with = "no_check")]
    strict: bool,
    /// Findings that are accepted, as TOML
    #[arg(long, value_name = "FILE", conflicts_with = "no_check")]
    suppressions: Option<PathBuf>,
    /// Write a timeline for Perfetto (ui.perfetto.dev); where the name ends in .svg, a drawing
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    trace: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Enough for what tests do, and over in less than a minute where a kernel never ends.
const MAX_STEPS: u64 = 1_000_000_000;

impl Emulate {
    /// With a code, also where whoever read the output has had enough of it.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        interrupt::watch();
        let again = Again {
            file: &self.file,
            max_steps: Some(self.max_steps).filter(|steps| *steps != MAX_STEPS),
            no_check: self.no_check,
            strict: self.strict,
            suppressions: self.suppressions.as_deref(),
        };
        let mut report = Report::new(again, self.seeds, self.json);
        let written = self.report(&mut report, out);
        let code = ExitCode::from(report.verdict().exit_code());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // Nobody else says it.
                eprintln!("{}", report.verdict_line());
                Ok(code)
            }
            written => Ok(written.map(|()| code)?),
        }
    }

    fn report(&self, report: &mut Report<'_>, out: &mut impl Write) -> io::Result<()> {
        report.begin(out)?;
        let suppressions = self.suppressions.as_deref().map(read_suppressions);
        let opened = match suppressions.transpose() {
            Ok(suppressions) => {
                report.suppressions = suppressions.unwrap_or_default();
                self.open()
            }
            Err(failure) => Err(Stopped::Failure(failure)),
        };
        match opened {
            Ok((emulation, trace)) => {
                self.emulate(&emulation, report, out)?;
                if let Some(trace) = trace.filter(|_| report.stopped.is_none()) {
                    report.stopped = self.trace(&emulation, trace).err();
                }
            }
            Err(stopped) => report.stopped = Some(stopped),
        }
        report.end(out)?;
        out.flush()
    }

    /// The launch file, and where the timeline goes.
    fn open(&self) -> Result<(Emulation, Option<Output>), Stopped> {
        let emulation = Emulation::open(&self.file)?;
        let file = emulation.file();
        let dumps = file.open_dumps().map_err(Stopped::Failure)?;
        let taken = file.inputs().chain(dumps.iter().map(Output::target));
        let trace = self.trace.as_deref().map(|path| Output::open(path, taken));
        let trace = trace.transpose().map_err(Stopped::Failure)?;
        Ok((emulation, trace))
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

    /// The same once more: a seed repeats its schedule.
    fn trace(&self, emulation: &Emulation, file: Output) -> Result<(), Stopped> {
        let mut trace = Trace::default();
        emulation.observe(self.config(self.seed), &mut trace)?;
        if trace.is_cut() {
            eprintln!("warning: the timeline is cut: there is too much in it to look at");
        }
        let mut text = trace.finish();
        let path = self.trace.as_ref();
        if path
            .and_then(|path| path.extension())
            .is_some_and(|extension| extension == "svg")
        {
            text = timeline::draw(&text);
        }
        file.write(text.as_bytes()).map_err(Stopped::Failure)
    }

    fn emulate(
        &self,
        emulation: &Emulation,
        report: &mut Report<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let seeds = self.seeds.unwrap_or(Seeds::one(self.seed));
        let jobs = match self.seeds {
            None => Jobs::ONE,
            Some(_) => self.jobs.unwrap_or_default(),
        };
        let mut written = Ok(());
        let run = |seed| emulation.run(self.config(seed));
        jobs.in_order(seeds.iter(), run, |ran| {
            written = self.take(emulation, ran, report, out);
            match written.is_err() || report.stopped.is_some() || self.is_enough(report) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        written
    }

    fn is_enough(&self, report: &Report<'_>) -> bool {
        self.fail_fast && report.verdict() != Verdict::Clean
    }

    /// Writes and reports what one seed has left.
    fn take(
        &self,
        emulation: &Emulation,
        ran: Result<Ran, Stopped>,
        report: &mut Report<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match ran {
            Ok(ran) => {
                let mut run = emulation.write(ran);
                run.diagnostics.retain(|found| match found {
                    Diagnostic::Kernel(found) => !report.suppressions.suppress(found),
                    _ => true,
                });
                report.run(run, out)
            }
            Err(stopped) => {
                report.stopped = Some(stopped);
                Ok(())
            }
        }
    }
}
