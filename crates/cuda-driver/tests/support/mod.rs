//! Runs a test again in a process of its own, with a driver library of the test's choice.

use std::{
    env,
    path::Path,
    process::{Command, Output},
};

const CHILD: &str = "CUDA_DRIVER_TEST_CHILD";

/// Runs `body` in a child process in which `TMA_LIBCUDA` names `library`.
///
/// `test` is the name of the calling test: the child is this executable, asked for that test alone.
/// The library is made by `library` in the parent, and lives until the child has ended.
pub(crate) fn with_driver<L: AsRef<Path>>(
    test: &str,
    library: impl FnOnce() -> L,
    body: impl FnOnce(),
) {
    if env::var_os(CHILD).is_some_and(|child| child == test) {
        return body();
    }
    let library = library();
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env::current_exe().expect("this executable has a path"))
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .env(cuda_driver::LIBRARY_VARIABLE, library.as_ref())
        .output()
        .expect("this executable runs");
    let stdout = String::from_utf8_lossy(&stdout);
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(
        status.success() && stdout.contains("1 passed"),
        "{test} in a process of its own: {status}\n{stdout}\n{stderr}"
    );
}
