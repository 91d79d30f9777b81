//! Installation of the device compiler with rustup or from Debian.

use std::{env, path::Path, process::Command};

use anyhow::{Context, Result, anyhow, bail};
use tma_build::{DeviceCompiler, TRIED_VERSION};

use crate::{process, typed};

const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Tries the available installers: rustup first, unless it must not install toolchains automatically.
pub(crate) fn install() -> Result<DeviceCompiler> {
    let mut reasons = Vec::new();
    let mut attempts = [("rustup", rustup as fn() -> Result<()>), ("apt-get", apt)];
    if env::var_os("RUSTUP_AUTO_INSTALL").is_some_and(|value| value == "0") {
        attempts.reverse();
    }
    for (name, attempt) in attempts {
        match attempt().and_then(|()| found(name)) {
            Ok(compiler) => return Ok(compiler),
            Err(reason) => reasons.push(format!("  {name}: {reason:#}")),
        }
    }
    bail!(
        "the device compiler (rustc {TRIED_VERSION} or later with the source of `core`) could not be \
         installed:\n{}\nConnect to a network, install rustup (https://rustup.rs) or use Debian as root, and repeat \
         `{}`",
        reasons.join("\n"),
        typed("setup")
    )
}

fn found(name: &str) -> Result<DeviceCompiler> {
    DeviceCompiler::find().map_err(|error| anyhow!("{name} completed, but {error}"))
}

fn rustup() -> Result<()> {
    process::first_line("rustup", &["--version"]).context("is not installed")?;
    say!(
        "Installing the device compiler: rustup's toolchain {TRIED_VERSION} with the source of `core`."
    );
    process::run(
        Command::new("rustup")
            .args(["toolchain", "install", &TRIED_VERSION.to_string()])
            .args(["--profile", "minimal", "--component", "rust-src"]),
    )
    .map_err(|error| anyhow!("{error}; is there a network?"))
}

fn apt() -> Result<()> {
    if !Path::new("/usr/bin/apt-get").exists() {
        bail!("is not installed: this is not Debian");
    }
    let sudo = sudo()?;
    say!(
        "Installing the device compiler: Debian's packages {} (115 MB).",
        DEBIAN_PACKAGES.join(", ")
    );
    process::run(apt_get(sudo).arg("update"))
        .map_err(|error| anyhow!("{error}; is there a network?"))?;
    process::run(
        apt_get(sudo)
            .args(["install", "--yes", "--no-install-recommends"])
            .args(DEBIAN_PACKAGES),
    )
    .map_err(|error| {
        anyhow!("{error}; is there a network, and does this release have the packages?")
    })
}

/// Returns whether `sudo` is needed; it must work without asking.
fn sudo() -> Result<bool> {
    if process::first_line("id", &["-u"]).as_deref() == Some("0") {
        return Ok(false);
    }
    process::output(Command::new("sudo").args(["--non-interactive", "true"]))
        .map(|_| true)
        .map_err(|_| anyhow!("needs root, and sudo would require a password"))
}

fn apt_get(sudo: bool) -> Command {
    let mut command = Command::new(if sudo { "sudo" } else { "apt-get" });
    if sudo {
        command.args(["--non-interactive", "apt-get"]);
    }
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}
