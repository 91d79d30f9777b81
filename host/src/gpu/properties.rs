use cuda_driver::{DeviceProperties, DriverError, Status, Version, driver_version, status};
use tma_launch::{DeviceDescription, Limits, memory_bytes_per_second};

use super::{Absence, Capability, GpuError};

/// Returns the device, or an error if it is unusable.
///
/// # Errors
/// [`GpuError::DeviceTooOld`].
pub fn supported(device: DeviceProperties) -> Result<DeviceProperties, GpuError> {
    if device.capability >= Capability::LEAST {
        return Ok(device);
    }
    Err(GpuError::DeviceTooOld {
        ordinal: device.ordinal,
        name: device.name,
        capability: device.capability,
    })
}

/// Returns the limits of launches on the device.
pub(crate) fn limits(device: &DeviceProperties) -> Limits {
    let family = if device.capability.major == 12 {
        Limits::SM_120
    } else {
        Limits::SM_90
    };
    Limits {
        shared_bytes: device.shared_bytes,
        multiprocessors: device.multiprocessors,
        ..family
    }
}

/// Returns the properties of the device that determine good launch shapes.
pub(crate) fn description(device: &DeviceProperties) -> DeviceDescription {
    DeviceDescription {
        name: device.name.clone(),
        multiprocessors: device.multiprocessors,
        memory_bytes_per_second: memory_bytes_per_second(
            device.memory_clock_khz,
            device.memory_bus_bits,
        ),
        l2_bytes: device.l2_bytes,
        multiprocessor_shared_bytes: limits(device).multiprocessor_shared_bytes,
    }
}

/// Returns the driver's version and all its devices, usable or not; at least one.
pub fn devices() -> Result<(Version, Vec<DeviceProperties>), GpuError> {
    if let Status::Missing { .. } = status() {
        return Err(Absence::Driver {
            reason: status().to_string(),
        }
        .into());
    }
    let classified = |error| classify(error, status());
    let version = driver_version().map_err(classified)?;
    if version < Version::LEAST {
        return Err(GpuError::DriverTooOld { found: version });
    }
    let devices = cuda_driver::devices().map_err(classified)?;
    if devices.is_empty() {
        return Err(Absence::Device.into());
    }
    Ok((version, devices))
}

/// Returns the device of this number.
pub(super) fn numbered(ordinal: u32) -> Result<DeviceProperties, GpuError> {
    let (_, devices) = devices()?;
    let count = devices.len() as u32;
    let device = devices.into_iter().nth(ordinal as usize);
    device.ok_or(GpuError::NoSuchDevice { ordinal, count })
}

/// Determines whether an error of a loaded driver means that there is no driver or no GPU.
fn classify(error: DriverError, status: &Status) -> GpuError {
    match error.code {
        34 => {
            let reason = format!("no CUDA driver: {status}, but it is a stub library for linking");
            Absence::Driver { reason }.into()
        }
        100 => Absence::Device.into(),
        _ => GpuError::Broken(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_driver::Origin;

    fn device(major: u32, minor: u32) -> DeviceProperties {
        DeviceProperties {
            ordinal: 0,
            name: "GPU".to_owned(),
            capability: Capability { major, minor },
            memory_bytes: 1 << 30,
            multiprocessors: 1,
            shared_bytes: 100,
            memory_clock_khz: 1_000_000,
            memory_bus_bits: 256,
            l2_bytes: 1 << 20,
        }
    }

    #[test]
    fn devices_before_hopper_are_not_supported() {
        assert!(supported(device(9, 0)).is_ok());
        assert!(supported(device(12, 1)).is_ok());
        let error = supported(device(8, 9)).unwrap_err();
        assert!(matches!(error, GpuError::DeviceTooOld { .. }) && !error.is_absent());
    }

    #[test]
    fn limits_are_the_devices_own() {
        assert_eq!(limits(&device(9, 0)).shared_bytes, 100);
        assert_eq!(limits(&device(9, 0)).multiprocessors, 1);
        assert_eq!(limits(&device(9, 0)).non_portable_cluster_blocks, 16);
        assert_eq!(limits(&device(12, 0)).non_portable_cluster_blocks, 8);
    }

    #[test]
    fn a_description_has_the_rate_of_the_memory() {
        let description = description(&device(9, 0));
        assert_eq!(description.memory_bytes_per_second, 64_000_000_000);
        assert_eq!(
            (description.name.as_str(), description.l2_bytes),
            ("GPU", 1 << 20)
        );
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
            "no CUDA driver: CUDA driver loaded: libcuda.so.1, but it is a stub library for linking"
        );
        assert!(classify(error(100), &loaded).is_absent());
        assert_eq!(classify(error(803), &loaded), GpuError::Broken(error(803)));
    }
}
