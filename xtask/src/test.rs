//! `test`: every suite, and one line that counts them all.

mod counts;

use std::{
    io::{BufRead, BufReader, IsTerminal, pipe, stdout},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};

use crate::{
    paths::examples,
    process::{cargo, cargo_in_example, shown},
    setup,
};
pub(crate) use counts::Counts;
use counts::{Suites, plain};

/// The suite with a case for each thing that a kernel must do: without a case nothing was tested.
const NEVER_EMPTY: &str = "cases";

/// Runs all tests, those of the example projects too, and ends with one line that counts them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Passed on to `cargo test`, such as `tile_2d` or `-p tests --test cases -- --device gpu`; the
    /// example projects are then left out
    #[arg(
        value_name = "ARGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    passed_on: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let counts = if args.passed_on.is_empty() {
        everything()?
    } else {
        let workspace: &[&str] = if names_package(&args.passed_on) {
            &[]
        } else {
            &["--workspace"]
        };
        setup::ensure_device_compiler()?;
        suites(cargo(), &[workspace, &words(&args.passed_on)].concat())?.total()
    };
    if counts == Counts::default() {
        complain!("error: there is no such test");
    }
    say!("{counts}");
    Ok(counts.exit_code())
}

/// Every suite of the workspace and of the example projects.
pub(crate) fn everything() -> Result<Counts> {
    setup::ensure_device_compiler()?;
    let workspace = suites(cargo(), &["--workspace"])?;
    let mut total = workspace.total();
    if workspace.is_empty(NEVER_EMPTY) {
        say!("error: the suite `{NEVER_EMPTY}` ran no case");
        total.failed += 1;
    }
    for folder in examples() {
        total += suites(cargo_in_example(&folder), &[])?.total();
    }
    Ok(total)
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

fn names_package(arguments: &[String]) -> bool {
    let ours = arguments.iter().take_while(|argument| *argument != "--");
    ours.into_iter().any(|argument| {
        argument.starts_with("-p")
            || ["--package", "--workspace", "--manifest-path"]
                .iter()
                .any(|name| argument.starts_with(name))
    })
}

/// Runs `cargo test` in view of the user and counts along.
fn suites(mut cargo: Command, arguments: &[&str]) -> Result<Suites> {
    cargo.args(["test", "--no-fail-fast"]).args(arguments);
    say!("$ {}", shown(&cargo));
    let (reader, writer) = pipe().context("cannot make a pipe")?;
    // One pipe for both, so that a suite's name comes before its result.
    cargo.stderr(writer.try_clone().context("cannot make a pipe")?);
    cargo.stdout(writer);
    if stdout().is_terminal() {
        cargo.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = cargo.spawn().context("cannot run cargo")?;
    // It holds our ends of the pipe, which must go for the reading to end.
    drop(cargo);

    let mut suites = Suites::default();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .context("cannot read what the tests say")?
        > 0
    {
        let text = String::from_utf8_lossy(&line);
        say!("{}", text.trim_end_matches('\n'));
        suites.read(&plain(&text));
        line.clear();
    }
    let status = child.wait().context("cannot wait for cargo")?;
    suites.ended(status.success());
    Ok(suites)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> bool {
        names_package(
            &arguments
                .iter()
                .map(|argument| argument.to_string())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn all_packages_are_tested_unless_some_are_named() {
        assert!(names(&["-p", "ptx"]) && names(&["-pptx"]) && names(&["--package=ptx"]));
        assert!(!names(&["tile"]) && !names(&["--", "-p"]));
    }
}
