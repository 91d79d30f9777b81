//! Runs the `tma` program with a fake driver.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

/// A path without a driver.
pub(crate) const NO_DRIVER: &str = "/nowhere/libcuda.so.1";

/// A stand-in for ptxas that reports one kernel, `tile`, with 32 registers for every input.
pub(crate) const PTXAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/ptxas");

/// Runs `tma` with the given driver library and environment.
pub(crate) fn tma(driver: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tma"))
        .args(arguments)
        .env("TMA_LIBCUDA", driver)
        .envs(environment.iter().copied())
        .output()
        .expect("the program starts")
}

/// Creates a folder with a module and a launch file, whose path is returned.
pub(crate) fn folder(ptx: &str, file: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.ptx"), ptx).unwrap();
    let path = folder.path().join("k.toml");
    fs::write(&path, file).unwrap();
    (folder, path)
}

/// Runs `tma emulate` with a launch file and further arguments, without a GPU.
pub(crate) fn emulate(path: &Path, more: &[&str]) -> Output {
    let path = path.to_str().unwrap();
    let all: Vec<&str> = ["emulate", path].iter().chain(more).copied().collect();
    tma(Path::new(NO_DRIVER), &[], &all)
}

/// Returns the standard output of a program that ended with this code and wrote no errors.
#[track_caller]
pub(crate) fn ends(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the standard output of a successful command that wrote no errors.
#[track_caller]
pub(crate) fn printed(output: &Output) -> String {
    ends(output, 0)
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

/// Polls a condition. Panics if it does not hold within a minute.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the number of threads of a process.
pub(crate) fn threads(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/task"))
        .unwrap()
        .count()
}
