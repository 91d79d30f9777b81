//! Tests of the kernels, the device library and the checker.
//!
//! [`groups`] lists what has cases: the kernels of `kernels-gpu`, whose cases are in
//! [`kernel_cases`], and in [`device`] those that show one by one what the device library does.

pub mod bugs;
pub mod cases;
pub mod copies;
pub mod device;
pub mod digest;
pub mod figures;
pub mod forms;
pub mod golden;
pub mod maps;
pub mod math;
pub mod matrix;
mod modules;
pub mod mutants;
pub mod products;
pub mod semantics;
pub mod steps;
mod width;

pub use kernel_cases::{
    CaseFailure, Content, Expected, KERNELS, Kernel, LARGE, Large, Scenario, device_of_arguments,
    open,
};
pub use modules::{
    BLACKWELL_SEMANTICS_PTX, BUGS_PTX, CONSUMER_FORMS_PTX, DEVICE_COMPILER, DEVICE_PTX, FORMS_PTX,
    HOPPER_FORMS_PTX, KERNELS_LOCAL_BYTES, KERNELS_PTX, LATER_CONSUMER_FORMS_PTX, LATER_FORMS_PTX,
    LATER_SEMANTICS_PTX, Module, SEMANTICS_PTX,
};
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

/// Returns whether to run also what repeats a test under more schedules or for more targets, which
/// `cargo xtask test --long` and CI ask for.
pub fn is_long() -> bool {
    std::env::var_os("TMA_LONG_TESTS").is_some()
}

/// All cases that every backend runs.
pub fn groups() -> Vec<Group> {
    let kernels = KERNELS.iter().map(|kernel| Group {
        name: kernel.name,
        modules: KERNELS_PTX,
        cases: kernel.cases,
    });
    let device = device::DEVICE_CASES.iter().map(|part| Group {
        name: part.name,
        modules: DEVICE_PTX,
        cases: part.cases,
    });
    kernels.chain(device).collect()
}
