mod report;
mod seeds;
mod timeline;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use tma_cli::emulate::{Emulation, Stopped, Verdict};
use tma_emulator::{Config, Trace};
use tma_launch::{Failure, Stage};

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
    /// Which schedule
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Many schedules, one after the other: 0..64
    #[arg(long, value_name = "FROM..TO", conflicts_with = "seed")]
    seeds: Option<Seeds>,
    /// Stop at the first seed with diagnostics
    #[arg(long, requires = "seeds")]
    fail_fast: bool,
    /// Instructions, counted for each thread, after which a kernel counts as endless
    #[arg(long, value_name = "STEPS", default_value_t = MAX_STEPS)]
    max_steps: u64,
    /// Only run the kernels, without the checker that looks for errors of synchronisation
    #[arg(long)]
    no_check: bool,
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
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let again = Again {
            file: &self.file,
            max_steps: Some(self.max_steps).filter(|steps| *steps != MAX_STEPS),
            no_check: self.no_check,
        };
        let mut report = Report::new(again, self.seeds);
        match Emulation::open(&self.file) {
            Ok(emulation) => {
                self.emulate(&emulation, &mut report);
                if let Some(path) = &self.trace
                    && report.stopped.is_none()
                {
                    report.stopped = self.trace(&emulation, path).err();
                }
            }
            Err(stopped) => report.stopped = Some(stopped),
        }
        match self.json {
            true => writeln!(out, "{:#}", report.to_json())?,
            false => report.print(out)?,
        }
        Ok(ExitCode::from(report.verdict().exit_code()))
    }

    fn config(&self, seed: u64) -> Config {
        Config {
            seed,
            max_steps: self.max_steps,
            checks: !self.no_check,
        }
    }

    /// The same once more: a seed repeats its schedule.
    fn trace(&self, emulation: &Emulation, path: &Path) -> Result<(), Stopped> {
        let mut trace = Trace::default();
        emulation.observe(self.config(self.seed), &mut trace)?;
        if trace.is_cut() {
            eprintln!("warning: the timeline is cut: there is too much in it to look at");
        }
        let mut text = trace.finish();
        if path.extension().is_some_and(|extension| extension == "svg") {
            text = timeline::draw(&text);
        }
        fs::write(path, text).map_err(|error| {
            let what = format!("cannot write `{}`: {error}", path.display());
            Stopped::Failure(Failure::new(Stage::CopyBack, what))
        })
    }

    fn emulate(&self, emulation: &Emulation, report: &mut Report<'_>) {
        let seeds = self.seeds.unwrap_or(Seeds::one(self.seed));
        for seed in seeds.iter() {
            let config = self.config(seed);
            match emulation.run(config) {
                Ok(run) => {
                    let stop = self.fail_fast && run.verdict() != Verdict::Clean;
                    report.runs.push(run);
                    if stop {
                        break;
                    }
                }
                Err(stopped) => {
                    report.stopped = Some(stopped);
                    break;
                }
            }
        }
    }
}
