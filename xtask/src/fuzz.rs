//! `fuzz`: feeds arbitrary input to the parsers of untrusted files.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::process::{programs_of_workspace, run as run_command};

/// Seconds of fuzzing in CI: five for each target.
const SECONDS: &str = "45";
/// Seconds of fuzzing with `--long`: two minutes for each target.
const LONG_SECONDS: &str = "1080";

/// Fuzzes each target for five seconds, as CI does, and reports panics and endless runs
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Fuzz each target for two minutes
    #[arg(long)]
    long: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    search(if args.long { LONG_SECONDS } else { SECONDS })?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn check() -> Result<()> {
    search(SECONDS)
}

/// Runs the program, built with the features of the workspace's tests.
fn search(seconds: &str) -> Result<()> {
    // The target `flags` runs `tma`.
    let built = programs_of_workspace(&["--bin=fuzz-smoke", "--bin=tma"])?;
    let path_of = |name: &str| {
        let found = built.iter().find(|(built, _)| built == name);
        found.with_context(|| format!("cargo built no program `{name}`"))
    };
    let (_, tma) = path_of("tma")?;
    let (_, smoke) = path_of("fuzz-smoke")?;
    let mut smoke = Command::new(smoke);
    smoke.env("TMA_FUZZ_TMA", tma);
    run_command(smoke.args(["--seconds", seconds]))
}
