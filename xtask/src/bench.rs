//! `bench`: compares the kernels with CUDA C++ versions on a GPU, and measures the host side.

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use crate::{
    paths::root,
    process::{cargo, exit_code, output, programs, run as run_command, status},
    setup,
};

/// Compares the kernels on a GPU with CUDA versions, the driver's copy and the memory bandwidth limit
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Measure the host side instead: maps, the emulator, the builder; needs no GPU
    #[arg(long)]
    cpu: bool,
    /// Rows to measure, and options of the program: `--sweep`, `--out FOLDER`, `--runs N`, `--compile-only` …
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// File with the program's commit, next to the program.
const COMMIT: &str = "commit.txt";

/// File with the report on the compiled kernels, next to the program that writes it.
pub(crate) const COMPILED: &str = "compiled.json";

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    if args.cpu {
        let mut bench = cargo();
        bench.args(["bench", "--package=bench", "--bench=cpu", "--"]);
        run_command(bench.args(&args.arguments))?;
        return Ok(ExitCode::SUCCESS);
    }
    let built = programs(&["build", "--release", "--package=bench", "--bin=bench"])?;
    let program = &built.first().context("cargo built no program `bench`")?.1;
    if !args
        .arguments
        .iter()
        .any(|argument| argument == "--compile-only")
    {
        write_compiled(program)?;
        write_commit(program)?;
    }
    Ok(exit_code(status(
        Command::new(program).args(&args.arguments),
    )?))
}

/// Writes a report on the compiled kernels next to the program if the tools are installed, and prints its warnings.
pub(crate) fn write_compiled(program: &Path) -> Result<()> {
    let path = program.with_file_name(COMPILED);
    if setup::tool("ptxas").is_none() || setup::tool("cuobjdump").is_none() {
        complain!(
            "(no report on the compiled kernels: it needs ptxas and cuobjdump; use `cargo xtask setup --cuda`)"
        );
        return remove(&path);
    }
    let output = Command::new(program).arg("--compile-only").output();
    let output = output.with_context(|| format!("cannot run {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        !output.stdout.is_empty(),
        "{} --compile-only printed no report: {}",
        program.display(),
        said.trim()
    );
    for line in said
        .lines()
        .filter(|line| !output.status.success() && line.contains(": "))
    {
        complain!("{line}");
    }
    fs::write(&path, &output.stdout).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes the program's commit next to it if git is available, and whether the checkout has changes.
pub(crate) fn write_commit(program: &Path) -> Result<()> {
    let path = program.with_file_name(COMMIT);
    let mut git = Command::new("git");
    git.args([
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]);
    match output(git.current_dir(root())) {
        Ok(commit) => {
            fs::write(&path, commit).with_context(|| format!("cannot write {}", path.display()))
        }
        Err(_) => remove(&path),
    }
}

/// Removes a report, since an old one does not describe a new program.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if path.exists() => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
