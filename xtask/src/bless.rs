//! `bless`: updates the golden files to the current output.

use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::{
    mutate,
    paths::root,
    process::{cargo, run as run_command},
    setup,
    test::{LONG_VARIABLE, NO_PART},
};

/// Updates the golden files to the current output
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    let mut bless = cargo();
    bless.args(["test", "--package", "tests"]);
    for test in ["kernels", "bugs", "matrix"] {
        bless.args(["--test", test]);
    }
    run_command(bless.env("BLESS", "1").env(LONG_VARIABLE, NO_PART))?;
    mutate::mutate(&["--bless".to_owned()])?;
    let mut changes = Command::new("git");
    changes.args(["status", "--short", "--", "tests", "docs"]);
    run_command(changes.current_dir(root()))?;
    Ok(ExitCode::SUCCESS)
}
