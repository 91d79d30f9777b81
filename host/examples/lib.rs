//! The examples share this: where kernels run, and their PTX.
//!
//! `cargo run -p host-examples --bin 01_first_copy`, and so on. On a machine without a GPU they run on the
//! emulator.

pub mod nccl;

use std::fmt::Debug;

use bytemuck::NoUninit;
use tma_host::{Capability, Device, Jobs, Module};
use tma_launch::Ptx;

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// The snippets of README, which compile.
#[cfg(doctest)]
#[doc = include_str!(concat!(env!("OUT_DIR"), "/readme.md"))]
mod readme {}

/// The result of every example's `main`.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The first GPU, or the emulator where there is none; or what the environment says.
///
/// # Errors
/// As [`Device::open`].
pub fn device() -> Result<Device> {
    let device = Device::open()?;
    println!("on {device}");
    Ok(device)
}

/// The kernels on a device.
///
/// # Errors
/// None of the modules runs on it.
pub fn load(device: &Device) -> Result<Module> {
    let ptx = kernels(device.capability())?;
    Ok(device.load(ptx.name, ptx.text)?)
}

/// Returns the jobs of a device, and the kernels for it.
///
/// # Errors
/// None of the modules runs on it.
pub fn jobs(device: &Device) -> Result<(Jobs, Ptx<'static>)> {
    Ok((Jobs::new(device.clone()), kernels(device.capability())?))
}

/// The kernels for a device of this capability: those of its own architecture, or else the latest that it
/// runs.
///
/// # Errors
/// None of the modules runs on it.
fn kernels(capability: Capability) -> Result<Ptx<'static>> {
    let module = MODULES
        .iter()
        .rfind(|(arch, _)| capability.runs(arch) == Some(true));
    let (name, text) = *module.ok_or("the examples were not built for this GPU")?;
    Ok(Ptx { name, text })
}

/// Fails unless the elements are equal; says how many there are.
///
/// # Errors
/// The first that differs.
pub fn check<T: NoUninit + Debug>(what: &str, expected: &[T], got: &[T]) -> Result<()> {
    tma_launch::compare::exact(expected, got)?;
    println!("ok: {what}, {} numbers equal", got.len());
    Ok(())
}
