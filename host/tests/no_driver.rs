//! A host program on a machine without a driver.

use std::{env, process::Command};

use tma_host::{Absence, Device, DeviceChoice, GpuError};

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
    for result in [Device::gpu().map(drop), Device::gpu_numbered(3).map(drop)] {
        let error = result.unwrap_err();
        assert!(error.is_absent());
        let GpuError::Absent(Absence::Driver { reason }) = error else {
            panic!("{error}")
        };
        assert_eq!(
            reason,
            "no CUDA driver (/nowhere/libcuda.so.1 was not found)"
        );
    }
    let emulator = DeviceChoice::Auto.open().unwrap();
    assert!(emulator.is_emulator());
    assert_eq!(
        DeviceChoice::Gpu.open().unwrap_err().to_string(),
        "open: no CUDA driver (/nowhere/libcuda.so.1 was not found): a GPU is required; use `auto` or `emulator` \
         to run on the emulator"
    );
}
