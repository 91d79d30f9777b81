use cuda_driver::{
    DriverError, Origin, Status, Version,
    device::{DeviceAttribute, driver_version, get_attribute},
    status,
};
use cust::{error::CudaError, sys};
use launch::Limits;

use super::{Absence, Capability, GpuError};

/// A GPU that the driver has, usable or not.
#[doc(alias = "cudaDeviceProp")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// Its number, from 0.
    pub ordinal: u32,
    /// What it is called.
    pub name: String,
    /// Its compute capability.
    pub capability: Capability,
    /// Its memory in bytes.
    pub memory_bytes: u64,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// The most shared memory that a block can ask for, in bytes.
    pub shared_bytes: u64,
}

impl DeviceProperties {
    /// The device, or why it cannot be used.
    pub fn supported(self) -> Result<Self, GpuError> {
        if self.capability >= Capability::LEAST {
            return Ok(self);
        }
        let Self {
            ordinal,
            name,
            capability,
            ..
        } = self;
        Err(GpuError::DeviceTooOld {
            ordinal,
            name,
            capability,
        })
    }

    /// What it can run.
    pub fn limits(&self) -> Limits {
        let family = if self.capability.major == 12 {
            Limits::SM_120
        } else {
            Limits::SM_90
        };
        Limits {
            shared_bytes: self.shared_bytes,
            ..family
        }
    }

    /// What `cust` calls it.
    pub(crate) fn handle(&self) -> Result<cust::device::Device, GpuError> {
        let handle = cust::device::Device::get_device(self.ordinal);
        handle.map_err(|error| broken("cuDeviceGet", error))
    }
}

/// The driver's version and all its devices, usable or not. Never empty.
pub fn devices() -> Result<(Version, Vec<DeviceProperties>), GpuError> {
    let version = initialise()?;
    let count = count()?;
    let devices = (0..count).map(device).collect::<Result<Vec<_>, _>>()?;
    if devices.is_empty() {
        Err(Absence::Device.into())
    } else {
        Ok((version, devices))
    }
}

/// The device of this number.
pub(super) fn numbered(ordinal: u32) -> Result<DeviceProperties, GpuError> {
    initialise()?;
    match count()? {
        0 => Err(Absence::Device.into()),
        count if ordinal >= count => Err(GpuError::NoSuchDevice { ordinal, count }),
        _ => device(ordinal),
    }
}

fn initialise() -> Result<Version, GpuError> {
    if let Status::Missing { .. } = status() {
        return Err(Absence::Driver {
            reason: status().to_string(),
        }
        .into());
    }
    let version = driver_version().map_err(|error| classify(error, status()))?;
    if version < GpuError::LEAST_DRIVER {
        return Err(GpuError::DriverTooOld { found: version });
    }
    // SAFETY: 0 is the one value that is allowed.
    let code = unsafe { sys::cuInit(0) } as i32;
    if code == sys::CUresult::CUDA_SUCCESS as i32 {
        return Ok(version);
    }
    let error = DriverError {
        function: "cuInit",
        code,
        origin: Origin::Driver,
    };
    Err(classify(error, status()))
}

/// Whether an error of a driver that was loaded means that there is none, or no GPU.
fn classify(error: DriverError, status: &Status) -> GpuError {
    match error.code {
        34 => {
            let reason = format!("no CUDA driver: {status}, and it is a stub that only links");
            Absence::Driver { reason }.into()
        }
        100 => Absence::Device.into(),
        _ => GpuError::Broken(error),
    }
}

fn count() -> Result<u32, GpuError> {
    match cust::device::Device::num_devices() {
        Err(CudaError::NoDevice) => Ok(0),
        count => count.map_err(|error| broken("cuDeviceGetCount", error)),
    }
}

fn device(ordinal: u32) -> Result<DeviceProperties, GpuError> {
    let handle =
        cust::device::Device::get_device(ordinal).map_err(|error| broken("cuDeviceGet", error))?;
    let attribute = |attribute| {
        // SAFETY: the device came from `cuDeviceGet` (1).
        let value = unsafe { get_attribute(handle.as_raw(), attribute) };
        value.map(i32::unsigned_abs).map_err(GpuError::Broken)
    };
    Ok(DeviceProperties {
        ordinal,
        name: handle
            .name()
            .map_err(|error| broken("cuDeviceGetName", error))?,
        capability: Capability {
            major: attribute(DeviceAttribute::COMPUTE_CAPABILITY_MAJOR)?,
            minor: attribute(DeviceAttribute::COMPUTE_CAPABILITY_MINOR)?,
        },
        memory_bytes: handle
            .total_memory()
            .map_err(|error| broken("cuDeviceTotalMem", error))? as u64,
        multiprocessors: attribute(DeviceAttribute::MULTIPROCESSOR_COUNT)?,
        shared_bytes: attribute(DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN_BYTES)?.into(),
    })
}

/// A call through `cust` that failed.
pub(super) fn broken(function: &'static str, error: CudaError) -> GpuError {
    GpuError::Broken(DriverError {
        function,
        code: error as i32,
        origin: Origin::Driver,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(major: u32, minor: u32) -> DeviceProperties {
        DeviceProperties {
            ordinal: 0,
            name: "GPU".to_owned(),
            capability: Capability { major, minor },
            memory_bytes: 1 << 30,
            multiprocessors: 1,
            shared_bytes: 100,
        }
    }

    #[test]
    fn devices_before_hopper_are_not_supported() {
        assert!(device(9, 0).supported().is_ok());
        assert!(device(12, 1).supported().is_ok());
        let error = device(8, 9).supported().unwrap_err();
        assert!(matches!(error, GpuError::DeviceTooOld { .. }) && !error.is_absent());
    }

    #[test]
    fn limits_are_the_devices_own() {
        assert_eq!(device(9, 0).limits().shared_bytes, 100);
        assert_eq!(device(9, 0).limits().non_portable_cluster_blocks, 16);
        assert_eq!(device(12, 0).limits().non_portable_cluster_blocks, 8);
    }

    #[test]
    fn stubs_and_empty_machines_are_absent_and_the_rest_is_broken() {
        let loaded = Status::Loaded {
            path: "libcuda.so.1".into(),
        };
        let error = |code| DriverError {
            function: "cuInit",
            code,
            origin: Origin::Driver,
        };
        assert_eq!(
            classify(error(34), &loaded).to_string(),
            "no CUDA driver: CUDA driver loaded: libcuda.so.1, and it is a stub that only links"
        );
        assert!(classify(error(100), &loaded).is_absent());
        assert_eq!(classify(error(803), &loaded), GpuError::Broken(error(803)));
    }
}
