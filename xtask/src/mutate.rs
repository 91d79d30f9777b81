//! `mutate`: removes synchronization from kernels, and reports which check notices.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::{
    ci::{PARTS, part},
    process::{exit_code, programs_of_workspace},
    setup,
};

/// Deletes or alters the fences, waits, arrivals, byte counts, scopes and guards of a kernel one at a time, and
/// reports whether the checker, a fault, or only wrong results revealed each change
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Options of the program; see `--help` there
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    passed_on: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    mutate(&args.passed_on)
}

/// Checks that every mutant of a part is caught or explained, and that the counts on the page match.
pub(crate) fn check() -> Result<()> {
    let compiler = setup::ensure_device_compiler()?.version;
    if compiler != tma_build::TRIED_VERSION {
        say!(
            "skipped: the list of survivors is for rustc {}, but the kernels were compiled by {compiler}",
            tma_build::TRIED_VERSION
        );
        return Ok(());
    }
    let (parts, part) = (format!("--part-of={PARTS}"), format!("--part={}", part()?));
    let status = mutate(&[parts.clone(), part.clone()])?;
    ensure!(
        status == ExitCode::SUCCESS,
        "`cargo xtask mutate {parts} {part}` failed"
    );
    Ok(())
}

/// Runs the program that makes the mutants; it needs a device compiler. The development build shares features with
/// the workspace's tests, so that it is already built, and its emulator is optimized.
pub(crate) fn mutate(arguments: &[String]) -> Result<ExitCode> {
    let built = programs_of_workspace(&["--bin=mutate"])?;
    let program = built.first().context("cargo built no program `mutate`")?;
    let status = Command::new(&program.1).args(arguments).status();
    let status = status.with_context(|| format!("cannot run {}", program.1.display()))?;
    Ok(exit_code(status))
}
