//! Runs the `tma` program with a fake driver.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A path without a driver.
pub(crate) const NO_DRIVER: &str = "/nowhere/libcuda.so.1";

/// Runs `tma` with the given driver library and environment.
pub(crate) fn tma(driver: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tma"))
        .args(arguments)
        .env("TMA_LIBCUDA", driver)
        .envs(environment.iter().copied())
        .output()
        .expect("the program starts")
}

/// Returns the standard output of a successful command that wrote no errors.
#[track_caller]
pub(crate) fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the only message of a program with invalid input, exit code 2.
#[track_caller]
pub(crate) fn unreadable(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the only message of a failed program, exit code 1.
#[track_caller]
pub(crate) fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A driver that only has the functions that describe devices; see `fake_driver.c`.
pub(crate) fn fake_driver(folder: &Path) -> PathBuf {
    let library = folder.join("libfake.so");
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake_driver.c"))
        .output()
        .expect("this test needs a C compiler named `cc`");
    assert!(output.status.success(), "{output:?}");
    library
}
