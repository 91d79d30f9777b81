//! What the examples share: where kernels run, and their PTX.
//!
//! `cargo run -p host-examples --bin 01_first_copy`, and so on. On a machine without a GPU they say so
//! and run on the emulator.

use emulator::EmulatorBackend;
use host::{Capability, Gpu, GpuBackend};
use launch::{Backend, Ptx};

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// What every example's `main` returns.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Where kernels run.
pub struct Device {
    /// A GPU, or the emulator in its place.
    pub backend: Box<dyn Backend>,
    capability: Capability,
}

/// The first GPU; the emulator where there is none.
///
/// # Errors
/// A GPU that is there and does not work.
pub fn device() -> Result<Device> {
    match Gpu::first() {
        Ok(gpu) => Ok(Device {
            capability: gpu.device().capability,
            // SAFETY: the examples launch the kernels of `kernels-gpu` with arguments that keep their
            // conditions, so that they stay within the job's buffers (1).
            backend: Box::new(unsafe { GpuBackend::new(gpu) }),
        }),
        Err(error) if error.is_absent() => {
            println!("there is no GPU here ({error}), so the emulator takes its place");
            Ok(Device {
                backend: Box::new(EmulatorBackend::new(0)),
                capability: Capability { major: 9, minor: 0 },
            })
        }
        Err(error) => Err(error.into()),
    }
}

impl Device {
    /// The kernels for this device.
    ///
    /// # Errors
    /// None of the modules runs on it.
    pub fn ptx(&self) -> Result<Ptx<'static>> {
        kernels(self.capability)
    }
}

/// The kernels for such a device: those of its own architecture, or else the latest that it runs.
///
/// # Errors
/// None of the modules runs on it.
pub fn kernels(capability: Capability) -> Result<Ptx<'static>> {
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
pub fn check(what: &str, expected: &[i32], got: &[i32]) -> Result<()> {
    launch::compare::exact(expected, got)?;
    println!("ok: {what}, {} numbers equal", got.len());
    Ok(())
}
