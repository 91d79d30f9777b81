//! `mutate`: deletes what orders a kernel, and says who noticed.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::{
    ci::{PARTS, part},
    process::{exit_code, programs},
    setup,
};

/// Deletes or alters one fence, wait, arrival, byte count, scope or guard of a kernel after the
/// other, and says who noticed: the checker, a fault, or wrong results alone
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// Handed to the program; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    passed_on: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    mutate(&args.passed_on)
}

/// Every mutant of a part is caught or explained, and the page about them has as many.
pub(crate) fn check() -> Result<()> {
    let compiler = setup::ensure_device_compiler()?.version;
    if compiler != tma_build::TRIED_VERSION {
        say!(
            "skipped: the list of survivors is for rustc {}, the kernels are compiled by {compiler}",
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

/// Runs the program that makes the mutants, for which there is a device compiler. It is one for development: with the
/// features of the whole workspace, it has been built for the tests, and the emulator is optimised there, too.
pub(crate) fn mutate(arguments: &[String]) -> Result<ExitCode> {
    let built = programs(&["build", "--workspace", "--bin=mutate"])?;
    let program = built.first().context("cargo made no program `mutate`")?;
    let status = Command::new(&program.1).args(arguments).status();
    let status = status.with_context(|| format!("cannot run {}", program.1.display()))?;
    Ok(exit_code(status))
}
