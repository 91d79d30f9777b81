//! `mutate`: deletes what orders a kernel, and says who noticed.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::{
    process::{exit_code, programs},
    setup,
};

/// Deletes or alters one fence, wait, arrival, byte count, scope or guard of a kernel after the
/// other, and says who noticed: the checker, a fault, or wrong results alone.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only the mutants of this kernel
    #[arg(long)]
    kernel: Option<String>,
    /// The first schedule on which each case is tried
    #[arg(long)]
    seed: Option<u64>,
    /// How many schedules
    #[arg(long)]
    seeds: Option<u64>,
    /// Show this mutant alone: what was changed, and what was said of it
    #[arg(long, value_name = "ID")]
    show: Option<String>,
    /// List the mutants with what became of each
    #[arg(long)]
    list: bool,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    let built = programs(&["build", "--package=tests", "--bin=mutate"])?;
    let program = built.first().context("cargo made no program `mutate`")?;
    let mut command = Command::new(&program.1);
    let seed = args.seed.map(|seed| seed.to_string());
    let seeds = args.seeds.map(|seeds| seeds.to_string());
    let given = [
        ("--kernel", &args.kernel),
        ("--seed", &seed),
        ("--seeds", &seeds),
        ("--show", &args.show),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            command.args([name, value]);
        }
    }
    for (name, is_given) in [("--list", args.list), ("--json", args.json)] {
        if is_given {
            command.arg(name);
        }
    }
    let status = command.status();
    let status = status.with_context(|| format!("cannot run {}", program.1.display()))?;
    Ok(exit_code(status))
}
