//! `TMA_DEVICE` and `TMA_SEED` choose the device and the schedule.

use std::{env, process::Command};

use tma_host::{Device, Failure};

const CHILD: &str = "HOST_TEST_CHILD";

/// Runs `Device::open` in a process of its own, without a driver and with these variables, and
/// returns the device's name or the error.
fn opened(variables: &[(&str, &str)]) -> String {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "the_environment_names_the_device"])
        .env_remove("TMA_DEVICE")
        .env_remove("TMA_SEED")
        .env("TMA_LIBCUDA", "/nowhere/libcuda.so.1")
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let message = text
        .split('<')
        .nth(1)
        .and_then(|text| text.split('>').next());
    message.unwrap_or_else(|| panic!("{output:?}")).to_owned()
}

fn child() {
    let message = Device::open().map(|device| device.to_string());
    println!(
        "<{}>",
        message.unwrap_or_else(|failure: Failure| failure.to_string())
    );
}

/// The other tests run this one in a process of its own, too.
#[test]
fn the_environment_names_the_device() {
    if env::var_os(CHILD).is_some() {
        return child();
    }
    let emulator = "emulator (sm_90a)";
    assert_eq!(opened(&[]), emulator);
    assert_eq!(opened(&[("TMA_DEVICE", "auto")]), emulator);
    assert_eq!(
        opened(&[("TMA_DEVICE", "emulator"), ("TMA_SEED", "12")]),
        emulator
    );
    let message = opened(&[("TMA_DEVICE", "gpu")]);
    assert!(message.starts_with("open: no CUDA driver"), "{message}");
}

#[test]
fn wrong_values_are_errors_that_list_the_right_ones() {
    assert_eq!(
        opened(&[("TMA_DEVICE", "tpu")]),
        "open: the environment variable TMA_DEVICE is `tpu`: unknown device `tpu`; use auto, gpu or \
         emulator"
    );
    assert_eq!(
        opened(&[("TMA_SEED", "-1")]),
        "open: the environment variable TMA_SEED is `-1`: a seed must be a number from 0 to \
         18446744073709551615, `all`, or the name of a schedule, such as 33a85bde:0:3.2"
    );
}
