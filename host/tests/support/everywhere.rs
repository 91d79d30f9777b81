//! The devices that every test runs on.

use tma_host::Device;

/// The emulator with two schedules, and the first GPU where there is one.
pub(crate) fn everywhere() -> Vec<Device> {
    let mut devices = vec![Device::emulator(0), Device::emulator(7)];
    match Device::gpu() {
        Ok(gpu) => devices.push(gpu),
        Err(error) => assert!(error.is_absent(), "{error}"),
    }
    devices
}
