//! Other programs.

use std::{
    env,
    io::{BufRead, BufReader, IsTerminal, pipe, stderr},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::paths::{root, target_dir};
use tma_project::process::cannot_run;
pub(crate) use tma_project::process::{exit_code, first_line, output, run, shown, status};

/// Cargo, in the checkout. No test of it renews a golden file: `bless` alone has that done.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).env_remove("BLESS");
    command
}

/// The packages that steps build together. The Python package has no tests for cargo, and PyO3's macros take features of
/// `syn` with which most crates, the emulator too, would be compiled once more after `cargo xtask run`.
pub(crate) const WORKSPACE: [&str; 3] = ["--workspace", "--exclude", PYTHON];

pub(crate) const PYTHON: &str = "tma-python";

/// The variables that `cargo clippy` sets, and `.ci/run` for all steps.
const CLIPPY_VARIABLES: [&str; 2] = ["RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS"];

/// Makes cargo compile with rustc alone, where warnings must not be errors, or where another rustc compiles.
pub(crate) fn without_clippy(command: &mut Command) -> &mut Command {
    for variable in CLIPPY_VARIABLES {
        command.env_remove(variable);
    }
    command
}

/// Cargo in another workspace.
pub(crate) fn cargo_in(folder: &Path) -> Command {
    let mut command = cargo();
    // This workspace's own, for `cust`.
    command.current_dir(folder).env_remove("CUDA_LIBRARY_PATH");
    command
}

/// Cargo in a project under `examples/`, which shares the crates already built.
pub(crate) fn cargo_in_example(folder: &Path) -> Command {
    let mut command = cargo_in(folder);
    command.env("CARGO_TARGET_DIR", target_dir());
    // The workspace's profile has settings for its crates that the profile of a project lacks.
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// The project under `examples/` that rust-cuda's own toolchain builds. Its dependencies are in no registry, so that no step
/// may even resolve them.
pub(crate) const RUST_CUDA: &str = "rust-cuda";

/// Returns the reason why this machine cannot build a project under `examples/`, if any: [`RUST_CUDA`] is never built here, and
/// `cuda-core` makes its bindings from the headers of a CUDA toolkit, by libclang.
pub(crate) fn lacks(folder: &Path) -> Option<String> {
    if folder.ends_with(RUST_CUDA) {
        return Some(
            "no registry has rustc-dev for its nightly; its README has the commands".to_owned(),
        );
    }
    if !folder.ends_with("cuda-core") {
        return None;
    }
    let toolkit = ["CUDA_TOOLKIT_PATH", "CUDA_HOME"]
        .into_iter()
        .find_map(env::var_os);
    let toolkit = toolkit.map_or_else(|| "/usr/local/cuda".into(), PathBuf::from);
    let header = toolkit.join("include/curand.h");
    if !header.is_file() {
        return Some(format!("there is no {}", header.display()));
    }
    let mut bindings = cargo_in_example(folder);
    bindings.args(["build", "--quiet", "--package", "cuda-bindings"]);
    output(&mut bindings).err().map(|error| error.to_string())
}

/// Builds programs with `cargo build` or `cargo test --no-run`, and returns them by name.
/// Cargo's progress and complaints go to the standard error stream; that it is done goes nowhere.
pub(crate) fn programs(arguments: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    let mut command = cargo();
    command
        .args(arguments)
        .arg("--message-format=json-render-diagnostics");
    let typed = shown(&command);
    if stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    // One pipe for both, so that reading one does not keep cargo from writing the other.
    let (reader, writer) = pipe().context("cannot make a pipe")?;
    command.stderr(writer.try_clone().context("cannot make a pipe")?);
    command.stdout(writer);
    let mut child = command.spawn().with_context(|| cannot_run(&command))?;
    // It holds our ends of the pipe, which must go for the reading to end.
    drop(command);

    let mut programs = Vec::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.context("cannot read cargo's output")?;
        let line = String::from_utf8_lossy(&line);
        match serde_json::from_str(&line) {
            Ok(message) => programs.extend(program(&message)),
            Err(_) if line.contains("Finished") || line.contains("Executable") => {}
            Err(_) => complain!("{line}"),
        }
    }
    let status = child.wait().context("cannot wait for cargo")?;
    ensure!(status.success(), "`{typed}` failed ({status})");
    Ok(programs)
}

/// Builds programs with the features of the workspace's tests, and returns them by name.
pub(crate) fn programs_of_workspace(flags: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    programs(&[&["build"][..], &WORKSPACE, flags].concat())
}

/// The program that one of cargo's messages is about.
fn program(message: &Value) -> Option<(String, PathBuf)> {
    let name = message["target"]["name"].as_str()?;
    Some((name.to_owned(), message["executable"].as_str()?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_cargos_messages() {
        let found = |message: &str| program(&serde_json::from_str(message).unwrap());
        let message =
            r#"{"reason":"compiler-artifact","target":{"name":"tma"},"executable":"/t/tma"}"#;
        assert_eq!(found(message), Some(("tma".to_owned(), "/t/tma".into())));
        let library = r#"{"target":{"name":"lib"},"executable":null}"#;
        assert_eq!(found(library), None);
    }

    #[test]
    fn a_project_without_bindings_is_built_everywhere() {
        for project in ["scale", "softmax", "cudarc"] {
            assert_eq!(lacks(&root().join("examples").join(project)), None);
        }
    }

    #[test]
    fn rust_cudas_project_is_there_and_never_built() {
        let folder = root().join("examples").join(RUST_CUDA);
        assert!(folder.join("Cargo.toml").is_file());
        assert!(lacks(&folder).is_some());
    }
}
