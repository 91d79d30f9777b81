use std::{fmt, str::FromStr};

use clap::ValueEnum;
use emulator::EmulatorBackend;
use host::{Capability, Gpu, GpuBackend};
use launch::Backend;

/// Where the kernels are to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// On a GPU where there is one, else on the emulator.
    Auto,
    /// On a GPU; a missing one is a failure.
    Gpu,
    /// On the emulator.
    Emulator,
}

/// What became of it.
pub enum Opened {
    /// It is there.
    Ready {
        /// It.
        backend: Box<dyn Backend + Send>,
        /// What it can run.
        capability: Capability,
    },
    /// It is missing though it was asked for, or does not work: a failure.
    Broken(String),
}

impl Device {
    /// Opens it.
    pub fn open(self) -> Opened {
        match self {
            Self::Emulator => emulator(),
            Self::Auto | Self::Gpu => match Gpu::first() {
                Ok(gpu) => Opened::Ready {
                    capability: gpu.device().capability,
                    // SAFETY: the scenarios launch the kernels of `kernels-gpu` with arguments that
                    // keep their conditions, so that they stay within the job's buffers (1).
                    backend: Box::new(unsafe { GpuBackend::new(gpu) }),
                },
                Err(error) if error.is_absent() && self == Self::Auto => emulator(),
                Err(error) => Opened::Broken(error.to_string()),
            },
        }
    }

    /// The environment variable that chooses the emulator's schedule, a number.
    pub const SEED_VARIABLE: &str = "TMA_SEED";

    /// The environment variable that names the device where no `--device` does.
    pub const VARIABLE: &str = "TMA_DEVICE";

    /// What [`Device::VARIABLE`] names, or `auto`.
    ///
    /// # Errors
    /// A value that is none of the three.
    pub fn from_env() -> Result<Self, String> {
        std::env::var(Self::VARIABLE).map_or(Ok(Self::Auto), |name| name.parse())
    }

    /// Takes `--device WHERE` out of a program's arguments; without it, [`Device::from_env`].
    ///
    /// # Errors
    /// A value that is none of the three, or none at all.
    pub fn from_args(
        arguments: impl Iterator<Item = String>,
    ) -> Result<(Self, Vec<String>), String> {
        let mut device = None;
        let mut rest = Vec::new();
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let value = match argument.strip_prefix("--device") {
                Some("") => arguments.next(),
                Some(value) => value.strip_prefix('=').map(str::to_owned),
                None => {
                    rest.push(argument);
                    continue;
                }
            };
            let value = value.ok_or("`--device` takes auto, gpu or emulator")?;
            device = Some(value.parse()?);
        }
        Ok((device.map_or_else(Self::from_env, Ok)?, rest))
    }
}

fn emulator() -> Opened {
    let seed = std::env::var(Device::SEED_VARIABLE).unwrap_or_else(|_| "0".into());
    match seed.parse() {
        Ok(seed) => Opened::Ready {
            backend: Box::new(EmulatorBackend::new(seed)),
            capability: Capability { major: 9, minor: 0 },
        },
        Err(_) => Opened::Broken(format!("{} is `{seed}`, no seed", Device::SEED_VARIABLE)),
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        <Self as ValueEnum>::from_str(name, false)
            .map_err(|_| format!("there is no device `{name}`; there are auto, gpu and emulator"))
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<(Device, Vec<String>), String> {
        Device::from_args(arguments.iter().map(|argument| argument.to_string()))
    }

    #[test]
    fn the_device_is_taken_out_of_the_arguments() {
        let rest = || vec!["cases".to_owned(), "tile".to_owned()];
        assert_eq!(parse(&["cases", "tile"]), Ok((Device::Auto, rest())));
        assert_eq!(
            parse(&["cases", "--device", "gpu", "tile"]),
            Ok((Device::Gpu, rest()))
        );
        assert_eq!(
            parse(&["cases", "tile", "--device=emulator"]),
            Ok((Device::Emulator, rest()))
        );
    }

    #[test]
    fn a_device_that_does_not_exist_is_refused() {
        assert!(parse(&["cases", "--device"]).is_err());
        let error = parse(&["cases", "--device", "tpu"]).unwrap_err();
        assert_eq!(
            error,
            "there is no device `tpu`; there are auto, gpu and emulator"
        );
    }
}
