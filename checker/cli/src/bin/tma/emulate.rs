pub(crate) mod checking;
mod every_schedule;
mod performance;
pub(crate) mod report;
pub(crate) mod seeds;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use tma_cli::emulate::{Emulation, LaunchFile, Output, Stopped, Verdict};
use tma_emulator::{ScheduleName, Trace};

use checking::Checking;
use every_schedule::EverySchedule;
use performance::Counted;
use report::{Report, to_its_end};

use crate::{reports::Reports, wrong_input::OrWrongInput};

/// Runs the kernels of a launch file on the CPU and reports errors in them
///
/// `docs/emulate.md` describes launch files. Exit codes: 0 clean, 1 findings, 2 invalid input, 3 a kernel needs
/// something that the emulator does not support.
#[derive(clap::Args)]
pub(crate) struct Emulate {
    /// Launch file to run
    file: PathBuf,
    #[command(flatten)]
    checking: Checking,
    /// Write a timeline for Perfetto (ui.perfetto.dev), or an SVG drawing if the name ends in .svg
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    trace: Option<PathBuf>,
    /// Also count bank conflicts, sectors and copied bytes by line of the source
    #[arg(long, conflicts_with_all = ["seeds", "all_schedules", "schedule"])]
    performance: bool,
    #[command(flatten)]
    schedules: EverySchedule,
}

impl Emulate {
    /// Returns the exit code, also after the reader of the output has closed the pipe.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let mut reports = self.open_reports()?;
        if self.schedules.is_requested() {
            let verdict = self
                .schedules
                .run(&self.file, &self.checking, &mut reports, out);
            if let (Some(name), Ok(Verdict::Clean | Verdict::Findings)) =
                (self.schedules.name(), &verdict)
            {
                self.trace_schedule(name)?;
            }
            reports.write()?;
            return Ok(ExitCode::from(verdict?.exit_code()));
        }
        let run = |report: &mut Report<'_>, out: &mut _| self.report(report, out);
        let verdict = self
            .checking
            .report("emulate", &self.file, &mut reports, out, run);
        reports.write()?;
        Ok(ExitCode::from(verdict?.exit_code()))
    }

    fn open_reports(&self) -> Result<Reports> {
        // An invalid launch file is reported later.
        let file = LaunchFile::read(&self.file).ok();
        let inputs = file.iter().flat_map(LaunchFile::inputs);
        let dumps = file.iter().flat_map(LaunchFile::dumps);
        let own = [self.file.as_path()]
            .into_iter()
            .chain(self.trace.as_deref());
        let taken: Vec<&Path> = own.chain(inputs).chain(dumps).collect();
        let folder = self.file.parent().map(Path::to_owned);
        self.checking
            .open_reports("emulate", &taken, folder.into_iter().collect())
    }

    fn report(&self, report: &mut Report<'_>, out: &mut impl Write) -> io::Result<()> {
        match self.open() {
            Ok((emulation, trace)) => {
                let (run, finish) = (|config| emulation.run(config), |ran| emulation.write(ran));
                self.checking.each_seed(report, out, run, finish)?;
                if let Some(trace) = trace.filter(|_| report.stopped.is_none()) {
                    report.stopped = self.trace(&emulation, trace).err();
                }
                if self.performance && report.stopped.is_none() {
                    match Counted::new(&emulation, self.checking.config_of_seed()) {
                        Ok(counts) => report.performance = Some(counts),
                        Err(stopped) => report.stopped = Some(stopped),
                    }
                }
            }
            Err(stopped) => report.stopped = Some(stopped),
        }
        Ok(())
    }

    /// Opens the launch file and the timeline's output file.
    fn open(&self) -> Result<(Emulation, Option<Output>), Stopped> {
        let emulation = Emulation::open(&self.file)?;
        let file = emulation.file();
        let dumps = file.open_dumps().map_err(Stopped::Failure)?;
        let taken = file.inputs().chain(dumps.iter().map(Output::target));
        let trace = self.trace.as_deref().map(|path| Output::open(path, taken));
        let trace = trace.transpose().map_err(Stopped::Failure)?;
        Ok((emulation, trace))
    }

    /// Runs the seed again with a trace; a seed repeats its schedule.
    fn trace(&self, emulation: &Emulation, file: Output) -> Result<(), Stopped> {
        let mut trace = Trace::default();
        emulation.observe(self.checking.config_of_seed(), &mut trace)?;
        self.draw(trace, file)?;
        to_its_end("the run for the timeline")
    }

    /// Writes the timeline of a schedule, if one is requested.
    fn trace_schedule(&self, name: &ScheduleName) -> Result<()> {
        let drawn = self.open().and_then(|(emulation, file)| {
            let Some(file) = file else { return Ok(()) };
            let mut trace = Trace::default();
            emulation.observe_by_name(self.checking.config_of_seed(), name, &mut trace)?;
            self.draw(trace, file)
        });
        drawn
            .map_err(|stopped| anyhow::Error::msg(stopped.to_string()))
            .or_wrong_input()
    }

    fn draw(&self, trace: Trace, file: Output) -> Result<(), Stopped> {
        if trace.is_cut() {
            eprintln!("warning: the timeline is truncated because it has too many events");
        }
        let mut text = trace.finish();
        let path = self.trace.as_ref();
        if path
            .and_then(|path| path.extension())
            .is_some_and(|extension| extension == "svg")
        {
            text = tma_drawings::timeline(&text);
        }
        file.write(text.as_bytes()).map_err(Stopped::Failure)
    }
}
