//! The `tma` program, and a driver made for the purpose.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A driver that is not there.
pub(crate) const NO_DRIVER: &str = "/nowhere/libcuda.so.1";

/// Runs `tma` with a driver library and environment of the test's choice.
pub(crate) fn tma(driver: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tma"))
        .args(arguments)
        .env("TMA_LIBCUDA", driver)
        .envs(environment.iter().copied())
        .output()
        .expect("the program starts")
}

/// The standard output of a successful command that wrote nothing else.
#[track_caller]
pub(crate) fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The one message of a program whose input cannot be read: exit code 2.
#[track_caller]
pub(crate) fn unreadable(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The one message of a program that fails with exit code 1.
#[track_caller]
pub(crate) fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A driver without any function but those that describe devices; see `fake_driver.c`.
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
