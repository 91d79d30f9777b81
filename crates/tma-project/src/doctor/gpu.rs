//! Checks of the driver and its GPUs.

use std::fs;

use cuda_driver::{Capability, DeviceProperties, Status, Version, devices, driver_version, status};

use super::Diagnostic;
use crate::output::Mark;

/// Driver errors of a stub library that is only for linking, and of a machine without a GPU.
const STUB_LIBRARY: i32 = 34;
const NO_DEVICE: i32 = 100;

/// Returns whether there is a GPU. An unusable GPU counts, so that runs on it fail.
pub fn is_there() -> bool {
    match devices() {
        _ if matches!(status(), Status::Missing { .. }) => false,
        Ok(devices) => !devices.is_empty(),
        Err(error) => ![STUB_LIBRARY, NO_DEVICE].contains(&error.code),
    }
}

/// Returns the diagnostics, and whether kernels can run on the GPU.
pub(crate) fn diagnostics() -> (Vec<Diagnostic>, bool) {
    if let Status::Missing { tried } = status() {
        let tried: Vec<String> = tried.iter().map(ToString::to_string).collect();
        return (vec![no_driver(&tried.join("\n"))], false);
    }
    let no_gpu = || Diagnostic::new(Mark::Info, "GPU", "none found by the driver");
    match devices() {
        Ok(devices) if devices.is_empty() => (vec![driver(), no_gpu()], false),
        Ok(devices) => {
            let usable = devices.iter().any(|device| device.capability.has_tma());
            let gpus = devices.into_iter().map(gpu);
            ([driver()].into_iter().chain(gpus).collect(), usable)
        }
        Err(error) if error.code == STUB_LIBRARY => (vec![no_driver(&error.to_string())], false),
        Err(error) if error.code == NO_DEVICE => (vec![driver(), no_gpu()], false),
        Err(error) => {
            let broken = Diagnostic::new(Mark::Fatal, "GPU", error.to_string());
            (vec![driver(), broken.remedy("nvidia-smi")], false)
        }
    }
}

fn no_driver(why: &str) -> Diagnostic {
    let text =
        format!("none: {why}\nkernels can be compiled and checked here, but not run on a GPU");
    Diagnostic::new(Mark::Info, "driver", text)
}

fn driver() -> Diagnostic {
    let version = match driver_version() {
        Ok(version) => version,
        Err(error) => return Diagnostic::new(Mark::Fatal, "driver", error.to_string()),
    };
    if version < Version::LEAST {
        let text = format!(
            "the CUDA version {version} must be {} or later",
            Version::LEAST
        );
        return Diagnostic::new(Mark::Fatal, "driver", text);
    }
    let module = fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    let text = format!("{} CUDA {version}", module.trim());
    Diagnostic::new(Mark::Ok, "driver", text.trim())
}

fn gpu(device: DeviceProperties) -> Diagnostic {
    let text = format!("{} ({})", device.name, device.capability.arch());
    if device.capability.has_tma() {
        return Diagnostic::new(Mark::Ok, "GPU", text);
    }
    let text = format!(
        "{text} has no TMA, which needs {} or later",
        Capability::LEAST
    );
    Diagnostic::new(Mark::Info, "GPU", text)
}
