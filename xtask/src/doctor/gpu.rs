//! The driver and its GPUs.

use std::fs;

use cuda_driver::{Status, driver_version, status};
use host::{Absence, DeviceProperties, GpuError, devices};

use super::Finding;
use crate::output::Mark;

/// What there is, and whether kernels can run on it.
pub(super) fn findings() -> (Vec<Finding>, bool) {
    if let Status::Missing { tried } = status() {
        let tried: Vec<String> = tried.iter().map(ToString::to_string).collect();
        return (vec![no_driver(&tried.join("\n"))], false);
    }
    match devices() {
        Ok((_, devices)) => {
            let usable = devices
                .iter()
                .any(|device| device.clone().supported().is_ok());
            let gpus = devices.into_iter().map(gpu);
            ([driver()].into_iter().chain(gpus).collect(), usable)
        }
        Err(error) => (findings_without(error), false),
    }
}

/// There is a library, and no GPU that it can use.
fn findings_without(error: GpuError) -> Vec<Finding> {
    let says = error.to_string();
    match error {
        GpuError::Absent(Absence::Driver { .. }) => vec![no_driver(&says)],
        GpuError::Absent(Absence::Device) => {
            vec![
                driver(),
                Finding::new(Mark::Info, "GPU", "the driver sees none"),
            ]
        }
        GpuError::DriverTooOld { .. } => vec![Finding::new(Mark::Fatal, "driver", says)],
        _ => vec![
            driver(),
            Finding::new(Mark::Fatal, "GPU", says).remedy("nvidia-smi"),
        ],
    }
}

fn no_driver(why: &str) -> Finding {
    let says = format!("none: {why}\nkernels are compiled and checked here, and run elsewhere");
    Finding::new(Mark::Info, "driver", says)
}

fn driver() -> Finding {
    let version = match driver_version() {
        Ok(version) => version,
        Err(error) => return Finding::new(Mark::Fatal, "driver", error.to_string()),
    };
    let module = fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    let says = format!("{} CUDA {version}", module.trim());
    Finding::new(Mark::Ok, "driver", says.trim())
}

fn gpu(device: DeviceProperties) -> Finding {
    let says = format!("{} ({})", device.name, device.capability.arch());
    match device.supported() {
        Ok(_) => Finding::new(Mark::Ok, "GPU", says),
        Err(error) => Finding::new(Mark::Info, "GPU", format!("{says}: {error}")),
    }
}
