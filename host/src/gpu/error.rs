use cuda_driver::{DriverError, Version};
use tma_launch::{Failure, Stage};

use super::Capability;

/// Why there is no usable GPU.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The machine has no GPU, or none that this process can see: what needs one can be skipped.
    ///
    /// Nothing else may be: every other error says that something is there and does not work.
    #[error(transparent)]
    Absent(Absence),
    /// There is a driver, and it is too old.
    #[error(
        "the CUDA driver is too old: it is for CUDA {found}, and tensor maps need {} or later; \
         update the NVIDIA driver",
        Version::LEAST
    )]
    DriverTooOld {
        /// The version of CUDA that it supports.
        found: Version,
    },
    /// There are devices, but not so many.
    #[error("there is no GPU {ordinal}: the driver has {count}, numbered from 0")]
    NoSuchDevice {
        /// The ordinal that was asked for.
        ordinal: u32,
        /// How many there are.
        count: u32,
    },
    /// The GPU has no TMA.
    #[error(
        "GPU {ordinal}, {name}, is too old: its compute capability is {capability}, \
         and TMA needs {} or later",
        Capability::LEAST
    )]
    DeviceTooOld {
        /// The device.
        ordinal: u32,
        /// The device's name.
        name: String,
        /// The device's compute capability.
        capability: Capability,
    },
    /// The driver fails.
    #[error("the CUDA driver fails: {0}")]
    Broken(DriverError),
}

/// The part of a machine with a GPU that is absent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Absence {
    /// The driver.
    #[error("{reason}")]
    Driver {
        /// The attempt to load it, and how it failed.
        reason: String,
    },
    /// Any device.
    #[error("no CUDA device: there is a driver, and it finds no GPU")]
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
        let what = format!("the CUDA driver fails in {}", error.function);
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
                "no CUDA device: there is a driver, and it finds no GPU",
            ),
            (
                GpuError::DriverTooOld { found },
                "the CUDA driver is too old: it is for CUDA 11.4, and tensor maps need 12.0 or \
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
                "GPU 0, NVIDIA A100, is too old: its compute capability is 8.0, and TMA needs 9.0 \
                 or later",
            ),
            (
                GpuError::Broken(broken),
                "the CUDA driver fails: cuInit: CUDA_ERROR_UNKNOWN (999): ",
            ),
        ];
        for (error, text) in cases {
            assert!(error.to_string().starts_with(text), "{error}");
            assert_eq!(error.is_absent(), matches!(error, GpuError::Absent(_)));
        }
    }
}
