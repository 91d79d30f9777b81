use std::{
    env,
    fmt::{self, Display, Formatter},
    str::FromStr,
};

use tma_emulator::Bounds;
use tma_launch::{Failure, Stage};

use super::Device;

/// The device to run kernels on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A GPU if there is one, otherwise the emulator.
    #[default]
    Auto,
    /// A GPU; a missing one is an error.
    Gpu,
    /// The emulator of this machine.
    Emulator,
}

impl DeviceChoice {
    /// The environment variable that selects `auto`, `gpu` or `emulator`.
    pub const VARIABLE: &str = "TMA_DEVICE";

    /// The environment variable with the emulator's seed, a number from 0, `all` for every schedule, or the name of
    /// a schedule that failed.
    pub const SEED_VARIABLE: &str = "TMA_SEED";

    /// Reads the choice from [`DeviceChoice::VARIABLE`]; the default is [`DeviceChoice::Auto`].
    ///
    /// # Errors
    /// The variable has another value.
    pub fn from_env() -> Result<Self, Failure> {
        let Some(value) = variable(Self::VARIABLE) else {
            return Ok(Self::Auto);
        };
        value.parse().map_err(|wrong| {
            let what = format!("the environment variable {} is `{value}`", Self::VARIABLE);
            Failure::new(Stage::Open, what).hint(wrong)
        })
    }

    /// Opens the device; the emulator uses the seed in [`DeviceChoice::SEED_VARIABLE`].
    ///
    /// # Errors
    /// A GPU is present but unusable, or required but missing; or the seed is not a number.
    pub fn open(self) -> Result<Device, Failure> {
        if self == Self::Emulator {
            return emulator();
        }
        match Device::gpu() {
            Ok(gpu) => Ok(gpu),
            Err(error) if error.is_absent() && self == Self::Auto => emulator(),
            Err(error) if error.is_absent() => Err(Failure::from(error)
                .hint("a GPU is required; use `auto` or `emulator` to run on the emulator")),
            Err(error) => Err(error.into()),
        }
    }
}

fn emulator() -> Result<Device, Failure> {
    let Some(value) = variable(DeviceChoice::SEED_VARIABLE) else {
        return Ok(Device::emulator(0));
    };
    if value == "all" {
        return Ok(Device::emulator_of_every_schedule(Bounds::default()));
    }
    if let Ok(name) = value.parse() {
        return Ok(Device::emulator_of_schedule(name));
    }
    let seed = value.parse().map_err(|_| {
        let name = DeviceChoice::SEED_VARIABLE;
        let what = format!("the environment variable {name} is `{value}`");
        Failure::new(Stage::Open, what).hint(format!(
            "a seed must be a number from 0 to {}, `all`, or the name of a schedule, such as 33a85bde:0:3.2",
            u64::MAX
        ))
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
        found.ok_or_else(|| format!("unknown device `{name}`; use auto, gpu or emulator"))
    }
}

impl DeviceChoice {
    /// Returns the name used in [`DeviceChoice::VARIABLE`].
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
