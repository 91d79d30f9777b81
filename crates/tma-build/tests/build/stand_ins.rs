//! Stand-ins for compilers and assemblers that are too old or incomplete.

use std::{
    fs,
    path::{Path, PathBuf},
};

use libtest_mimic::Failed;
use tempfile::TempDir;
use tma_build::{Assemble, Ptxas};

use super::{Crate, contains, holds, refused};

/// A stand-in for a program, as a shell script.
#[cfg(unix)]
fn fake_program(name: &str, script: &str) -> Result<(TempDir, PathBuf), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(name);
    fs::write(path.with_extension("sh"), script)?;
    std::os::unix::fs::symlink(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand_in"),
        &path,
    )?;
    Ok((folder, path))
}

#[cfg(not(unix))]
fn fake_program(_: &str, _: &str) -> Result<(TempDir, PathBuf), Failed> {
    Err("needs a shell".into())
}

/// A stand-in for rustc that prints this text.
fn fake_compiler(release: &str, sysroot: &Path) -> Result<(TempDir, PathBuf), Failed> {
    let sysroot = sysroot.display();
    let script = format!(
        "case \"$1\" in\n-vV) echo 'release: {release}' ;;\n*) echo '{sysroot}' ;;\nesac\n"
    );
    fake_program("rustc", &script)
}

/// Runs in a process of its own, since the environment names the stand-in.
pub(super) fn old_ptxas() -> Result<(), Failed> {
    const CHILD: &str = "TMA_TEST_OLD_PTXAS";
    if std::env::var_os(CHILD).is_none() {
        let (_folder, ptxas) = fake_program("ptxas", "echo \"--gpu-name: 'sm_70','sm_80'\"\n")?;
        let output = std::process::Command::new(std::env::current_exe()?)
            .args(["a_ptxas_that_is_too_old_is_passed_over", "--exact"])
            .env(Ptxas::VARIABLE, &ptxas)
            .env(CHILD, "1")
            .output()?;
        let output_text = String::from_utf8_lossy(&output.stdout);
        return holds(output.status.success(), output_text);
    }
    let good = Crate::new("#[kernel]\npub unsafe fn k(data: *mut u32) { unsafe { *data = 1 } }")?;
    let ptx = good.builder().assemble(Assemble::IfFound).build()?;
    holds(ptx.resources.is_none(), "it was assembled")?;
    contains(
        &ptx.warnings.join("\n"),
        &["not assembled:", "ptxas does not know sm_90a"],
    )?;
    let error = refused(&good.builder().assemble(Assemble::Always))?;
    contains(
        &error,
        &[
            "no ptxas that knows sm_90a was found",
            "does not know sm_90a",
        ],
    )
}

/// Runs in a process of its own, since the environment names the stand-in.
pub(super) fn ptxas_once() -> Result<(), Failed> {
    const CHILD: &str = "TMA_TEST_PTXAS_ONCE";
    let Some(runs) = std::env::var_os(CHILD) else {
        let folder = tempfile::tempdir()?;
        let runs = folder.path().join("runs");
        let script = format!(
            "case $1 in\n--help) echo \"'sm_90a'\" ;;\n*) echo >> {} ;;\nesac\n",
            runs.display()
        );
        let (_folder, ptxas) = fake_program("ptxas", &script)?;
        let output = std::process::Command::new(std::env::current_exe()?)
            .args(["what_ptxas_took_is_not_assembled_again", "--exact"])
            .env(Ptxas::VARIABLE, &ptxas)
            .env(CHILD, &runs)
            .output()?;
        let output_text = String::from_utf8_lossy(&output.stdout);
        return holds(output.status.success(), output_text);
    };
    let assembled = |number: u32| -> Result<usize, Failed> {
        let body = format!(
            "#[kernel]\npub unsafe fn k(data: *mut u32) {{ unsafe {{ *data = {number} }} }}"
        );
        Crate::new(&body)?
            .builder()
            .assemble(Assemble::Always)
            .build()?;
        Ok(fs::read_to_string(&runs)?.lines().count())
    };
    let runs = [assembled(11)?, assembled(11)?, assembled(12)?];
    holds(
        runs == [1, 1, 2],
        format!("after each build, ptxas had run {runs:?} times"),
    )
}

pub(super) fn old_compiler() -> Result<(), Failed> {
    let (_folder, rustc) = fake_compiler("1.95.0", Path::new("/nowhere"))?;
    let error = refused(&Crate::new("")?.builder().compiler(&rustc))?;
    contains(
        &error,
        &["cannot compile device code: is version 1.95.0, older than 1.96.0"],
    )
}

pub(super) fn no_core() -> Result<(), Failed> {
    let (folder, rustc) = fake_compiler("1.96.0", Path::new("/nowhere"))?;
    let error = refused(&Crate::new("")?.builder().compiler(&rustc))?;
    drop(folder);
    contains(
        &error,
        &["has no source of `core` (rustup's component rust-src, Debian's package rust-web-src)"],
    )
}
