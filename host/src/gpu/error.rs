use cuda_driver::{DriverError, Version};
use tma_launch::{Failure, Stage};

use super::Capability;

/// The reason why there is no usable GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The machine has no GPU that this process can see; work that needs one may be skipped.
    ///
    /// Other errors must not be skipped: they mean that a GPU or driver is present but unusable.
    #[error(transparent)]
    Absent(Absence),
    /// The driver is too old.
    #[error(
        "the CUDA driver is too old: it supports CUDA {found}, but tensor maps need {} or later; \
         update the NVIDIA driver",
        Version::LEAST
    )]
    DriverTooOld {
        /// The CUDA version that the driver supports.
        found: Version,
    },
    /// There is no device of this number.
    #[error("there is no GPU {ordinal}: the driver has {count}, numbered from 0")]
    NoSuchDevice {
        /// The ordinal that was requested.
        ordinal: u32,
        /// The number of devices that the driver reports.
        count: u32,
    },
    /// The GPU has no TMA.
    #[error(
        "GPU {ordinal}, {name}, is too old: its compute capability is {capability}, \
         but TMA needs {} or later",
        Capability::LEAST
    )]
    DeviceTooOld {
        /// The ordinal of the device that is too old.
        ordinal: u32,
        /// The name of the device that is too old.
        name: String,
        /// The device's compute capability.
        capability: Capability,
    },
    /// A driver call failed.
    #[error("the CUDA driver failed: {0}")]
    Broken(DriverError),
}

/// The missing part: driver or device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    /// There is no driver.
    #[error("{reason}")]
    Driver {
        /// The attempt to load the driver, and its error.
        reason: String,
    },
    /// There is no device.
    #[error("no CUDA device: the driver found no GPU")]
    Device,
}

impl GpuError {
    /// Returns whether tests that need a GPU can be skipped on this machine.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent(_))
    }
}

impl From<Absence> for GpuError {
    fn from(absence: Absence) -> Self {
        Self::Absent(absence)
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        let GpuError::Broken(error) = error else {
            return Failure::new(Stage::Open, error.to_string());
        };
        let what = format!("the CUDA driver failed in {}", error.function);
        Failure::new(Stage::Open, what)
            .error_name(error.name())
            .hint(error.sentence())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_driver::Origin;

    #[test]
    fn texts_say_what_is_there_and_what_is_needed() {
        let found = Version {
            major: 11,
            minor: 4,
        };
        let name = "NVIDIA A100".to_owned();
        let capability = Capability { major: 8, minor: 0 };
        let broken = DriverError {
            function: "cuInit",
            code: 999,
            origin: Origin::Driver,
        };
        let cases: [(GpuError, &str); 5] = [
            (
                Absence::Device.into(),
                "no CUDA device: the driver found no GPU",
            ),
            (
                GpuError::DriverTooOld { found },
                "the CUDA driver is too old: it supports CUDA 11.4, but tensor maps need 12.0 or \
                 later; update the NVIDIA driver",
            ),
            (
                GpuError::NoSuchDevice {
                    ordinal: 3,
                    count: 1,
                },
                "there is no GPU 3: the driver has 1, numbered from 0",
            ),
            (
                GpuError::DeviceTooOld {
                    ordinal: 0,
                    name,
                    capability,
                },
                "GPU 0, NVIDIA A100, is too old: its compute capability is 8.0, but TMA needs 9.0 \
                 or later",
            ),
            (
                GpuError::Broken(broken),
                "the CUDA driver failed: cuInit: CUDA_ERROR_UNKNOWN (999): ",
            ),
        ];
        for (error, text) in cases {
            assert!(error.to_string().starts_with(text), "{error}");
            assert_eq!(error.is_absent(), matches!(error, GpuError::Absent(_)));
        }
    }
}
