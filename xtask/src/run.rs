//! `run`: the kernels on a GPU, and their results checked.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::{
    paths::root,
    process::{exit_code, programs},
    setup,
};

/// Where kernels can run.
pub(crate) const DEVICES: [&str; 3] = ["auto", "gpu", "emulator"];

/// Runs kernels and checks their results, a line each.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Kernels to run; all of them unless named
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
    /// List the kernels with a sentence each, and run nothing
    #[arg(long)]
    list: bool,
    /// Where to run them
    #[arg(long, value_parser = DEVICES)]
    device: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    check(&args.kernels)?;
    setup::ensure_device_compiler()?;
    let built = programs(&["build", "--package=tests", "--bin=run"])?;
    let program = built.first().context("cargo made no program `run`")?;
    let mut command = Command::new(&program.1);
    command.args(&args.kernels);
    if args.list {
        command.arg("--list");
    }
    if let Some(device) = &args.device {
        command.args(["--device", device]);
    }
    let status = command.status();
    let status = status.with_context(|| format!("cannot run {}", program.1.display()))?;
    Ok(exit_code(status))
}

/// Refuses names that no kernel has, before anything is built: each has a file of its name.
fn check(kernels: &[String]) -> Result<()> {
    let folder = root().join("kernels-gpu").join("src");
    let entries = folder.read_dir();
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_suffix(".rs").map(str::to_owned)
    });
    let mut names: Vec<String> = names.filter(|name| name != "lib").collect();
    names.sort();
    match kernels.iter().find(|kernel| !names.contains(kernel)) {
        None => Ok(()),
        Some(kernel) => bail!(
            "there is no kernel `{kernel}`; {}",
            launch::suggestion(kernel, names.iter().map(String::as_str))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let check = |name: &str| check(&[name.to_owned()]).map_err(|error| error.to_string());
        assert_eq!(check("tile_2d"), Ok(()));
        let message = "there is no kernel `tile2d`; did you mean `tile_2d`?";
        assert_eq!(check("tile2d"), Err(message.to_owned()));
        assert!(check("lib").is_err());
    }
}
