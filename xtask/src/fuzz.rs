//! Arbitrary input for what others give to the project, and what the other steps do for the workspace.

use std::{
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::Result;

use crate::{
    paths::root,
    process::{cargo, cargo_in, run as run_command},
};

/// How long CI looks for a finding: five seconds for each target.
const SECONDS: &str = "45";
/// The same with `--long`: two minutes for each target.
const LONG_SECONDS: &str = "1080";

/// Looks for input that makes a target panic or run away: five seconds each, as CI does
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Two minutes each
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
    // The target `flags` runs it.
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
    root().join("fuzz")
}
