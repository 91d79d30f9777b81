//! The driver and its GPUs.

use std::{
    ffi::{CStr, c_int},
    fs,
};

use cuda_driver::{
    Status, Version,
    device::{DeviceAttribute, get_attribute},
    driver_version,
    forwarded::{cuDeviceGet, cuDeviceGetCount, cuDeviceGetName, cuInit},
    status,
    sys::CUresult,
};

use super::Finding;
use crate::output::Mark;

/// The first CUDA whose driver reads PTX ISA 8.0.
const OLDEST: Version = Version {
    major: 12,
    minor: 0,
};

/// What there is, and whether kernels can run on it.
pub(super) fn findings() -> (Vec<Finding>, bool) {
    let missing = match status() {
        Status::Loaded { .. } => None,
        missing => Some(format!(
            "{missing}\nkernels are compiled and checked here, and run elsewhere"
        )),
    };
    if let Some(says) = missing {
        return (vec![Finding::new(Mark::Info, "driver", says)], false);
    }
    let (driver, usable_driver) = driver();
    let (gpus, usable_gpu) = match gpus() {
        Ok(gpus) => (
            gpus.iter().map(Gpu::finding).collect(),
            gpus.iter().any(Gpu::has_tma),
        ),
        Err(finding) => (vec![finding], false),
    };
    let findings = [driver].into_iter().chain(gpus).collect();
    (findings, usable_driver && usable_gpu)
}

fn driver() -> (Finding, bool) {
    let version = match driver_version() {
        Ok(version) => version,
        Err(error) => {
            return (
                Finding::new(Mark::Fatal, "driver", error.to_string()),
                false,
            );
        }
    };
    let module = fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    let says = format!("{} CUDA {version}", module.trim());
    let usable = version >= OLDEST;
    let too_old = if usable {
        String::new()
    } else {
        format!("; too old: PTX ISA 8.0 needs a driver for CUDA {OLDEST} or later")
    };
    (
        Finding::new(
            Mark::of(usable),
            "driver",
            format!("{}{too_old}", says.trim()),
        ),
        usable,
    )
}

struct Gpu {
    name: String,
    capability: (i32, i32),
}

impl Gpu {
    fn has_tma(&self) -> bool {
        self.capability >= (9, 0)
    }

    fn finding(&self) -> Finding {
        let (major, minor) = self.capability;
        let says = format!("{} (sm_{major}{minor})", self.name);
        if self.has_tma() {
            Finding::new(Mark::Ok, "GPU", says)
        } else {
            Finding::new(
                Mark::Info,
                "GPU",
                format!("{says}: no Tensor Memory Accelerator; sm_90 and later have one"),
            )
        }
    }
}

/// All GPUs, or what stands in the way.
fn gpus() -> Result<Vec<Gpu>, Finding> {
    let mut count = 0;
    // SAFETY: the driver may be initialised at any time, from any thread.
    check("cuInit", unsafe { cuInit(0) })?;
    // SAFETY: `count` is valid for a write.
    check("cuDeviceGetCount", unsafe {
        cuDeviceGetCount(&raw mut count)
    })?;
    if count == 0 {
        return Err(no_gpu());
    }
    (0..count).map(gpu).collect()
}

fn gpu(ordinal: c_int) -> Result<Gpu, Finding> {
    let mut device = 0;
    let mut name = [0; 256];
    // SAFETY: `device` is valid for a write.
    check("cuDeviceGet", unsafe {
        cuDeviceGet(&raw mut device, ordinal)
    })?;
    // SAFETY: `name` has room for 256 characters, the last of which is 0.
    check("cuDeviceGetName", unsafe {
        cuDeviceGetName(name.as_mut_ptr(), 256, device)
    })?;
    // SAFETY: the driver ended the name with a 0 within the array.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) };
    let attribute = |attribute| {
        // SAFETY: the device came from the driver.
        unsafe { get_attribute(device, attribute) }.map_err(|error| broken(error.to_string()))
    };
    Ok(Gpu {
        name: name.to_string_lossy().into_owned(),
        capability: (
            attribute(DeviceAttribute::COMPUTE_CAPABILITY_MAJOR)?,
            attribute(DeviceAttribute::COMPUTE_CAPABILITY_MINOR)?,
        ),
    })
}

fn check(function: &str, result: CUresult) -> Result<(), Finding> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_NO_DEVICE => Err(no_gpu()),
        error => {
            let code = error as i32;
            let (name, sentence) = (cuda_driver::name(code), cuda_driver::sentence(code));
            Err(broken(format!("{function}: {name} ({code}): {sentence}")))
        }
    }
}

fn no_gpu() -> Finding {
    Finding::new(Mark::Info, "GPU", "the driver sees none")
}

fn broken(says: String) -> Finding {
    Finding::new(Mark::Fatal, "GPU", says).remedy("nvidia-smi")
}
