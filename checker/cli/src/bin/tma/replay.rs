use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use tma_cli::{
    emulate::{Output, Stopped, Verdict},
    replay::Recording,
};
use tma_launch::{Failure, Stage};

use crate::{
    emulate::{checking::Checking, report::Report},
    reports::Reports,
};

/// Runs recorded launches on the CPU, reports errors in their kernels, and compares the results with the GPU's byte
/// for byte
///
/// `tma record` writes the archives; `docs/record.md` describes them. Exit codes: 0 clean and equal to the GPU, 1
/// findings or differences, 2 invalid archive, 3 a kernel needs something that the emulator does not support. With
/// several archives, the worst code counts.
#[derive(clap::Args)]
pub(crate) struct Replay {
    /// Archives to replay
    #[arg(required = true, value_name = "ARCHIVE")]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    checking: Checking,
    /// Write the PTX of each archive into a folder; line numbers in reports refer to these files
    #[arg(long, value_name = "FOLDER")]
    ptx: Option<PathBuf>,
}

impl Replay {
    /// Returns the worst exit code, also after the reader of the output has closed the pipe.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let inputs: Vec<&Path> = self.archives.iter().map(PathBuf::as_path).collect();
        let folders = self.ptx.iter().cloned().collect();
        let mut reports = self.checking.open_reports("replay", &inputs, folders)?;
        let worst = self.replay(&mut reports, out);
        reports.write()?;
        Ok(ExitCode::from(worst?.exit_code()))
    }

    fn replay(&self, reports: &mut Reports, out: &mut impl Write) -> io::Result<Verdict> {
        let mut worst = Verdict::Clean;
        for archive in &self.archives {
            let run = |report: &mut Report<'_>, out: &mut _| self.report(archive, report, out);
            let verdict = self.checking.report("replay", archive, reports, out, run)?;
            worst = worst.max(verdict);
        }
        Ok(worst)
    }

    fn report(
        &self,
        archive: &Path,
        report: &mut Report<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let opened = Recording::open(archive).and_then(|recording| {
            self.write_ptx(archive, &recording)?;
            Ok(recording)
        });
        match opened {
            Ok(recording) => {
                if !self.checking.is_json() {
                    writeln!(out, "{}", said(&recording))?;
                    for gap in &recording.launch().gaps {
                        writeln!(out, "recorded in part: {gap}")?;
                    }
                }
                let run = |config| recording.run(config);
                self.checking.each_seed(report, out, run, |run| run)
            }
            Err(stopped) => {
                report.stopped = Some(stopped);
                Ok(())
            }
        }
    }

    fn write_ptx(&self, archive: &Path, recording: &Recording) -> Result<(), Stopped> {
        let Some(folder) = &self.ptx else {
            return Ok(());
        };
        let (name, text) = recording.ptx();
        fs::create_dir_all(folder).map_err(|error| {
            let what = format!("cannot write {name} into {}: {error}", folder.display());
            Stopped::Failure(Failure::new(Stage::Load, what))
        })?;
        let output = Output::open(&folder.join(name), [archive]);
        let written = output.and_then(|output| output.write(text.as_bytes()));
        written.map_err(Stopped::Failure)
    }
}

/// Returns the line that introduces the report of a launch.
fn said(recording: &Recording) -> String {
    let launch = recording.launch();
    let dims = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    format!(
        "launch {} of {} on {}: `{}`, {} blocks of {} threads",
        launch.number,
        launch.program,
        launch.device,
        launch.entry,
        dims(launch.grid),
        dims(launch.block)
    )
}
