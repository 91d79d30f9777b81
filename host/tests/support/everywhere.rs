//! The devices that every test runs on.

use tma_host::{Device, DeviceChoice};

/// The emulator with two schedules, and the first GPU if there is one; a requested GPU must exist.
pub(crate) fn everywhere() -> Vec<Device> {
    let mut devices = vec![Device::emulator(0), Device::emulator(7)];
    match Device::gpu() {
        Ok(gpu) => devices.push(gpu),
        Err(error) => {
            let is_asked_for = DeviceChoice::from_env() == Ok(DeviceChoice::Gpu);
            assert!(error.is_absent() && !is_asked_for, "{error}");
        }
    }
    devices
}
