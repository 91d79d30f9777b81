//! A host program on a machine without a driver.

use std::{env, process::Command};

use host::{Absence, Gpu, GpuBackend, GpuError};

const CHILD: &str = "HOST_TEST_CHILD";

/// The library is chosen once in a process, so this test runs itself in one of its own.
#[test]
fn the_gpu_is_absent_and_the_reason_is_given() {
    if env::var_os(CHILD).is_some() {
        return child();
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "the_gpu_is_absent_and_the_reason_is_given"])
        .env(CHILD, "1")
        .env("TMA_LIBCUDA", "/nowhere/libcuda.so.1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{output:?}"
    );
}

fn child() {
    // SAFETY: there is no GPU, so there will be no jobs.
    let backend = unsafe { GpuBackend::first() }.map(drop);
    for result in [Gpu::first().map(drop), Gpu::open(3).map(drop), backend] {
        let error = result.unwrap_err();
        assert!(error.is_absent());
        let GpuError::Absent(Absence::Driver { reason }) = error else {
            panic!("{error}")
        };
        assert_eq!(
            reason,
            "no CUDA driver (/nowhere/libcuda.so.1 is not there)"
        );
    }
}
