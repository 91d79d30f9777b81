//! `run`: the kernels on a GPU, and their results checked.

use std::process::ExitCode;

use anyhow::Result;

use crate::{
    process::{cargo, exit_code, status},
    setup,
};

/// Runs kernels and checks their results, a line each.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Kernels to run; all of them unless named
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
    /// List the kernels with a sentence each, and run nothing
    #[arg(long)]
    list: bool,
    /// Where to run them: auto, gpu or emulator
    #[arg(long)]
    device: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    let mut command = cargo();
    command.args([
        "run",
        "--release",
        "--package",
        "tests",
        "--bin",
        "run",
        "--",
    ]);
    command.args(&args.kernels);
    if args.list {
        command.arg("--list");
    }
    if let Some(device) = &args.device {
        command.args(["--device", device]);
    }
    Ok(exit_code(status(&mut command)?))
}
