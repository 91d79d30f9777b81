use std::{
    env,
    fmt::{self, Display, Formatter},
    str::FromStr,
};

use tma_launch::{Failure, Stage};

use super::Device;

/// Where kernels are to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// On a GPU where there is one, else on the emulator.
    #[default]
    Auto,
    /// On a GPU; a missing one is an error.
    Gpu,
    /// On the emulator.
    Emulator,
}

impl DeviceChoice {
    /// The environment variable that names one of `auto`, `gpu` and `emulator`.
    pub const VARIABLE: &str = "TMA_DEVICE";

    /// The environment variable that chooses the emulator's schedule: a number from 0.
    pub const SEED_VARIABLE: &str = "TMA_SEED";

    /// The choice in [`DeviceChoice::VARIABLE`], or else [`DeviceChoice::Auto`].
    ///
    /// # Errors
    /// A value that is none of the three.
    pub fn from_env() -> Result<Self, Failure> {
        let Some(value) = variable(Self::VARIABLE) else {
            return Ok(Self::Auto);
        };
        value.parse().map_err(|wrong| {
            let what = format!("the environment variable {} is `{value}`", Self::VARIABLE);
            Failure::new(Stage::Open, what).hint(wrong)
        })
    }

    /// Opens it, with the schedule of [`DeviceChoice::SEED_VARIABLE`] if it is the emulator.
    ///
    /// # Errors
    /// There is a GPU and it does not work, or one is asked for and there is none; the variable is no
    /// number.
    pub fn open(self) -> Result<Device, Failure> {
        if self == Self::Emulator {
            return emulator();
        }
        match Device::gpu() {
            Ok(gpu) => Ok(gpu),
            Err(error) if error.is_absent() && self == Self::Auto => emulator(),
            Err(error) if error.is_absent() => Err(Failure::from(error).hint(
                "a GPU was asked for; with `auto` or `emulator`, the emulator takes its place",
            )),
            Err(error) => Err(error.into()),
        }
    }
}

fn emulator() -> Result<Device, Failure> {
    let Some(value) = variable(DeviceChoice::SEED_VARIABLE) else {
        return Ok(Device::emulator(0));
    };
    let seed = value.parse().map_err(|_| {
        let name = DeviceChoice::SEED_VARIABLE;
        let what = format!("the environment variable {name} is `{value}`");
        Failure::new(Stage::Open, what).hint(format!("a seed is a number from 0 to {}", u64::MAX))
    })?;
    Ok(Device::emulator(seed))
}

fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let all = [Self::Auto, Self::Gpu, Self::Emulator];
        let found = all.into_iter().find(|choice| choice.as_str() == name);
        found
            .ok_or_else(|| format!("there is no device `{name}`; there are auto, gpu and emulator"))
    }
}

impl DeviceChoice {
    /// Its name, as [`DeviceChoice::VARIABLE`] has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Gpu => "gpu",
            Self::Emulator => "emulator",
        }
    }
}

impl Display for DeviceChoice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
