//! `tma devices`, with and without a driver.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::path::Path;

use support::{NO_DRIVER, fake_driver, printed, refused, tma};

#[test]
fn no_driver_is_one_message() {
    for arguments in [&["devices"][..], &["devices", "--json"]] {
        let output = tma(Path::new(NO_DRIVER), &[], arguments);
        assert!(output.stdout.is_empty(), "{output:?}");
        let message = refused(&output);
        assert_eq!(
            message,
            "error: no CUDA driver (/nowhere/libcuda.so.1 was not found)\n"
        );
    }
}

#[test]
fn devices_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let driver = fake_driver(folder.path());
    let environment = [("FAKE_COUNT", "2"), ("FAKE_MAJOR", "8")];
    assert_eq!(
        printed(&tma(&driver, &environment, &["devices"])),
        "driver  CUDA 13.0\n\
         gpu 0   Fake 0   sm_80   80.0 GiB   132 SMs   232448 bytes of shared memory per block\n        \
         not usable: GPU 0, Fake 0, is too old: its compute capability is 8.0, but TMA needs 9.0 or \
         later\n\
         gpu 1   Fake 1   sm_90a   79.0 GiB   132 SMs   232448 bytes of shared memory per block\n"
    );
    let json = printed(&tma(&driver, &environment, &["devices", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["driver"], "13.0");
    assert_eq!(json["devices"][0]["usable"], false);
    assert_eq!(json["devices"][1]["arch"], "sm_90a");
    assert_eq!(json["devices"][1]["memory_bytes"], 79_u64 << 30);
}

#[test]
fn drivers_that_do_not_do_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let driver = fake_driver(folder.path());
    let cases = [
        (
            ("FAKE_VERSION", "11040"),
            "error: the CUDA driver is too old: it supports CUDA 11.4, but tensor maps need 12.0 or \
             later; update the NVIDIA driver\n",
        ),
        (
            ("FAKE_COUNT", "0"),
            "error: no CUDA device: the driver found no GPU\n",
        ),
        (
            ("FAKE_INIT", "100"),
            "error: no CUDA device: the driver found no GPU\n",
        ),
        (
            ("FAKE_INIT", "803"),
            "error: the CUDA driver failed: cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): ",
        ),
    ];
    for (environment, expected) in cases {
        let message = refused(&tma(&driver, &[environment], &["devices"]));
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
