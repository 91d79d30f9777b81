//! Shared by the examples: the device and the kernels' PTX.
//!
//! Run an example with `cargo run -p host-examples --bin 01_first_copy`. Without a GPU it runs on the emulator.

pub mod nccl;

use std::fmt::Debug;

use bytemuck::NoUninit;
use tma_host::{Capability, Device, Jobs, Module};
use tma_launch::Ptx;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// Compiles the snippets of the README.
#[cfg(doctest)]
#[doc = include_str!(concat!(env!("OUT_DIR"), "/readme.md"))]
mod readme {}

/// Runs the snippets of the page about other hosts.
#[cfg(doctest)]
#[doc = include_str!("../../docs/other-hosts.md")]
mod other_hosts {}

/// The result of every example's `main`.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Opens the device that the environment selects: by default the first GPU, or the emulator without one.
///
/// # Errors
/// As [`Device::open`].
pub fn device() -> Result<Device> {
    let device = Device::open()?;
    println!("on {device}");
    Ok(device)
}

/// Loads the kernels on a device.
///
/// # Errors
/// No module runs on the device.
pub fn load(device: &Device) -> Result<Module> {
    let ptx = kernels(device.capability())?;
    Ok(device.load(ptx.name, ptx.text)?)
}

/// Returns the jobs of a device, and the kernels for it.
///
/// # Errors
/// No module runs on the device.
pub fn jobs(device: &Device) -> Result<(Jobs, Ptx<'static>)> {
    Ok((Jobs::new(device.clone()), kernels(device.capability())?))
}

/// Returns the kernels for this capability: of its own architecture, or else of the latest one that it runs.
///
/// # Errors
/// No module runs on the device.
fn kernels(capability: Capability) -> Result<Ptx<'static>> {
    let module = MODULES
        .iter()
        .rfind(|(arch, _)| capability.runs(arch) == Some(true));
    let (name, text) = *module.ok_or(
        "the examples were not built for this GPU; set TMA_LONG_TESTS=none and build them again",
    )?;
    Ok(Ptx { name, text })
}

/// Fails unless the elements are equal; otherwise prints their number.
///
/// # Errors
/// The first element that differs.
pub fn check<T: NoUninit + Debug>(what: &str, expected: &[T], got: &[T]) -> Result<()> {
    tma_launch::compare::exact(expected, got)?;
    println!("ok: {what}, {} numbers equal", got.len());
    Ok(())
}
