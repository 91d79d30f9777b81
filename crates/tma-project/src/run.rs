//! `run` and `test`: cargo's verbs for a project with kernels, on a device.

use std::{
    env,
    ffi::OsString,
    process::{Command, ExitCode},
};

use anyhow::Result;

use crate::{
    process::{exit_code, status},
    setup,
};

/// A device, and arguments for cargo.
#[derive(clap::Args)]
pub struct Args {
    /// Device to run on [default: a GPU if there is one]
    #[arg(long, value_name = "DEVICE", value_parser = ["gpu", "emulator"])]
    device: Option<String>,
    /// Seed of the emulator's schedule, `all` for every schedule of each launch, or the name of a schedule that failed
    #[arg(long, value_parser = seed)]
    seed: Option<String>,
    /// Arguments for cargo
    #[arg(num_args = 0.., allow_hyphen_values = true)]
    arguments: Vec<OsString>,
    /// Arguments for the program or the tests, if none for cargo precede them
    #[arg(last = true)]
    after: Vec<OsString>,
}

/// Builds the project, and runs its program or its tests: `verb` is `run` or `test`.
///
/// # Errors
/// There is no device compiler, or cargo cannot be started.
pub fn run(verb: &str, args: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    Ok(exit_code(status(&mut args.command(verb, &[]))?))
}

fn seed(given: &str) -> Result<String, String> {
    // The device reads the choices of a schedule's name.
    let is_name = || given.split(':').count() == 3;
    let is_seed = given == "all" || given.parse::<u64>().is_ok() || is_name();
    match is_seed {
        true => Ok(given.to_owned()),
        false => Err(format!(
            "a seed must be a number from 0 to {}, `all`, or the name of a schedule, such as 33a85bde:0:3.2",
            u64::MAX
        )),
    }
}

impl Args {
    /// Returns cargo's command for a verb, with further options of cargo.
    pub fn command(&self, verb: &str, options: &[OsString]) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.arg(verb).args(options).args(self.arguments());
        if let Some(device) = &self.device {
            cargo.env("TMA_DEVICE", device);
        }
        if let Some(seed) = &self.seed {
            cargo.env("TMA_SEED", seed);
        }
        cargo
    }

    /// Returns the arguments for cargo, and after `--` those for its programs.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut all = self.arguments.clone();
        if !self.after.is_empty() {
            all.push("--".into());
            all.extend_from_slice(&self.after);
        }
        all
    }

    /// Returns the flags with the device and the seed; `schedule` takes the place of the seed.
    pub fn chosen(&self, schedule: Option<&str>) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(device) = &self.device {
            flags.extend(["--device".to_owned(), device.clone()]);
        }
        if let Some(seed) = schedule.or(self.seed.as_deref()) {
            flags.extend(["--seed".to_owned(), seed.to_owned()]);
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Verb {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn devices_and_seeds_are_variables_and_the_rest_is_for_cargo() {
        let typed = [
            "test",
            "--device",
            "emulator",
            "--seed",
            "7",
            "--release",
            "--",
            "--nocapture",
        ];
        let command = Verb::parse_from(typed).args.command("test", &[]);
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments, ["test", "--release", "--", "--nocapture"]);
        let variables: Vec<_> = command
            .get_envs()
            .map(|(name, value)| (name, value.unwrap()))
            .collect();
        assert_eq!(
            variables,
            [
                ("TMA_DEVICE".as_ref(), "emulator".as_ref()),
                ("TMA_SEED".as_ref(), "7".as_ref())
            ]
        );
        assert!(Verb::try_parse_from(["test", "--device", "cpu"]).is_err());
        assert!(Verb::try_parse_from(["test", "--seed", "all"]).is_ok());
        assert!(Verb::try_parse_from(["test", "--seed", "-1"]).is_err());
        assert!(Verb::try_parse_from(["test", "--seed", "each"]).is_err());
        assert!(Verb::try_parse_from(["test", "--seed", "33a85bde:0:3.2"]).is_ok());
    }

    #[test]
    fn arguments_for_tests_alone_follow_two_dashes() {
        let typed = ["test", "--seed", "7", "--", "--exact", "a"];
        let args = Verb::parse_from(typed).args;
        assert_eq!(args.arguments(), ["--", "--exact", "a"]);
        assert_eq!(args.chosen(None), ["--seed", "7"]);
        assert_eq!(args.chosen(Some("1:0:usual")), ["--seed", "1:0:usual"]);
        let args = Verb::parse_from(["test", "-p", "a", "--", "b"]).args;
        assert_eq!(args.arguments(), ["-p", "a", "--", "b"]);
    }
}
