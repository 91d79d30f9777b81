//! Tests of the kernels: each case is written once, as data, and runs on every backend.
//!
//! [`groups`] lists the kernels with their cases: those of `kernels-gpu`, and in [`probes`] those
//! that show one by one what the device library does. A [`Scenario`] has the buffers, the launches
//! and what must come out, computed by plain Rust that shares no code with the kernel. [`open`] opens
//! the device that they run on.

pub mod bugs;
pub mod copies;
mod device;
pub mod effects;
pub mod forms;
mod kernels;
pub mod maps;
pub mod matrix;
mod modules;
pub mod mutants;
pub mod plain;
pub mod probes;
mod scenario;
mod width;

pub use device::{device_of_arguments, open};
pub use kernels::{KERNELS, Kernel, LARGE, Large};
pub use modules::{
    BUGS_PTX, DEVICE_COMPILER, EFFECTS_PTX, FORMS_PTX, KERNELS_PTX, LATER_EFFECTS_PTX, Module,
    PROBES_PTX,
};
pub use scenario::{Content, Expected, Scenario, Wrong};
pub use width::width;

/// Cases that belong together.
pub struct Group {
    /// The kernel that they are about.
    pub name: &'static str,
    /// Where it is, for each architecture.
    pub modules: &'static [Module],
    /// The cases.
    pub cases: fn() -> Vec<Scenario>,
}

/// All cases that every backend runs.
pub fn groups() -> Vec<Group> {
    let kernels = KERNELS.iter().map(|kernel| Group {
        name: kernel.name,
        modules: KERNELS_PTX,
        cases: kernel.cases,
    });
    let probes = probes::PROBES.iter().map(|probe| Group {
        name: probe.name,
        modules: PROBES_PTX,
        cases: probe.cases,
    });
    kernels.chain(probes).collect()
}
