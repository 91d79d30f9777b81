//! `fuzz`: feeds arbitrary input to the parsers of untrusted files, outside of the workspace's steps.

use std::{
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::Result;

use crate::{
    paths::root,
    process::{cargo, cargo_in, run as run_command},
};

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
    run_command(in_fuzz().args(["fmt", "--all", "--check"]))?;
    run_command(in_fuzz().args(["clippy", "--all-targets", "--", "-D", "warnings"]))?;
    search(SECONDS)
}

fn search(seconds: &str) -> Result<()> {
    // The target `flags` runs this program.
    run_command(cargo().args(["build", "--package", "tma-cli", "--bin", "tma"]))?;
    run_command(
        in_fuzz()
            .args(["run", "--bin", "fuzz-smoke", "--"])
            .args(["--seconds", seconds]),
    )
}

fn in_fuzz() -> Command {
    cargo_in(&folder())
}

fn folder() -> PathBuf {
    root().join("checker/fuzz")
}
